"""The takes of a line and the outcome of a revision, as faces show them."""

from __future__ import annotations

from collections.abc import Sequence

from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.runs.events import Entry, Event, ModelAnswered
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.events import TakeAdded
from dramaturg.scenes.line import Line
from dramaturg.scenes.question_keys import line_key
from dramaturg.scenes.revised import takes_of
from dramaturg.scenes.revision.changes import first_take
from dramaturg.scenes.revision_events import Revision, TakeAuthor
from dramaturg.scenes.state import SceneState, scene_state
from dramaturg.scenes.wire import SceneMetadata, metadata_of


class TakeRecord(WireValue):
    """One take of a line: its text as the transcript would print it, whose it is, and what it cost.

    `line` and `text` are null and empty for silence; `usd` is null where the price is unknown.
    """

    take: int
    by: TakeAuthor
    stands: bool
    text: str
    line: Line | None
    tokens: int = 0
    usd: float | None = None


class LineTakes(WireValue):
    """All takes of one line. `stands` is the one in the transcript; null if the line was struck."""

    run: str
    line: int
    beat: int
    speaker: str
    stands: int | None
    takes: tuple[TakeRecord, ...]


class RevisedScene(WireValue):
    """A scene after a revision: the line as it stands, its takes, all revisions so far, and the scene's metadata.

    `text` is empty for a line that was struck.
    """

    run: str
    text: str
    takes: LineTakes
    revisions: tuple[Revision, ...]
    metadata: SceneMetadata


def takes_table(run_id: str, entries: Sequence[Entry[Event]], number: int) -> LineTakes:
    """The takes of a line that was said."""
    state = scene_state(entries)
    known = takes_of(state, number)
    now = state.revised.get(number)
    stands = 1 if now is None else now.take
    line = next(take.line for take in known if take.line is not None)
    paid = _paid(entries, state, number, line)
    free = {member.display_name for member in state.cast if is_stand_in(member.model)}
    rows = []
    for take in known:
        said = first_take(entries, state, number) if take.take == 1 else take.line
        cost = paid.get(take.take)
        rows.append(
            TakeRecord(
                take=take.take,
                by=take.by,
                stands=take.take == stands,
                text=said.rendered() if said is not None else "",
                line=said,
                tokens=cost.answer.usage.total_tokens if cost else 0,
                usd=cost.answer.cost_usd if cost else 0.0 if line.speaker in free or take.by == "author" else None,
            )
        )
    return LineTakes(run=run_id, line=number, beat=line.beat, speaker=line.speaker, stands=stands, takes=tuple(rows))


def _paid(entries: Sequence[Entry[Event]], state: SceneState, number: int, line: Line) -> dict[int, ModelAnswered]:
    """The answer that each take was paid for with."""
    answers = {entry.event.key: entry.event for entry in entries if isinstance(entry.event, ModelAnswered)}
    name = next((member.name for member in state.cast if member.display_name == line.speaker), "")
    keys = {1: line_key(line.beat, name)}
    for entry in entries:
        event = entry.event
        if isinstance(event, TakeAdded) and event.number == number and event.key:
            keys[event.take.take] = event.key
    return {take: answers[key] for take, key in keys.items() if key in answers}


def revised_scene(run_id: str, entries: Sequence[Entry[Event]], number: int) -> RevisedScene:
    """What a revision of a line has led to."""
    state = scene_state(entries)
    return RevisedScene(
        run=run_id,
        text=next((line.rendered() for line in state.lines if line.number == number), ""),
        takes=takes_table(run_id, entries, number),
        revisions=tuple(state.revised.values()),
        metadata=metadata_of(entries, state),
    )
