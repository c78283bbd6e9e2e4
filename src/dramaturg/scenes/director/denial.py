"""Whether words leave the deed of a sub-goal undone: they deny it, only ask about it, suppose it, or only name it.

"I will never apologize" is no apology, and neither is "If I apologized" (see also `unreal`). Read are the clauses that
share a word with the goal, or do the same deed; "I won't fight you: I accept" has one that denies nothing, and is
believed. Words that touch on no word of the goal are the judge's to weigh, unless the whole answer is a refusal, or
they are in another language and deny, ask or suppose anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from dramaturg.scenes.director.deed import Deed, alike, deed_of, fold
from dramaturg.scenes.director.goals import Goal
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.director.negation import KANA, UNSPACED, is_romance_infinitive, split_words
from dramaturg.scenes.director.negation import denies as denies_in_goal
from dramaturg.scenes.director.tables import begins, lexicon, meets, row_set
from dramaturg.scenes.director.tongues import abroad, are_foreign
from dramaturg.scenes.director.unreal import (
    REGRETTED,
    REPORTED,
    SUPPOSED,
    Words,
    confirms,
    is_opposite,
    is_short_of,
    led_to,
    why_unreal,
)

DENIED = "the words deny what the sub-goal asks for"
ASKED = "the words only ask about what the sub-goal asks for"
OPPOSITE = "the words do or say the opposite of what the sub-goal asks for"
FOREIGN = "the words are in another language than the sub-goal, and whether they do what it asks for cannot be told"

_SENTENCE = re.compile(r"[^.!?…。！？؟]+[.!?…。！？؟]*")
_CONDITIONAL = re.compile(r"\w{3,}(?:r[íi]a[sn]?|riamos|rais|rait|rei|rebbe)$")
_NEAR, _FAR = 3, 7
_SHORT_QUESTION = 6


def why_undone(goal: Goal, text: str, cast: CastNames) -> str | None:
    """Why words do not show that the deed of a sub-goal is done, if they deny it, ask about it or only name it."""
    deed = deed_of(goal.text, cast)
    if deed is None:
        return None
    foreign = are_foreign(goal.text, text)
    if foreign and not deed.signs:
        deed = replace(deed, verb=deed.verb | abroad(goal.text))
    clauses = [clause for sentence in _SENTENCE.findall(fold(text)) for clause in _clauses(sentence, deed)]
    if deed.refuses or deed.negates:
        return _why_opposite(clauses, deed, foreign)
    bearing = [clause for clause in clauses if clause.weight]
    if not bearing:
        return DENIED if _only_refuses(clauses, deed) else FOREIGN if foreign and _is_unclear(clauses) else None
    if deed.admits and any(meets(clause.said, _row("disclaims")) for clause in clauses):
        return DENIED
    return _fault_of(bearing, clauses, deed)


def _fault_of(bearing: Sequence[_Clause], clauses: Sequence[_Clause], deed: Deed) -> str | None:
    most = max(clause.weight for clause in bearing)
    plain = [clause for clause in bearing if not clause.fault]
    if any(clause.weight == most or clause.turns for clause in plain):
        return None
    if most == 1 and _goes_on(clauses):
        return None
    fault = next(clause.fault for clause in bearing if clause.fault)
    if fault == REGRETTED and (plain or (deed.tells and _goes_on(clauses))):
        return None
    if fault == ASKED and most == 1 and deed.tells and _goes_on(clauses, ASKED):
        return None
    if fault == REPORTED and any(confirms(clause.said) for clause in clauses):
        return None
    return fault


def _why_opposite(clauses: Sequence[_Clause], deed: Deed, foreign: bool) -> str | None:
    if is_opposite([clause.said for clause in clauses], deed):
        return OPPOSITE
    denied = any(_denying() & set(clause.said) or clause.asks for clause in clauses)
    return FOREIGN if foreign and not denied else None


def _is_unclear(clauses: Sequence[_Clause]) -> bool:
    """Whether words deny, ask or suppose anything at all: of what, cannot be told in another language."""
    return any(clause.asks or (_denying() | _set("if")) & set(clause.said) for clause in clauses)


def _goes_on(clauses: Sequence[_Clause], *faults: str) -> bool:
    """Whether a plain clause follows: "I don't want the ring. Take it." denies a word of the goal, not the deed."""
    last = max(place for place, clause in enumerate(clauses) if clause.weight)
    return clauses[last].fault in (DENIED, REGRETTED, *faults) and any(
        len(clause.said) > 1 and not _denying() & set(clause.said) and not clause.asks for clause in clauses[last + 1 :]
    )


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause of a line: its words, how many of the goal's it has, and why it does not show the deed."""

    said: tuple[str, ...]
    weight: int
    fault: str
    turns: bool
    asks: bool = False


def _clauses(sentence: str, deed: Deed) -> Iterator[_Clause]:
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
        self, said: Sequence[str], before: Sequence[str], after: Sequence[str], deed: Deed, carried: bool
    ) -> None:
        self._said, self._before, self._after, self._deed, self._carried = said, before, after, deed, carried
        self._portuguese = deed.portuguese or not _set("portuguese").isdisjoint(said)

        particles = row_set("clauses", "particles_of_verbs")
        self._verbs = [spot for spot in self._places(deed.verb) if said[spot] not in particles]
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
        own = self._all if self._deed.own_rest else self._verbs
        words = Words(self._said, self._before, self._after, self._verbs, own)
        unreal = why_unreal(words, self._deed)
        return unreal or (SUPPOSED if not self._deed.may_ask and self._supposed(conditional) else "")

    def _is_never_by_idiom(self) -> bool:
        beside = {" ".join(self._before), " ".join(self._after)}
        led = self._said[: self._all[0]]
        if meets(led, ("rather", "sooner")) and "than" in led:
            return True
        return meets(self._said, _row("idioms")) or not _set("idioms").isdisjoint(beside)

    def _places(self, asked: frozenset[str]) -> list[int]:
        return [spot for spot, word in enumerate(self._said) if any(alike(word, one) for one in asked)]

    def _supposed(self, conditional: bool) -> bool:
        first = self._all[0]
        led = self._said[:first]
        if meets(led[:4], _row("supposes")) and not meets(led, ("as well",)):
            return True
        if led and (led[0] in _set("if") or (led[0] in _set("contrast") and led[1:2] and led[1] in _set("if"))):
            return True
        said = self._said[first]
        would = _CONDITIONAL.match(said) is not None or bool(set(led[-2:]) & _set("would"))
        return would and (conditional or self._would_at_once())

    def _would_at_once(self) -> bool:
        """ "I'd sell the mill for a million": right before the verb it needs no "if"."""
        return any(
            _CONDITIONAL.match(self._said[place]) or (place and self._said[place - 1] in _set("would"))
            for place in self._verbs
        )

    def _denied_at(self, place: int) -> bool:
        if (
            self._carried
            or self._disbelieved()
            or self._is_of_denied(place)
            or any(map(_is_turkish_denial, (self._said[place], self._said[-1])))
        ):
            return True
        if any(self._denies(spot) and self._reaches(spot, place) for spot in range(place)):
            return not _set("enough") & set(self._said[place + 1 : place + 4])
        if is_short_of(self._said[:place]) and not _denying() & set(self._said[:place]):
            return True
        if place not in self._verbs and self._is_denied_object(place):
            return True
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
        if meets(between, _row("turned")) or (between[:1] and between[0] in _negation("only")):
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

    def _is_denied_object(self, place: int) -> bool:
        """ "The mill isn't for sale": the word behind the object denies what is said of it."""
        behind = self._said[place + 1 : place + _NEAR]
        return any(word in _set("behind_object") and not (self._portuguese and word == "no") for word in behind)

    def _is_focus(self, spot: int) -> bool:
        """Whether a "not" denies something beside the deed: why it is done, or how gladly."""
        if spot + 1 == len(self._said):
            return False
        return self._said[spot + 1] in _set("gladly") or begins(self._after, _row("focus"))

    def _is_of_denied(self, place: int) -> bool:
        """ "Ich habe nicht vor, den Brief zu unterschreiben": what is denied before is what the infinitive says."""
        led = led_to(self._before, self._said, place)
        before = self._before if len(led) > place else ()
        return bool((_denying() | _set("refuses_to")) & set(before)) and not meets(before, _row("turned"))

    def _disbelieved(self) -> bool:
        """ "Ich glaube nicht, dass ich dir verzeihe": the denial stands in the clause before."""
        if not self._said or self._said[0] not in _set("barrier"):
            return False
        return bool(_set("belief") & set(self._before)) and bool(_denying() & set(self._before))


_ENGLISH_SUBJECTS = frozenset(("i", "im", "id", "ill", "ive", "we"))
_ENGLISH = _ENGLISH_SUBJECTS | {"you", "him", "her", "them", "my", "your", "he", "she", "they"}
_ROMANCE_NOT = frozenset(("no", "não", "non"))


def _unspaced_clause(part: str, said: tuple[str, ...], deed: Deed, asks: _Question) -> _Clause:
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


def _only_refuses(clauses: Sequence[_Clause], deed: Deed) -> bool:
    if deed.admits and any(meets(clause.said, _row("disclaims")) for clause in clauses):
        return not any(_plainly_done(clause) for clause in clauses)
    return deed.may_refuse and bool(clauses) and all(" ".join(one.said) in _set("refusals") for one in clauses)


def _plainly_done(clause: _Clause) -> bool:
    return not meets(clause.said, _row("disclaims")) and clause.said[:2] in (("i", "did"), ("yes", "i"))


def _is_turkish_denial(word: str) -> bool:
    return word not in ("tamam", "hamam") and _turkish().fullmatch(word) is not None


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


def _denying() -> frozenset[str]:
    return _set("before")


def _set(row: str) -> frozenset[str]:
    return row_set("denial", row)


def _row(name: str) -> tuple[str, ...]:
    return lexicon("denial")[name]


def _negation(name: str) -> tuple[str, ...]:
    return lexicon("negation")[name]


@cache
def _turkish() -> re.Pattern[str]:
    return re.compile(rf"\w{{2,}}(?:{'|'.join(_row('turkish'))})")
