"""The drawing and the tables of docs/architecture.md name what is in the code, and nothing else."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "dramaturg"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
DRAWING = PAGE.split("<!-- house -->")[1].split("<!-- /house -->")[0]

SEAM = re.compile(r"^\| `(\w+)(?:\[[\w, ]+\])?` \| `([\w/]+\.py)` \|", re.MULTILINE)
PARTS = ("events.py", "state.py", "kind.py", "front.py", "wire.py", "store.py", "tables.sql", "prompts/", "rehearsal/")
SEAM_BASES = {"Protocol", "ABC"}


def packages() -> Iterator[Path]:
    """The folders that hold Python modules, below the root."""
    for init in sorted(SOURCE.rglob("__init__.py")):
        if init.parent != SOURCE:
            yield init.parent


def seams() -> Iterator[tuple[str, str]]:
    """The public protocols and abstract classes, each with its module."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and is_seam(node):
                yield node.name, path.relative_to(SOURCE).as_posix()


def is_seam(node: ast.ClassDef) -> bool:
    bases = (base.value if isinstance(base, ast.Subscript) else base for base in node.bases)
    return any(isinstance(base, ast.Name) and base.id in SEAM_BASES for base in bases)


def test_the_drawing_names_every_package() -> None:
    drawn = set(re.findall(r"([a-z_]+)/", DRAWING))
    missing = [f"{path.relative_to(SOURCE)}/" for path in packages() if path.name not in drawn]
    assert not missing, f"draw in docs/architecture.md: {', '.join(missing)}"


def test_the_drawing_names_no_package_that_is_gone() -> None:
    folders = {path.name for path in SOURCE.rglob("*") if path.is_dir()} | {"data"}
    gone = sorted(set(re.findall(r"([a-z_]+)/", DRAWING)) - folders)
    assert not gone, f"in the drawing of docs/architecture.md, but not in the code: {', '.join(gone)}"


def test_the_drawing_names_every_module_of_the_kernel_and_the_studio() -> None:
    modules = [*(SOURCE / "kernel").glob("[!_]*.py"), *SOURCE.glob("[!_]*.py")]
    missing = [path.name for path in modules if path.name not in DRAWING]
    assert not missing, f"draw in docs/architecture.md: {', '.join(missing)}"


def test_the_table_of_seams_is_complete() -> None:
    assert sorted(SEAM.findall(PAGE)) == sorted(seams())


def test_every_capability_has_the_parts_that_the_page_says_all_of_them_have() -> None:
    for capability in ("scenes", "episodes", "workshop", "ensemble"):
        for part in PARTS:
            assert f"`{part}`" in PAGE
            assert (SOURCE / capability / part).exists(), f"{capability}/{part}"
