"""Every public noun of the code has its row in docs/glossary.md.

A class is covered by a row for its whole name or for the end of it: a `SqlJournal` is a journal, and a
`DirectCharacterAgent` a character agent. Exempt are errors, which `kernel/errors.py` draws as a tree, and
events, which have a generated page of their own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "dramaturg"
GLOSSARY = ROOT / "docs" / "glossary.md"

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*")
PLACE = re.compile(r"`([a-z_]+(?:/[a-z_0-9]+)*(?:/|\.py))`")


def rows() -> list[list[str]]:
    lines = (line for line in GLOSSARY.read_text(encoding="utf-8").splitlines() if line.startswith("| "))
    cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return [row for row in cells if row[0] not in ("word", "---")]


def plain(word: str) -> str:
    return re.sub(r"[\s`*_-]", "", word).lower().removesuffix("s")


def words() -> list[str]:
    return [plain(word) for row in rows() for word in row[0].split(",")]


def public_classes() -> Iterator[tuple[str, str]]:
    for path in sorted(set(SOURCE.rglob("*.py")) - {SOURCE / "kernel" / "errors.py"}):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_") and not is_exempt(node):
                yield node.name, path.relative_to(SOURCE).as_posix()


def is_exempt(node: ast.ClassDef) -> bool:
    bases = {ast.unparse(base) for base in node.bases}
    return (
        "Event" in bases or node.name.endswith("Error") or any(base.endswith(("Error", "Exception")) for base in bases)
    )


def is_covered(name: str, known: set[str]) -> bool:
    parts = WORD.findall(name)
    return any(plain("".join(parts[place:])) in known for place in range(len(parts)))


def test_every_public_class_has_a_row() -> None:
    known = set(words())
    missing = [f"{name} ({where})" for name, where in public_classes() if not is_covered(name, known)]
    assert not missing, f"add a row to docs/glossary.md for: {', '.join(missing)}"


def test_every_word_has_one_row() -> None:
    twice = sorted({word for word in words() if words().count(word) > 1})
    assert not twice, f"more than one row in docs/glossary.md for: {', '.join(twice)}"


def test_every_row_says_what_the_word_means_and_where_it_lives() -> None:
    for row in rows():
        assert len(row) == 3, row
        assert all(row), row
        for place in PLACE.findall(row[2]):
            assert (SOURCE / place).exists(), f"{row[0]}: there is no {place}"


@pytest.mark.parametrize(
    ("name", "known", "covered"),
    [
        ("SqlJournal", {"journal"}, True),
        ("RunRecord", {"runrecord"}, True),
        ("RunRecord", {"run"}, False),
        ("OpenAIWire", {"wire"}, True),
        ("Answers", {"answer"}, True),
        ("DirectCharacterAgent", {"characteragent"}, True),
    ],
)
def test_a_class_is_covered_by_its_name_or_the_end_of_it(name: str, known: set[str], covered: bool) -> None:
    assert is_covered(name, known) is covered
