"""The words of a text: normalised, without function words, lightly stemmed.

A word is a run of letters and digits; apostrophes inside it are dropped ("don't" is "dont"). Text in scripts that do
not separate words is split into overlapping pairs of characters, so that word runs can be compared there too.
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


def lexicon(name: str, package: str = __package__) -> tuple[tuple[str, ...], ...]:
    """The rows of a word list in a package's `lexicon/` folder, without comments (from # to the end of the line)."""
    text = (files(package) / "lexicon" / f"{name}.txt").read_text(encoding="utf-8")
    rows = (line.partition("#")[0].split() for line in text.splitlines())
    return tuple(tuple(row) for row in rows if row)


@cache
def function_words() -> frozenset[str]:
    """Words that carry no meaning of their own, such as articles and pronouns."""
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
    """The words of a text in order, after NFKC normalisation and case folding."""
    folded = _APOSTROPHE.sub("", unicodedata.normalize("NFKC", text).casefold())
    found: list[str] = []
    for word in _WORD.findall(folded):
        found.extend(_pairs(word) if _UNSPACED.fullmatch(word) else (word,))
    return tuple(found)


def _pairs(word: str) -> Sequence[str]:
    return [word[start : start + 2] for start in range(len(word) - 1)]


@lru_cache(maxsize=16384)
def stem(word: str) -> str:
    """A word without its common endings: "walked", "walking" and "walks" have one stem."""
    known = _irregular().get(word)
    if known is not None:
        return _bare(known)
    for ending, replacement in _ENDINGS:
        root = word.removesuffix(ending)
        if root != word and len(root) + len(replacement) >= _SHORTEST_STEM and not word.endswith(("ss", "us")):
            return _undoubled(root + replacement) if ending in ("ing", "ed") else _bare(root + replacement)
    return _bare(word)


def _undoubled(root: str) -> str:
    """ "stopp" becomes "stop"; "fall" and "miss" keep their double letter."""
    if len(root) > _SHORTEST_STEM and root[-1] == root[-2] and root[-1] not in "lsz":
        return root[:-1]
    return _bare(root)


def _bare(root: str) -> str:
    """Drops a final e, so that "bake" and "baking" have one stem; "paste" stays apart from "past"."""
    return root[:-1] if len(root) > _SHORTEST_STEM and root.endswith("e") and root[-3:] != "ste" else root


@lru_cache(maxsize=8192)
def content(text: str) -> tuple[str, ...]:
    """The stems of all words but the function words, in order."""
    skip = function_words()
    return tuple(stem(word) for word in words(text) if word not in skip)


@lru_cache(maxsize=8192)
def stems(text: str) -> frozenset[str]:
    """The stems of all words of a text."""
    return frozenset(stem(word) for word in words(text))


def runs(sequence: Sequence[str], size: int) -> frozenset[tuple[str, ...]]:
    """Every run of `size` consecutive words."""
    return frozenset(zip(*[sequence[start:] for start in range(size)], strict=False))
