"""Which language a text is in, as far as a few words tell, and which words deny or suppose in it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from dramaturg.kernel.text.words import words

ENGLISH = "en"
LONGEST_READ = 4000
_SCRIPTS = (
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
    ("uk", re.compile(r"[іїєґІЇЄҐ]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("th", re.compile(r"[\u0e00-\u0e7f]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
)
_UNSPACED = frozenset(("ja", "zh", "ko", "th"))
ENOUGH = 4
"""How many characters of a script make a text one of its languages."""


@dataclass(frozen=True, slots=True)
class Tongue:
    """What is known about a language."""

    names: frozenset[str]
    common: frozenset[str]
    denies: frozenset[str]
    supposes: frozenset[str]


@cache
def tongues() -> Mapping[str, Tongue]:
    """The languages that are known, by their codes."""
    table = tomllib.loads((files(__package__) / "languages.toml").read_text(encoding="utf-8"))
    return {
        code: Tongue(*(frozenset(row[key].split()) for key in ("names", "common", "denies", "supposes")))
        for code, row in table.items()
    }


def code_of(language: str) -> str:
    """The code of a language by its code or name: "de-AT", "German" and "Deutsch" are "de"."""
    name = language.strip().casefold()
    code = re.split(r"[-_ ]", name)[0]
    if code in tongues() or len(code) == 2:
        return code
    return next((code for code, tongue in tongues().items() if name in tongue.names), "")


@lru_cache(maxsize=2048)
def language_of(text: str, default: str = "") -> str:
    """The language of a text; `default` if too little tells."""
    read = text[:LONGEST_READ]
    for code, script in _SCRIPTS:
        found = len(script.findall(read))
        letters = sum(mark.isalpha() for mark in read)
        if found >= min(ENOUGH, max(letters // 2, 1)) and found * 4 >= letters:
            return code
    said = words(read)
    scores = {code: sum(word in tongue.common for word in said) for code, tongue in tongues().items()}
    best = max(scores.values())
    leading = [code for code, score in scores.items() if score == best]
    if best == 0 or (best * 8 < len(said)):
        return default
    return default if default in leading else leading[0]


def is_english(text: str) -> bool:
    """Whether the rules for English apply; a text that tells nothing counts as English."""
    return language_of(text, ENGLISH) == ENGLISH


def denies_or_supposes(sentence: str, language: str) -> bool:
    """Whether a sentence in another language has a word that denies or supposes what it says."""
    tongue = tongues().get(language)
    if tongue is None:
        return False
    marks: Iterable[str] = (*tongue.denies, *tongue.supposes)
    if language in _UNSPACED:
        return any(mark in sentence for mark in marks)
    return bool(set(words(sentence)).intersection(marks))
