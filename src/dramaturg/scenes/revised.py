"""What a revision makes of a scene's state: the transcript, and everything that rested on the words it had."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from dramaturg.scenes.director.evidence import QuotableLine
from dramaturg.scenes.director.verdict import rechecked
from dramaturg.scenes.line import Line
from dramaturg.scenes.revision_events import LineEdited, LineStruck, LineTake, Revised, Revision, TakeAdded

if TYPE_CHECKING:
    from dramaturg.scenes.state import SceneState


def quotable(lines: Iterable[Line]) -> Iterator[QuotableLine]:
    """What may be quoted: what somebody said, and what somebody did in plain sight."""
    for line in lines:
        if line.kind == "line" and line.nonverbal:
            yield QuotableLine(line.speaker, line.nonverbal, line.number, deed=True)
        if line.kind == "line" and line.content:
            yield QuotableLine(line.speaker, line.content, line.number)


def is_confidential(line: Line) -> bool:
    """Whether not everybody heard a line alike."""
    return bool(line.unheard_by or line.foreign_to or line.gloss)


def with_take(state: SceneState, added: TakeAdded) -> Mapping[int, tuple[LineTake, ...]]:
    """The takes of every line, and one more; the first is added with all its words once there is a second."""
    others = (take for take in takes_of(state, added.number) if take.take != added.take.take)
    return {**state.takes, added.number: (*others, added.take)}


def takes_of(state: SceneState, number: int) -> tuple[LineTake, ...]:
    """The takes of a line in order; the first is what was said in the scene, as far as it got."""
    if number in state.takes:
        return state.takes[number]
    line = next((line for line in state.lines if line.number == number), None)
    return (LineTake(take=1, line=line),) if line is not None else ()


def revise(state: SceneState, event: Revised) -> dict[str, object]:
    """The fields of the state that a revision changes."""
    number, now = event.number, {line.number: line for line in event.lines}
    before = {line.number: line for line in state.lines}
    there = {**before, **now}
    if number not in now:
        there.pop(number, None)
    lines = tuple(there[key] for key in sorted(there))
    changed = {number, *now}
    verdict = rechecked(
        state.verdict, state.goals, tuple(quotable(lines)), changed, [member.display_name for member in state.cast]
    )
    lost = state.verdict.complete and not verdict.complete
    return {
        "lines": lines,
        "page": tuple(line.rendered() for line in lines),
        "confidential": any(is_confidential(line) for line in lines),
        "parted": {key: told for key, told in state.parted.items() if key not in changed},
        "takes": {**state.takes, number: takes_of(state, number)},
        "revised": _revised(state, event, before),
        "revisions": state.revisions + 1,
        "verdict": verdict,
        "met_at": None if lost else state.met_at,
        "closing_beats": 0 if lost else state.closing_beats,
        "notes": {} if lost else state.notes,
        "leaks": tuple(leak for leak in state.leaks if leak.number not in changed),
        "weighed": {
            name: {key: drift for key, drift in drifts.items() if key not in changed}
            for name, drifts in state.weighed.items()
        },
    }


def _revised(state: SceneState, event: Revised, before: Mapping[int, Line]) -> Mapping[int, Revision]:
    """How each line came by its words, where it is not as it was said."""
    number = event.number
    others = {key: one for key, one in state.revised.items() if key != number}
    if not isinstance(event, LineEdited | LineStruck) and event.take == 1:
        return others
    first = before.get(number) or next((take.line for take in takes_of(state, number) if take.line), None)
    if first is None:
        return others
    by_author = isinstance(event, LineEdited) or (
        not isinstance(event, LineStruck)
        and any(take.take == event.take and take.by == "author" for take in takes_of(state, number))
    )
    how = "struck" if isinstance(event, LineStruck) else "edited" if by_author else "retaken"
    one = Revision.model_validate(
        {
            "line": number,
            "beat": first.beat,
            "speaker": first.speaker,
            "how": how,
            "take": None if isinstance(event, LineStruck) else event.take,
            "takes": len(takes_of(state, number)),
            "followed": event.followed,
        }
    )
    return dict(sorted({**others, number: one}.items()))
