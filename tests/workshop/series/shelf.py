"""A series of books on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from dramaturg.kernel.settings import WorkshopSettings

IN_SERIES = WorkshopSettings(series=Path("../series"))
ELENA = """---
kind: character
name: Elena
facts:
  - {subject: Elena, predicate: eye_colour, object: green}
  - {subject: Elena, predicate: occupation, object: a spy, book: second-wind}
---
"""
FIRST = """---
cast: [Elena, Marcus]
time: 2190-05-04
facts:
  - {subject: Marcus, predicate: owns, object: the Meridian}
  - {subject: Marcus, predicate: knows, object: the berth is sold}
---
Elena waited at the rail. Marcus came late.
"""
SECOND = """---
cast: [Elena, Marcus]
time: 2192-01-01
facts:
  - {subject: Elena, predicate: hair_colour, object: red}
---
“The Meridian is gone,” said Marcus to Elena.
"""
THIRD = """---
cast: [Elena]
time: 2195-01-01
facts:
  - {subject: Elena, predicate: died_on, object: 2195-01-01}
---
Elena fell from the Meridian with her green eyes open.
"""
BOOKS = {"first-light": FIRST, "second-wind": SECOND, "third-tide": THIRD}


def write(place: Path, text: str) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
    return place


def the_series(folder: Path, books: Mapping[str, str] = BOOKS, pages: Mapping[str, str] | None = None) -> Path:
    """A series of these books, each with one scene; the folder around them."""
    rows = "".join(f"  - {{folder: {name}}}\n" for name in books)
    write(folder / "series" / "series.yaml", f"title: The Rim\nbooks:\n{rows}")
    for name, text in ({"elena.md": ELENA} if pages is None else pages).items():
        write(folder / "series" / name, text)
    for name, text in books.items():
        write(folder / name / "manuscript" / "ch01-sc01.md", text)
    return folder


def listed(folder: Path, rows: Sequence[str]) -> None:
    """Another list of books."""
    write(folder / "series" / "series.yaml", "books:\n" + "".join(f"  - {row}\n" for row in rows))
