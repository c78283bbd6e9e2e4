"""The user's own folder for what dramaturg remembers about projects, outside all of them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

LARGEST_FILE = 1_000_000


def own_folder(env: Mapping[str, str], name: str) -> Path | None:
    """The folder `$XDG_CONFIG_HOME/dramaturg/<name>`, else in `~/.config`. Without a home there is none."""
    home = Path(env.get("HOME") or env.get("USERPROFILE") or "")
    places = (Path(env.get("XDG_CONFIG_HOME", "")), home / ".config")
    base = next((place for place in places if place.is_absolute()), None)
    return base / "dramaturg" / name if base else None


def private_own_folder(folder: Path) -> None:
    """Makes such a folder for its owner only. Raises OSError."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)


def is_ours(file: Path) -> bool:
    """Whether a file, and the folder it lies in, belong to this user and nobody else can write them."""
    try:
        about, folder = file.lstat(), file.parent.stat()
    except OSError:
        return False
    if not file.is_file() or file.is_symlink() or about.st_size > LARGEST_FILE:
        return False
    if os.name != "posix":
        return True
    return all(one.st_uid == os.getuid() and not one.st_mode & 0o022 for one in (about, folder))
