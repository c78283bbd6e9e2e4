"""Resolves a beat's answers into transcript entries: order, cuts, audibility, failures. A pure function."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from dramaturg.kernel.floor import Failure, Round
from dramaturg.kernel.values import construct
from dramaturg.scenes.cut import cut_line
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.events import (
    BeatPlayed,
    CastMember,
    CharacterFailed,
    CharacterLeft,
    CharacterReturned,
    CutMissed,
    LineCut,
    LineSpoken,
    LineUnsaid,
    ResponseGiven,
    SceneEvent,
)
from dramaturg.scenes.hearing import as_spoken, happened
from dramaturg.scenes.line import Line
from dramaturg.scenes.response import CharacterResponse
from dramaturg.scenes.state import SceneState

WRITTEN_OUT_AFTER = 3


def resolve_beat(state: SceneState, answers: Round[CharacterResponse]) -> tuple[SceneEvent, ...]:
    """Everything one beat adds, in the order it was heard: answers, lines, cuts, failures."""
    ordered = _ordered(state, answers.answers)
    given: list[SceneEvent] = [
        construct(
            ResponseGiven,
            {
                "type": "response.given",
                "beat": state.beat,
                "character": who,
                "response": response,
                "warnings": response.warnings,
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
    for failure in answers.failures:
        beat.fail(state.member(failure.who), failure)
    played = BeatPlayed(
        beat=state.beat,
        lines=sum(1 for line in beat.lines[len(state.lines) :] if line.kind != "direction"),
        cued=len(answers.answers) + len(answers.failures),
        failed=len(answers.failures),
    )
    return (*given, *beat.events, played)


def _ordered(state: SceneState, answers: Mapping[str, CharacterResponse]) -> Sequence[tuple[str, CharacterResponse]]:
    """In the scene's configured order; simultaneous answers are in cast order."""
    items = list(answers.items())
    if state.scene.config.order == "arrival":
        return sorted(items, key=lambda item: item[1].timestamp)
    if state.scene.config.order == "tempo":
        items.sort(key=lambda item: _delay(state, *item))
    return _after_what_they_cut(items)


def _after_what_they_cut(items: list[tuple[str, CharacterResponse]]) -> list[tuple[str, CharacterResponse]]:
    """Nobody cuts into a line before it is spoken: an interruption follows the answer of this beat that it names."""
    ranks: dict[str, float] = {who: rank for rank, (who, _) in enumerate(items)}
    for who, response in items:
        phrase = response.parsed.interrupt_after
        if response.parsed.action != "interrupt" or not phrase:
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
        self._hidden: list[SceneEvent] = []
        self._cuts: list[LineCut] = []

    @property
    def events(self) -> tuple[SceneEvent, ...]:
        new = [construct(LineSpoken, {"type": "line.spoken", "line": line}) for line in self.lines[self._before :]]
        return (*self._cuts, *new, *self._hidden)

    def speak(self, speaker: CastMember, response: CharacterResponse) -> None:
        line = Line.spoken(len(self.lines) + 1, self._state.beat, speaker.display_name, response.parsed)
        if line.target and (whom := self._names.resolve(line.target)) not in (None, line.target):
            line = line.model_copy(update={"target": whom})
        line = as_spoken(line, speaker, self._state.cast, self._on_stage)
        if line.action == "interrupt":
            self._interrupt(line)
        self.lines = (*self.lines, line)

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
        line = Line.model_validate(
            {"number": len(self.lines) + 1, "beat": self._state.beat, "kind": kind, "content": text}
        )
        self.lines = (*self.lines, happened(line, self._state.cast, self._on_stage))

    def _interrupt(self, line: Line) -> None:
        """Cut the latest line of another speaker, if the phrase is in it and it was not cut before."""
        phrase = line.interrupt_after or ""
        heard = [other for other in self.lines if other.kind == "line" and other.content]
        target = next((other for other in reversed(heard) if _could_cut(line, other)), None)
        cut = cut_line(target.content, phrase) if target and target.cut_by is None else None
        if target is None or cut is None:
            self._hidden.append(CutMissed(number=line.number, phrase=phrase, reason=_why_missed(target, phrase)))
            return
        self._hidden.append(LineUnsaid(number=target.number, unsaid=cut.unsaid))
        if target.number <= self._before:
            self._cuts.append(LineCut(number=target.number, said=cut.said, by=line.speaker))
        shorter = target.model_copy(update={"content": cut.said, "cut_by": line.speaker})
        self.lines = tuple(shorter if other.number == target.number else other for other in self.lines)


def _could_cut(line: Line, other: Line) -> bool:
    return other.speaker != line.speaker and line.speaker not in other.unheard_by


def _why_missed(target: Line | None, phrase: str) -> str:
    if target is None:
        return "nobody else has spoken yet"
    if target.cut_by is not None:
        return f"{target.speaker}'s line was cut already by {target.cut_by}"
    if phrase and phrase.casefold().strip(" .!?,") in target.content.casefold():
        return f"{target.speaker} had finished the line"
    return f"the phrase is not in {target.speaker}'s latest line"
