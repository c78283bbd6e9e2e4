"""Moving one run between stores: out as a file, and in again with nothing changed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from dramaturg import __version__
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.runs.run_file import (
    FORMAT,
    VERSION,
    RunFileWriter,
    RunHeader,
    StoredFile,
    read_run_file,
)
from dramaturg.kernel.store import Artifacts, Row, RunRecord

if TYPE_CHECKING:
    from dramaturg.kernel.runs.library import RunLibrary


class Exported(NamedTuple):
    """What was written. `damage` names the first entry that could not be."""

    run: str
    entries: int
    files: int
    damage: str | None


class Imported(NamedTuple):
    """The run as it is here now; it is not `new` if the same one was here already."""

    record: RunRecord
    entries: int
    is_new: bool


async def export_run(library: RunLibrary, artifacts: Artifacts, run_id: str, to: Path) -> Exported:
    """Writes a run and its files to one file: as much of the log as can be read. It may be playing meanwhile."""
    run, rows = await library.open_rows(run_id)
    damage = run.damage.message if run.damage else None
    folder = library.kind_of(run.record).folder(run)
    files = _files_in(artifacts, folder) if folder else []
    kept = run.record.model_copy(update={"player": "", "adoptions": 0})
    with Artifacts(to.parent).writing(to.name) as file:
        writer = RunFileWriter(file)
        writer.header(RunHeader(format=FORMAT, version=VERSION, dramaturg=__version__, run=kept, damage=damage))
        for row in rows:
            writer.entry(row)
        written = 0
        for name in files:
            with suppress(FileNotFoundError):  # deleted meanwhile
                writer.stored(StoredFile(name, artifacts.path(name).read_bytes()))
                written += 1
        writer.end()
    return Exported(run.id, len(rows), written, damage)


async def import_run(library: RunLibrary, artifacts: Artifacts, path: Path, *, as_new: bool = False) -> Imported:
    """Adds the run of a file to this store. Raises InvalidConfig, and changes nothing, if the file is damaged.

    A run that is here already is left as it is: a success if the logs are the same, else an error.
    """
    header, rows = _checked(path)
    run = library.copies.check(header.run, rows, as_new=as_new)
    files = (part for part in read_run_file(path) if isinstance(part, StoredFile))
    folder = library.kind_of(run.record).folder(run)
    _restore_files(artifacts, folder, _renamed(files, folder, header.run.id, run.id), path)
    is_new = await library.copies.add(run, rows)
    if is_new:
        await library.kind_of(run.record).restore(run)
    return Imported(run.record, len(rows), is_new)


def _checked(path: Path) -> tuple[RunHeader, list[Row]]:
    """The header and the log of a file that is intact to its end."""
    header: RunHeader | None = None
    rows: list[Row] = []
    for part in read_run_file(path):
        if isinstance(part, RunHeader):
            header = part
        elif isinstance(part, Row):
            rows.append(part)
    if header is None:
        raise InvalidConfig(f"{path} has no header. Nothing was imported.", file=str(path))
    return header, rows


def _files_in(artifacts: Artifacts, folder: str) -> Sequence[str]:
    root = artifacts.path(folder)
    found = (path for path in sorted(root.rglob("*")) if path.is_file() and not path.is_symlink())
    return [path.relative_to(artifacts.root).as_posix() for path in found if not path.name.startswith(".")]


def _renamed(files: Iterable[StoredFile], folder: str | None, old: str, new: str) -> Iterable[StoredFile]:
    """The files of a run that gets another id, in the folder of that id if a folder is named after its run."""
    before = folder.replace(new, old) if folder is not None else None
    for file in files:
        if folder is not None and before != folder and PurePosixPath(file.path).is_relative_to(str(before)):
            yield StoredFile(f"{folder}/{PurePosixPath(file.path).relative_to(str(before))}", file.data)
        else:
            yield file


def _restore_files(artifacts: Artifacts, folder: str | None, files: Iterable[StoredFile], path: Path) -> None:
    """Writes the files of a run, none over another one and none outside the run's own folder."""
    for file in files:
        if folder is None or not PurePosixPath(file.path).is_relative_to(folder):
            raise InvalidConfig(f"{path} wants to write {file.path!r}, outside the folder of its run.", file=str(path))
        there = artifacts.path(file.path)
        if not there.exists():
            artifacts.write_bytes(file.path, file.data)
        elif not there.is_file() or there.read_bytes() != file.data:
            raise InvalidConfig(
                f"{there} exists already and differs from the one in {path}. Move it away, then import again.",
                file=str(there),
            )
