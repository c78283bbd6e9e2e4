"""Files of a project that are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

from dramaturg.kernel.errors import StoreUnavailable
from dramaturg.kernel.files import part_of


def replace_file(path: Path, data: bytes, folder: str) -> None:
    """Write a file of a folder of the project in one step. Raises StoreUnavailable; then nothing was changed."""
    made = part_of(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with made.open("xb") as file:
                file.write(data)
            made.replace(path)
        except OSError:
            made.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StoreUnavailable(f"{folder}/{path.name} cannot be written: {error.strerror}.", file=path.name) from error
