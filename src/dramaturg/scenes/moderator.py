"""The moderator, as pure functions: what a beat's answers make of the transcript, and what comes next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dramaturg.kernel.director import unmet
from dramaturg.kernel.floor import Failure, Round
from dramaturg.kernel.runs.events import Event
from dramaturg.scenes.cut import cut_line
from dramaturg.scenes.events import (
    BeatClosed,
    BeatPlayed,
    CharacterFailed,
    CutMissed,
    LineCut,
    LineSpoken,
    LineUnsaid,
    NoteGiven,
    ResponseGiven,
    SceneEnded,
)
from dramaturg.scenes.line import Line
from dramaturg.scenes.response import CharacterResponse
from dramaturg.scenes.state import SceneState

STALL_NOTE, STALL_EVENT, STALL_END = 3, 4, 5
MOST_CLOSING_BEATS = 2
WRAP_UP = 0.8
INTERRUPTIONS = (
    "Somewhere outside, a door bangs shut",
    "The lights flicker once and steady again",
    "A phone begins to ring and nobody reaches for it",
    "Rain starts against the window",
)


def resolve_beat(state: SceneState, answers: Round[CharacterResponse]) -> tuple[Event, ...]:
    """Everything one beat adds, in the order it was heard: answers, lines, cuts, failures."""
    names = {member.name: member.display_name for member in state.cast}
    ordered = _ordered(state, answers.answers)
    events: list[Event] = [
        ResponseGiven(beat=state.beat, character=who, response=response, warnings=response.warnings)
        for who, response in ordered
    ]
    page = _Page(state.lines, state.beat)
    for who, response in ordered:
        if response.parsed.action != "silent":
            page.speak(names[who], response)
    for failure in answers.failures:
        page.fail(names[failure.who], failure)
    added = len(page.lines) - len(state.lines)
    played = BeatPlayed(beat=state.beat, lines=added, failed=len(answers.failures))
    return (*events, *page.events, played)


def _ordered(state: SceneState, answers: Mapping[str, CharacterResponse]) -> Sequence[tuple[str, CharacterResponse]]:
    """By arrival; who arrives at the same instant stands in the order of the cast."""
    items = list(answers.items())
    if state.scene.config.order == "cast":
        return items
    return sorted(items, key=lambda item: item[1].timestamp)


@dataclass
class _Page:
    """The transcript while one beat is written into it. New lines are published as they stand at its end."""

    lines: tuple[Line, ...]
    beat: int

    def __post_init__(self) -> None:
        self._before = len(self.lines)
        self._hidden: list[Event] = []
        self._cuts: list[LineCut] = []

    @property
    def events(self) -> tuple[Event, ...]:
        new = tuple(LineSpoken(line=line) for line in self.lines[self._before :])
        return (*self._cuts, *new, *self._hidden)

    def speak(self, speaker: str, response: CharacterResponse) -> None:
        line = Line.spoken(len(self.lines) + 1, self.beat, speaker, response.parsed)
        if line.action == "interrupt":
            self._interrupt(line)
        self.lines = (*self.lines, line)

    def fail(self, speaker: str, failure: Failure) -> None:
        text = f"{speaker} unable to respond"
        self.lines = (
            *self.lines,
            Line(number=len(self.lines) + 1, beat=self.beat, kind="system", content=text),
        )
        self._hidden.append(
            CharacterFailed(beat=self.beat, character=failure.who, error=failure.error.message, code=failure.error.code)
        )

    def _interrupt(self, line: Line) -> None:
        """Cut the latest line of another speaker, if the phrase is in it and it was not cut before."""
        phrase = line.interrupt_after or ""
        heard = [other for other in self.lines if other.kind == "line" and other.content]
        target = next((other for other in reversed(heard) if other.speaker != line.speaker), None)
        cut = cut_line(target.content, phrase) if target and target.cut_by is None else None
        if target is None or cut is None:
            self._hidden.append(CutMissed(number=line.number, phrase=phrase, reason=_why_missed(target, phrase)))
            return
        self._hidden.append(LineUnsaid(number=target.number, unsaid=cut.unsaid))
        if target.number <= self._before:
            self._cuts.append(LineCut(number=target.number, said=cut.said, by=line.speaker))
        shorter = target.model_copy(update={"content": cut.said, "cut_by": line.speaker})
        self.lines = tuple(shorter if other.number == target.number else other for other in self.lines)


def _why_missed(target: Line | None, phrase: str) -> str:
    if target is None:
        return "nobody else has spoken yet"
    if target.cut_by is not None:
        return f"{target.speaker}'s line was cut already by {target.cut_by}"
    if phrase and phrase.casefold().strip(" .!?,") in target.content.casefold():
        return f"{target.speaker} had finished the line"
    return f"the phrase is not in {target.speaker}'s latest line"


def decide(state: SceneState) -> tuple[Event, ...]:
    """What follows a judged beat: an event, a note, an end. The last closes the beat, or ends the scene."""
    ending = _ending(state)
    if ending is not None:
        return (ending,)
    events: list[Event] = []
    if (happening := _happening(state)) is not None:
        line = Line(number=len(state.lines) + 1, beat=state.beat, kind="event", content=happening)
        events.append(LineSpoken(line=line))
    if (note := _note(state)) is not None:
        events.append(note)
    return (*events, BeatClosed(beat=state.beat))


def _ending(state: SceneState) -> SceneEnded | None:
    beats = state.beat + 1
    verdict = state.verdict
    if verdict.complete and (verdict.natural_end or state.closing_beats >= MOST_CLOSING_BEATS):
        return SceneEnded(goal_achieved=True, reason="goal_achieved", beats=beats)
    if state.failed_streak >= 2:
        return SceneEnded(goal_achieved=verdict.complete, reason="cast_unavailable", beats=beats)
    if verdict.complete and state.silent_streak:
        return SceneEnded(goal_achieved=True, reason="goal_achieved", beats=beats)
    if state.silent_streak >= STALL_END:
        return SceneEnded(goal_achieved=False, reason="stalled", beats=beats)
    if beats >= state.scene.config.max_beats:
        reason = "goal_achieved" if verdict.complete else "max_beats_exceeded"
        return SceneEnded(goal_achieved=verdict.complete, reason=reason, beats=beats)
    return None


def _happening(state: SceneState) -> str | None:
    scheduled = [event.text for event in state.scene.config.events if event.beat == state.beat + 1]
    if scheduled:
        return "; ".join(scheduled)
    if state.silent_streak == STALL_EVENT:
        return INTERRUPTIONS[(state.scene.seed + state.beat) % len(INTERRUPTIONS)]
    return None


def _note(state: SceneState) -> NoteGiven | None:
    def note(text: str, reason: str) -> NoteGiven:
        return NoteGiven(beat=state.beat, text=text, reason=reason)

    if state.verdict.complete:
        return note("Please close the scene by saying your last word on it.", "every sub-goal is met")
    if state.silent_streak >= STALL_NOTE:
        return note(
            "Someone should respond to move the scene forward.",
            f"{state.silent_streak} silent beats in a row",
        )
    open_goals = unmet(state.goals, state.verdict)
    if state.verdict.progress >= WRAP_UP or (len(open_goals) == 1 and len(state.goals) > 1):
        last = open_goals[0].text
        return note(
            f"Scene is nearing natural conclusion. Begin wrapping up. Still open: {last}.",
            f"{len(state.goals) - len(open_goals)} of {len(state.goals)} sub-goals are met",
        )
    left = state.scene.config.max_beats - state.beat - 1
    if left <= 3:
        return note(f"Only {left} beats are left. Bring the scene to its end.", "the safety limit is near")
    return None
