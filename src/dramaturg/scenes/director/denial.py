"""Whether words leave the deed of a sub-goal undone: they deny it, only ask about it, or only suppose it.

"I will never apologize" is no apology, and neither is "If I apologized". Read are the clauses that share a word with
the goal, or do the same deed; "I won't fight you: I accept" has one that denies nothing, and is believed. Words that
touch on no word of the goal are the judge's to weigh, unless the whole answer is a refusal.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from dramaturg.kernel.text.words import function_words, stem, words
from dramaturg.scenes.director.goals import Goal
from dramaturg.scenes.director.goals import lexicon as clause_lexicon
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.director.negation import HAN, KANA, UNSPACED, is_romance_infinitive, lexicon, split_words
from dramaturg.scenes.director.negation import denies as denies_in_goal

DENIED = "the words deny what the sub-goal asks for"
ASKED = "the words only ask about what the sub-goal asks for"
SUPPOSED = "the words only suppose what the sub-goal asks for"

_SENTENCE = re.compile(r"[^.!?…。！？؟]+[.!?…。！？؟]*")
_PREFIXED = re.compile(r"^(?:[وبل]?ال|[يتأنا])(?=[\u0621-\u064a]{3})")
"""The article, and how an Arabic verb says who does it."""
_SUFFIXED_NAME = re.compile(r"['’](?:[yn]?[ıiuüae]|[dt][ae]n?|l[ae]|[nın]*[ıiuü]n)(?!\w)")
"""A case that Turkish sets behind a name."""
_CONDITIONAL = re.compile(r"\w{3,}(?:r[íi]a[sn]?|riamos|rais|rait|rei|rebbe)$")
_NEAR, _FAR = 3, 7
_SHORT_QUESTION = 6
_LEAST, _LEAST_SHORT = 4, 3


def why_undone(goal: Goal, text: str, cast: CastNames) -> str | None:
    """Why words do not show that the deed of a sub-goal is done, if they deny it, ask about it or suppose it."""
    deed = _deed(goal.text, cast)
    if deed is None:
        return None
    clauses = [clause for sentence in _SENTENCE.findall(_folded(text)) for clause in _clauses(sentence, deed)]
    bearing = [clause for clause in clauses if clause.weight]
    if not bearing:
        return DENIED if _only_refuses(clauses, deed) else None
    if deed.admits and any(_meets(clause.said, _row("disclaims")) for clause in clauses):
        return DENIED
    most = max(clause.weight for clause in bearing)
    if any(not clause.fault and (clause.weight == most or clause.turns) for clause in bearing):
        return None
    if most == 1 and _goes_on(clauses):
        return None
    return next(clause.fault for clause in bearing if clause.fault)


def _goes_on(clauses: Sequence[_Clause]) -> bool:
    """Whether a plain clause follows: "I don't want the ring. Take it." denies a word of the goal, not the deed."""
    last = max(place for place, clause in enumerate(clauses) if clause.weight)
    return clauses[last].fault == DENIED and any(
        len(clause.said) > 1 and not _denying() & set(clause.said) and not clause.asks for clause in clauses[last + 1 :]
    )


@dataclass(frozen=True, slots=True)
class _Deed:
    """What a sub-goal asks for: the words that do it, and those that say of what."""

    verb: frozenset[str]
    rest: frozenset[str]
    signs: frozenset[str]
    admits: bool
    may_ask: bool
    may_refuse: bool
    portuguese: bool


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause of a line: its words, how many of the goal's it has, and why it does not show the deed."""

    said: tuple[str, ...]
    weight: int
    fault: str
    turns: bool
    asks: bool = False


@lru_cache(maxsize=1024)
def _deed(text: str, cast: CastNames) -> _Deed | None:
    """The deed of a goal; none where the goal asks for a denial. What follows a "not" in it is no part of the deed."""
    folded = _SUFFIXED_NAME.sub(" ", _folded(text)) if cast.find(text) else _folded(text)
    said = split_words(folded)
    own = {part for name in cast.names for part in split_words(_folded(name))}
    asked: list[str] = []
    for word in said:
        if word in _denying() or word in clause_lexicon()["undone"]:
            break
        if word not in own and word not in small_words() and not word.isdigit():
            asked.append(word)
    signs = frozenset(HAN.findall(folded)) - {sign for part in own for sign in part}
    unspaced = UNSPACED.search(folded) is not None
    if unspaced and (signs & set("拒否断不没未辞") or denies_in_goal(text)):
        return None
    admits = any(word in _set("admits") for word in asked[:2])
    if not asked or any(stem(word) in _stems("denials") for word in asked[: 1 if admits else 2]):
        return None
    same = [one for word in asked[:2] for one in same_deed().get(stem(word), ())]
    return _Deed(
        verb=frozenset() if unspaced else frozenset([asked[0], *same]),
        rest=frozenset() if unspaced or not _denied_with_object(asked, said) else frozenset(asked[1:]),
        signs=signs if unspaced else frozenset(),
        admits=admits,
        may_ask=any(word in _set("by_question") for word in asked[:2]) or bool(_set("if") - {"se", "si"} & set(said)),
        may_refuse=any(stem(word) in same_deed() for word in asked[:1]),
        portuguese=bool(_set("portuguese") & set(said)),
    )


def _clauses(sentence: str, deed: _Deed) -> Iterator[_Clause]:
    parts = [part for part in _cuts().split(sentence) if part.strip(" .!?…。！？؟¿¡\"'“”«»")]
    rows = [tuple(split_words(part)) for part in parts]
    asks = _is_question(sentence, rows)
    conditional = any(word in _set("if") for row in rows for word in row)
    carried = False
    for place, (part, said) in enumerate(zip(parts, rows, strict=True)):
        if " ".join(said) in _set("alone"):
            carried = True
            continue
        after = rows[place + 1] if place + 1 < len(rows) else ()
        before = rows[place - 1] if place else ()
        reader = _Reader(said, before, after, deed, carried)
        if deed.signs:
            yield _unspaced_clause(part, said, deed, asks)
            continue
        turns = bool(said) and (said[0] in _set("contrast") or not _set("subjects").isdisjoint(said))
        yield _Clause(said, reader.weight, reader.fault(asks(place), conditional), turns, asks(place))


class _Reader:
    """One clause, with the clauses beside it."""

    def __init__(
        self, said: Sequence[str], before: Sequence[str], after: Sequence[str], deed: _Deed, carried: bool
    ) -> None:
        self._said, self._before, self._after, self._deed, self._carried = said, before, after, deed, carried
        self._portuguese = deed.portuguese or not _set("portuguese").isdisjoint(said)

        self._verbs = self._places(deed.verb)
        self._all = sorted({*self._verbs, *self._places(deed.rest)})

    @property
    def weight(self) -> int:
        """How many words of the goal stand here; its verb counts twice."""
        return len(self._all) + len(self._verbs)

    def fault(self, asks: bool, conditional: bool) -> str:
        """Why the clause does not show the deed; empty if it does, or has no word of it."""
        if not self._all:
            return ""
        if asks and (len(self._said) == 1 or is_romance_infinitive(self._said[0])):
            return ASKED
        if asks:
            return "" if self._deed.may_ask else ASKED
        if self._is_never_by_idiom() or any(self._denied_at(spot) for spot in self._verbs or self._all):
            return DENIED
        return SUPPOSED if not self._deed.may_ask and self._supposed(conditional) else ""

    def _is_never_by_idiom(self) -> bool:
        beside = {" ".join(self._before), " ".join(self._after)}
        led = self._said[: self._all[0]]
        if _meets(led, ("rather", "sooner")) and "than" in led:
            return True
        return _meets(self._said, _row("idioms")) or not _set("idioms").isdisjoint(beside)

    def _places(self, asked: frozenset[str]) -> list[int]:
        return [spot for spot, word in enumerate(self._said) if any(_alike(word, one) for one in asked)]

    def _supposed(self, conditional: bool) -> bool:
        first = self._all[0]
        led = self._said[:first]
        if _meets(led[:4], _row("supposes")) and not _meets(led, ("as well",)):
            return True
        if led and (led[0] in _set("if") or (led[0] in _set("contrast") and led[1:2] and led[1] in _set("if"))):
            return True
        said = self._said[first]
        would = _CONDITIONAL.match(said) is not None or bool(set(led[-2:]) & _set("would"))
        return conditional and would

    def _denied_at(self, place: int) -> bool:
        if self._carried or self._disbelieved() or any(map(_is_turkish_denial, (self._said[place], self._said[-1]))):
            return True
        if any(self._denies(spot) and self._reaches(spot, place) for spot in range(place)):
            return not _set("enough") & set(self._said[place + 1 : place + 4])
        return any(self._follows(place, spot) for spot in range(place + 1, min(len(self._said), place + _FAR)))

    def _denies(self, spot: int) -> bool:
        word = self._said[spot]
        if word in ("no", "nos") and self._portuguese:
            return False
        return word in _denying() and not self._is_may(spot)

    def _is_may(self, spot: int) -> bool:
        """The month, in German and French; in Italian the word is "never"."""
        return self._said[spot] == "mai" and spot > 0 and self._said[spot - 1] in _set("before_may")

    def _reaches(self, spot: int, place: int) -> bool:
        between = self._said[spot + 1 : place]
        if _meets(between, _row("turned")) or (between[:1] and between[0] in _negation("only")):
            return False
        if self._deed.admits and _set("unmeant") & set(between):
            return False
        if self._is_focus(spot):
            return False
        believes = bool(_set("belief") & set(self._said[max(0, spot - 2) : place]))
        return believes or not any(self._is_barrier(at) for at in range(spot + 1, place))

    def _is_barrier(self, at: int) -> bool:
        word, follows = self._said[at], self._said[at + 1 : at + 2]
        if word in _set("barrier"):
            return not (word in ("que", "che") and follows and is_romance_infinitive(follows[0]))
        return word in _ENGLISH_SUBJECTS and self._said[at - 1] not in (*_negation("auxiliary"), *_denying())

    def _follows(self, place: int, spot: int) -> bool:
        word, between = self._said[spot], self._said[place + 1 : spot]
        if (
            word not in _set("after")
            or self._is_may(spot)
            or self._is_focus(spot)
            or any(one in _set("barrier") for one in between)
        ):
            return False
        if any(is_romance_infinitive(one) or one in _ROMANCE_NOT for one in between):
            return False
        follows = self._said[spot + 1 : spot + 2]
        if follows and (follows[0] in _negation("only") or follows[0] in ("doubt", "matter")):
            return False
        if word in _negation("after_verb") or word == "keineswegs":
            return "zu" not in self._said[spot + 1 :]
        if word in ("no", "nothing", "nobody", "none") and not _ENGLISH & set(self._said):
            return False
        return spot - place <= _NEAR and not _ENGLISH_SUBJECTS & set(between)

    def _is_focus(self, spot: int) -> bool:
        return spot + 1 < len(self._said) and any(_begins(self._after, one) for one in _row("focus"))

    def _disbelieved(self) -> bool:
        """ "Ich glaube nicht, dass ich dir verzeihe": the denial stands in the clause before."""
        if not self._said or self._said[0] not in _set("barrier"):
            return False
        return bool(_set("belief") & set(self._before)) and bool(_denying() & set(self._before))


_ENGLISH_SUBJECTS = frozenset(("i", "im", "id", "ill", "ive", "we"))
_ENGLISH = _ENGLISH_SUBJECTS | {"you", "him", "her", "them", "my", "your", "he", "she", "they"}
_ROMANCE_NOT = frozenset(("no", "não", "non"))


def _unspaced_clause(part: str, said: tuple[str, ...], deed: _Deed, asks: _Question) -> _Clause:
    """A clause of Japanese or Chinese, where the signs of the goal are looked for."""
    weight = len(deed.signs & set(part))
    bare = part.strip(" .!?…。！？」』”")
    if KANA.search(part):
        while (close := next((one for one in _row("japanese_close") if bare.endswith(one)), None)) is not None:
            bare = bare.removesuffix(close)
        denied = denies_in_goal(bare) and not any(bare.endswith(one) for one in _row("japanese_done"))
    else:
        denied = _denied_in_chinese(bare, deed.signs)
    supposed = any(bare.startswith(one) for one in _row("supposes") if UNSPACED.search(one))
    asked = bool(re.search("[?？吗]|か[。？]?$", part)) and not deed.may_ask and asks is not None
    return _Clause(said, weight, DENIED if denied else ASKED if asked else SUPPOSED if supposed else "", turns=False)


def _denied_in_chinese(clause: str, signs: frozenset[str]) -> bool:
    for phrase in (one for one in _negation("chinese_other") if one[-1] not in signs):
        clause = clause.replace(phrase, "")
    denying = "|".join(map(re.escape, _negation("chinese")))
    return bool(signs) and re.search(rf"(?:{denying}).{{0,4}}[{''.join(signs)}]", clause) is not None


class _Question:
    """Whether a clause of a sentence asks, by its place."""

    def __init__(self, whole: bool, last: int) -> None:
        self._whole, self._last = whole, last

    def __call__(self, place: int) -> bool:
        return self._whole or place == self._last


def _is_question(sentence: str, rows: Sequence[Sequence[str]]) -> _Question:
    """A question asks as a whole if it is short or begins like one, else with its last clause; a tag asks nothing."""
    if not rows or not re.search(r"[?？؟]", sentence[-3:]) or " ".join(rows[-1]) in _set("tags"):
        return _Question(whole=False, last=-1)
    begins = bool(rows[0]) and rows[0][0] in _set("asks")
    whole = begins or "¿" in sentence[:3] or sum(map(len, rows)) <= _SHORT_QUESTION
    return _Question(whole, last=len(rows) - 1)


def _only_refuses(clauses: Sequence[_Clause], deed: _Deed) -> bool:
    if deed.admits and any(_meets(clause.said, _row("disclaims")) for clause in clauses):
        return not any(_plainly_done(clause) for clause in clauses)
    return deed.may_refuse and bool(clauses) and all(" ".join(one.said) in _set("refusals") for one in clauses)


def _plainly_done(clause: _Clause) -> bool:
    return not _meets(clause.said, _row("disclaims")) and clause.said[:2] in (("i", "did"), ("yes", "i"))


def _alike(word: str, asked: str) -> bool:
    """Whether two words may be forms of one: the same stem, or a beginning that is half of the shorter one."""
    if word == asked or stem(word) == stem(asked):
        return True
    one, other = _root(word), _root(asked)
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


def _is_turkish_denial(word: str) -> bool:
    return word not in ("tamam", "hamam") and _turkish().fullmatch(word) is not None


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold().replace("i̇", "i")


def _begins(said: Sequence[str], phrase: str) -> bool:
    return f"{' '.join(said)} ".startswith(f"{phrase} ")


def _meets(said: Sequence[str], phrases: Sequence[str]) -> bool:
    line = f" {' '.join(said)} "
    return any(f" {phrase} " in line for phrase in phrases)


@cache
def _cuts() -> re.Pattern[str]:
    """Where clauses part: at marks, before words of contrast, and before an "and" that goes on with its own verb."""
    contrast = "|".join(map(re.escape, _row("contrast")))
    exempt = "".join(rf"(?<!{word} )" for word in ("nothing", "nobody", "anything", "one", "help", "all"))
    joins = "|".join(_row("joins"))
    infinitive = r"(?!\w+ \w*(?:[aei]r|re|en)(?:\W|$))"
    subjects = "|".join(sorted(_ENGLISH_SUBJECTS))
    return re.compile(
        rf"[,;:—–،؛，、；：]|{exempt}(?=\b(?:{contrast})\b)|(?=\b(?:{joins}) ){infinitive}"
        rf"|(?=\band (?:{subjects}|i['’]\w+)\b)"
    )


@cache
def small_words() -> frozenset[str]:
    """Words that are no part of a deed: small words of all languages, titles, pronouns, what joins clauses."""
    rows = ("title", "pronoun", "after_object", "that", "join", "then", "first")
    found = {word for row in rows for phrase in clause_lexicon()[row] for word in words(phrase)}
    return frozenset({*found, *_set("small"), *_set("barrier"), *function_words()})


@cache
def _denying() -> frozenset[str]:
    return _set("before")


def _denied_with_object(asked: Sequence[str], said: Sequence[str]) -> bool:
    """Whether "there is no ring" denies the deed: that of giving it back, not that of calling it lost."""
    return bool(_set("of_an_object") & set(asked[:2])) and not _set("absent") & set(said)


@cache
def _stems(row: str) -> frozenset[str]:
    return frozenset(stem(word) for word in (*_row(row), *clause_lexicon()["leaves_undone"]))


@cache
def _set(row: str) -> frozenset[str]:
    return frozenset(_row(row))


def _row(name: str) -> tuple[str, ...]:
    return lexicon("denial")[name]


def _negation(name: str) -> tuple[str, ...]:
    return lexicon("negation")[name]


@cache
def _turkish() -> re.Pattern[str]:
    return re.compile(rf"\w{{2,}}(?:{'|'.join(_row('turkish'))})")


@cache
def same_deed() -> Mapping[str, tuple[str, ...]]:
    """The words by which a deed is done beside its own, by its stem."""
    return {stem(deed): row for deed, row in lexicon("deeds").items()}
