"""The honest line-up: passages shuffled and lettered, chosen blind, and what the choices say about the chooser.

Pure functions over values. Who wrote a passage is in none of the views that a writer sees before they have chosen.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations
from string import ascii_uppercase
from typing import Literal

from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.values import Value, WireValue

Way = Literal["pairs", "all"]
MOST_PASSAGES = 26
MOST_PAIRS = 60
AGAIN = 0.25
"""The share of pairs that come a second time, with the sides exchanged."""


class Lineup(Value):
    """A shuffled line-up as the log keeps it. `order` are cells by letter: A is the first; 0 is the writer's own page.

    `pairs` are letters; a pair that comes again has its sides exchanged.
    """

    way: Way
    seed: int
    order: tuple[int, ...]
    pairs: tuple[tuple[str, str], ...] = ()
    own: str = Field("", description="the writer's own page, if they gave one")

    @property
    def letters(self) -> tuple[str, ...]:
        return tuple(ascii_uppercase[: len(self.order)])

    def cell_of(self, letter: str) -> int:
        """The cell behind a letter. Raises InvalidConfig for a letter that is not in the line-up."""
        name = letter.strip().upper()
        if name not in self.letters:
            raise InvalidConfig(
                f"There is no passage '{letter}' (there are: {', '.join(self.letters)}).", letter=letter
            )
        return self.order[self.letters.index(name)]


class Choice(Value):
    """What a writer chose: of a pair by its number, or, with pair 0, of all."""

    pair: int = 0
    letter: str


class BlindPassage(WireValue):
    """A passage without its author."""

    letter: str
    text: str


class BlindPair(WireValue):
    """Two passages to choose from."""

    number: int
    left: str
    right: str
    chosen: str = ""


class BlindLineup(WireValue):
    """The line-up as the writer sees it before the labels are opened."""

    tournament: str
    way: Way
    passages: tuple[BlindPassage, ...]
    pairs: tuple[BlindPair, ...] = ()
    has_own: bool = Field(description="whether a page of the writer's own is among them")
    left: int = Field(0, description="pairs that wait for a choice")
    leads: str = Field("", description="the letter that won most pairs; empty if nobody leads")


class Preference(WireValue):
    """How often a passage was preferred, by its letter."""

    letter: str
    won: int
    shown: int


class BlindReport(WireValue):
    """What the choices say about the choosing. Null where nothing came twice, or no own page was hidden."""

    blind: bool
    wins: tuple[Preference, ...] = ()
    repeated: int = 0
    alike: int = 0
    own_page: str = Field("", description="the letter of the writer's own page")
    guessed_own: str = Field("", description="the letter they took for their own; empty if they did not say")
    knew_own_page: bool | None = None
    preferred_own: int | None = Field(None, description="how often the own page was preferred to another")
    says: tuple[str, ...] = ()


def draw_lineup(cells: Sequence[int], *, way: Way, seed: int, own: str = "") -> Lineup:
    """The passages in a random order that the seed fixes; in pairs, some come again with their sides exchanged."""
    order = list(cells) + ([0] if own else [])
    if len(order) < 2:
        raise InvalidConfig(
            "A line-up needs two passages at least. Let more of the tournament's cells be written first."
        )
    if len(order) > MOST_PASSAGES:
        raise InvalidConfig(
            f"A line-up has {MOST_PASSAGES} passages at most; there are {len(order)}. Name some of them."
        )
    rng = random.Random(seed)
    rng.shuffle(order)
    letters = ascii_uppercase[: len(order)]
    pairs: list[tuple[str, str]] = []
    if way == "pairs":
        drawn = [pair if rng.random() < 0.5 else pair[::-1] for pair in combinations(letters, 2)]
        rng.shuffle(drawn)
        first = drawn[: MOST_PAIRS if len(drawn) > MOST_PAIRS else len(drawn)]
        again = [pair[::-1] for pair in rng.sample(first, max(1, round(AGAIN * len(first))))]
        pairs = [(left, right) for left, right in (*first, *again)]
    return Lineup(way=way, seed=seed, order=tuple(order), pairs=tuple(pairs), own=own)


def check_choice(lineup: Lineup, choice: Choice) -> Choice:
    """The choice with its letter in capitals. Raises InvalidConfig for one that the line-up does not offer."""
    letter = choice.letter.strip().upper()
    lineup.cell_of(letter)
    if choice.pair:
        if not 0 < choice.pair <= len(lineup.pairs):
            raise InvalidConfig(f"There is no pair {choice.pair} (there are {len(lineup.pairs)}).", pair=choice.pair)
        if letter not in lineup.pairs[choice.pair - 1]:
            left, right = lineup.pairs[choice.pair - 1]
            raise InvalidConfig(f"Pair {choice.pair} is {left} and {right}; choose one of them.", letter=letter)
    return Choice(pair=choice.pair, letter=letter)


def blind_view(tournament: str, lineup: Lineup, texts: Sequence[str], choices: Sequence[Choice]) -> BlindLineup:
    """What the writer sees; `texts` in the order of the letters."""
    held = {choice.pair: choice.letter for choice in choices}
    pairs = tuple(
        BlindPair(number=number, left=left, right=right, chosen=held.get(number, ""))
        for number, (left, right) in enumerate(lineup.pairs, start=1)
    )
    return BlindLineup(
        tournament=tournament,
        way=lineup.way,
        passages=tuple(BlindPassage(letter=a, text=b) for a, b in zip(lineup.letters, texts, strict=True)),
        pairs=pairs,
        has_own=bool(lineup.own),
        left=sum(not pair.chosen for pair in pairs),
        leads=leading(lineup, choices),
    )


def leading(lineup: Lineup, choices: Sequence[Choice]) -> str:
    """The letter that won the most pairs, or the one chosen of all; empty if none is ahead."""
    whole = [choice.letter for choice in choices if not choice.pair]
    if whole:
        return whole[-1]
    wins = _wins(lineup, choices)
    best = max((one.won for one in wins), default=0)
    ahead = [one.letter for one in wins if one.won == best]
    return ahead[0] if best and len(ahead) == 1 else ""


def blind_report(
    lineup: Lineup, choices: Sequence[Choice], *, guessed_own: str = "", blind: bool = True
) -> BlindReport:
    """What the choices say, once the labels are open."""
    repeated, alike = _repeats(lineup, choices)
    own = next((letter for letter in lineup.letters if not lineup.cell_of(letter)), "")
    guess = guessed_own.strip().upper()
    wins = _wins(lineup, choices)
    preferred = next((one.won for one in wins if one.letter == own), 0) if own and lineup.pairs else None
    says = [] if blind else ["The choice was made by name, not blind."]
    if repeated:
        says.append(f"Of {repeated} pairs that came again you chose alike in {alike}{_chance(repeated, alike)}.")
    if own:
        told = f"you took {guess} for it" if guess else "you did not say which it was"
        knew = "You knew your own page" if guess == own else "You did not know your own page"
        says.append(f"{knew}: it was {own}, and {told}." if guess else f"Your own page was {own}; {told}.")
    return BlindReport(
        blind=blind,
        wins=wins,
        repeated=repeated,
        alike=alike,
        own_page=own,
        guessed_own=guess,
        knew_own_page=guess == own if own and guess else None,
        preferred_own=preferred,
        says=tuple(says),
    )


def _chance(repeated: int, alike: int) -> str:
    if repeated < 4:
        return "; that is too few to tell from chance"
    return "; chance alone would give half" if alike <= repeated * 0.7 else ""


def _wins(lineup: Lineup, choices: Sequence[Choice]) -> tuple[Preference, ...]:
    held = {choice.pair: choice.letter for choice in choices if choice.pair}
    shown = [pair for number, pair in enumerate(lineup.pairs, start=1) if number in held]
    counts = {
        letter: (sum(one == letter for one in held.values()), sum(letter in pair for pair in shown))
        for letter in lineup.letters
    }
    ordered = sorted(counts, key=lambda letter: (-counts[letter][0], letter))
    return tuple(Preference(letter=letter, won=counts[letter][0], shown=counts[letter][1]) for letter in ordered)


def _repeats(lineup: Lineup, choices: Sequence[Choice]) -> tuple[int, int]:
    """How many pairs were chosen from twice, and how many of them alike."""
    held = {choice.pair: choice.letter for choice in choices if choice.pair}
    first: dict[frozenset[str], str] = {}
    repeated = alike = 0
    for number, pair in enumerate(lineup.pairs, start=1):
        letter, both = held.get(number), frozenset(pair)
        if letter is None:
            continue
        if both in first:
            repeated += 1
            alike += first[both] == letter
        else:
            first[both] = letter
    return repeated, alike
