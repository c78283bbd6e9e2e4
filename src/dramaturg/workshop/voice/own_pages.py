"""The writer's own earlier pages: what they put into `voice/pages/`, and the manuscript."""

from __future__ import annotations

from pathlib import Path

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.files import is_text
from dramaturg.workshop.book.files import ProjectFiles
from dramaturg.workshop.book.manuscript import Manuscript
from dramaturg.workshop.book.pages import read_page
from dramaturg.workshop.voice.prose import Prose, read_prose

FOLDER = "voice/pages"
MOST_BYTES = 2_000_000
MOST_FILES = 200


def own_pages(project: Path) -> dict[str, Prose]:
    """The prose of each file, by its path below the project; files that cannot be read are left out."""
    folder = project / FOLDER
    pages = (path for path in folder.glob("*") if path.suffix in (".md", ".txt") and is_text(path.name))
    given = sorted(pages) if folder.is_dir() else []
    found = {}
    for path in given[:MOST_FILES]:
        name = f"{FOLDER}/{path.name}"
        try:
            found[name] = read_prose(page_text(project, name))
        except InvalidConfig:
            continue
    manuscript = Manuscript(project)
    for one in manuscript.files():
        if one.is_drafted and (prose := read_prose(manuscript.prose(one.path))).paragraphs:
            found[one.path] = prose
    return found


def page_text(project: Path, path: str) -> str:
    """The prose of a file of the project, without front matter. Raises InvalidConfig if it cannot be read."""
    named = path.strip().replace("\\", "/").removeprefix("./")
    text = ProjectFiles(project).text(named, MOST_BYTES)
    if text is None:
        raise InvalidConfig(
            f"There is no {named} in the project. Give a text or Markdown file that lies in it.", path=named
        )
    return text.removeprefix(read_page(named, text).head)


def joined(pages: dict[str, Prose]) -> Prose:
    """All pages as one text."""
    return Prose(tuple(paragraph for prose in pages.values() for paragraph in prose.paragraphs))
