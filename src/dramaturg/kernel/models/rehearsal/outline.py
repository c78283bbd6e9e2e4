"""The plan of a scene: passages chosen by the seed, cast into parts, worded for this cast and this story."""

from __future__ import annotations

import random
from math import prod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from dramaturg.kernel.models.rehearsal.banks import Passage, Turn, Wording, lists, passages
from dramaturg.kernel.models.rehearsal.cues import Playbook
from dramaturg.kernel.models.rehearsal.deeds import Deed, deeds_of
from dramaturg.kernel.models.rehearsal.likeness import Spoken
from dramaturg.kernel.models.rehearsal.manner import GestureBox, manner_weight, manners_of
from dramaturg.kernel.models.rehearsal.portrait import portraits_of
from dramaturg.kernel.models.rehearsal.premise import premise_of
from dramaturg.kernel.models.rehearsal.roles import AMBIENT, Act, acts_of
from dramaturg.kernel.models.rehearsal.wording import Moment, Pantry, Said, say

# How much is played before the first deed, and before how many of the later ones, from the fullest scene down.
_FULLNESS = ((5, 9), (4, 9), (4, 1), (3, 1), (3, 0), (2, 0), (1, 0))
_FAMILY_OF_ARC = {"wanted": "choice", "risky": "choice"}


@dataclass(frozen=True, slots=True)
class Step:
    """One line that is meant to be said. `deed` is set on the line that does what goal `goal` asks for.

    `cut_after` is the phrase at which the next line cuts this one, if that line `cuts`.
    """

    speaker: str
    target: str
    text: str
    tone: str
    gesture: str
    move: str
    goal: int
    passage: int
    deed: bool = False
    cut_after: str = ""
    cuts: bool = False
    quick: bool = False
    optional: bool = False
    essential: bool = False


@lru_cache(maxsize=256)
def outline_of(book: Playbook) -> tuple[Step, ...]:
    """The scene as the company means to play it: the richest plan that fits the beats there are."""
    acts = acts_of(book)
    spread = random.Random(f"{book.seed}/{book.name}/length").randint(0, 2)
    room = min(book.max_beats - 1, 4 + spread + 3 * len(acts) + 2 * max(0, len(book.cast) - 3))
    steps: tuple[Step, ...] = ()
    for arc, bridges in _FULLNESS:
        steps = _Draft(book, arc, bridges).write(acts)
        if beats_of(steps) <= room:
            break
    return steps


def beats_of(steps: Iterable[Step]) -> int:
    """How many beats these lines take: a cut and a quick answer share the beat of the line before."""
    return sum(not (step.cuts or step.quick) for step in steps)


@dataclass
class _Draft:
    book: Playbook
    arc: int
    bridges: int
    steps: list[Step] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._names = tuple(part.name for part in self.book.cast)
        self._rng = random.Random(f"{self.book.seed}/{self.book.name}/outline")
        self._pantry = Pantry(random.Random(f"{self.book.seed}/{self.book.name}/pantry"))
        self._spoken = Spoken()
        self._gestures = GestureBox(self.book)
        self._used: set[str] = set()
        self._count = 0

    def write(self, acts: Sequence[Act]) -> tuple[Step, ...]:
        for place, act in enumerate(acts):
            if place == 0:
                self._first(act)
            elif place >= len(acts) - self.bridges:
                self._play("then", act, self._tags(act))
            following = acts[place + 1] if place + 1 < len(acts) else None
            self._deed(act, following)
        self._ambient(acts[-1])
        self._close(acts[-1])
        return tuple(self.steps)

    def _first(self, act: Act) -> None:
        """Everything before the first deed."""
        arc = self._arc(act)
        tags = self._tags(act)
        swapped = Act(act.deed, act.family, act.resister, act.pursuer, act.resister, act.pursuer)
        for move in arc:
            if not self._play(move, swapped, tags) and move == "open":
                self._play("open", swapped, self._tags(act, family="any"))
        for deed in deeds_of(self.book):
            if deed.kind in ("fact", "mediate", "argue", "confront"):
                self._ambient_deed(deed, act)

    def _arc(self, act: Act) -> list[str]:
        family = _FAMILY_OF_ARC.get(act.family, act.family)
        arc = self._rng.choice(lists()[family]).split()
        thirds = len(self._names) - 2
        if thirds == 0:
            arc = [move for move in arc if move != "third"]
        while len(arc) > self.arc:
            spare = [move for move in arc if move in ("press", "account")] or arc[1:]
            arc.remove(self._rng.choice(spare))
        for _ in range(min(2, thirds - 1)):
            arc.insert(self._rng.randrange(2, len(arc) + 1), "third")
        return arc

    def _deed(self, act: Act, following: Act | None) -> None:
        answered = following is not None and following.actor == act.other
        tags = self._tags(act)
        if not self._play("deed", act, tags, trim=answered):
            self._play("deed", act, self._tags(act, kind="plain"), trim=answered)

    def _ambient(self, act: Act) -> None:
        """Somebody who is only there still gets a word."""
        for deed in deeds_of(self.book):
            silent = [name for name in deed.actors if not any(step.speaker == name for step in self.steps)]
            if deed.kind == "present" and silent:
                self._play("third", act, self._tags(act), third=silent[0])

    def _ambient_deed(self, deed: Deed, act: Act) -> None:
        names = self._names
        actor = deed.actors[0] if deed.actors else act.pursuer
        other = deed.partner or next(name for name in (act.resister, *names) if name != actor)
        inner = Act(deed, act.family, actor, other, actor, other)
        self._play("deed", inner, self._tags(inner))

    def _tags(self, act: Act, family: str = "", kind: str = "") -> frozenset[str]:
        size = "two" if len(self._names) == 2 else "three"
        domain = premise_of(self.book).domain
        return frozenset((family or act.family, kind or act.deed.kind, domain, size, "any"))

    def _parts(self, act: Act, third: str = "") -> dict[str, str]:
        spoken = {name: sum(step.speaker == name for step in self.steps) for name in self._names}
        others = [name for name in self._names if name not in (act.actor, act.other)]
        others.sort(key=lambda name: (name != third, spoken[name]))
        parts = {"A": act.actor, "P": act.other}
        return parts | dict(zip(("T", "U"), others, strict=False))

    def _play(
        self, move: str, act: Act, tags: frozenset[str], *, trim: bool = False, third: str = ""
    ) -> bool:
        """Add the passage that fits best here; false if none does."""
        parts = self._parts(act, third)
        moment = Moment(parts, act.deed, premise_of(self.book), portraits_of(self.book), self._names)
        fitting = [one for one in passages().get(move, ()) if one.tags <= tags and one.parts <= parts.keys()]
        ranked = self._ranked(fitting, moment)
        for strict in (True, False):
            for passage in ranked:
                if passage.key in self._used or (strict and not self._begins_well(passage, parts, move)):
                    continue
                steps = self._render(passage, moment, act, trim=trim, strict=strict)
                if steps:
                    self._add(passage, steps)
                    return True
        return False

    def _begins_well(self, passage: Passage, parts: dict[str, str], move: str) -> bool:
        first = parts[passage.turns[0].part]
        if move == "open" and not self.steps:
            return first == self.book.opener
        return not self.steps or self.steps[-1].speaker != first

    def _ranked(self, fitting: Sequence[Passage], moment: Moment) -> list[Passage]:
        """A weighted shuffle: what suits the world, the cards and the manners of the parts comes first more often."""
        rng = random.Random(f"{self.book.seed}/{self.book.name}/{len(self.steps)}/{self._count}")
        keyed = []
        for passage in fitting:
            weights = [
                max(_weight(wording, manners_of(self.book, moment.parts[turn.part])) for wording in turn.wordings)
                for turn in passage.turns
            ]
            weight = 1.8 ** (len(passage.tags) - 1) * prod(weights) ** (0.5 / len(weights))
            keyed.append((rng.random() ** (1 / max(weight, 0.01)), passage))
        return [passage for _, passage in sorted(keyed, key=lambda pair: -pair[0])]

    def _render(self, passage: Passage, moment: Moment, act: Act, *, trim: bool, strict: bool) -> list[Step] | None:
        rng = random.Random(f"{self.book.seed}/{passage.key}")
        spoken = self._spoken.copy()
        taken: list[str] = []
        steps: list[Step] = []
        for turn in passage.turns:
            if trim and turn.optional:
                continue
            found = self._turn(turn, moment, spoken, rng, strict=strict)
            if found is None:
                if turn.optional:
                    continue
                return None
            said, wording = found
            spoken.add(said.text)
            taken += said.taken
            self._pantry.used.update(said.taken)
            steps.append(self._step(turn, wording, said, moment, act, passage, rng))
        self._pantry.used.difference_update(taken)
        return steps if any(step.deed for step in steps) or passage.move != "deed" else None

    def _turn(
        self, turn: Turn, moment: Moment, spoken: Spoken, rng: random.Random, *, strict: bool
    ) -> tuple[Said, Wording] | None:
        manners = manners_of(self.book, moment.parts[turn.part])
        keyed = sorted(turn.wordings, key=lambda one: -(rng.random() ** (1 / _weight(one, manners))))
        to = turn.to or {"A": "P", "P": "A"}.get(turn.part, "")
        for wording in keyed:
            said = say(wording.text, turn.part, to, moment, self._pantry)
            if said is not None and spoken.fresh(said.text, strict=strict):
                return said, wording
        return None

    def _step(
        self, turn: Turn, wording: Wording, said: Said, moment: Moment, act: Act, passage: Passage, rng: random.Random
    ) -> Step:  # fmt: skip
        speaker = moment.parts[turn.part]
        to = turn.to or {"A": "P", "P": "A"}.get(turn.part, "")
        tone = rng.choice(wording.tones)
        return Step(
            speaker=speaker,
            target=moment.parts.get(to, ""),
            text=said.text,
            tone=tone,
            gesture=self._gestures.draw(speaker, tone, wording.gesture, rng),
            move=passage.move,
            goal=act.deed.number,
            passage=self._count,
            deed=turn.deed,
            cut_after=said.cut_after,
            cuts=turn.cuts,
            quick=turn.quick,
            optional=turn.optional,
            essential=passage.move == "deed" and not turn.optional,
        )

    def _add(self, passage: Passage, steps: list[Step]) -> None:
        self._used.add(passage.key)
        for step in steps:
            self._spoken.add(step.text)
            self._gestures.use(step.gesture)
        for portrait in portraits_of(self.book).values():
            for own in (*portrait.own.values(), portrait.stakes):
                self._pantry.used.update(line for line in own if any(line.rstrip(".") in step.text for step in steps))
        for entries in (
            value for name, value in lists().items() if name.split()[0] in ("measure", "detail", "trade", "task")
        ):
            self._pantry.used.update(entry for entry in entries if any(entry in step.text for step in steps))
        self.steps += steps
        self._count += 1

    def _close(self, act: Act) -> None:
        """A last word from everybody who has not just had one."""
        last = [step.speaker for step in self.steps[-2:]]
        waiting = [name for name in self._names if name not in last]
        waiting.sort(key=lambda name: name in (act.actor, act.other))
        if not waiting:
            waiting = [name for name in (act.actor, act.other) if name != self.steps[-1].speaker][:1]
        for place, name in enumerate(waiting[:3]):
            part = "A" if name == act.actor else "P" if name == act.other else "T"
            tags = self._tags(act) | {f"by{part}"}
            before = len(self.steps)
            self._play("close", act, tags, third=name)
            if len(self.steps) > before and place % 2:
                self.steps[-1] = _quick(self.steps[-1])


def _quick(step: Step) -> Step:
    from dataclasses import replace

    return replace(step, quick=True)


def _weight(wording: Wording, manners: tuple[str, ...]) -> float:
    filled = 1.6 ** min(3, sum(slot not in ("A", "P", "T", "U") for slot in wording.slots))
    return manner_weight(wording.manners, manners) * filled


__all__ = ["AMBIENT", "Step", "beats_of", "outline_of"]
