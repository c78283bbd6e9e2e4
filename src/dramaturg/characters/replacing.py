"""Files of a project that are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

from dramaturg.kernel.errors import StoreUnavailable


def replace_file(path: Path, data: bytes, folder: str) -> None:
    """Write a file of a folder of the project in one step. Raises StoreUnavailable; then nothing was changed."""
    made = path.with_name(f".{path.name}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        made.write_bytes(data)
        made.replace(path)
    except OSError as error:
        if made.is_file():
            made.unlink()
        raise StoreUnavailable(f"{folder}/{path.name} cannot be written: {error.strerror}.", file=path.name) from error
