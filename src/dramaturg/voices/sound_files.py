"""The sound that a run has left on disk, and its removal."""

from __future__ import annotations

from pathlib import Path

from dramaturg.kernel.store import Artifacts
from dramaturg.kernel.store.failures import unwritable

SOUND = frozenset({".wav", ".flac", ".mp3", ".opus", ".m4b"})
_BESIDE_LINES = (".words.json",)
_MANIFEST = "session.json"
_PROGRAMME = "programme"


def delete_sound(artifacts: Artifacts, folder: str) -> int:
    """Remove the recordings and programmes below a run's folder, with what only makes sense beside them.

    Folders that are empty then go too. Returns the number of files that were removed.
    """
    root = artifacts.path(folder)
    removed = 0
    try:
        below = sorted(root.rglob("*"), reverse=True) if root.is_dir() and not root.is_symlink() else []
        for path in [*below, root] if below else []:
            if path.is_dir() and not path.is_symlink():
                _remove_if_empty(path)
            elif _is_sound(path):
                path.unlink()
                removed += 1
    except OSError as error:
        raise unwritable(error, root) from error
    return removed


def _is_sound(path: Path) -> bool:
    belongs = path.name.startswith(f"{_PROGRAMME}.") or path.name.startswith(f"{_PROGRAMME}-")
    return path.suffix in SOUND or path.name.endswith(_BESIDE_LINES) or path.name == _MANIFEST or belongs


def _remove_if_empty(folder: Path) -> None:
    if not any(folder.iterdir()):
        folder.rmdir()
