"""Plain word lists: text files of lines under `## headings`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def load_sheet(package: str, path: str) -> Mapping[str, tuple[str, ...]]:
    """The lines of a package's text file by heading; lines that begin with a single # are comments."""
    found: dict[str, list[str]] = {}
    heading = ""
    for line in files(package).joinpath(path).read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            heading = line[3:].strip()
        elif line.strip() and not line.startswith("#"):
            found.setdefault(heading, []).append(line.strip())
    return {heading: tuple(entries) for heading, entries in found.items()}
