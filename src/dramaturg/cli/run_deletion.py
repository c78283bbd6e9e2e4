"""Deleting runs from the terminal: what goes and what stays, a question, and the deed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import typer

from dramaturg.cli.edge import AUTHOR, echo, print_json, tell
from dramaturg.studio import Studio
from dramaturg.transfer.deletion import RunDeletion, delete_files

_ALSO = {
    "episode": "its messages, results, shares and memories go too",
    "foreman": "the book's pages stay",
    "scene": "what its cast remembers of it stays",
}


async def delete_planned(studio: Studio, runs: Sequence[str], *, files: bool, yes: bool, json: bool) -> None:
    """Delete all of them or, if one of them cannot be deleted or the person says no, none."""
    from dramaturg.cli.line_reader import confirmed

    planned = await studio.plan_deletions(runs)
    if not json:
        for one in planned:
            for sentence in _sentences(one, files=files):
                tell(sentence)
    what = "this run" if len(planned) == 1 else f"these {len(planned)} runs"
    if not yes and not await confirmed(f"Delete {what} for good?"):
        tell("Nothing was deleted. With --yes, the question is skipped.")
        raise typer.Exit(AUTHOR)
    for one in planned:
        await studio.delete(one.run)
        gone = files and delete_files(studio.artifacts, one)
        if json:
            print_json({**one.model_dump(mode="json"), "deleted": True, "filesDeleted": gone})
        else:
            echo(f"Run {one.run} is deleted.")


def _sentences(planned: RunDeletion, *, files: bool) -> Iterator[str]:
    also = f"; {_ALSO[planned.kind]}" if planned.kind in _ALSO else ""
    yield f"{planned.run} ({planned.kind} {planned.name}, {planned.status}): the log goes{also}."
    if planned.forks:
        forks = "fork stays" if len(planned.forks) == 1 else f"{len(planned.forks)} forks stay"
        yield f"  Its {forks}, with a copy of what was shared: {', '.join(planned.forks)}."
    if not planned.folder:
        return
    count = "1 file" if planned.files == 1 else f"{planned.files} files"
    where = f"data/{planned.folder}/ ({count})"
    if planned.shared:
        yield f"  {where} stays: run {planned.shared[0]} has its files there too."
    elif files:
        yield f"  {where} goes, with everything in it."
    else:
        yield f"  {where} stays; --files deletes it too."
