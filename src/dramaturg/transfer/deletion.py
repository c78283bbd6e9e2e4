"""Deleting runs: what goes, what stays, and what must not go yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from dramaturg.kernel.errors import DramaturgError, RunFenced
from dramaturg.kernel.runs.digest import DigestReader
from dramaturg.kernel.runs.library import MANY, RunLibrary
from dramaturg.kernel.store import Artifacts, RunRecord
from dramaturg.kernel.values import Value


class RunDeletion(Value):
    """A run that can be deleted. `forks` were copied from it and stay; `folder` holds its files, if there are any.

    `shared` are other runs whose files are in the same folder, as those of an imported copy: it stays then.
    """

    run: str
    kind: str
    name: str
    status: str
    forks: tuple[str, ...] = ()
    folder: str = ""
    files: int = 0
    shared: tuple[str, ...] = ()


async def plan_deletions(
    library: RunLibrary, artifacts: Artifacts, run_ids: Sequence[str], readers: Mapping[str, DigestReader]
) -> list[RunDeletion]:
    """What deleting these runs would remove. Raises NotFound for any that is not there, RunFenced if one is played."""
    records = {record.id: record for record in [await library.get(run_id) for run_id in run_ids]}
    for record in records.values():
        check_deletable(library, record)
    everything = await library.find(limit=MANY)
    told = await library.digests.of([one for one in everything if one.kind in readers], readers)
    folders = {digest.id: digest.folder for digest in told}
    return [
        _planned(record, everything, folders, artifacts, await _folder(library, record, folders))
        for record in records.values()
    ]


def check_deletable(library: RunLibrary, record: RunRecord) -> None:
    """Raises RunFenced while a run is played; one whose process has died is not."""
    if record.status == "playing" and library.may_be_held(record):
        raise RunFenced(
            f"Run {record.id} ({record.name}) is being played; stop it first ('dramaturg runs cancel {record.id}'). "
            "Nothing was deleted.",
            run=record.id,
        )


def delete_files(artifacts: Artifacts, planned: RunDeletion) -> bool:
    """Removes the folder of a deleted run, unless it is another's too. Returns whether it is gone."""
    if not planned.folder or planned.shared:
        return False
    return artifacts.remove(planned.folder)


async def _folder(library: RunLibrary, record: RunRecord, told: Mapping[str, str]) -> str:
    if record.id in told:
        return told[record.id]
    # A log that cannot be read can still be deleted.
    with suppress(DramaturgError):
        run, kind = await library.open_with_kind(record.id)
        return kind.folder(run) or ""
    return ""


def _planned(
    record: RunRecord, everything: Sequence[RunRecord], folders: Mapping[str, str], artifacts: Artifacts, folder: str
) -> RunDeletion:
    files = 0
    if folder:
        files = len(artifacts.names(folder)) if not artifacts.path(folder).is_symlink() else 0
    return RunDeletion(
        run=record.id,
        kind=record.kind,
        name=record.name,
        status=record.status,
        forks=tuple(one.id for one in everything if one.parent_id == record.id),
        folder=folder if files else "",
        files=files,
        shared=tuple(one for one, other in folders.items() if other == folder and folder and one != record.id),
    )
