"""Lines outside the plan: in reply to world events, to silence, and to a partner who departs from it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

from dramaturg.kernel.models.rehearsal.likeness import TOO_ALIKE, likeness
from dramaturg.scenes.rehearsal.banks import PassageLine, Wording, lists, passages
from dramaturg.scenes.rehearsal.deeds import Deed, who_of
from dramaturg.scenes.rehearsal.gestures import Gestures, manner_weight, manners_of
from dramaturg.scenes.rehearsal.inventions import invention_of
from dramaturg.scenes.rehearsal.playbook import HeardLine, Playbook
from dramaturg.scenes.rehearsal.portraits import portraits_of
from dramaturg.scenes.rehearsal.premise import premise_of
from dramaturg.scenes.rehearsal.roles import Act, acts_of
from dramaturg.scenes.rehearsal.scribe import common_words
from dramaturg.scenes.rehearsal.steps import Step
from dramaturg.scenes.rehearsal.worded_line import Material, PassageContext, say

MOST_NUDGES = 2
MOST_INSISTS = 3
MOST_REACTIONS = 2
_ASIDES = ("event", "nudge", "insist", "filler", "absent")
_GRAVE = frozenset({"reveal", "confess", "accuse", "decide", "leave", "order", "warn"})
_UNSEEN = frozenset({"offer", "refuse", "ask", "agree"})


class Asides:
    """Lines written for the current beat that repeat nothing already said."""

    def __init__(self, book: Playbook, lines: tuple[HeardLine, ...], rng: random.Random) -> None:
        self._book, self._lines, self._rng = book, lines, rng
        self._names = tuple(part.name for part in book.cast)
        self._said = [line.content for line in lines if line.kind == "line" and line.content]
        self._last = next((line.speaker for line in reversed(lines) if line.kind == "line" and line.content), "")
        self._gestures = Gestures(book)
        for line in lines:
            self._gestures.use(line.nonverbal or "")

    def react(self, event: HeardLine, following: Step | None) -> tuple[Step, ...]:
        """A reply to a world event, from somebody it names, else somebody free, else the next speaker."""
        text = event.content.lower()
        kind = next((name for name, words in _happenings() if words.search(text)), "any")
        free = [name for name in self._names if name != self._last and (not following or name != following.speaker)]
        named = [name for name in free if name in event.content]
        speaker = (named or [""])[0] or (self._rng.choice(free) if free else "")
        speaker = speaker or (following.speaker if following else self._rng.choice(self._names))
        return self._one("event", speaker, "", kind)

    def nudge(self, silent: str, failing: frozenset[str]) -> tuple[Step, ...]:
        """Somebody prompts the silent one, a limited number of times."""
        askers = [name for name in self._names if name != silent and name not in failing]
        askers.sort(key=lambda name: name == self._last)
        if not askers or self._count("nudge") >= MOST_NUDGES:
            return ()
        return self._one("nudge", askers[0], silent)

    def absent(self, missing: str) -> tuple[Step, ...]:
        """Somebody remarks, once, that the missing one is not coming."""
        left = [name for name in self._names if name not in (missing, self._last)]
        return self._one("absent", left[0], missing) if left and not self._count("absent") else ()

    def given_up(self, failing: frozenset[str]) -> frozenset[str]:
        """The members of the cast that nobody waits for any longer."""
        return failing if self._count("nudge") >= MOST_NUDGES else frozenset()

    def insist(self, step: Step) -> tuple[Step, ...]:
        """The partner asks for the deed again, a few times at most."""
        if self._count("insist") >= MOST_INSISTS:
            return ()
        other = step.target or next(name for name in self._names if name != step.speaker)
        return self._one("insist", other, step.speaker)

    def filler(self, speaker: str = "") -> tuple[Step, ...]:
        """A line for somebody who was asked to speak and has none in the plan."""
        free = [name for name in self._names if name != self._last]
        return self._one("filler", speaker or self._rng.choice(free), "")

    def again(self, step: Step) -> Step | None:
        """A line of the plan, or the same deed in words that were not said yet; None if there are none."""
        if not self._repeats(step.text):
            return step
        act = next((act for act in acts_of(self._book) if act.deed.number == step.goal), None)
        line = self._deed(act, step.speaker) if act and step.deed else None
        return replace(step, text=line.text, tone=line.tone, gesture="", cut_after="") if line else None

    def attempt(self, deed: Deed, gone: frozenset[str]) -> tuple[Step, ...]:
        """An attempt at a deed that the plan has not brought about."""
        act = next((act for act in acts_of(self._book) if act.deed.number == deed.number), None)
        if act is None:
            actor = deed.actors[0] if deed.actors else next(name for name in self._names if name != self._last)
            other = deed.partner or next(name for name in self._names if name != actor)
            act = Act(deed, acts_of(self._book)[0].family, actor, other, actor, other)
        tail = [line.speaker for line in self._lines if line.kind == "line" and line.content][-2:]
        idle = tail == [act.actor] * 2 or gone & {act.actor, act.other}
        line = None if idle else self._deed(act, act.actor)
        return (replace(line, target=act.other, deed=True),) if line else ()

    def _deed(self, act: Act, speaker: str) -> Step | None:
        tags = frozenset(
            (act.deed.kind, act.family, premise_of(self._book).domain, "two", "any", "plain", "equal", "led")
        ) | _more_tags(act.deed)
        context = self._context({"A": act.actor, "P": act.other}, act.deed, act.doer)
        return self._worded("deed", speaker, context, tags, deeds_only=True)

    def reaction(self, steps: Sequence[Step], following: str) -> tuple[str, str, str] | None:
        """An occasional silent reaction of somebody who does not speak: name, tone and gesture."""
        moving = {step.speaker for step in steps} | {following}
        idle = [name for name in self._names if name not in moving]
        if not idle or not steps or not (steps[-1].cuts or steps[-1].deed):
            return None
        if sum(line.action == "react" for line in self._lines) >= MOST_REACTIONS or self._rng.random() > 0.22:
            return None
        kind = next((act.deed.kind for act in acts_of(self._book) if act.deed.number == steps[-1].goal), "")
        mood = ("grave" if kind in _GRAVE else "soft") if steps[-1].deed else "hot"
        tone, _, gesture = self._rng.choice(lists()[f"reaction {mood}"]).partition(" | ")
        if kind in _UNSEEN or any(line.nonverbal == gesture for line in self._lines):
            return None
        return self._rng.choice(idle), tone, gesture

    def silent_gesture(self, name: str) -> str:
        return self._gestures.any_gesture(name, "watchful", self._rng) if self._rng.random() < 0.3 else ""

    def _repeats(self, text: str) -> bool:
        common = common_words(self._book)
        return any(likeness(text, said, common) > TOO_ALIKE for said in self._said)

    def _count(self, move: str) -> int:
        return sum(any(form.fullmatch(said) for form in _forms(move)) for said in self._said)

    def _context(self, parts: Mapping[str, str], deed: Deed, doer: str) -> PassageContext:
        invented = invention_of(self._book, deed)
        told = invented.told if invented else ""
        return PassageContext(
            parts,
            deed,
            doer,
            premise_of(self._book),
            portraits_of(self._book),
            self._names,
            None,
            told,
            self._book.seed,
        )

    def _one(self, move: str, speaker: str, to: str, tag: str = "any") -> tuple[Step, ...]:
        other = to or next(name for name in self._names if name != speaker)
        context = self._context({"P": speaker, "A": other}, Deed(0, "", move), other)
        step = self._worded(move, speaker, context, frozenset((tag, "any")))
        return (replace(step, target=to),) if step else ()

    def _worded(
        self, move: str, speaker: str, context: PassageContext, tags: frozenset[str], *, deeds_only: bool = False
    ) -> Step | None:
        """A fitting wording that suits the speaker and repeats nothing."""
        manners = manners_of(self._book, speaker)
        keyed = []
        for weight, line, wording in self._options(move, speaker, context, tags, deeds_only):
            weight *= manner_weight(wording.manners, manners)
            keyed.append((self._rng.random() ** (1 / weight), line.part, wording))
        for _, part, wording in sorted(keyed, key=lambda option: -option[0]):
            said = say(wording.text, part, {"A": "P", "P": "A"}[part], context, Material(self._rng))
            if said and not self._repeats(said.text):
                tone = self._rng.choice(wording.tones)
                gesture = self._gestures.draw(speaker, tone, wording.gesture, self._rng)
                return Step(speaker, "", said.text, tone, gesture, move, context.deed.number, -1)
        return None

    @staticmethod
    def _options(
        move: str, speaker: str, context: PassageContext, tags: frozenset[str], deeds_only: bool
    ) -> Iterator[tuple[float, PassageLine, Wording]]:
        for passage in passages().get(move, ()):
            for line in passage.lines if passage.tags <= tags else ():
                if context.parts.get(line.part) == speaker and (line.deed or not deeds_only):
                    yield from ((60.0 if passage.tags else 1.0, line, wording) for wording in line.wordings)


def is_aside(text: str, book: Playbook) -> bool:
    """Whether a line is an aside, and so neither part of the plan nor foreign to it."""
    own = (
        line
        for portrait in portraits_of(book).values()
        for name in ("startled", "any")
        for line in portrait.own.get(name, ())
    )
    return text in own or any(form.fullmatch(text) for move in _ASIDES for form in _forms(move))


def _more_tags(deed: Deed) -> frozenset[str]:
    fits = {
        "that": bool(deed.did) and not deed.what,
        "object": bool(deed.thing),
        "mute": not deed.what,
        "nothing": not deed.thing and not deed.do,
        "vague": not deed.do and not who_of(deed),
        "pick": deed.kind == "decide" and bool(deed.thing),
        "who": bool(who_of(deed)),
    }
    return frozenset(tag for tag, fit in fits.items() if fit)


@cache
def _happenings() -> tuple[tuple[str, re.Pattern[str]], ...]:
    rows = (row.partition(": ") for row in lists()["event"])
    return tuple((name, re.compile(rf"\b(?:{words})\b")) for name, _, words in rows)


@cache
def _forms(move: str) -> tuple[re.Pattern[str], ...]:
    """The wordings of a move as patterns, with any text in their slots."""
    return tuple(
        re.compile(re.sub(r"\\\{\w+\\\}", r"[^.?!]+", re.escape(wording.text)))
        for passage in passages().get(move, ())
        for line in passage.lines
        for wording in line.wordings
        if not re.fullmatch(r"\{\w+\}", wording.text)
    )
