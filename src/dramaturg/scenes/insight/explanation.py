"""Why something other than a line happened: a world event, an entrance, a note, the end. From the log alone.

The moderator's rules are pure, so the state it decided on can be folded again to show the reasons.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.files import leads_out, read_file, shown_name
from dramaturg.kernel.models.port import ModelAnswer
from dramaturg.kernel.runs.events import Entry, Event, ModelAnswered, RunStopped
from dramaturg.kernel.text.digits import whole_number
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.directions.events import DirectionTaken
from dramaturg.scenes.director.circles import CIRCULAR
from dramaturg.scenes.director.drift import DRIFTED
from dramaturg.scenes.director.happenings import BEATS_APART
from dramaturg.scenes.director.presence import OFF_TRACK_AFTER
from dramaturg.scenes.events import (
    BeatPlayed,
    CharacterFailed,
    CirclingFound,
    CorrectionMeasured,
    LineSpoken,
    NoteGiven,
    SceneEnded,
    SceneReopened,
)
from dramaturg.scenes.fork import BY_HAND
from dramaturg.scenes.insight.endings import Proof, ending_of, proofs_of
from dramaturg.scenes.line import Line
from dramaturg.scenes.moderator import MOST_EVENTS, STALL_EVENT
from dramaturg.scenes.question_keys import event_key
from dramaturg.scenes.revision_events import Revision
from dramaturg.scenes.state import SceneState, scene_state

Topic = Literal["event", "house", "note", "end"]
_NAMED = re.compile(r"(line|event|note)\s*:\s*(\d+)", re.IGNORECASE)
MOST_NAMED = 5


class Measure(WireValue):
    """Something that was counted or measured, and the value at which a rule takes notice of it."""

    what: str
    value: float
    limit: float | None = None


class Explanation(WireValue):
    """Why one thing happened. `name` asks for it again; `cause` is a word for programs, `because` for people.

    `answer` is a model's, where one proposed it; `proofs` are the words that met the goals; `followed` what was said
    next by those it reached.
    """

    name: str
    topic: Topic
    beat: int
    text: str
    cause: str
    because: tuple[str, ...]
    measured: tuple[Measure, ...] = ()
    proofs: tuple[Proof, ...] = ()
    answer: ModelAnswer | None = None
    followed: tuple[Line, ...] = ()


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of an explanation: an entry of the transcript, a note by its number, or the end."""

    line: Line | None = None
    note: int | None = None


def askable(entries: Sequence[Entry[Event]]) -> str:
    """Everything in a run that can be explained, for the message when something else was asked for."""
    lines, notes = scene_state(entries).lines, _notes(entries)
    events = [line for line in lines if line.kind == "event"]
    rows = [f"its lines are {lines[0].number} to {lines[-1].number}" if lines else "it has no lines yet"]
    for what, count in (("event", len(events)), ("note", len(notes))):
        rows += [f"{what}:1 to {what}:{count}" if count > 1 else f"{what}:1"] if count else []
    return ", ".join([*rows, "end"])


def subject_of(entries: Sequence[Entry[Event]], wanted: str) -> Subject:
    """The subject for an entry's number or unique words; `event:2`, `note:1`, `end`. Raises NotFound."""
    text = wanted.strip()
    if text.casefold() == "end":
        return Subject()
    lines = scene_state(entries).lines
    kind, number = (found[1].lower(), whole_number(found[2]) or 0) if (found := _NAMED.fullmatch(text)) else ("", 0)
    if kind == "note":
        if 0 < number <= len(_notes(entries)):
            return Subject(note=number)
        raise NotFound(f"No note {number} in this run; {askable(entries)}.", line=wanted)
    if kind == "event":
        candidates = [line for line in lines if line.kind == "event"][number - 1 : number] if number else []
    elif kind == "line" or whole_number(text) is not None:
        candidates = [line for line in lines if line.number == (number or whole_number(text))]
    else:
        candidates = [line for line in lines if text and text.casefold() in line.content.casefold()]
    gone = 0 if kind == "event" else number or whole_number(text) or 0
    if not candidates and (struck := scene_state(entries).revised.get(gone)):
        raise NotFound(
            f"Line {struck.line} of {struck.speaker}'s was {_gone(struck)}; its takes are kept.", line=wanted
        )
    if not candidates:
        raise NotFound(f"No line '{wanted}' in this run; {askable(entries)}.", line=wanted)
    if len(candidates) > 1:
        named = "; ".join(f"{line.number}. {line.rendered()}" for line in candidates[:MOST_NAMED])
        raise NotFound(f"'{wanted}' is in {len(candidates)} lines: {named}. Give the number.", line=wanted)
    return Subject(line=candidates[0])


def _gone(revision: Revision) -> str:
    return "struck by the author" if revision.how == "struck" else "retaken as a silence"


def explain(entries: Sequence[Entry[Event]], asked: Subject, project: Path | None = None) -> Explanation:
    """Why it happened; for a line that somebody said there is an account instead.

    `project` is where the scene file may still stand.
    """
    if asked.note is not None:
        return _note(entries, asked.note)
    if asked.line is None:
        return _end(entries)
    if asked.line.kind == "event":
        return _event(entries, asked.line, project)
    if asked.line.kind == "line":
        raise AssertionError("somebody said it")
    return _house(entries, asked.line)


def _event(entries: Sequence[Entry[Event]], line: Line, project: Path | None) -> Explanation:
    lines = scene_state(entries).lines
    number = [other.number for other in lines if other.kind == "event"].index(line.number) + 1
    story = _Story(entries, line)
    answer = story.answer
    cause, because = story.told(project)
    if answer is not None and cause == "rule":
        because = (*because, "a model was asked for an idea; it could not be used, so the rule's was taken")
    return Explanation(
        name=f"event:{number}",
        topic="event",
        beat=line.beat,
        text=line.content,
        cause=cause,
        because=because,
        measured=tuple(story.measured()) if cause in ("rule", "model") else (),
        answer=answer,
        followed=tuple(other for other in lines if other.kind == "line" and other.beat == story.next_beat),
    )


class _Story:
    """What led to one world event."""

    def __init__(self, entries: Sequence[Entry[Event]], line: Line) -> None:
        self._entries, self._line = entries, line
        events = [entry.event for entry in entries]
        self._at = next(
            place
            for place, event in enumerate(events)
            if isinstance(event, LineSpoken) and event.line.number == line.number
        )
        self._resolved = any(isinstance(event, BeatPlayed) and event.beat == line.beat for event in events[: self._at])
        self._state = _when_decided(entries, self._at)

    @property
    def next_beat(self) -> int:
        """The beat at which those who noticed it were asked next."""
        return self._line.beat + 1 if self._resolved else self._line.beat

    def _directed(self) -> DirectionTaken | None:
        """The author's direction that it came of."""
        before = self._entries[self._at - 1].event
        return before if isinstance(before, DirectionTaken) else None

    @property
    def answer(self) -> ModelAnswer | None:
        """What a model proposed at this beat."""
        key = event_key(self._line.beat)
        given = (entry.event for entry in self._entries)
        return next((event.answer for event in given if isinstance(event, ModelAnswered) and event.key == key), None)

    def told(self, project: Path | None) -> tuple[str, tuple[str, ...]]:
        """The cause in a word, and in sentences."""
        if (directed := self._directed()) is not None:
            where = f", {directed.author}" if directed.author else ""
            return "author", (
                f"the author asked for it while the scene was played (direction {directed.number}{where})",
            )
        if not self._resolved:
            return self._written_out()
        text, state = self._line.content, self._state
        for member in state.cast:
            sheet = state.scene.sheet(member.name)
            if text == f"{member.display_name} enters":
                return "entrance", (f"the scene file has {member.name} on stage from beat {sheet.enters} on",)
            if text == f"{member.display_name} leaves":
                return "exit", (f"the scene file has {member.name} leave at beat {sheet.leaves}",)
        for place, event in enumerate(state.scene.config.events, start=1):
            if event.beat == self._line.beat + 1 and event.text == text:
                where = place_in_file(project, state.scene.config.name, text) if project else ""
                found = f" ({where})" if where else ""
                listed = f"entry {place} of its events{found}"
                return "scheduled", (f"the scene file schedules it for beat {event.beat}: {listed}",)
        if self.answer is not None and _flat(text) in _flat(self.answer.text):
            return "model", (*self._reasons(), f'{self.answer.model} proposed it: "{text}"', self._limits())
        place_named = f" for a scene set in {state.scene.config.setting!r}" if state.scene.config.setting else ""
        chosen = f"chosen by rule from what may happen here{place_named}, with seed {state.scene.seed}"
        return "rule", (*self._reasons(), chosen, self._limits())

    def measured(self) -> Iterator[Measure]:
        """The values the rule went by."""
        state = self._state
        yield Measure(what="silent beats in a row", value=state.silent_streak, limit=STALL_EVENT)
        if (found := self._circling()) is not None:
            yield Measure(what="share of the talk that goes in circles", value=found.circling.score, limit=CIRCULAR)
        if state.progress:
            yield Measure(what="share of sub-goals met", value=state.progress[-1])
            still = next(
                (beats for beats, share in enumerate(reversed(state.progress)) if share < state.progress[-1]),
                len(state.progress),
            )
            yield Measure(what="beats without progress", value=still, limit=OFF_TRACK_AFTER)

    def _reasons(self) -> Iterator[str]:
        state = self._state
        if state.silent_streak == STALL_EVENT:
            yield f"nobody had spoken for {state.silent_streak} beats in a row"
        elif (found := self._circling()) is not None and found.beat == state.beat:
            echo = found.circling.evidence[0] if found.circling.evidence else None
            shown = f': "{echo.again}" after "{echo.said}"' if echo else ""
            yield f"the talk went in circles, found {len(state.circled)} times{shown}"
        else:
            yield f"no sub-goal had come closer for {OFF_TRACK_AFTER} beats"

    def _limits(self) -> str:
        before = [line for line in self._state.lines if line.kind == "event"]
        if not before:
            return f"nothing had happened before; at most {MOST_EVENTS} events a scene, {BEATS_APART} beats apart"
        since = self._state.beat - before[-1].beat
        return (
            f"{len(before)} of at most {MOST_EVENTS} events had happened, the last {since} beats ago "
            f"(at least {BEATS_APART} apart, unless the scene stalls)"
        )

    def _circling(self) -> CirclingFound | None:
        found = [entry.event for entry in self._entries[: self._at] if isinstance(entry.event, CirclingFound)]
        return found[-1] if found else None

    def _written_out(self) -> tuple[str, tuple[str, ...]]:
        """Somebody who could not answer, or can again."""
        text = self._line.content
        member = next(one for one in self._state.cast if text.startswith(f"{one.display_name} "))
        failures = [one for one in scene_state(self._entries).failures if one.character == member.name]
        if text.endswith("comes back"):
            return "returned", (f"{member.name} had been written out, was asked again and answered",)
        reasons = [f"beat {one.beat}: {one.error}" for one in failures if one.beat <= self._line.beat][-3:]
        return "called_away", (f"{member.name} could not answer three times in a row", *reasons)


def _house(entries: Sequence[Entry[Event]], line: Line) -> Explanation:
    """A word from the house, or a stage direction of its own."""
    failed = [entry.event for entry in entries if isinstance(entry.event, CharacterFailed)]
    reasons = [
        f"{one.code}: {one.error}"
        for one in failed
        if one.beat == line.beat and line.content.casefold().startswith(_shown(entries, one.character).casefold())
    ]
    if line.kind == "direction":
        reasons = ["the gesture of somebody silent, written out because the scene wants stage directions"]
    cause = "direction" if line.kind == "direction" else "failure"
    return Explanation(
        name=f"line:{line.number}",
        topic="house",
        beat=line.beat,
        text=line.content,
        cause=cause,
        because=tuple(reasons),
    )


def _note(entries: Sequence[Entry[Event]], number: int) -> Explanation:
    at, note = _notes(entries)[number - 1]
    state = _when_decided(entries, at)
    reader = _shown(entries, note.to) if note.to else ""
    heard_at = state.beat + 1 if state.played else state.beat
    followed = tuple(
        line
        for line in scene_state(entries).lines
        if line.kind == "line" and line.beat == heard_at and (not note.to or line.speaker == reader)
    )
    by_hand = note.reason == BY_HAND or note.kind == "direction"
    told = [f"to {reader} alone" if note.to else "to everybody", note.reason]
    measured = [
        Measure(what="sub-goals met", value=len(state.verdict.met), limit=len(state.goals)),
        Measure(what="silent beats in a row", value=state.silent_streak),
        Measure(what="beats left", value=state.scene.config.max_beats - note.beat - 1),
    ]
    if note.kind == "correction":
        measured = [Measure(what="drift", value=state.drifts_of(note.to, last=1)[0].score, limit=DRIFTED)]
        told += _effects(entries, at, note.to)
    return Explanation(
        name=f"note:{number}",
        topic="note",
        beat=note.beat,
        text=note.text,
        cause="author" if by_hand else note.kind if note.kind == "correction" else "moderator",
        because=tuple(told),
        measured=() if by_hand else tuple(measured),
        followed=followed,
    )


def _effects(entries: Sequence[Entry[Event]], at: int, character: str) -> Iterator[str]:
    for entry in entries[at:]:
        event = entry.event
        if isinstance(event, CorrectionMeasured) and event.character == character:
            known = "could not be measured" if event.effect is None else f"{event.effect:+.2f} (above 0: it helped)"
            yield f"its effect on the next lines: {known}"


def _end(entries: Sequence[Entry[Event]]) -> Explanation:
    ends = [spot for spot, entry in enumerate(entries) if isinstance(entry.event, SceneEnded | SceneReopened)]
    place = ends[-1] if ends and isinstance(entries[ends[-1]].event, SceneEnded) else None
    if place is None:
        stopped = entries[-1].event if entries and isinstance(entries[-1].event, RunStopped) else None
        why = f"It was stopped: {stopped.reason}" if stopped else "It is being played, or its process died"
        raise NotFound(f"This scene has not ended. {why.rstrip('.')}; {askable(entries)}.", line="end")
    ended = entries[place].event
    if not isinstance(ended, SceneEnded):
        raise AssertionError("the place of the end")
    state = scene_state(entries[:place])
    found = [entry.event for entry in entries[:place] if isinstance(entry.event, CirclingFound)]
    proofs = proofs_of(state, achieved=ended.goal_achieved)
    return Explanation(
        name="end",
        topic="end",
        beat=ended.beats - 1,
        text="The goal is reached" if ended.goal_achieved else "The goal is not reached",
        cause=ended.reason,
        because=ending_of(ended, state, found),
        measured=(
            Measure(what="sub-goals met", value=sum(proof.met for proof in proofs), limit=len(proofs)),
            Measure(what="beats played", value=ended.beats, limit=state.scene.config.max_beats),
            Measure(what="silent beats in a row", value=state.silent_streak),
        ),
        proofs=proofs,
    )


def place_in_file(project: Path, name: str, text: str) -> str:
    """Where some words are in the scene file today, such as `scenes/the-cup.yaml, line 12`; empty if nowhere."""
    for path in sorted((project / "scenes").glob(f"{name}.*")):
        try:
            rows = [] if leads_out(path, project) else read_file(path, 1_000_000).decode().splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        for number, row in enumerate(rows, start=1):
            if text in row or (len(start := row.strip(" -|>\"'")) > 20 and text.startswith(start)):
                return f"scenes/{shown_name(path)}, line {number}"
    return ""


def _when_decided(entries: Sequence[Entry[Event]], at: int) -> SceneState:
    """The scene as the moderator saw it: without what it decided at the same time."""
    first = at
    while first and isinstance(entries[first - 1].event, LineSpoken | NoteGiven | CorrectionMeasured):
        first -= 1
    return scene_state(entries[:first])


def _notes(entries: Sequence[Entry[Event]]) -> list[tuple[int, NoteGiven]]:
    return [(place, entry.event) for place, entry in enumerate(entries) if isinstance(entry.event, NoteGiven)]


def _shown(entries: Sequence[Entry[Event]], name: str) -> str:
    return scene_state(entries).member(name).display_name


def _flat(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
