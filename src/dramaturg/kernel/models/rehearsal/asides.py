"""Lines outside the plan: for what happens in the world, for silence, for a partner who goes another way."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace

from dramaturg.kernel.models.rehearsal.banks import Passage, lists, passages
from dramaturg.kernel.models.rehearsal.cues import Heard, Playbook
from dramaturg.kernel.models.rehearsal.deeds import Deed, deeds_of
from dramaturg.kernel.models.rehearsal.likeness import TOO_ALIKE, likeness
from dramaturg.kernel.models.rehearsal.manner import GestureBox, manner_weight, manners_of
from dramaturg.kernel.models.rehearsal.outline import Step
from dramaturg.kernel.models.rehearsal.portrait import portraits_of
from dramaturg.kernel.models.rehearsal.premise import premise_of
from dramaturg.kernel.models.rehearsal.roles import acts_of
from dramaturg.kernel.models.rehearsal.wording import Moment, Pantry, say

MOST_NUDGES = 2
MOST_INSISTS = 3
_EVENTS: tuple[tuple[str, str], ...] = (
    ("phone", r"\b(?:phone|telephone|rings|ringing|buzz\w*|pager|call)\b"),
    ("storm", r"\b(?:thunder|lightning|storm|wind|rain|wave|gust|hail)\b"),
    ("light", r"\b(?:lights?|lamp|power|flicker\w*|dark\w*|candle|blackout)\b"),
    ("door", r"\b(?:door|knock\w*|footsteps|enters|someone at)\b"),
    ("alarm", r"\b(?:alarm|siren|klaxon|bell|warning light)\b"),
    ("crash", r"\b(?:crash\w*|glass|shatter\w*|falls|bang\w*|explo\w*|smash\w*|breaks)\b"),
)


class Asides:
    """Lines made for this moment, worded unlike anything already said."""

    def __init__(self, book: Playbook, lines: tuple[Heard, ...], rng: random.Random) -> None:
        self._book, self._rng = book, rng
        self._names = tuple(part.name for part in book.cast)
        self._said = [line.content for line in lines if line.kind == "line" and line.content]
        self._lines = lines
        self._gestures = GestureBox(book)
        for line in lines:
            self._gestures.use(line.nonverbal or "")

    def react(self, event: Heard, following: Step | None, last: str) -> tuple[Step, ...]:
        """Somebody answers what has happened in the world: whoever is free, else the next to speak."""
        kind = next((name for name, words in _EVENTS if re.search(words, event.content.lower())), "any")
        busy = {following.speaker} if following else set()
        named = [name for name in self._names if name in event.content]
        free = [name for name in (*named, *self._names) if name not in busy and name != last]
        speaker = free[0] if named and free else self._rng.choice(free) if free else ""
        speaker = speaker or (following.speaker if following else self._rng.choice(self._names))
        step = self._line("event", speaker, "", frozenset((kind, "any")))
        return (step,) if step else ()

    def nudge(self, silent: str, failing: frozenset[str]) -> tuple[Step, ...]:
        """Somebody asks the one who says nothing."""
        if self._count("nudge") >= MOST_NUDGES:
            return ()
        askers = [name for name in self._names if name != silent and name not in failing]
        last = next((line.speaker for line in reversed(self._lines) if line.kind == "line"), "")
        askers.sort(key=lambda name: name == last)
        step = self._line("nudge", askers[0], silent, frozenset(("any",))) if askers else None
        return (step,) if step else ()

    def given_up(self, failing: frozenset[str]) -> frozenset[str]:
        """Those for whom nobody waits any longer."""
        return failing if self._count("nudge") >= MOST_NUDGES else frozenset()

    def may_insist(self) -> bool:
        return self._count("insist") < MOST_INSISTS

    def insist(self, step: Step) -> tuple[Step, ...]:
        """The partner asks once more for the deed."""
        other = step.target or next(name for name in self._names if name != step.speaker)
        line = self._line("insist", other, step.speaker, frozenset(("any",)), step.goal)
        return (line, replace(self.again(step), quick=True)) if line else (self.again(step),)

    def filler(self) -> tuple[Step, ...]:
        """Somebody was asked to say something, and the plan is at its end."""
        last = next((line.speaker for line in reversed(self._lines) if line.kind == "line"), "")
        speaker = self._rng.choice([name for name in self._names if name != last])
        step = self._line("filler", speaker, "", frozenset(("any",)))
        return (step,) if step else ()

    def again(self, step: Step) -> Step:
        """The same deed in words that were not said yet."""
        if not any(likeness(step.text, said) > TOO_ALIKE for said in self._said):
            return step
        act = next((act for act in acts_of(self._book) if act.deed.number == step.goal), None)
        if act is None:
            return step
        parts = {"A": act.actor, "P": act.other}
        tags = frozenset((act.deed.kind, act.family, premise_of(self._book).domain, "two", "three", "any", "plain"))
        line = self._worded("deed", step.speaker, parts, tags, act.deed, deeds_only=True)
        return replace(step, text=line.text, cut_after="") if line else step

    def reaction(self, steps: Sequence[Step], mood: str, following: str) -> tuple[str, str, str] | None:
        """Now and then somebody who does not speak is seen to feel something."""
        reacted = sum(line.action == "react" for line in self._lines)
        moving = {step.speaker for step in steps}
        idle = [name for name in self._names if name not in moving and name != following]
        heated = bool(steps) and (steps[-1].cuts or steps[-1].deed) and mood != "even"
        if not idle or not heated or reacted >= 2 or self._rng.random() > 0.3:
            return None
        name = self._rng.choice(idle)
        entry = self._rng.choice(lists()["reaction deed" if steps[-1].deed else "reaction hot"])
        tone, _, gesture = entry.partition(" | ")
        return None if self._seen(gesture) else (name, tone, gesture)

    def silent_gesture(self, name: str) -> str:
        return self._gestures.any_gesture(name, "watchful", self._rng) if self._rng.random() < 0.3 else ""

    def personal(self, name: str) -> Step | None:
        """A note was for this one alone: a word of their own."""
        return self._line("filler", name, "", frozenset(("any",)))

    def _seen(self, gesture: str) -> bool:
        return any(line.nonverbal == gesture for line in self._lines)

    def _count(self, move: str) -> int:
        """How many lines of a bank have been said, whoever they named."""
        heads = [
            re.compile(re.sub(r"\\\{\w+\\\}", ".+?", re.escape(wording.text)))
            for passage in passages().get(move, ())
            for turn in passage.turns
            for wording in turn.wordings
        ]
        return sum(any(head.fullmatch(said) for head in heads) for said in self._said)

    def _line(self, move: str, speaker: str, to: str, tags: frozenset[str], goal: int = 0) -> Step | None:
        others = [name for name in self._names if name not in (speaker, to)]
        parts = {"P": speaker} | ({"A": to} if to else {"A": others[0]})
        deed = next((one for one in deeds_of(self._book) if one.number == goal), Deed(0, "", move))
        found = self._worded(move, speaker, parts, tags, deed)
        return replace(found, target=to) if found else None

    def _worded(
        self, move: str, speaker: str, parts: dict[str, str], tags: frozenset[str], deed: Deed, *, deeds_only: bool = False
    ) -> Step | None:  # fmt: skip
        """The fitting wording that suits the speaker and repeats nothing."""
        moment = Moment(parts, deed, premise_of(self._book), portraits_of(self._book), self._names)
        pantry = Pantry(self._rng)
        manners = manners_of(self._book, speaker)
        options: list[tuple[float, Passage, str, str]] = []
        for passage in passages().get(move, ()):
            if not passage.tags <= tags:
                continue
            for turn in passage.turns:
                if parts.get(turn.part) != speaker or (deeds_only and not turn.deed):
                    continue
                for wording in turn.wordings:
                    weight = manner_weight(wording.manners, manners) * (3.0 if passage.tags - {"any"} else 1.0)
                    key = self._rng.random() ** (1 / weight)
                    options.append((key, passage, f"{turn.part}{wording.text}", self._rng.choice(wording.tones)))
        for _, _, text, tone in sorted(options, key=lambda option: -option[0]):
            part = text[0]
            said = say(text[1:], part, {"A": "P", "P": "A"}[part], moment, pantry)
            if said and not any(likeness(said.text, other) > TOO_ALIKE for other in self._said):
                gesture = self._gestures.draw(speaker, tone, "", self._rng)
                return Step(speaker, "", said.text, tone, gesture, move, deed.number, -1)
        return None
