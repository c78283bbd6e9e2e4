"""Words as the director counts them: folded, without function words, lightly stemmed.

A word is letters and digits with inner apostrophes dropped ("don't" is "dont"). Scripts without spaces are taken
two characters at a time, so that a run of words means something there too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files

_APOSTROPHE = re.compile(r"(?<=\w)['’ʼ](?=\w)")
_WORD = re.compile(r"[^\W_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]{2,}")
_ENDINGS = (("ies", "y"), ("ied", "y"), ("sses", "ss"), ("ing", ""), ("edly", ""), ("ed", ""), ("ly", ""), ("s", ""))
_SHORTEST_STEM = 3


def lexicon(name: str) -> tuple[tuple[str, ...], ...]:
    """The rows of one word list; what follows a # is for people."""
    text = (files(__package__) / "lexicon" / f"{name}.txt").read_text(encoding="utf-8")
    rows = (line.partition("#")[0].split() for line in text.splitlines())
    return tuple(tuple(row) for row in rows if row)


@cache
def function_words() -> frozenset[str]:
    """Words that carry no matter of their own."""
    return frozenset(word for row in lexicon("function") for word in row)


@cache
def common_words() -> frozenset[str]:
    """Stems so ordinary that sharing one proves nothing."""
    return frozenset(stem(word) for row in lexicon("common") for word in row)


@cache
def _irregular() -> dict[str, str]:
    return {form: row[0] for row in lexicon("irregular") for form in row}


@lru_cache(maxsize=8192)
def words(text: str) -> tuple[str, ...]:
    """The words of a text in order, folded."""
    folded = _APOSTROPHE.sub("", unicodedata.normalize("NFKC", text).casefold())
    found: list[str] = []
    for word in _WORD.findall(folded):
        found.extend(_pairs(word) if _UNSPACED.fullmatch(word) else (word,))
    return tuple(found)


def _pairs(word: str) -> Sequence[str]:
    return [word[place : place + 2] for place in range(len(word) - 1)]


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A word without its common endings: "walked", "walking" and "walks" are one."""
    known = _irregular().get(word)
    if known is not None:
        return known
    for ending, instead in _ENDINGS:
        root = word.removesuffix(ending)
        if root != word and len(root) + len(instead) >= _SHORTEST_STEM and not word.endswith(("ss", "us")):
            return _undoubled(root + instead) if ending in ("ing", "ed") else _bare(root + instead)
    return _bare(word)


def _undoubled(root: str) -> str:
    """ "stopp" is "stop"; "fall" and "miss" stay whole."""
    if len(root) > _SHORTEST_STEM and root[-1] == root[-2] and root[-1] not in "lsz":
        return root[:-1]
    return _bare(root)


def _bare(root: str) -> str:
    """Without a last e, which the endings swallow: "bake" and "baking"; "paste" is not "past"."""
    return root[:-1] if len(root) > _SHORTEST_STEM and root.endswith("e") and root[-3:] != "ste" else root


@lru_cache(maxsize=8192)
def content(text: str) -> tuple[str, ...]:
    """The stems of the words that carry matter, in order."""
    skip = function_words()
    return tuple(stem(word) for word in words(text) if word not in skip)


@lru_cache(maxsize=8192)
def stems(text: str) -> frozenset[str]:
    """Every word of a text, stemmed."""
    return frozenset(stem(word) for word in words(text))


def runs(sequence: Sequence[str], size: int) -> frozenset[tuple[str, ...]]:
    """Every run of so many words."""
    return frozenset(zip(*[sequence[start:] for start in range(size)], strict=False))
