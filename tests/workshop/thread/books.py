"""A small book in which some facts are told in several ways."""

from __future__ import annotations

from pathlib import Path

RUTH = """---
kind: character
name: Ruth
facts:
  - {subject: Ruth, predicate: eye_colour, object: green}
  - {subject: Ruth, predicate: owns, object: the brass key}
---
Ruth has green eyes, like her mother.
"""
FIRST = """---
cast: [Ruth, Tom]
---
Ruth came in from the rain. Tom saw her green eyes first.

Tom liked the green boat better than the old one.
"""
SECOND = """---
cast: [Ruth, Will]
facts:
  - {subject: Ruth, predicate: eye_colour, object: green, quote: Her eyes were the colour of the sea in March.}
  - {subject: Will, predicate: occupation, object: Hope}
---
Will opened the door. Ruth did not look at him. Her eyes were the colour of the sea in March.

He will hope so, thought Ruth. Green was never her word for such eyes.
"""
SCAFFOLD = """---
scene_goal: Tom notices that Ruth has green eyes
---
"""
FILES = {
    "story-bible/ruth.md": RUTH,
    "manuscript/ch01-sc01.md": FIRST,
    "manuscript/ch01-sc02.md": SECOND,
    "scaffolds/ch01-sc01.md": SCAFFOLD,
}


def write_book(folder: Path, files: dict[str, str] | None = None) -> Path:
    for path, text in (FILES if files is None else files).items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode())
    return folder


def held(folder: Path) -> dict[str, bytes]:
    """Every file of the book, to the byte."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*.md"))
        if "data" not in path.relative_to(folder).parts
    }
