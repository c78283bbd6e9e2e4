"""One run as one file, with the runs that it consists of: lines of JSON, each with a digest of everything before it.

    {"digest":"…","header":{"format":"dramaturg-run","version":1,"dramaturg":"…","run":{…},"damage":null}}
    {"digest":"…","entry":{"seq":1,"at":…,"type":"scene.opened","hidden":false,"body":{…}}}
    {"digest":"…","file":{"path":"artifacts/…","data":"…"}}                       base64
    {"digest":"…","end":{"entries":1,"files":1}}

A digest is the SHA-256 of the digest before it (64 zeros for the first) followed by the bytes of the value beside it. A
line that was changed, lost, repeated or moved therefore does not fit, and a file that was cut has no end. The digests
show damage; they are no signature.

In version 2 further runs follow the first, each with its own header, entries and files. A run alone is in version 1.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Literal

import orjson
from pydantic import ValidationError

from dramaturg.kernel.clock import LATEST
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.files import open_file
from dramaturg.kernel.problems import first_problem, shown_value
from dramaturg.kernel.store.port import Row, RunRecord
from dramaturg.kernel.values import Value

FORMAT, ALONE, WITH_PARTS = "dramaturg-run", 1, 2
FIRST = "0" * 64
LONGEST_LINE = 256 * 1024 * 1024
_PREFIX = len('{"digest":"') + 64
_BODY = b'"body":'

Part = Literal["header", "entry", "file", "end"]


class RunHeader(Value):
    """What a file says of its run. `damage` is what the log could not give."""

    format: str
    version: int
    dramaturg: str = ""
    run: RunRecord
    damage: str | None = None


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of the run, by its path below the data folder."""

    path: str
    data: bytes


class RunFileWriter:
    """Writes the lines of a file in order: the header, entries, files, the end."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._digest = FIRST
        self._entries = self._files = 0

    def header(self, header: RunHeader) -> None:
        self._line("header", header.model_dump_json().encode())

    def entry(self, row: Row) -> None:
        self._entries += 1
        body = row.body.replace(b"\n", b" ").replace(b"\r", b" ")  # between the tokens, where they mean nothing
        fields = {"seq": row.seq, "at": row.at, "type": row.type, "hidden": row.hidden}
        self._line("entry", orjson.dumps({**fields, "body": orjson.Fragment(body)}))

    def stored(self, file: StoredFile) -> None:
        self._files += 1
        self._line("file", orjson.dumps({"path": file.path, "data": b64encode(file.data).decode()}))

    def end(self) -> None:
        self._line("end", orjson.dumps({"entries": self._entries, "files": self._files}))

    def _line(self, part: Part, content: bytes) -> None:
        self._digest = chained(self._digest, content)
        self._file.write(b'{"digest":"%s","%s":%s}\n' % (self._digest.encode(), part.encode(), content))


def chained(before: str, content: bytes) -> str:
    """The digest of some content that follows another digest."""
    return sha256(before.encode() + content).hexdigest()


def read_run_file(path: Path) -> Iterator[RunHeader | Row | StoredFile]:
    """The parts of a file, each checked before it is given: the header first. Raises InvalidConfig.

    What came before a damaged line was intact, but the file as a whole is not: use nothing before the iteration ends.
    """
    try:
        with open_file(path) as file:
            yield from _parts(file, path)
    except OSError as error:
        raise InvalidConfig(f"{path} cannot be read: {error.strerror or error}.", file=str(path)) from error


def _parts(file: IO[bytes], path: Path) -> Iterator[RunHeader | Row | StoredFile]:
    digest, read, number = FIRST, _Counts(), 0
    while line := file.readline(LONGEST_LINE):
        number += 1
        where = f"{path}, line {number}" + (f" (entry {read.seq + 1})" if number > 1 else "")
        if read.ended:
            raise _refused(where, "something follows the end")
        part, content = _split(line, where, digest)
        digest = chained(digest, content)
        if (part == "header") != (number == 1) and not (part == "header" and read.version == WITH_PARTS):
            raise _refused(where, "the header is not where it belongs")
        found = _read(part, content, where)
        read.take(found, where)
        if not isinstance(found, dict):
            yield found
    if not read.ended:
        raise _refused(f"{path}, after line {number}", "the file ends in the middle; part of it is missing")


@dataclass(slots=True)
class _Counts:
    """How far a file was read: the version of its header, all entries and files, and the last entry of this run."""

    version: int = 0
    entries: int = 0
    files: int = 0
    seq: int = 0
    ended: bool = False

    def take(self, part: RunHeader | Row | StoredFile | dict[str, Any], where: str) -> None:
        """Count one more part. Raises InvalidConfig if it cannot be the next."""
        match part:
            case RunHeader():
                self.version, self.seq = self.version or part.version, 0
            case Row():
                if part.seq != self.seq + 1:
                    raise _refused(where, f"it has the number {part.seq}")
                self.entries, self.seq = self.entries + 1, part.seq
            case StoredFile():
                self.files += 1
            case counted:
                if counted != {"entries": self.entries, "files": self.files}:
                    raise _refused(where, "the end counts other entries or files")
                self.ended = True


def _split(line: bytes, where: str, before: str) -> tuple[Part, bytes]:
    """The name and the bytes of a line's content, if its digest fits."""
    for part in ("header", "entry", "file", "end"):
        begin = b'","%s":' % part.encode()
        if line[_PREFIX : _PREFIX + len(begin)] == begin and line.endswith(b"}\n"):
            content = line[_PREFIX + len(begin) : -2]
            if line[:_PREFIX] != b'{"digest":"' + chained(before, content).encode():
                raise _refused(where, "its digest does not fit: it, or what precedes it, was changed or damaged")
            return part, content
    raise _refused(where, "it is not a line of an exported run, or it is cut")


def _read(part: Part, content: bytes, where: str) -> RunHeader | Row | StoredFile | dict[str, Any]:
    try:
        match part:
            case "header":
                return _header(content, where)
            case "entry":
                return _entry(content)
            case "file":
                found = _object(content)
                return StoredFile(str(found["path"]), b64decode(str(found["data"]), validate=True))
            case "end":
                return _object(content)
    except KeyError as error:
        raise _refused(where, f"{error} is missing") from error
    except (ValueError, RecursionError) as error:
        raise _refused(where, f"it cannot be read ({error})") from error


def _entry(content: bytes) -> Row:
    found = _object(content)
    if "body" not in found:
        raise KeyError("body")
    if type(found["seq"]) is not int:
        raise ValueError("its number is none")
    body = content[content.index(_BODY) + len(_BODY) : -1]
    return Row(found["seq"], _stored_time("at", found["at"]), str(found["type"]), bool(found["hidden"]), body)


def _object(content: bytes) -> dict[str, Any]:
    """The object in some JSON. Raises ValueError."""
    found = orjson.loads(content)
    if not isinstance(found, dict):
        raise ValueError("it is no object")
    return found


def _header(content: bytes, where: str) -> RunHeader:
    found = orjson.loads(content)
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise _refused(where, "it is not an exported run")
    version = found.get("version")
    if type(version) is not int or version not in (ALONE, WITH_PARTS):
        known = f"versions {ALONE} and {WITH_PARTS}"
        raise _refused(where, f"it has version {shown_value(version)}, and this dramaturg reads {known}")
    try:
        header = RunHeader.model_validate(found)
        _stored_time("created_at", header.run.created_at)
        _stored_time("updated_at", header.run.updated_at)
        return header
    except ValidationError as error:
        raise _refused(where, f"the header cannot be read: {first_problem(error, found)}") from error


def _stored_time(key: str, at: object) -> float:
    """Raises ValueError for one that no calendar has."""
    if isinstance(at, bool) or not isinstance(at, int | float) or not 0 <= at <= LATEST:
        raise ValueError(f"'{key}' is {shown_value(at)}, a time that no calendar has")
    return float(at)


def _refused(where: str, what: str) -> InvalidConfig:
    return InvalidConfig(f"{where}: {what}. Nothing was imported.", file=where)
