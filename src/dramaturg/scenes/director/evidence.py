"""Whether a quotation shows what a sub-goal asks for: enough words, the right mouth, and the substance."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import NamedTuple

from dramaturg.kernel.text.quotes import is_quoted
from dramaturg.kernel.text.words import common_words, content, function_words, stem, words
from dramaturg.scenes.director.deed import same_deed
from dramaturg.scenes.director.goals import Goal
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.director.numbers import numbers_in
from dramaturg.scenes.director.tables import lexicon

FEWEST_WORDS = 3
_BETWEEN = re.compile(r"[.!?…,;:—–。！？、，；：]+")
_DIGITS = re.compile(r"(?<![\w.,])\d[\d.,]*")
_CAPITAL = re.compile(r"(?<![\w'’])[A-ZÀ-ÖØ-ÞĀ-ŽА-Я][\w'’-]+")
_NO_CAPITALS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0eff\uac00-\ud7af]")
_MOST_OF_IT = 0.8
_UNIT = re.compile(r"\d[\d.,]{0,20}\s{1,3}([^\W\d_]{4,20})")
_STEM = 5
_LONGEST_NUMBER = 4
_BREAK = re.compile(r"[.,;:!?—–]\s")
_SENTENCE_END = re.compile(r"[.!?…。！？؟]+")
_TOKEN = re.compile(r"[^\W_]+")


class QuotableLine(NamedTuple):
    """A line as the judge may quote it: what was said, or what was done where `deed`. `number` is its entry."""

    speaker: str
    text: str
    number: int = 0
    deed: bool = False


def find_evidence(quote: str, lines: Iterable[QuotableLine]) -> tuple[QuotableLine, ...]:
    """The lines that a quotation stands in, the latest first."""
    return tuple(line for line in lines if is_quoted(quote, line.text))[::-1]


def is_clause(quote: str, text: str) -> bool:
    """Whether a quotation is at least a clause: three words, a subject with its verb, or a clause from end to end."""
    said = words(quote)
    if len(said) >= FEWEST_WORDS or (len(said) == 2 and said[0] in lexicon("evidence")["subject"]):
        return True
    return said in {words(part) for part in _BETWEEN.split(text) if part.strip()}


def fitting_speakers(goal: Goal, cast: CastNames) -> tuple[str, ...]:
    """Those whose words can show a sub-goal: the one who must do it; everybody, if it names nobody to do it."""
    named = cast.find(goal.text)
    subject = subject_of(goal, cast)
    if subject is None:
        return cast.names
    verb = goal.text.split()[: len(subject.split()) + 4]
    if _rows_hold("undergone", " ".join(verb)):
        return named if len(named) > 1 else cast.names
    return tuple(name for name in named if _joined(goal, cast, name)) or (subject,)


def repeats(goal: Goal, line: QuotableLine, quote: str, cast: CastNames) -> bool:
    """Whether a quotation only says the goal again, as a stage direction in its words or somebody else's report."""
    names = {stem(word) for name in cast.names for word in words(name)}
    asked = set(content(goal.text)) - names
    said = set(content(quote)) - names
    if not asked or len(asked & said) < _MOST_OF_IT * len(asked):
        return False
    subject = subject_of(goal, cast)
    by_another = subject is not None and line.speaker != subject and bool(cast.find(quote))
    led = re.match(rf"\W*({cast.pattern()})\s+\w", quote, re.IGNORECASE)
    as_direction = led is not None and subject is not None and cast.resolve(led[1]) == subject
    return line.deed or by_another or as_direction


def missing_substance(goal: Goal, line: QuotableLine, cast: CastNames) -> str | None:
    """What the sub-goal asks for and the line does not have: a number, a name. None if nothing is missing."""
    wanted = [_value(found[0]) for found in _DIGITS.finditer(goal.text)]
    said = _counted(goal.text, line.text)
    for number in wanted:
        if number is not None and not _reached(number, said, goal.text):
            return f"the number {number:g} is not said"
    if not wanted and _rows_hold("asks_number", goal.text) and not said:
        return "no number is said"
    if _rows_hold("asks_name", goal.text) and not _names_something(line, cast):
        return "no name is said"
    if (day := _another_day(goal.text, line.text)) is not None:
        return f"{day} is not said, but another day"
    if (name := _chosen_name(goal.text, cast)) is not None and name[:_STEM].casefold() not in line.text.casefold():
        return f"{name} is not said"
    return None


def is_about(goal: Goal, text: str, cast: CastNames) -> bool:
    """Whether words touch on what a sub-goal asks for: they share a word with it beside names, or do the same deed.

    Too narrow for a judge that understands what it reads ("I will call the journal" withdraws a paper), and asked only
    of one that does not. A goal of nothing but names and small words asks for nothing here.
    """
    names = {stem(word) for name in cast.names for word in words(name)}
    asked = [word for word in content(goal.text) if word not in names]
    deeds = {stem(word) for one in asked for word in same_deed().get(one, ())}
    said = {stem(word) for word in words(text)}
    return not asked or bool(said & (set(asked) | deeds))


def sentences_of(quote: str, text: str) -> str:
    """The sentences of a line that a quotation stands in: a word of denial may stand just before it."""
    found = re.search(r"[\W_]+".join(map(re.escape, _TOKEN.findall(quote))), text, re.IGNORECASE)
    if found is None:
        return quote
    start, end = found.span()
    first = max((found.end() for found in _SENTENCE_END.finditer(text, 0, start)), default=0)
    last = _SENTENCE_END.search(text, max(start, end - 1))
    return text[first : last.end() if last else len(text)]


def subject_of(goal: Goal, cast: CastNames) -> str | None:
    """The member of the cast that the sub-goal begins with, with or without a title."""
    titles = "|".join(re.escape(title) for title in lexicon("clauses")["title"])
    found = re.match(rf"\W*(?:(?:{titles})\s+)*({cast.pattern()})(?!['’]s\b)", goal.text, re.IGNORECASE)
    return cast.resolve(found[1]) if found else None


def _joined(goal: Goal, cast: CastNames, name: str) -> bool:
    """Whether this member is one of several subjects: "Ann and Ben agree"."""
    any_name, ands = cast.pattern(), "|".join(map(re.escape, ("and", "und", "et", "y", "e", "и", "و", "と", "&")))
    row = re.match(rf"\W*{any_name}(?:\s*(?:,|、|{ands})\s*(?:(?:{ands})\s+)?{any_name})*", goal.text, re.IGNORECASE)
    return row is not None and name in cast.find(row[0])


def _reached(number: float, said: Sequence[float], asked: str) -> bool:
    if _rows_hold("at_least", asked):
        return any(one >= number for one in said)
    if _rows_hold("at_most", asked):
        return any(one <= number for one in said)
    if _rows_hold("more_than", asked):
        return any(one > number for one in said)
    if _rows_hold("less_than", asked):
        return any(one < number for one in said)
    return number in said


def _counted(asked: str, text: str) -> tuple[float, ...]:
    """The numbers of a line; if some count what the goal counts ("40 crowns"), those alone."""
    unit = _UNIT.search(asked)
    if unit is None:
        return numbers_in(text)
    said = text.split()
    places = [spot for spot, word in enumerate(said) if word.casefold().startswith(unit[1][:_STEM].casefold())]
    before = (" ".join(said[max(0, spot - _LONGEST_NUMBER) : spot]) for spot in places)
    own = (_BREAK.split(part)[-1] for part in before)
    return tuple(number for part in own for number in numbers_in(part)) or numbers_in(text)


def _another_day(asked: str, text: str) -> str | None:
    """The day of the week that a goal asks for, where a line has others and not this one."""
    wanted, said = _days(asked), _days(text)
    return next((word for word in wanted if said and not {wanted[word]} & set(said.values())), None)


def _days(text: str) -> Mapping[str, int]:
    days = _weekdays()
    return {word: days[word] for word in words(text) if word in days}


def _chosen_name(asked: str, cast: CastNames) -> str | None:
    """The name that somebody is to choose: "Ann chooses Lisbon". Members of the cast are chosen by a "you" as well."""
    found = re.search(rf"\b(?:{'|'.join(lexicon('evidence')['chooses'])})\s+({_CAPITAL.pattern})", asked)
    return found[1] if found and not cast.find(found[1]) else None


def _value(digits: str) -> float | None:
    found = numbers_in(digits)
    return found[0] if found else None


def _names_something(line: QuotableLine, cast: CastNames) -> bool:
    if cast.find(line.text) or _NO_CAPITALS.search(line.text):
        return True
    plain = function_words() | common_words() | {"i"}
    return any(words(found)[0] not in plain for found in _CAPITAL.findall(line.text))


def _rows_hold(row: str, text: str) -> bool:
    said = f" {' '.join(words(text))} "
    return any((one in text) if _NO_CAPITALS.search(one) else f" {one} " in said for one in lexicon("evidence")[row])


@cache
def _weekdays() -> Mapping[str, int]:
    return {word: day for day, row in enumerate(lexicon("weekdays").values()) for word in row}
