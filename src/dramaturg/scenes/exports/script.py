"""A performed scene as an export needs it: what was played, by whom, every line, and when each was heard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

from dramaturg.kernel.clock import moment
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.scenes.cut import DASH
from dramaturg.scenes.director.goals import goal_text
from dramaturg.scenes.director.negation import UNSPACED
from dramaturg.scenes.events import CastMember, ResponseGiven
from dramaturg.scenes.line import Line
from dramaturg.scenes.response import NO_TONE
from dramaturg.scenes.revision_events import Revision
from dramaturg.scenes.state import scene_state
from dramaturg.scenes.transcript import end_line, played_by
from dramaturg.scenes.wire import GoalRecord, document_of
from dramaturg.voices.captions import SOMEBODY
from dramaturg.voices.captions import plain as plain

SAME_INSTANT = 0.05
"""Seconds between two answers that count as one instant."""
_END_MARKS = ".!?…—\"”'’)。！？」』）؟۔।"


@dataclass(frozen=True, slots=True)
class Playscript:
    """One performance, ready for export in any format.

    `arrivals` are seconds by line number, counted from any start; lines without a recorded time are absent.
    `revisions` are for formats that their author works on, not for those that are only read.
    """

    title: str
    setting: str
    goal: str
    cast: tuple[CastMember, ...]
    played_by: str
    played_at: datetime
    lines: tuple[Line, ...]
    goals: tuple[GoalRecord, ...]
    end: str
    beats: int
    arrivals: Mapping[int, float] = field(default_factory=dict)
    revisions: tuple[Revision, ...] = ()


def playscript_of(run_id: str, entries: Sequence[Entry[Event]]) -> Playscript:
    """The script of a run, ended or stopped."""
    state = scene_state(entries)
    document = document_of(run_id, entries, state)
    config = document.config
    return Playscript(
        title=config.title,
        setting=config.setting or "",
        goal=goal_text(config.prompt, config.goal),
        cast=document.cast,
        played_by=played_by(state),
        played_at=moment(entries[0].at).astimezone(),
        lines=document.lines,
        goals=document.goals,
        end=end_line(state, document.metadata.reason).strip("[]"),
        beats=document.metadata.total_beats,
        arrivals=_arrivals(entries, document.cast, document.lines),
        revisions=document.metadata.revisions,
    )


def _arrivals(
    entries: Sequence[Entry[Event]], cast: Sequence[CastMember], lines: Sequence[Line]
) -> Mapping[int, float]:
    shown = {member.name: member.display_name for member in cast}
    given = [entry.event for entry in entries if isinstance(entry.event, ResponseGiven)]
    times = {(event.beat, shown[event.character]): event.response.timestamp for event in given}
    found = {line.number: times.get((line.beat, line.speaker), 0.0) for line in lines if line.kind == "line"}
    return {number: at for number, at in found.items() if at > 0}


def revision_text(revision: Revision) -> str:
    """A revision in words, for the author."""
    take = f", take {revision.take} of {revision.takes}" if revision.take is not None else ""
    later = f"; {revision.followed} later lines answered the earlier words" if revision.followed else ""
    return f"Line {revision.line} of {plain(revision.speaker)}'s was {revision.how}{take}{later}."


def speaker_of(line: Line) -> str:
    return plain(line.speaker) or SOMEBODY


def words_of(line: Line) -> str:
    """What was said. A line that was cut ends in a dash."""
    words = plain(line.content)
    return words + DASH if words and line.cut_by and not words.endswith(DASH) else words


def directions(line: Line, script: Playscript, *, together: bool = False) -> tuple[str, ...]:
    """How a line is said, without its gesture. To whom is said only where it could be somebody else."""
    found: list[str] = []
    if line.action == "interrupt":
        found.append("cutting in")
    elif together:
        found.append("at the same time")
    if line.target and line.aside:
        found.append(f"aside to {plain(line.target)}")
    elif line.target and len(script.cast) > 2:
        found.append(f"to {plain(line.target)}")
    if tone := tone_of(line):
        found.append(tone)
    if line.language:
        found.append(f"in {plain(line.language)}")
    return tuple(found)


def tone_of(line: Line) -> str:
    tone = plain(line.tone)
    return "" if tone.casefold() == NO_TONE else tone


def deed_of(line: Line) -> str:
    """A line without words, as a sentence: "Charlie, shocked, drops the mug."."""
    tone = tone_of(line)
    who = f"{speaker_of(line)}, {tone}," if tone else speaker_of(line)
    deed = plain(line.nonverbal or "") or "reacts"
    return sentence(f"{who}{deed}" if _is_unspaced(who[-1]) and _is_unspaced(deed[0]) else f"{who} {deed}")


def sentence(text: str) -> str:
    text = plain(text)
    if not text or text[-1] in _END_MARKS:
        return text
    return f"{text}。" if _is_unspaced(text[-1]) else f"{text}."


def _is_unspaced(sign: str) -> bool:
    return UNSPACED.match(sign) is not None


def cuts(lines: Sequence[Line]) -> Mapping[int, int]:
    """Each interruption that cut something, and the line it cut."""
    found: dict[int, int] = {}
    for place, line in enumerate(lines):
        if line.action != "interrupt":
            continue
        for other in reversed(lines[:place]):
            if other.cut_by == line.speaker and other.number not in found.values():
                found[line.number] = other.number
                break
    return found


def at_once(script: Playscript) -> frozenset[int]:
    """Lines that were begun in the same instant as the line before them."""
    return frozenset(
        after.number for before, after in pairwise(script.lines) if _together(before, after, script.arrivals)
    )


def _together(before: Line, after: Line, arrivals: Mapping[int, float]) -> bool:
    if not (words_of(before) and words_of(after)) or before.kind != "line" or after.kind != "line":
        return False
    if before.beat != after.beat or before.speaker == after.speaker or after.action == "interrupt":
        return False
    first, second = arrivals.get(before.number), arrivals.get(after.number)
    return first is not None and second is not None and abs(second - first) <= SAME_INSTANT


def goal_lines(script: Playscript) -> tuple[str, ...]:
    """Each sub-goal with the words that met it, or that it stayed open."""
    rows: list[str] = []
    for record in script.goals:
        text, shown = plain(record.goal.text), record.evidence
        rows.append(f"met: {text} ({plain(shown.speaker)}: “{plain(shown.quote)}”)" if shown else f"open: {text}")
    return tuple(rows)
