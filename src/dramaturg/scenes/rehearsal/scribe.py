"""Selects passages and words them for this cast, without repeating anything."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from dramaturg.kernel.models.rehearsal.likeness import SpokenLines
from dramaturg.scenes.rehearsal.banks import BankPassage, PassageLine, Wording, passages
from dramaturg.scenes.rehearsal.deeds import Deed, deeds_of
from dramaturg.scenes.rehearsal.gestures import Gestures, manner_weight, manners_of
from dramaturg.scenes.rehearsal.inventions import invention_of
from dramaturg.scenes.rehearsal.playbook import Playbook
from dramaturg.scenes.rehearsal.portraits import portraits_of
from dramaturg.scenes.rehearsal.premise import premise_of
from dramaturg.scenes.rehearsal.reminiscences import Reminiscence
from dramaturg.scenes.rehearsal.roles import Act
from dramaturg.scenes.rehearsal.steps import Step
from dramaturg.scenes.rehearsal.worded_line import CARD_SLOTS, Material, PassageContext, WordedLine, say

# How strict a choice is: nobody twice in a row and no similar openings; nothing said before; anything at all.
_CAREFUL, _FRESH, _ANY = 2, 1, 0
_OWN_WORDS = 12.0
_OWN_OPENING, _OWN_PASSAGE = 6.0, 1.5
_KNOWN_MATTER = 1.6
_FITS_BETTER = 1.8


@dataclass(frozen=True, slots=True)
class PassageRequest:
    """A passage that is needed: for which move, with whom in which part, and how freely it may be chosen."""

    move: str
    act: Act
    parts: Mapping[str, str]
    tags: frozenset[str]
    first: str = ""
    not_first: str = ""
    alone: str = ""
    trim: bool = False
    loose: bool = True
    cutting: bool = False
    recalled: Reminiscence | None = None


class Scribe:
    """Writes one scene. It remembers every line, and whatever it took from cards and lists."""

    def __init__(self, book: Playbook) -> None:
        self._book = book
        self._names = tuple(part.name for part in book.cast)
        self._material = Material(random.Random(f"{book.seed}/{book.name}/pantry"))
        self._spoken = SpokenLines(common_words(book))
        self._gestures = Gestures(book)
        self._used: set[str] = set()
        self._manners = {name: manners_of(book, name) for name in self._names}

    def copy(self) -> Scribe:
        """A copy of the scribe in its current state, for a trial."""
        other = Scribe(self._book)
        other._material, other._spoken = self._material.copy(), self._spoken.copy()
        other._gestures, other._used = self._gestures.copy(), set(self._used)
        return other

    def write(self, request: PassageRequest) -> list[Step]:
        """The lines of the passage that fits best; empty if none fits."""
        context = PassageContext(
            request.parts,
            request.act.deed,
            request.act.doer,
            premise_of(self._book),
            portraits_of(self._book),
            self._names,
            request.recalled,
            _told(self._book, request.act.deed),
            self._book.seed,
        )
        ranked = self._ranked(request, context)
        for care in (_CAREFUL, _FRESH, _ANY) if request.loose else (_CAREFUL,):
            for passage in ranked:
                if care == _CAREFUL and not self._begins_well(passage, request):
                    continue
                written = list(self._word(passage, context, request, care))
                if len(written) >= sum(not line.optional for line in passage.lines):
                    return self._keep(passage, written, context, request)
        return []

    @staticmethod
    def _begins_well(passage: BankPassage, request: PassageRequest) -> bool:
        first = request.parts[passage.lines[0].part]
        return first == request.first if request.first else first != request.not_first

    def _ranked(self, request: PassageRequest, context: PassageContext) -> list[BankPassage]:
        """A weighted shuffle: passages that suit the world, the cards and the manners tend to come first."""
        rng = random.Random(f"{self._book.seed}/{self._book.name}/{request.move}/{len(self._spoken.lines)}")
        keyed = []
        for passage in passages().get(request.move, ()):
            if (
                not passage.tags <= request.tags
                or not passage.parts <= request.parts.keys()
                or passage.key in self._used
            ):
                continue
            if (request.alone and passage.parts != {request.alone}) or (request.cutting and not passage.cuts):
                continue
            weights = [
                max(self._weight(wording, context.parts[line.part]) for wording in line.wordings)
                for line in passage.lines
            ]
            weight = _FITS_BETTER ** len(passage.tags) * prod(weights) ** (0.5 / len(weights))
            if any(slot in CARD_SLOTS for line in passage.lines for one in line.wordings for slot in one.slots):
                weight *= _OWN_OPENING if request.move == "open" else _OWN_PASSAGE
            keyed.append((rng.random() ** (1 / max(weight, 0.01)), passage))
        return [passage for _, passage in sorted(keyed, key=lambda pair: -pair[0])]

    def _weight(self, wording: Wording, speaker: str) -> float:
        own = _OWN_WORDS if any(slot in CARD_SLOTS for slot in wording.slots) else 1.0
        known = _KNOWN_MATTER ** min(2, sum(len(slot) > 1 for slot in wording.slots))
        return manner_weight(wording.manners, self._manners[speaker]) * known * own

    def _word(
        self, passage: BankPassage, context: PassageContext, request: PassageRequest, care: int
    ) -> Iterator[tuple[PassageLine, Wording, WordedLine, str]]:
        """The lines of a passage in words; stops at the first that cannot be said."""
        rng = random.Random(f"{self._book.seed}/{passage.key}")
        spoken = self._spoken.copy()
        material = self._material.copy()
        for line in passage.lines:
            if request.trim and line.optional:
                continue
            to = _listener(line, passage)
            speaker = context.parts[line.part]
            for wording in sorted(line.wordings, key=lambda one: -self._key(one, speaker, rng)):
                said = say(wording.text, line.part, to, context, material)
                if said is not None and (care == _ANY or spoken.fresh(said.text, strict=care == _CAREFUL)):
                    spoken.add(said.text)
                    material.used.update(said.taken)
                    yield line, wording, said, to
                    break
            else:
                if not line.optional:
                    return

    def _key(self, wording: Wording, speaker: str, rng: random.Random) -> float:
        return float(rng.random() ** (1 / self._weight(wording, speaker)))

    def _keep(
        self,
        passage: BankPassage,
        written: Sequence[tuple[PassageLine, Wording, WordedLine, str]],
        context: PassageContext,
        request: PassageRequest,
    ) -> list[Step]:
        rng = random.Random(f"{self._book.seed}/{passage.key}/gestures")
        number = len(self._used)
        self._used.add(passage.key)
        steps = []
        for line, wording, said, to in written:
            speaker, tone = context.parts[line.part], rng.choice(wording.tones)
            gesture = self._gestures.draw(speaker, tone, wording.gesture, rng)
            self._gestures.use(gesture)
            self._spoken.add(said.text)
            self._material.used.update(said.taken)
            steps.append(
                Step(
                    speaker=speaker,
                    target=context.parts.get(to, ""),
                    text=said.text,
                    tone=tone,
                    gesture=gesture,
                    move=request.move,
                    goal=request.act.deed.number,
                    passage=number,
                    deed=line.deed,
                    cut_after=said.cut_after,
                    cuts=line.cuts,
                    quick=line.quick,
                    essential=request.move == "deed" and not line.optional,
                )
            )
        return steps


def _told(book: Playbook, deed: Deed) -> str:
    """What a deed reveals, if the company has to invent it."""
    invented = invention_of(book, deed)
    return invented.told if invented else ""


def _listener(line: PassageLine, passage: BankPassage) -> str:
    """The addressee of a line: the part it names, the witness who spoke before it, else the opposite part."""
    place = passage.lines.index(line)
    before = passage.lines[place - 1].part if place else ""
    if not line.to and not line.deed and before in ("T", "U"):
        return before
    return line.to or {"A": "P", "P": "A"}.get(line.part, "")


def common_words(book: Playbook) -> tuple[str, ...]:
    """The phrases a scene is about, which may be repeated."""
    premise = premise_of(book)
    matter = [premise.did, premise.thing, premise.cost]
    for deed in deeds_of(book):
        matter += [deed.do, deed.did, deed.thing, deed.what, deed.text, _told(book, deed)]
    return tuple(phrase for phrase in matter if phrase)
