"""Why a line was said, from the log alone: nothing is guessed and no model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest
from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.prompts import Receipt
from dramaturg.kernel.runs.events import Entry, Event, ModelAnswered
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.assisted_line import AGAIN
from dramaturg.scenes.events import (
    BeatPlayed,
    CueGiven,
    CutMissed,
    LeakSuspected,
    LinePlan,
    LinePlanned,
    LineUnsaid,
    NoteGiven,
    ResponseGiven,
)
from dramaturg.scenes.insight.explanation import askable, subject_of
from dramaturg.scenes.insight.occasion import Occasion, occasion_of
from dramaturg.scenes.line import Line
from dramaturg.scenes.question_keys import line_key
from dramaturg.scenes.response import ParsedResponse
from dramaturg.scenes.revision_events import Revision
from dramaturg.scenes.seats.events import SeatAnswered
from dramaturg.scenes.state import SceneState, scene_state
from dramaturg.scenes.word_share import REPLACED, WALKED


class NoteHeard(WireValue):
    """A note as its reader got it: the words, and why the moderator gave it."""

    text: str
    reason: str
    to_all: bool


class LineHeard(WireValue):
    """A line as the speaker had heard it; `new` since its last answer."""

    line: Line
    new: bool


class Attempt(WireValue):
    """One answer of a model to the question for a line, and why it was not taken; empty for the one that was."""

    answer: ModelAnswer
    refused: str = ""


class Account(WireValue):
    """Everything the log knows about one line.

    `helped` where the engine saw to the form of the line, `offered` the open sub-goal that the model was offered then;
    `plan`, in old logs, what the rehearsal plan had decided. `attempts` are the model's answers, in order; `words_by`
    says whose the words are: a person's, the model's, the author's by the rehearsal company, or the goal's where no
    answer would do and the line was walked through. `asked` is the newest message; `memories` came back to the speaker
    as the scene began; `unsaid` is what a cut left unsaid; `missed` why an interruption cut nothing; `leaks` what the
    house suspected; `changed` names the layers of the prompt whose files were changed since. `revision` is there where
    the line does not stand as it was said: `line` is how it stands, all else is about what was said.
    """

    line: Line
    character: str
    model: str
    helped: bool
    offered: str
    plan: LinePlan | None
    words_by: Literal["model", "company", "goal", "person"]
    attempts: tuple[Attempt, ...]
    receipt: Receipt
    changed: tuple[str, ...]
    asked: str
    memories: tuple[str, ...]
    notes: tuple[NoteHeard, ...]
    heard: tuple[LineHeard, ...]
    unheard: tuple[Line, ...]
    answer: ModelAnswer
    read_as: ParsedResponse
    warnings: tuple[str, ...]
    unsaid: str | None
    missed: str | None
    leaks: tuple[str, ...]
    revision: Revision | None = None


def find_line(entries: Sequence[Entry[Event]], wanted: str) -> Line:
    """An entry of the transcript by its number, or by a piece of its words that no other has."""
    line = subject_of(entries, wanted).line
    if line is None:
        raise NotFound(f"'{wanted}' is no line of this run; {askable(entries)}.", line=wanted)
    return line


def speaker_of(state: SceneState, line: Line) -> str:
    """The card name of a line's speaker. Raises InvalidConfig for an entry that nobody said."""
    if line.kind != "line":
        what = "something that happens" if line.kind == "event" else "a word from the house"
        raise InvalidConfig(f"Entry {line.number}, {line.rendered()}, is {what}; nobody said it.", line=line.number)
    return next(member.name for member in state.cast if member.display_name == line.speaker)


def occasion_of_line(entries: Sequence[Entry[Event]], line: Line) -> Occasion:
    """The occasion on which a line was said."""
    return occasion_of(entries, line.beat, speaker_of(scene_state(entries), line))


def response_to(entries: Sequence[Entry[Event]], occasion: Occasion) -> ResponseGiven:
    """What was answered on that occasion."""
    for entry in entries:
        event = entry.event
        if isinstance(event, ResponseGiven) and (event.beat, event.character) == (occasion.beat, occasion.member.name):
            return event
    raise NotFound(f"The log has no answer of {occasion.member.name} at beat {occasion.beat}.", beat=occasion.beat)


def is_said_by_person(entries: Sequence[Entry[Event]], occasion: Occasion) -> bool:
    """Whether a person who plays the part answered on that occasion."""
    return any(
        isinstance(entry.event, SeatAnswered)
        and (entry.event.beat, entry.event.character) == (occasion.beat, occasion.member.name)
        for entry in entries
    )


def requests_of(entries: Sequence[Entry[Event]], line: Line, settings: Settings) -> tuple[ModelRequest, ...]:
    """What a model was asked for a line, to the byte; twice where it was helped and its first answer would not do."""
    occasion = occasion_of_line(entries, line)
    if is_said_by_person(entries, occasion):
        return ()
    if not occasion.helped:
        return (occasion.request(settings),)
    answered = {entry.event.key for entry in entries if isinstance(entry.event, ModelAnswered)}
    return tuple(request for request in occasion.assisted(settings).requests() if request.key in answered)


def account_of(entries: Sequence[Entry[Event]], line: Line) -> Account:
    """Why a line was said. Raises InvalidConfig for a world event or a word from the house."""
    occasion = occasion_of_line(entries, line)
    response = response_to(entries, occasion)
    events = [entry.event for entry in entries]
    return Account(
        line=line,
        character=occasion.member.name,
        model=occasion.member.model,
        helped=occasion.helped,
        offered=occasion.offered.goal.text if occasion.offered else "",
        plan=occasion.plan,
        words_by=_words_by(entries, occasion, response),
        attempts=_attempts(events, occasion, response),
        receipt=occasion.receipt,
        changed=occasion.changed,
        asked=occasion.messages[-1].text if occasion.messages else "",
        memories=_memories(occasion),
        notes=_notes(entries, occasion),
        heard=tuple(
            LineHeard(line=one, new=place >= occasion.known and not _is_own(one, line.speaker))
            for place, one in enumerate(occasion.heard)
        ),
        unheard=_unheard(occasion),
        answer=_answer(events, occasion, response),
        read_as=response.response.parsed,
        warnings=_assumed(occasion, response),
        unsaid=next((e.unsaid for e in events if isinstance(e, LineUnsaid) and e.number == line.number), None),
        missed=next((e.reason for e in events if isinstance(e, CutMissed) and e.number == line.number), None),
        leaks=tuple(
            f"{e.leak.source}: {', '.join(e.leak.words)}"
            for e in events
            if isinstance(e, LeakSuspected) and e.number == line.number
        ),
        revision=scene_state(entries).revised.get(line.number),
    )


def _words_by(
    entries: Sequence[Entry[Event]], occasion: Occasion, response: ResponseGiven
) -> Literal["model", "company", "goal", "person"]:
    if is_said_by_person(entries, occasion):
        return "person"
    fixed = occasion.plan is not None and bool(occasion.plan.fixed)
    if fixed or is_stand_in(occasion.member.model) or REPLACED in response.warnings:
        return "company"
    return "goal" if WALKED in response.warnings else "model"


def _attempts(events: Sequence[Event], occasion: Occasion, response: ResponseGiven) -> tuple[Attempt, ...]:
    """The answers in the log; of a helped character perhaps two, where something was wrong with the first."""
    key = line_key(occasion.beat, occasion.member.name)
    given = {event.key: event.answer for event in events if isinstance(event, ModelAnswered)}
    answers = [given[one] for one in (key, key + AGAIN) if one in given]
    wrong = response.warnings if occasion.helped else ()
    whys = (*wrong[: len(answers)], *("" for _ in answers))
    return tuple(Attempt(answer=answer, refused=why) for answer, why in zip(answers, whys, strict=False))


def _assumed(occasion: Occasion, response: ResponseGiven) -> tuple[str, ...]:
    """The warnings of reading the answer; those of a helped model say what was wrong with its tries."""
    return () if occasion.helped else response.warnings


def _memories(occasion: Occasion) -> tuple[str, ...]:
    recollection = occasion.state.recalled.get(occasion.member.name)
    return tuple(memory.text for memory in recollection.memories) if recollection else ()


def _is_own(line: Line, speaker: str) -> bool:
    """Its own words are no news to it, unless they were cut short."""
    return line.speaker == speaker and line.cut_by is None


def _notes(entries: Sequence[Entry[Event]], occasion: Occasion) -> tuple[NoteHeard, ...]:
    """The notes in force when it was asked; a later one to the same reader takes the place of an earlier.

    Those of the author come first, all that were given since it was asked before.
    """
    directed = _directed(entries, occasion)
    if occasion.beat == 0:
        begin = f"You are {occasion.member.display_name}. Begin the scene."
        return (NoteHeard(text=begin, reason="the opener is told to begin", to_all=False), *directed)
    given: dict[str, NoteGiven] = {}
    for entry in entries:
        event = entry.event
        if isinstance(event, BeatPlayed):
            if event.beat == occasion.beat:
                break
            given.clear()
        elif isinstance(event, NoteGiven) and event.kind != "direction":
            given[event.to] = event
    readers = ("", occasion.member.name)
    heard = [NoteHeard(text=given[to].text, reason=given[to].reason, to_all=not to) for to in readers if to in given]
    return (*directed, *heard)


def _directed(entries: Sequence[Entry[Event]], occasion: Occasion) -> tuple[NoteHeard, ...]:
    """The author's notes that a character was given with this cue."""
    found: list[NoteHeard] = []
    name = occasion.member.name
    for entry in entries:
        event = entry.event
        if isinstance(event, CueGiven | LinePlanned) and event.character == name:
            if event.beat == occasion.beat:
                break
            found.clear()
        elif isinstance(event, NoteGiven) and event.kind == "direction" and event.to in ("", name):
            found.append(NoteHeard(text=event.text, reason=event.reason, to_all=not event.to))
    return tuple(found)


def _unheard(occasion: Occasion) -> tuple[Line, ...]:
    """What was said or done out of its hearing, or in a language it does not understand."""
    name = occasion.member.display_name
    return tuple(line for line in occasion.state.lines if name in line.unheard_by or name in line.foreign_to)


def _answer(events: Sequence[Event], occasion: Occasion, response: ResponseGiven) -> ModelAnswer:
    key = line_key(occasion.beat, occasion.member.name)
    for event in reversed(events):
        if isinstance(event, ModelAnswered) and event.key == key:
            return event.answer
    given = response.response
    return ModelAnswer(text=given.raw, model=occasion.member.model, arrived_at=given.timestamp)
