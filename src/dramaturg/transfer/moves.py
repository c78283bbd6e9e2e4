"""Moving one run between stores: out as a file, and in again with nothing changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from dramaturg import __version__
from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.runs.run import Run
from dramaturg.kernel.store import Artifacts, Row, RunRecord
from dramaturg.transfer.run_file import (
    ALONE,
    FORMAT,
    WITH_PARTS,
    RunFileWriter,
    RunHeader,
    StoredFile,
    read_run_file,
)

if TYPE_CHECKING:
    from dramaturg.kernel.runs.library import RunLibrary


class Exported(NamedTuple):
    """What was written. `parts` are the runs that this one consists of, `damage` the first entry that could not be."""

    run: str
    entries: int
    files: int
    damage: str | None
    parts: int = 0


class Imported(NamedTuple):
    """The run as it is here now, with its `parts`; it is not `new` if the same one was here already."""

    record: RunRecord
    entries: int
    is_new: bool
    parts: int = 0


class _Arrived(NamedTuple):
    """A run of a file: its header and its log."""

    header: RunHeader
    rows: list[Row]


async def export_run(library: RunLibrary, artifacts: Artifacts, run_id: str, to: Path) -> Exported:
    """Writes a run, the runs it consists of and their files to one file. It may be playing meanwhile.

    Of a damaged log, as much is written as can be read. Parts that were deleted are left out.
    """
    run, rows = await library.open_rows(run_id)
    exported = [(run, rows)]
    for part in library.kind_of(run.record).parts(run):
        with suppress(NotFound):
            exported.append(await library.open_rows(part))
    entries = files = 0
    with Artifacts(to.parent).writing(to.name) as file:
        writer = RunFileWriter(file)
        for one, log in exported:
            writer.header(_header(one, WITH_PARTS if len(exported) > 1 else ALONE))
            for row in log:
                writer.entry(row)
            entries, files = entries + len(log), files + _write_files(library, artifacts, one, writer)
        writer.end()
    damage = next((one.damage.message for one, _ in exported if one.damage), None)
    return Exported(run.id, entries, files, damage, len(exported) - 1)


def _header(run: Run[Any], version: int) -> RunHeader:
    kept = run.record.model_copy(update={"player": "", "adoptions": 0})
    damage = run.damage.message if run.damage else None
    return RunHeader(format=FORMAT, version=version, dramaturg=__version__, run=kept, damage=damage)


def _write_files(library: RunLibrary, artifacts: Artifacts, run: Run[Any], writer: RunFileWriter) -> int:
    folder, written = library.kind_of(run.record).folder(run), 0
    for name in artifacts.names(folder) if folder else ():
        with suppress(FileNotFoundError):  # deleted meanwhile
            writer.stored(StoredFile(name, artifacts.found(name).read_bytes()))
            written += 1
    return written


async def import_run(library: RunLibrary, artifacts: Artifacts, path: Path, *, as_new: bool = False) -> Imported:
    """Adds the run of a file to this store, with its parts. Raises InvalidConfig, and changes nothing, if it cannot.

    A run that is here already is left as it is: a success if the logs are the same, else an error.
    """
    arrived = _checked(path)
    ids = {one.header.run.id: library.copies.new_id() if as_new else one.header.run.id for one in arrived}
    arrived = [_under(ids, one) for one in arrived] if as_new else arrived
    runs = [library.copies.check(one.header.run, one.rows) for one in arrived]
    for run, one in zip(runs, arrived, strict=True):
        await library.copies.is_here(run, one.rows)
    folders = [library.kind_of(run.record).folder(run) for run in runs]
    _restore_files(artifacts, _renamed(_files_of(path), list(zip(folders, ids.items(), strict=True))), path)
    is_new = False
    for run, one in reversed(list(zip(runs, arrived, strict=True))):  # the run itself comes when its parts are here
        is_new = await library.copies.add(run, one.rows)
        if is_new:
            await library.kind_of(run.record).restore(run)
    return Imported(runs[0].record, sum(len(one.rows) for one in arrived), is_new, len(runs) - 1)


def _checked(path: Path) -> list[_Arrived]:
    """The runs of a file that is intact to its end, the one it is about first."""
    arrived: list[_Arrived] = []
    for part in read_run_file(path):
        if isinstance(part, RunHeader):
            arrived.append(_Arrived(part, []))
        elif isinstance(part, Row):
            arrived[-1].rows.append(part)
    if not arrived:
        raise InvalidConfig(f"{path} has no header. Nothing was imported.", file=str(path))
    if len({one.header.run.id for one in arrived}) < len(arrived):
        raise InvalidConfig(f"{path} has the same run twice. Nothing was imported.", file=str(path))
    return arrived


def _under(ids: Mapping[str, str], one: _Arrived) -> _Arrived:
    """A run under its new id, with the new ids wherever its log names the runs that come with it."""
    pairs = [(f'"{old}"'.encode(), f'"{new}"'.encode()) for old, new in ids.items()]

    def replaced(raw: bytes) -> bytes:
        for old, new in pairs:
            raw = raw.replace(old, new)
        return raw

    run = RunRecord.model_validate_json(replaced(one.header.run.model_dump_json().encode()))
    config = replaced(run.config.encode()).decode()
    header = one.header.model_copy(update={"run": run.model_copy(update={"config": config})})
    return _Arrived(header, [row._replace(body=replaced(row.body)) for row in one.rows])


class _RunFile(NamedTuple):
    """A file, and the place of its run among those that are imported with it."""

    place: int
    file: StoredFile


def _files_of(path: Path) -> Iterator[_RunFile]:
    place = -1
    for part in read_run_file(path):
        if isinstance(part, RunHeader):
            place += 1
        elif isinstance(part, StoredFile):
            yield _RunFile(place, part)


def _renamed(
    files: Iterable[_RunFile], runs: Sequence[tuple[str | None, tuple[str, str]]]
) -> Iterator[tuple[str | None, StoredFile]]:
    """Each file with the folder of its run. A run that gets another id may have a folder named after it."""
    for place, file in files:
        folder, (old, new) = runs[place]
        before = folder.replace(new, old) if folder is not None else None
        if folder is not None and before != folder and PurePosixPath(file.path).is_relative_to(str(before)):
            yield folder, StoredFile(f"{folder}/{PurePosixPath(file.path).relative_to(str(before))}", file.data)
        else:
            yield folder, file


def _restore_files(artifacts: Artifacts, files: Iterable[tuple[str | None, StoredFile]], path: Path) -> None:
    """Writes the files of runs, none over another one and none outside its run's own folder."""
    for folder, file in files:
        if folder is None or not PurePosixPath(file.path).is_relative_to(folder):
            raise InvalidConfig(f"{path} wants to write {file.path!r}, outside the folder of its run.", file=str(path))
        there = artifacts.found(file.path)
        if not there.exists():
            artifacts.write_bytes(file.path, file.data)
        elif not there.is_file() or there.read_bytes() != file.data:
            raise InvalidConfig(
                f"{there} exists already and differs from the one in {path}. Move it away, then import again.",
                file=str(there),
            )
