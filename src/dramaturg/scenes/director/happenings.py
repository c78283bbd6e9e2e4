"""World events by rule: what may happen, when, and what would fit the place."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache
from itertools import count

from dramaturg.kernel.text.tables import table
from dramaturg.kernel.text.words import words
from dramaturg.kernel.values import Value
from dramaturg.scenes.director.tongues import languages_of

FIRST_BEAT = 2
BEATS_APART = 4

_IN_SETTING, _IN_PROMPT = 3, 1
_ANYWHERE = "anywhere"
_MODERN = re.compile(
    r"\b(?:phones?|telephone|projector|printer|screens?|monitors?|alarm|refrigerator|fridge|elevator|lift|radio|television|"
    r"cars?|lorry|truck|bus|train|plane|aeroplane|helicopter|siren|engine|lights? (?:go|goes|flicker\w*)|neon|bulbs?|"
    r"switch\w*|microwave|timer|speaker|loudspeaker|computer|laptop|battery|electric\w*|vending|traffic|bicycle|motor\w*|"
    r"street ?lamps?)\b",
    re.IGNORECASE,
)
_EARLY = re.compile(
    r"\b(?:medieval|knights?|castle|saloon|marshal|sheriff|frontier|stagecoach|carriage|musket|galleon|abbey|monks?|squire|"
    r"emperor|legion|viking|samurai|shogun|pharaoh|tavern|kingdom|regency|victorian|renaissance|ancient|bronze age|"
    r"(?:1[0-8]th|(?:eigh|nine|seven|six|fif|four|thir)teenth) century)\b",
    re.IGNORECASE,
)
_LAST_RESORT = "Far off, a bell strikes {times} times"
_GREEK = "\u0370"
"""Letters of other scripts than Latin begin here."""


class Happenings(Value):
    """What may happen in one kind of place, and the words that identify the place.

    Some words are shared by several places ("gallery"): `only_with` and `never_with` tell these apart.
    """

    place: str
    words: tuple[str, ...] = ()
    only_with: tuple[str, ...] = ()
    never_with: tuple[str, ...] = ()
    events: tuple[str, ...]


class HappeningsAbroad(Value):
    """What may happen anywhere, told in another language; the `bell` if all of it has happened."""

    bell: str
    events: tuple[str, ...]


@cache
def happenings_abroad() -> Mapping[str, HappeningsAbroad]:
    """The same by language, for scenes that are not written in English."""
    return {language: HappeningsAbroad(**row) for language, row in table(__package__, "happenings_abroad.toml").items()}


@cache
def happenings() -> tuple[Happenings, ...]:
    """Everything that may happen, by place."""
    return tuple(Happenings(place=place, **row) for place, row in table(__package__, "happenings.toml").items())


def may_happen(beats_since_last: int | None, beat: int) -> bool:
    """Whether a world event may occur at this beat. None means that nothing has happened yet."""
    return beat >= FIRST_BEAT and (beats_since_last is None or beats_since_last >= BEATS_APART)


def propose_event(
    setting: str, prompt: str, cast: Sequence[str], used: Sequence[str], seed: int, beat: int, goal: str = ""
) -> str:
    """An event that fits the place and has not happened yet, with any name filled in, in the language of the scene.

    The same arguments give the same event. The setting weighs more than the prompt; when everything that fits the
    place is used up, events that fit anywhere follow.
    """
    chance = random.Random(f"{seed}:{beat}")
    gone = {words(event) for event in used}
    abroad = happenings_abroad().get(_language_of(f"{setting} {prompt} {goal}", cast))
    if abroad is not None:
        left = [event for event in abroad.events if words(event) not in gone]
        return chance.choice(left) if left else _bell(abroad.bell, gone)
    early = is_before_electricity(f"{setting} {prompt}")
    names = tuple(cast)
    for pool in _pools(setting, prompt):
        fitting = [event for event in pool if not (early and _MODERN.search(event))]
        left = [event for event in fitting if (forms := _forms(event, names)) and not gone & set(map(words, forms))]
        if left:
            return chance.choice(_forms(chance.choice(left), names))
    return _bell(_LAST_RESORT, gone)


def is_before_electricity(text: str) -> bool:
    """Whether a story is set in a time without telephones and switches, by its years and its words."""
    years = [int(year) for year in re.findall(r"\b(1[0-8]\d\d|19[0-2]\d)s?\b", text)]
    return bool(years) or bool(_EARLY.search(text))


def _pools(setting: str, prompt: str) -> Iterator[tuple[str, ...]]:
    """The events to choose from: of the best-fitting places, then of other fitting places, then of anywhere."""
    here, story = frozenset(words(setting)), frozenset(words(prompt))
    fit = [(_fit(place, here, story), place) for place in happenings()]
    best = max((score for score, _ in fit), default=0)
    near = [place for score, place in fit if score and score * 2 > best]
    rest = [place for score, place in fit if score and score * 2 <= best]
    everywhere = [place for place in happenings() if place.place == _ANYWHERE]
    for places in (near, rest, everywhere):
        yield tuple(event for place in places for event in place.events)


def _fit(place: Happenings, here: frozenset[str], story: frozenset[str]) -> int:
    told = here | story
    if (place.only_with and not _both(place.only_with) & told) or _both(place.never_with) & told:
        return 0
    known = _both(place.words)
    return _IN_SETTING * len(known & here) + _IN_PROMPT * len(known & story)


def _both(nouns: tuple[str, ...]) -> set[str]:
    return {form for word in nouns for form in (word, f"{word}s")}


def _forms(event: str, cast: Sequence[str]) -> tuple[str, ...]:
    """The event with each name of the cast filled in; empty if it needs a name and there is no cast."""
    if "{name}" not in event:
        return (event,)
    return tuple(event.replace("{name}", name) for name in cast)


def _bell(told: str, gone: Set[tuple[str, ...]]) -> str:
    strikes = (told.format(times=times) for times in count(2))
    return next(event for event in strikes if words(event) not in gone)


def _language_of(text: str, cast: Sequence[str]) -> str:
    """The one language that a scene is written in, whatever its names are; empty if that cannot be told."""
    for name in cast:
        text = text.replace(name, " ")
    letters = [sign for sign in text if sign.isalpha()]
    latin = "".join(sign for sign in text if sign < _GREEK)
    is_latin = 2 * sum(sign < _GREEK for sign in letters) >= len(letters)
    spoken = languages_of(latin if is_latin else text)
    return next(iter(spoken)) if len(spoken) == 1 else ""
