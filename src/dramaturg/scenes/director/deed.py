"""The deed that a sub-goal asks for, as the words that do it, that say of what, and that do it in another language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from dramaturg.kernel.text.words import function_words, stem, words
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.director.negation import HAN, UNSPACED, denies, split_words
from dramaturg.scenes.director.tables import lexicon, meets, row_set
from dramaturg.scenes.director.verb_forms import verbs_of

_PREFIXED = re.compile(r"^(?:[وبل]?ال|[يتأنا])(?=[\u0621-\u064a]{3})")
"""The article, and how an Arabic verb says who does it."""
_SUFFIXED_NAME = re.compile(r"['’](?:[yn]?[ıiuüae]|[dt][ae]n?|l[ae]|[nın]*[ıiuü]n)(?!\w)")
"""A case that Turkish sets behind a name."""
_LEAST, _LEAST_SHORT = 4, 3
_TWO = 2
_PARTICIPLE = 7
_REFUSING_SIGNS = frozenset("拒否断不没未辞")


@dataclass(frozen=True, slots=True)
class Deed:
    """What a sub-goal asks for: the words that do it, and those that say of what.

    `own_rest` is whether those are the speaker's own deed, as in "admits that she lied". `left` are the words of what
    is to be refused, denied or said not to be so; then `refuses` or `negates` is true, and no other word counts.
    `others` are the names of those who are not to do it, empty where anybody may.
    """

    verb: frozenset[str] = frozenset()
    rest: frozenset[str] = frozenset()
    signs: frozenset[str] = frozenset()
    left: tuple[str, ...] = ()
    said: frozenset[str] = frozenset()
    others: frozenset[str] = frozenset()
    admits: bool = False
    may_ask: bool = False
    may_refuse: bool = False
    portuguese: bool = False
    refuses: bool = False
    negates: bool = False
    by_one: bool = False
    own_rest: bool = False
    tells: bool = False


@lru_cache(maxsize=1024)
def deed_of(text: str, cast: CastNames) -> Deed | None:
    """The deed of a goal; none if it cannot be read. What follows a "not" is no part of it."""
    folded = _SUFFIXED_NAME.sub(" ", fold(text)) if cast.find(text) else fold(text)
    said = split_words(folded)
    own = {part for name in cast.names for part in split_words(fold(name))}
    asked, left = _asked(said, own)
    signs = frozenset(HAN.findall(folded)) - {sign for part in own for sign in part}
    unspaced = UNSPACED.search(folded) is not None
    if not asked or (unspaced and (signs & _REFUSING_SIGNS or denies(text))):
        return None
    admits = any(word in row_set("denial", "admits") for word in asked[:2])
    if any(stem(word) in _stems("denials") for word in asked[: 1 if admits else 2]):
        return _refused(asked, said)
    if unspaced:
        return Deed(signs=signs, may_ask=_may_ask(asked, said))
    declared = _place_of_not(said) < len(said) and meets(said, lexicon("negation")["declares"])
    own_of_not = _denied_part(said) if declared else frozenset()
    same = [one for word in asked[:2] for one in same_deed().get(stem(word), ())]
    return Deed(
        verb=_with_particle([asked[0], *same], said),
        rest=frozenset(asked[1:]) - own_of_not if _denied_with_object(asked, said) else frozenset(),
        left=left if declared else (),
        said=frozenset(said),
        others=_others(folded, cast, asked),
        admits=admits,
        may_ask=_may_ask(asked, said),
        may_refuse=any(stem(word) in same_deed() for word in asked[:1]),
        portuguese=bool(row_set("denial", "portuguese") & set(said)),
        negates=declared,
        by_one=_is_by_one(folded, cast, asked),
        own_rest=admits and len(cast.find(text)) < _TWO,
        tells=any(stem(word) in _telling() for word in asked[:1]),
    )


def _asked(said: Sequence[str], own: set[str]) -> tuple[list[str], tuple[str, ...]]:
    """The words of the deed, and those behind a "not" in it."""

    def tells(word: str) -> bool:
        return word not in own and word not in small_words() and not word.isdigit()

    place = _place_of_not(said)
    behind = [word for word in said[place + 1 :] if tells(word) and word not in _denying()]
    asked = [word for word in said[:place] if tells(word)]
    return asked or _plain_verb(said[:place], own), tuple(behind)


def _plain_verb(said: Sequence[str], own: set[str]) -> list[str]:
    """The verb of a goal that has nothing but small words: "lets him in"."""
    named = next((spot for spot, word in enumerate(said) if word in own), len(said))
    verb = next((word for word in said[named + 1 :] if word not in own), "")
    return [verb] if len(verb) > _LEAST_SHORT and verb not in lexicon("negation")["auxiliary"] else []


def _place_of_not(said: Sequence[str]) -> int:
    return next((spot for spot, word in enumerate(said) if word in _denying()), len(said))


def _denied_part(said: Sequence[str]) -> frozenset[str]:
    """The words of a goal's clause in front of its "not": "the mill" in "tells Tom the mill isn't for sale"."""
    place = _place_of_not(said)
    joins = [spot for spot, word in enumerate(said[:place]) if word in lexicon("clauses")["join"]]
    return frozenset(said[max(joins, default=0) : place])


@cache
def _denying() -> frozenset[str]:
    return (row_set("denial", "before") | row_set("clauses", "undone")) - {"refuse"}


def _with_particle(forms: Sequence[str], said: Sequence[str]) -> frozenset[str]:
    """The forms of a verb; a German goal ends with what a line may set before it: "gibt … zurück", "zurückgeben"."""
    particle = said[-1] if said[-1] in row_set("clauses", "particles_of_verbs") else ""
    joined = [f"{particle}{between}{form}" for form in forms for between in ("", "zu")] if particle else []
    return frozenset([*forms, *joined])


def _refused(asked: Sequence[str], said: Sequence[str]) -> Deed | None:
    """A goal that asks for a refusal; none for one that is feigned, considered or put off."""
    place = next((spot for spot, word in enumerate(asked[:2]) if stem(word) in _refusing()), None)
    if place is None:
        return None
    left = tuple(word for word in asked[place + 1 :])
    return Deed(left=left, said=frozenset(said), refuses=True)


def _may_ask(asked: Sequence[str], said: Sequence[str]) -> bool:
    by_question = any(word in row_set("denial", "by_question") for word in asked[:2])
    return by_question or bool(row_set("denial", "if") - {"se", "si"} & set(said))


def _is_by_one(folded: str, cast: CastNames, asked: Sequence[str]) -> bool:
    """Whether one member of the cast is to do it, and does it rather than have it happen."""
    named = cast.find(folded)
    if not named or asked[0] in lexicon("evidence")["undergone"]:
        return False
    lead = re.match(rf"\W*(?:\w+\.?\s+)?{cast.pattern()}\s*(\W|\w+)", folded, re.I)
    return lead is not None and lead[1] not in (*lexicon("clauses")["join"], ",", "&", "、")


def _others(folded: str, cast: CastNames, asked: Sequence[str]) -> frozenset[str]:
    if not _is_by_one(folded, cast, asked):
        return frozenset()
    return frozenset(part for name in cast.names if name != cast.find(folded)[0] for part in split_words(fold(name)))


def alike(word: str, asked: str) -> bool:
    """Whether two words may be forms of one: the same stem or verb, or a beginning that is half of the shorter one."""
    if word == asked or stem(word) == stem(asked) or not verbs_of(word).isdisjoint(verbs_of(asked)):
        return True
    one, other = _root(word), _root(asked)
    if one.startswith("ge") and len(one) >= _PARTICIPLE and not other.startswith("ge"):
        one = one.removeprefix("ge")
    shorter = min(len(one), len(other))
    shared = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), shorter)
    if shorter <= _LEAST:
        return shared >= max(_LEAST_SHORT, shorter - 1) and abs(len(one) - len(other)) <= _LEAST_SHORT
    return shared >= max(_LEAST, shorter / 2)


@lru_cache(maxsize=8192)
def _root(word: str) -> str:
    """A word without accents, and in Arabic without what is set before it."""
    bare = "".join(sign for sign in unicodedata.normalize("NFD", word) if not unicodedata.combining(sign))
    return _PREFIXED.sub("", bare, count=1)


def fold(text: str) -> str:
    """A text in one form and without capitals; the Turkish capital İ becomes a plain i."""
    return unicodedata.normalize("NFC", text).casefold().replace("i̇", "i")


@cache
def small_words() -> frozenset[str]:
    """Words that are no part of a deed: small words of all languages, titles, pronouns, what joins clauses."""
    rows = ("title", "pronoun", "after_object", "that", "join", "then", "first")
    phrases = (phrase for row in rows for phrase in lexicon("clauses")[row] if not phrase.startswith("all "))
    found = {word for phrase in phrases for word in words(phrase)}
    return frozenset({*found, *row_set("denial", "small"), *row_set("denial", "barrier"), *function_words()})


def _denied_with_object(asked: Sequence[str], said: Sequence[str]) -> bool:
    """Whether "there is no ring" denies the deed: that of giving it back, not that of calling it lost."""
    return bool(row_set("denial", "of_an_object") & set(asked[:2])) and not row_set("denial", "absent") & set(said)


@cache
def _stems(row: str) -> frozenset[str]:
    return frozenset(stem(word) for word in (*lexicon("denial")[row], *lexicon("clauses")["leaves_undone"]))


@cache
def _telling() -> frozenset[str]:
    return frozenset(stem(word) for word in lexicon("telling")["tells"])


@cache
def _refusing() -> frozenset[str]:
    return frozenset(stem(word) for word in lexicon("denial")["refusing"])


@cache
def same_deed() -> Mapping[str, tuple[str, ...]]:
    """The words by which a deed is done beside its own, by its stem."""
    return {stem(deed): row for deed, row in lexicon("deeds").items()}
