"""A scene that was performed, as the base of a draft: its lines, read from the text of its run."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.runs.library import RunLibrary

SCENE = "scene"
MOST_LINES = 2000
_FRAME = re.compile(r"\[(?:SCENE (?:START|END|STOPPED)|SYSTEM:)")


async def performed_lines(runs: RunLibrary, run_id: str) -> tuple[str, ...]:
    """The lines of a scene's run. Raises NotFound if there is no such run, InvalidConfig if it is no scene."""
    run, kind = await runs.open_with_kind(run_id.strip())
    if kind.name != SCENE:
        raise InvalidConfig(
            f"Run {run.id} is {kind.noun}; a draft can only be based on a scene that was played. "
            "See: dramaturg runs list",
            run=run.id,
        )
    lines = lines_in(kind.show(run))
    if not lines:
        raise InvalidConfig(f"Nobody has said anything in run {run.id} yet. Play it first.", run=run.id)
    return lines


def lines_in(transcript: str) -> tuple[str, ...]:
    """What was said and done between the head of a transcript and its end, line by line."""
    body = transcript.partition("\n---\n")[2].rpartition("\n---\n")[0]
    rows = (row.strip() for row in body.split("\n"))
    return tuple(row for row in rows if row and not _FRAME.match(row))[:MOST_LINES]


def share_of(lines: Sequence[str], number: int, of: int) -> tuple[str, ...]:
    """The lines that a section tells: all lines, in order, over all sections."""
    return tuple(lines[len(lines) * (number - 1) // of : len(lines) * number // of])
