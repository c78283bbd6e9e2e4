"""The boundary of a project: its files lie inside it, and links do not lead out."""

from __future__ import annotations

import os
from pathlib import Path


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path, with every link followed, lies in a folder. False for links that go in circles."""
    try:
        return path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):
        return False


def leads_out(path: Path, folder: Path) -> bool:
    """Whether a path is written as if it lay in a folder, and a link or `..` leads out of it.

    A path that does not pretend to lie there does not lead out: somebody named it.
    """
    written = Path(os.path.normpath(folder.absolute()))
    named = path.absolute()
    return (named.is_relative_to(folder.absolute()) or named.is_relative_to(written)) and not is_inside(path, folder)
