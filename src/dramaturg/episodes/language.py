"""Which language a text is in, as far as a few words tell, and which words deny or suppose in it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
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
UNSPACED = frozenset(("ja", "zh", "ko", "th"))
ENOUGH = 4
"""How many characters of a script make a text one of its languages."""


@dataclass(frozen=True, slots=True)
class Tongue:
    """What is known about a language."""

    names: frozenset[str]
    common: frozenset[str]
    denies: frozenset[str]
    alike: frozenset[str]
    supposes: frozenset[str]
    reports: frozenset[str]
    heard: frozenset[str]
    mine: frozenset[str]
    you: frozenset[str]
    knows: frozenset[str]
    definite: frozenset[str]
    opens: frozenset[str]
    but: frozenset[str]
    greets: frozenset[str]
    when: re.Pattern[str] | None
    you_ends: re.Pattern[str] | None
    firm: re.Pattern[str] | None
    agrees: re.Pattern[str] | None


@cache
def tongues() -> Mapping[str, Tongue]:
    """The languages that are known, by their codes."""
    table = tomllib.loads((files(__package__) / "languages.toml").read_text(encoding="utf-8").replace("ß", "ss"))
    return {code: _tongue(row) for code, row in table.items()}


def _tongue(row: Mapping[str, str | list[str]]) -> Tongue:
    def listed(key: str) -> frozenset[str]:
        return frozenset(str(row.get(key, "")).split())

    def pattern(key: str) -> re.Pattern[str] | None:
        rows = row.get(key)
        return re.compile(rows if isinstance(rows, str) else "|".join(rows)) if rows else None

    return Tongue(
        names=listed("names"),
        common=listed("common"),
        denies=listed("denies"),
        alike=listed("alike"),
        supposes=listed("supposes"),
        reports=listed("reports"),
        heard=listed("heard"),
        mine=listed("mine"),
        you=listed("you"),
        knows=listed("knows"),
        definite=listed("definite"),
        opens=listed("opens"),
        but=listed("but"),
        greets=listed("greets"),
        when=pattern("when"),
        you_ends=pattern("you_ends"),
        firm=pattern("firm"),
        agrees=pattern("agrees"),
    )


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
    leading = likely_languages(text)
    return default if not leading or default in leading else leading[0]


@lru_cache(maxsize=2048)
def likely_languages(text: str) -> tuple[str, ...]:
    """The languages that a text may be in; several if a few words tell no more, none if they tell nothing.

    English is the first of several.
    """
    read = text[:LONGEST_READ]
    for code, script in _SCRIPTS:
        found = len(script.findall(read))
        letters = sum(mark.isalpha() for mark in read)
        if found >= min(ENOUGH, max(letters // 2, 1)) and found * 4 >= letters:
            return (code,)
    said = words(read)
    return _most_in(said, lambda tongue: tongue.common) or _most_in(said, lambda tongue: tongue.denies | tongue.alike)


def _most_in(said: Sequence[str], known: Callable[[Tongue], frozenset[str]]) -> tuple[str, ...]:
    """The languages of which most words are known; none if hardly any is."""
    scores = {code: sum(word in known(tongue) for word in said) for code, tongue in tongues().items()}
    best = max(scores.values())
    if best == 0 or (best * 8 < len(said)):
        return ()
    return tuple(sorted((code for code, score in scores.items() if score == best), key=lambda code: code != ENGLISH))


def is_english(text: str) -> bool:
    """Whether the rules for English apply; a text that tells nothing counts as English."""
    return language_of(text, ENGLISH) == ENGLISH


def denies_or_supposes(sentence: str, language: str) -> bool:
    """Whether a sentence in another language has a word that denies or supposes what it says."""
    tongue = tongues().get(language)
    if tongue is None:
        return False
    if tongue.when is not None and tongue.when.search(sentence.casefold()):
        return True
    marks: Iterable[str] = (*tongue.denies, *tongue.supposes)
    if language in UNSPACED:
        return any(mark in sentence for mark in marks)
    return bool(set(words(sentence)).intersection(marks))
