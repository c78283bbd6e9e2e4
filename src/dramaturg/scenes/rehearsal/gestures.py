"""How somebody speaks and moves: manners weigh the wordings, tones select the gestures."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache

from dramaturg.scenes.rehearsal.banks import lists
from dramaturg.scenes.rehearsal.playbook import Playbook
from dramaturg.scenes.rehearsal.portraits import portraits_of
from dramaturg.scenes.rehearsal.premise import premise_of

_MATCH, _NEUTRAL, _STRANGE = 5.0, 1.0, 0.04
_OFTEN = 0.36
_UNTOLD = ("blunt", "warm", "nervous", "dry", "formal")


@lru_cache(maxsize=1024)
def manners_of(book: Playbook, name: str) -> tuple[str, ...]:
    """The card's manners; for a card that names none, one drawn from the seed."""
    own = portraits_of(book)[name].manners
    return own or (random.Random(f"{book.seed}/{name}/manner").choice(_UNTOLD),)


def manner_weight(wanted: Sequence[str], manners: Sequence[str]) -> float:
    """How well a wording suits a speaker. A wording without manners suits everybody a little."""
    if not wanted:
        return _NEUTRAL
    if manners and manners[0] in wanted:
        return _MATCH
    return _MATCH / 2 if set(wanted) & set(manners) else _STRANGE


@lru_cache(maxsize=1)
def _moods() -> dict[str, str]:
    return {tone: entry.split(" ", 1)[0] for entry in lists()["mood"] for tone in entry.split(" ", 1)[1].split(", ")}


def mood_of(tone: str) -> str:
    """The mood that a tone belongs to; 'even' if the list does not have it."""
    return _moods().get(tone, "even")


class Gestures:
    """The gestures of one scene; none is used twice."""

    def __init__(self, book: Playbook) -> None:
        self._book = book
        self._domain = premise_of(book).domain
        self._used: set[str] = set()

    def copy(self) -> Gestures:
        other = Gestures(self._book)
        other._used = set(self._used)
        return other

    def use(self, gesture: str) -> None:
        if gesture:
            self._used.add(gesture)

    def draw(self, name: str, tone: str, given: str, rng: random.Random) -> str:
        """The passage's own gesture, or occasionally one of the card's or one that suits the mood."""
        if given and given not in self._used and rng.random() < 0.8:
            return given
        if rng.random() > _OFTEN:
            return ""
        return self.any_gesture(name, tone, rng)

    def any_gesture(self, name: str, tone: str, rng: random.Random) -> str:
        mood = mood_of(tone)
        own = [
            gesture
            for feeling, gesture in portraits_of(self._book)[name].gestures
            if gesture not in self._used and (not feeling or feeling == mood or mood_of(feeling) == mood)
        ]
        if own and rng.random() < 0.6:
            return rng.choice(own)
        found = lists()
        options = (*found.get(f"gesture {mood}", ()), *found.get(f"gesture {mood} {self._domain}", ()))
        fresh = [one for one in options if one not in self._used]
        return rng.choice(fresh) if fresh else ""
