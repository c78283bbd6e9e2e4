"""Files of a project that are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

from dramaturg.kernel import files
from dramaturg.kernel.store.failures import unwritable


def replace_file(path: Path, data: bytes, folder: str) -> None:
    """Write a file of a folder of the project in one step. Raises StoreUnavailable; then nothing was changed."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        files.replace_file(path, data)
    except OSError as error:
        raise unwritable(error, Path(folder, path.name)) from error
