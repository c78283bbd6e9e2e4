"""One manuscript from one file or from a folder of files, in the order of their names."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.files import is_inside, read_file, shown_name
from dramaturg.workshop.manuscripts.readers.opendocument import read_odt
from dramaturg.workshop.manuscripts.readers.plain_text import read_markdown, read_text
from dramaturg.workshop.manuscripts.readers.source_text import SourceText
from dramaturg.workshop.manuscripts.readers.word_text import word_source
from dramaturg.workshop.manuscripts.word.reader import read_docx

MOST_BYTES = 100_000_000
MOST_FILES = 2000
_DIGITS = re.compile(r"(\d{1,9})")
_ASIDE = re.compile(r"^(?:readme|license|licence|changelog|contributing|notes?|todo|outline|index|toc)\b", re.I)


def _docx(name: str, data: bytes) -> SourceText:
    return word_source(name, read_docx(name, data))


_READERS: Mapping[str, Callable[[str, bytes], SourceText]] = {
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".txt": read_text,
    ".docx": _docx,
    ".odt": read_odt,
}
_OTHERS = {".doc": "Word's old format", ".rtf": "RTF", ".pdf": "PDF", ".epub": "EPUB", ".pages": "Pages"}


def read_sources(path: Path) -> tuple[SourceText, ...]:
    """The texts of a manuscript. Raises NotFound or InvalidConfig, with what to do."""
    if path.is_dir():
        return _folder(path)
    if not path.exists():
        raise NotFound(f"There is no file {path}. Give a Markdown, text, DOCX or ODT file, or a folder of them.")
    return (read_one(path.name, file_bytes(path)),)


def read_one(name: str, data: bytes) -> SourceText:
    """The text of one file, by its name and its bytes."""
    suffix = Path(name).suffix.lower()
    if suffix not in _READERS:
        what = _OTHERS.get(suffix, f"'{suffix}' files" if suffix else "a file without an ending")
        raise InvalidConfig(f"{name}: {what} cannot be read. Save it as DOCX, ODT, Markdown or text.", path=name)
    return _READERS[suffix](name, data)


def _folder(folder: Path) -> tuple[SourceText, ...]:
    found = [
        one
        for one in folder.rglob("*")
        if one.suffix.lower() in _READERS and not _is_aside(one.relative_to(folder)) and is_inside(one, folder)
    ]
    if not found:
        raise NotFound(f"There are no Markdown, text, DOCX or ODT files in {folder}.")
    if len(found) > MOST_FILES:
        raise InvalidConfig(f"{folder} contains over {MOST_FILES} files. Give the folder of the manuscript alone.")
    ordered = sorted(found, key=lambda one: _natural(one.relative_to(folder).as_posix()))
    return tuple(read_one(one.relative_to(folder).as_posix(), file_bytes(one)) for one in ordered)


def _is_aside(path: Path) -> bool:
    """Whether a file is about the manuscript and not part of it: a read-me, hidden files, Word's lock files."""
    return bool(_ASIDE.match(path.name)) or any(part.startswith((".", "~$")) for part in path.parts)


def _natural(name: str) -> tuple[tuple[int, str], ...]:
    return tuple((int(part), "") if part.isdecimal() else (-1, part.casefold()) for part in _DIGITS.split(name) if part)


def file_bytes(path: Path) -> bytes:
    """The bytes of a file that is not too large. Raises InvalidConfig."""
    try:
        data = read_file(path, MOST_BYTES)
    except OSError as error:
        raise InvalidConfig(f"{shown_name(path)} cannot be read: {error.strerror}.", path=str(path)) from error
    if len(data) > MOST_BYTES:
        raise InvalidConfig(f"{shown_name(path)} is larger than {MOST_BYTES // 1_000_000} MB. Split it.")
    return data
