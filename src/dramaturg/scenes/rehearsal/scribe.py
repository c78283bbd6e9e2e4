"""Chooses the passage for a moment and words it: for these people, unlike anything said before."""

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

# How much care a choice takes: nobody twice in a row and no like beginnings; nothing said before; anything at all.
_CAREFUL, _FRESH, _ANY = 2, 1, 0
_OWN_WORDS = 12.0
_OWN_OPENING, _OWN_PASSAGE = 6.0, 1.5
_KNOWN_MATTER = 1.6
_FITS_BETTER = 1.8


@dataclass(frozen=True, slots=True)
class PassageRequest:
    """A passage that is wanted: for which move, with whom in which part, and how freely it may be chosen."""

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
    """Writes one scene. Every line it gives is remembered, and so is what was taken from cards and lists."""

    def __init__(self, book: Playbook) -> None:
        self._book = book
        self._names = tuple(part.name for part in book.cast)
        self._pantry = Material(random.Random(f"{book.seed}/{book.name}/pantry"))
        self._spoken = SpokenLines(common_words(book))
        self._gestures = Gestures(book)
        self._used: set[str] = set()
        self._manners = {name: manners_of(book, name) for name in self._names}

    def copy(self) -> Scribe:
        """The same scribe at this point, to try something out."""
        other = Scribe(self._book)
        other._pantry, other._spoken = self._pantry.copy(), self._spoken.copy()
        other._gestures, other._used = self._gestures.copy(), set(self._used)
        return other

    def write(self, call: PassageRequest) -> list[Step]:
        """The lines of the passage that fits best; empty if none does."""
        moment = PassageContext(
            call.parts,
            call.act.deed,
            call.act.doer,
            premise_of(self._book),
            portraits_of(self._book),
            self._names,
            call.recalled,
            _told(self._book, call.act.deed),
            self._book.seed,
        )
        ranked = self._ranked(call, moment)
        for care in (_CAREFUL, _FRESH, _ANY) if call.loose else (_CAREFUL,):
            for passage in ranked:
                if care == _CAREFUL and not self._begins_well(passage, call):
                    continue
                written = list(self._word(passage, moment, call, care))
                if len(written) >= sum(not turn.optional for turn in passage.turns):
                    return self._keep(passage, written, moment, call)
        return []

    @staticmethod
    def _begins_well(passage: BankPassage, call: PassageRequest) -> bool:
        first = call.parts[passage.turns[0].part]
        return first == call.first if call.first else first != call.not_first

    def _ranked(self, call: PassageRequest, moment: PassageContext) -> list[BankPassage]:
        """A weighted shuffle: what suits the world, the cards and the manners of the parts comes first more often."""
        rng = random.Random(f"{self._book.seed}/{self._book.name}/{call.move}/{len(self._spoken.lines)}")
        keyed = []
        for passage in passages().get(call.move, ()):
            if not passage.tags <= call.tags or not passage.parts <= call.parts.keys() or passage.key in self._used:
                continue
            if (call.alone and passage.parts != {call.alone}) or (call.cutting and not passage.cuts):
                continue
            weights = [
                max(self._weight(wording, moment.parts[turn.part]) for wording in turn.wordings)
                for turn in passage.turns
            ]
            weight = _FITS_BETTER ** len(passage.tags) * prod(weights) ** (0.5 / len(weights))
            if any(slot in CARD_SLOTS for turn in passage.turns for one in turn.wordings for slot in one.slots):
                weight *= _OWN_OPENING if call.move == "open" else _OWN_PASSAGE
            keyed.append((rng.random() ** (1 / max(weight, 0.01)), passage))
        return [passage for _, passage in sorted(keyed, key=lambda pair: -pair[0])]

    def _weight(self, wording: Wording, speaker: str) -> float:
        own = _OWN_WORDS if any(slot in CARD_SLOTS for slot in wording.slots) else 1.0
        known = _KNOWN_MATTER ** min(2, sum(len(slot) > 1 for slot in wording.slots))
        return manner_weight(wording.manners, self._manners[speaker]) * known * own

    def _word(
        self, passage: BankPassage, moment: PassageContext, call: PassageRequest, care: int
    ) -> Iterator[tuple[PassageLine, Wording, WordedLine, str]]:
        """The turns in words; stops at the first that cannot be said."""
        rng = random.Random(f"{self._book.seed}/{passage.key}")
        spoken = self._spoken.copy()
        pantry = self._pantry.copy()
        for turn in passage.turns:
            if call.trim and turn.optional:
                continue
            to = _listener(turn, passage)
            speaker = moment.parts[turn.part]
            for wording in sorted(turn.wordings, key=lambda one: -self._key(one, speaker, rng)):
                said = say(wording.text, turn.part, to, moment, pantry)
                if said is not None and (care == _ANY or spoken.fresh(said.text, strict=care == _CAREFUL)):
                    spoken.add(said.text)
                    pantry.used.update(said.taken)
                    yield turn, wording, said, to
                    break
            else:
                if not turn.optional:
                    return

    def _key(self, wording: Wording, speaker: str, rng: random.Random) -> float:
        return float(rng.random() ** (1 / self._weight(wording, speaker)))

    def _keep(
        self,
        passage: BankPassage,
        written: Sequence[tuple[PassageLine, Wording, WordedLine, str]],
        moment: PassageContext,
        call: PassageRequest,
    ) -> list[Step]:
        rng = random.Random(f"{self._book.seed}/{passage.key}/gestures")
        number = len(self._used)
        self._used.add(passage.key)
        steps = []
        for turn, wording, said, to in written:
            speaker, tone = moment.parts[turn.part], rng.choice(wording.tones)
            gesture = self._gestures.draw(speaker, tone, wording.gesture, rng)
            self._gestures.use(gesture)
            self._spoken.add(said.text)
            self._pantry.used.update(said.taken)
            steps.append(
                Step(
                    speaker=speaker,
                    target=moment.parts.get(to, ""),
                    text=said.text,
                    tone=tone,
                    gesture=gesture,
                    move=call.move,
                    goal=call.act.deed.number,
                    passage=number,
                    deed=turn.deed,
                    cut_after=said.cut_after,
                    cuts=turn.cuts,
                    quick=turn.quick,
                    essential=call.move == "deed" and not turn.optional,
                )
            )
        return steps


def _told(book: Playbook, deed: Deed) -> str:
    """What a deed reveals, where the company has to invent it."""
    invented = invention_of(book, deed)
    return invented.told if invented else ""


def _listener(turn: PassageLine, passage: BankPassage) -> str:
    """Whom a line is said to: the one it names, whoever has just been answered, else the other pole."""
    place = passage.turns.index(turn)
    before = passage.turns[place - 1].part if place else ""
    if not turn.to and not turn.deed and before in ("T", "U"):
        return before
    return turn.to or {"A": "P", "P": "A"}.get(turn.part, "")


def common_words(book: Playbook) -> tuple[str, ...]:
    """The phrases a scene is about; they may be said again and again."""
    premise = premise_of(book)
    matter = [premise.did, premise.thing, premise.cost]
    for deed in deeds_of(book):
        matter += [deed.do, deed.did, deed.thing, deed.what, deed.text, _told(book, deed)]
    return tuple(phrase for phrase in matter if phrase)
