"""The numbers in a text: in figures, and in words of the languages most goals are written in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache

from dramaturg.kernel.text.words import words
from dramaturg.scenes.director.tables import lexicon

_FIGURES = re.compile(r"\d+(?:[.,\u2009\u00a0' ]\d{3})*(?:[.,]\d+)?")
_THOUSANDS = re.compile(r"(?<=\d)[.,\u2009\u00a0' ](?=\d{3}(?!\d))")
_KANJI = re.compile(r"[〇一二三四五六七八九十百千万]+")
_KANJI_UNITS = {"十": 10, "百": 100, "千": 1000}
_AND = frozenset(("and", "und", "et", "y", "e"))


def numbers_in(text: str) -> tuple[float, ...]:
    """Every number of a text, as far as it is written in figures or in known words."""
    plain = unicodedata.normalize("NFKC", text)
    figures = [float(_THOUSANDS.sub("", found).replace(",", ".")) for found in _FIGURES.findall(plain)]
    spelled = [float(value) for value in _spelled(plain)]
    return (*figures, *spelled, *(float(_kanji(found)) for found in _KANJI.findall(plain)))


def _spelled(text: str) -> list[int]:
    """Numbers in words: "three hundred and twelve" is 312."""
    found: list[int] = []
    total = current = 0
    open_number = False
    for word in (*words(text.replace("-", " ")), ""):
        # By itself, "one" is mostly no number.
        value = 1 if word == "one" and open_number else _value(word)
        if value is None and open_number and word in _AND:
            continue
        if value is None:
            if open_number:
                found.append(total + current)
            total = current = 0
            open_number = False
        elif value in (100, 1000):
            current = max(current, 1) * value
            total, current = (total + current, 0) if value == 1000 else (total, current)
            open_number = True
        else:
            current += value
            open_number = True
    return found


def _value(word: str) -> int | None:
    """One word of a number; German writes many of them as one."""
    table = _table()
    if word in table:
        return table[word]
    unit, _, ten = word.partition("und")
    if ten in table and unit in table:
        return table[unit] + table[ten]
    head, hundred, rest = word.partition("hundert")
    if hundred and (not head or head in table) and (not rest or _value(rest) is not None):
        return table.get(head, 1) * 100 + (_value(rest) or 0 if rest else 0)
    return None


def _kanji(text: str) -> int:
    total = section = digit = 0
    for sign in text:
        if sign == "万":
            total += (section + digit or 1) * 10_000
            section = digit = 0
        elif sign in _KANJI_UNITS:
            section += (digit or 1) * _KANJI_UNITS[sign]
            digit = 0
        else:
            digit = digit * 10 + "〇一二三四五六七八九".index(sign)
    return total + section + digit


@cache
def _table() -> Mapping[str, int]:
    return {word: int(value) for value, row in lexicon("number_words").items() for word in row}
