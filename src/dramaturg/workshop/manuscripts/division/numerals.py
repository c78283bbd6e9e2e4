"""Patterns of numbers as headings have them: in digits, Roman, or as words of several languages."""

from __future__ import annotations

import unicodedata
from functools import cache

from dramaturg.kernel.text.words import lexicon

_GAP = r"[ \t]+"
_ENDING = r"[^\W\d_]{0,3}"
_AND = rf"(?:{_GAP}|-)(?:(?:and|et|y|e|i){_GAP}|et-)?"
_ARTICLE = rf"(?:(?:the|der|das|die|de|het|el|la|le|il|o|a){_GAP})?"
_JOINED = (
    r"(?:(?:ein|zwei|drei|vier|funf|sechs|sieben|acht|neun)und|(?:een|twee|drie|vier|vijf|zes|zeven|acht|negen)en)?"
)
"""Units before tens in one word: `einundzwanzigstes`, `tweeëntwintigste`."""


def bare_letters(text: str) -> str:
    """The text in lower case, and Latin letters without accents: as long as the text."""
    return "".join(
        (unicodedata.normalize("NFD", letter)[0] if letter < "\u0250" else letter).lower()[:1] for letter in text
    )


@cache
def number() -> str:
    """A number that follows the word it counts: `IV`, `12`, `twenty-one`, `the First`, `primero`."""
    one = rf"{_JOINED}(?:{_listed('cardinals', 'ordinals')})(?![^\W\d_])"
    words = rf"{_ARTICLE}{one}(?:{_AND}{one}){{0,2}}"
    return rf"(?:\d{{1,4}}(?:er|e|re|st|nd|rd|th|\.?[ºª°])?|[ivxlcdm]{{1,8}}(?:er|e)?|{words})(?![^\W\d_])"


@cache
def ordinal_words() -> str:
    """Words of number before what they count: `The First`, `Das dritte`, `Vingt et unieme`, `двадцать первая`."""
    before = rf"(?:{_listed('cardinals', 'ordinals')}){_AND}"
    return rf"{_ARTICLE}(?:{before}){{0,2}}{_JOINED}(?:{_listed('ordinals')})(?![^\W\d_])"


def numbered_ordinal() -> str:
    """Digits before what they count: `2.`, `1er`, `3rd`, `4º`, `5-я`."""
    return rf"{_ARTICLE}\d{{1,4}}(?:\.?[ºª°]|\.|er|ere|re|e|eme|st|nd|rd|th|de|-?(?:я|й|ая|ый))"


@cache
def _listed(*lists: str) -> str:
    found = {word for name in lists for row in lexicon(name, __package__) for word in row}
    return "|".join(word.replace("~", _ENDING) for word in sorted(found, key=len, reverse=True))
