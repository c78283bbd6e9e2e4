"""The rows of a batch: JSON Lines, one scene per line, read one at a time."""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pydantic import Field
from pydantic.alias_generators import to_camel

from dramaturg.authored import AuthoredForm
from dramaturg.kernel.errors import AuthorError, InvalidConfig, NotFound
from dramaturg.kernel.settings import AgentMode
from dramaturg.kernel.text.yaml_json import MalformedTextError, parse_json
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.scene import SceneConfig, named_scene, scene_from

LONGEST_ROW = 1_000_000
DIGEST_BYTES = 8
PLACE = 'each line is one JSON object, such as {"scene": "NAME", "seed": 1}; correct it there'


class BatchRow(WireValue):
    """A scene to play. `with` replaces keys of the scene's file for this row alone; `key` is the author's own name."""

    scene: str | Mapping[str, object] = Field(description="the name of a scene in scenes/, or a whole scene")
    key: str = Field("", max_length=200)
    seed: int | None = None
    model: str | None = Field(None, min_length=1)
    agent: AgentMode | None = None
    changes: Mapping[str, object] = Field(default_factory=dict, alias="with")


FORM = AuthoredForm(
    BatchRow,
    "row of a batch",
    such_as="scene and seed",
    required={"scene": "A row needs a scene."},
    limit=LONGEST_ROW,
    named_by_file=False,
)


@dataclass(frozen=True, slots=True)
class ReadRow:
    """A line of the file: its row, or what is wrong with it. `offset` is how far the file is read with it.

    The same row has the same `digest`, wherever it stands.
    """

    line: int
    offset: int
    digest: int
    row: BatchRow | None = None
    problem: AuthorError | None = None


class NumberedRow(NamedTuple):
    """A line of the file, and how often the same row stood before it."""

    read: ReadRow
    times: int


def open_rows(path: Path) -> BinaryIO:
    """The file, to be read row by row, more than once if need be. Raises NotFound or InvalidConfig."""
    try:
        file = path.open("rb")
        return file if file.seekable() else _whole(file)
    except FileNotFoundError:
        raise NotFound(f"There is no file {path}. Give a file of JSON Lines, one scene per line.") from None
    except OSError as error:
        raise InvalidConfig(f"{path} cannot be read: {error.strerror}. Give a file of JSON Lines.") from error


def read_rows(file: BinaryIO, name: str) -> Iterator[ReadRow]:
    """The rows of a file as they are asked for; blank lines are none. A line that cannot be read is a row as well."""
    line = offset = 0
    while data := file.readline(LONGEST_ROW + 1):
        line, offset = line + 1, offset + len(data)
        too_long = len(data) > LONGEST_ROW
        while too_long and data and not data.endswith(b"\n"):
            data = file.readline(LONGEST_ROW)
            offset += len(data)
        if too_long:
            problem = f"{name}, line {line}: longer than {LONGEST_ROW // 1000} kB. Put the scene into scenes/ instead."
            yield ReadRow(line, offset, 0, problem=InvalidConfig(problem, line=line))
        elif data.strip(b" \t\r\n\xef\xbb\xbf"):
            yield _read(data, line, offset, f"{name}, line {line}")


def numbered(rows: Iterable[ReadRow]) -> Iterator[NumberedRow]:
    """Tells rows apart that are the same; of each row only the digest is remembered."""
    seen: dict[int, int] = {}
    for read in rows:
        times = seen.get(read.digest, 0)
        if read.row is not None:
            seen[read.digest] = times + 1
        yield NumberedRow(read, times)


def _whole(pipe: BinaryIO) -> BinaryIO:
    """What comes out of a pipe, as a file."""
    with pipe:
        file = tempfile.TemporaryFile()  # noqa: SIM115 - reason: whoever asked for it closes it
        shutil.copyfileobj(pipe, file)
    file.seek(0)
    return file


def _read(data: bytes, line: int, offset: int, where: str) -> ReadRow:
    try:
        text = data.decode("utf-8-sig" if line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        problem = f"{where}, byte {error.start + 1}: not UTF-8 text. Save the file as UTF-8."
        return ReadRow(line, offset, 0, problem=InvalidConfig(problem, line=line))
    try:
        raw = parse_json(text.strip())
    except MalformedTextError as error:
        place = error.place.partition(", ")[2]
        problem = f"{where}{', ' if place else ''}{place}: {error.problem}; {PLACE}."
        return ReadRow(line, offset, 0, problem=InvalidConfig(problem, line=line))
    try:
        return ReadRow(line, offset, _digest(raw), FORM.value(raw, where=where))
    except AuthorError as error:
        return ReadRow(line, offset, 0, problem=error)


def _digest(raw: object) -> int:
    canonical = json.dumps(raw, sort_keys=True)  # takes whatever JSON can be, unlike quicker ones
    return int.from_bytes(hashlib.blake2b(canonical.encode(), digest_size=DIGEST_BYTES).digest())


class RowScenes:
    """The scenes that rows name. A scene file is read once, however many rows name it."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._read: dict[str, SceneConfig] = {}

    def scene_of(self, row: BatchRow, where: str) -> SceneConfig:
        """What a row asks to be played. Raises AuthorError with the place."""
        config = self._named(row.scene, where) if isinstance(row.scene, str) else scene_from(row.scene, where=where)
        if not row.changes:
            return config
        replaced = {to_camel(key) for key in row.changes}
        kept = config.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude_none=True)
        return scene_from({key: kept[key] for key in kept if key not in replaced} | {**row.changes}, where=where)

    def _named(self, name: str, where: str) -> SceneConfig:
        if name not in self._read:
            try:
                self._read[name] = named_scene(self._project, name)
            except AuthorError as error:
                error.message = f"{where}: {error.message}"
                raise
        return self._read[name]
