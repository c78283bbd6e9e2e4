"""The plan of a scene, read from `scaffolds/`: one Markdown file per scene, named like the scene it plans."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.book import SceneScaffold
from dramaturg.workshop.book.files import ProjectFiles
from dramaturg.workshop.book.pages import is_filled, key_of, read_page

FOLDER = "scaffolds"
MOST_BYTES = 200_000


def read_scaffold(project: Path, scene: str) -> tuple[SceneScaffold | None, str | None]:
    """The scaffold of a scene (`manuscript/ch04-sc02.md`), if there is one, or the reason why it cannot be read.

    Front matter fields and the text under each heading are its fields.
    """
    stem, path = PurePosixPath(scene).stem, scaffold_path(scene)
    if not path:
        return None, None
    try:
        text = ProjectFiles(project).text(path, MOST_BYTES)
        page = read_page(path, text) if text is not None else None
    except InvalidConfig as error:
        return None, error.message
    if page is None:
        return None, None
    matter = {
        name: ", ".join(map(str, held)) if isinstance(held, list) else str(held) for name, held in page.matter.items()
    }
    below = {key_of(one.heading): one.text.strip() for one in page.passages if one.heading and is_filled(one.text)}
    return SceneScaffold(scaffold_id=stem, fields={name: text for name, text in (matter | below).items() if text}), None


def scaffold_path(scene: str) -> str:
    """Where the scaffold of a scene lies, below the project; empty without a scene."""
    stem = PurePosixPath(scene).stem
    return f"{FOLDER}/{stem}.md" if stem else ""
