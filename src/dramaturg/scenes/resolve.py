"""Resolves a beat's answers into transcript entries: order, cuts, audibility, failures. A pure function."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

from dramaturg.kernel.floor import Failure, Round
from dramaturg.kernel.text.tension import tension_of
from dramaturg.kernel.values import construct
from dramaturg.scenes.cut import Cut, cut_line, cut_where_told, part_to_tell
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.events import (
    BeatPlayed,
    CastMember,
    CharacterFailed,
    CharacterLeft,
    CharacterReturned,
    CutMissed,
    LineCut,
    LineHeld,
    LineSpoken,
    LineUnsaid,
    ResponseGiven,
    SceneEvent,
)
from dramaturg.scenes.hearing import addressees, as_spoken, happened
from dramaturg.scenes.line import Line
from dramaturg.scenes.response import CharacterResponse
from dramaturg.scenes.state import SceneState

WRITTEN_OUT_AFTER = 3
HEATED, EAGER, QUICK = 0.5, 0.15, 1.25
"""From which tension on a long line is told in two parts, and what somebody addressed or quick adds to it."""


def resolve_beat(
    state: SceneState, answers: Round[CharacterResponse], *, in_parts: bool = True
) -> tuple[SceneEvent, ...]:
    """Everything one beat adds, in the order it was heard: answers, lines, cuts, failures.

    `in_parts` lets long lines of heated moments be told in two parts.
    """
    ordered = _ordered(state, answers.answers)
    given: list[SceneEvent] = [
        construct(
            ResponseGiven,
            {
                "type": "response.given",
                "beat": state.beat,
                "character": who,
                "response": response,
                "warnings": (*response.warnings, *_doubts(state, who, response)),
            },
        )
        for who, response in ordered
    ]
    beat = _BeatTranscript(state)
    for who, response in ordered:
        if state.of(who).left is not None:
            beat.come_back(state.member(who))
        if response.parsed.action != "silent":
            beat.speak(state.member(who), response)
        elif response.parsed.nonverbal and state.scene.config.stage_directions:
            beat.direct(f"{state.member(who).display_name} {response.parsed.nonverbal}")
    if in_parts:
        beat.hold()
    for failure in answers.failures:
        beat.fail(state.member(failure.who), failure)
    played = BeatPlayed(
        beat=state.beat,
        lines=sum(1 for line in beat.lines[len(state.lines) :] if line.kind != "direction"),
        cued=len(answers.answers) + len(answers.failures),
        failed=len(answers.failures),
    )
    return (*given, *beat.events, played)


def _doubts(state: SceneState, who: str, response: CharacterResponse) -> tuple[str, ...]:
    """What the cast makes doubtful of an answer: an aside to a name that nobody has."""
    parsed = response.parsed
    if not parsed.aside or addressees(parsed.target, state.member(who), state.cast) is not None:
        return ()
    return (f"aside to {parsed.target}, who is nobody in this scene; heard by all",)


def _ordered(state: SceneState, answers: Mapping[str, CharacterResponse]) -> Sequence[tuple[str, CharacterResponse]]:
    """In the scene's configured order; simultaneous answers are in cast order."""
    items = list(answers.items())
    if state.scene.config.order == "arrival":
        items.sort(key=lambda item: item[1].timestamp)
    elif state.scene.config.order == "tempo":
        items.sort(key=lambda item: _delay(state, *item))
    return _after_what_they_cut(items, state.lines_of(state.beat - 1))


def _after_what_they_cut(
    items: list[tuple[str, CharacterResponse]], heard: Sequence[Line]
) -> list[tuple[str, CharacterResponse]]:
    """Nobody cuts into a line before it is spoken: an interruption follows the answer of this beat that it names.

    One that names words of the last beat, which are `heard`, stays where it is.
    """
    ranks: dict[str, float] = {who: rank for rank, (who, _) in enumerate(items)}
    for who, response in items:
        phrase = response.parsed.interrupt_after
        if response.parsed.action != "interrupt" or not phrase or any(_holds(line, phrase) for line in heard):
            continue
        named = [other for other, said in items if other != who and cut_line(said.parsed.content, phrase)]
        if named:
            ranks[who] = max(ranks[who], max(ranks[other] for other in named) + 0.5)
    return sorted(items, key=lambda item: ranks[item[0]])


def _delay(state: SceneState, who: str, response: CharacterResponse) -> float:
    """How long this character takes to say this, by its tempo and the length of the line; the same for one seed."""
    chance = random.Random(f"{state.scene.seed}/{state.beat}/{who}").uniform(0.7, 1.3)
    return (0.4 + 0.015 * len(response.parsed.content)) / state.member(who).tempo * chance


class _BeatTranscript:
    """The transcript while one beat is added to it. New lines are published in their final form."""

    def __init__(self, state: SceneState) -> None:
        self.lines = state.lines
        self._state = state
        self._names = CastNames(tuple(member.display_name for member in state.cast))
        self._on_stage = state.on_stage()
        self._before = len(state.lines)
        self._last = state.last_number
        self._hidden: list[SceneEvent] = []
        self._cuts: list[LineCut] = []

    @property
    def events(self) -> tuple[SceneEvent, ...]:
        new = [construct(LineSpoken, {"type": "line.spoken", "line": line}) for line in self.lines[self._before :]]
        return (*self._cuts, *new, *self._hidden)

    @property
    def _next(self) -> int:
        """The number of the next entry; that of a struck one is not given again."""
        return self._last + len(self.lines) - self._before + 1

    def speak(self, speaker: CastMember, response: CharacterResponse) -> None:
        line = Line.spoken(self._next, self._state.beat, speaker.display_name, response.parsed)
        if line.target and (whom := self._whom(line, speaker)) not in (None, line.target):
            line = line.model_copy(update={"target": whom})
        line = as_spoken(line, speaker, self._state.cast, self._on_stage)
        if line.action == "interrupt" and not self._interrupts(line):
            line = line.model_copy(update={"action": "speak", "interrupt_after": None})
        self.lines = (*self.lines, line)

    def _whom(self, line: Line, speaker: CastMember) -> str | None:
        """The member of the cast that a line names or, in an aside, describes; of two Annas, not the one who speaks."""
        target = line.target or ""
        named = self._names.resolve(target)
        if named is not None:
            return named
        meant = addressees(target, speaker, self._state.cast) if line.aside else None
        others = [m.display_name for m in (meant or self._state.cast) if m.name != speaker.name]
        alike = others if meant else [name for name in others if self._names.may_mean(target, name)]
        return alike[0] if len(alike) == 1 else None

    def hold(self) -> None:
        """In a heated moment the others hear a long line in two parts, so that they can cut in."""
        if self._state.verdict.complete:
            return
        for line in self.lines[self._before :]:
            told = part_to_tell(line.content) if self._may_be_cut(line) else None
            if told is not None:
                self._hidden.append(LineHeld(number=line.number, told=told))

    def _may_be_cut(self, line: Line) -> bool:
        if line.kind != "line" or line.cut_by is not None or line.aside:
            return False
        here = [self._state.member(name) for name in self._on_stage]
        quick = any(member.tempo >= QUICK for member in here if member.display_name != line.speaker)
        heat = tension_of(line.content, line.tone, line.action == "interrupt")
        return heat + EAGER * (line.target is not None) + EAGER * quick >= HEATED

    def fail(self, speaker: CastMember, failure: Failure) -> None:
        """Add a system line; after the third failure in a row the character is written out, with an event."""
        presence, beat = self._state.of(failure.who), self._state.beat
        self._hidden.append(
            CharacterFailed(beat=beat, character=failure.who, error=failure.error.message, code=failure.error.code)
        )
        if presence.left is not None:
            return
        self._add("system", f"{speaker.display_name} unable to respond")
        if presence.failed + 1 >= WRITTEN_OUT_AFTER and len(self._on_stage) > 1:
            self._add("event", f"{speaker.display_name} is called away")
            self._hidden.append(CharacterLeft(beat=beat, character=failure.who))

    def come_back(self, speaker: CastMember) -> None:
        self._add("event", f"{speaker.display_name} comes back")
        self._hidden.append(CharacterReturned(beat=self._state.beat, character=speaker.name))

    def direct(self, text: str) -> None:
        """A stage direction of the moderator's own."""
        self._add("direction", text)

    def _add(self, kind: str, text: str) -> None:
        line = Line.model_validate({"number": self._next, "beat": self._state.beat, "kind": kind, "content": text})
        self.lines = (*self.lines, happened(line, self._state.cast, self._on_stage))

    def _interrupts(self, line: Line) -> bool:
        """Cut the latest line that the speaker has heard and that holds the phrase; false if there is none to cut.

        A line of this beat is cut behind the phrase, and one of the last beat where the others have heard it. What
        was told whole stays whole.
        """
        phrase = line.interrupt_after or ""
        for target in self._told_lately(line):
            cut = self._cut_of(target, phrase)
            if cut is not None:
                self._apply(cut, target, line)
                return True
        others = [other for other in reversed(self.lines) if _could_cut(line, other)]
        latest = next((other for other in others if _holds(other, phrase)), others[0] if others else None)
        self._hidden.append(CutMissed(number=line.number, phrase=phrase, reason=_why_missed(latest, phrase)))
        return False

    def _told_lately(self, line: Line) -> Iterator[Line]:
        """What this speaker could cut into, latest first: the lines of this beat, and those told at its cue."""
        for other in reversed(self.lines):
            if other.beat < self._state.beat - 1:
                return
            if _could_cut(line, other):
                yield other

    def _cut_of(self, target: Line, phrase: str) -> Cut | None:
        if target.cut_by is not None:
            return None
        if target.number > self._last:
            return cut_line(target.content, phrase)
        told = self._state.parted.get(target.number)
        if told is None or target.beat != self._state.beat - 1:
            return None
        return cut_where_told(target.content, told, phrase)

    def _apply(self, cut: Cut, target: Line, line: Line) -> None:
        self._hidden.append(LineUnsaid(number=target.number, unsaid=cut.unsaid))
        if target.number <= self._last:
            self._cuts.append(LineCut(number=target.number, said=cut.said, by=line.speaker))
        shorter = target.model_copy(update={"content": cut.said, "cut_by": line.speaker})
        self.lines = tuple(shorter if other.number == target.number else other for other in self.lines)


def _could_cut(line: Line, other: Line) -> bool:
    return (
        other.kind == "line"
        and bool(other.content)
        and other.speaker != line.speaker
        and line.speaker not in other.unheard_by
    )


def _holds(line: Line, phrase: str) -> bool:
    return bool(phrase) and phrase.casefold().strip(" .!?,") in line.content.casefold()


def _why_missed(target: Line | None, phrase: str) -> str:
    if target is None:
        return "nobody else has spoken yet"
    if target.cut_by is not None:
        return f"{target.speaker}'s line was cut already by {target.cut_by}"
    if _holds(target, phrase):
        return f"{target.speaker} had finished the line"
    return f"the phrase is not in {target.speaker}'s latest line"
