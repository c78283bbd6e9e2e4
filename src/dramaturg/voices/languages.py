"""The language of a line, found offline, and what languages are called.

py3langid is loaded with the first line that needs it; without it, only writing systems and telling words are told
apart. A short line says little about its language, so whoever knows what language is spoken says so, and is only
contradicted by a line that is clearly in another one. Where nobody does, telling words and letters count too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from threading import Lock
from typing import Protocol

from dramaturg.kernel.text.words import function_words
from dramaturg.voices import extra
from dramaturg.voices.telling_words import told_by_words

NAMES: Mapping[str, str] = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German",
    "el": "Greek", "en": "English", "es": "Spanish", "et": "Estonian", "fa": "Persian", "fi": "Finnish",
    "fr": "French", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian", "hu": "Hungarian", "id": "Indonesian",
    "is": "Icelandic", "it": "Italian", "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian",
    "ms": "Malay", "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian",
    "ru": "Russian", "sk": "Slovak", "sl": "Slovenian", "sr": "Serbian", "sv": "Swedish", "sw": "Swahili",
    "ta": "Tamil", "th": "Thai", "tl": "Filipino", "tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu",
    "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
# The writing systems that stand for one language here, by the first word of a character's Unicode name.
SCRIPTS: Mapping[str, str] = {
    "HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "CJK": "zh", "GREEK": "el", "HEBREW": "he", "THAI": "th",
    "ARABIC": "ar", "CYRILLIC": "ru", "DEVANAGARI": "hi", "BENGALI": "bn", "TAMIL": "ta",
}  # fmt: skip
LATIN, SHARED = "LATIN", ("ARABIC", "CYRILLIC", "DEVANAGARI")
# How certain a line has to be to contradict the expected language: a short one more than a long one, and one that
# has next to nothing of the expected language less.
SURE, VERY_SURE, LIKELY = 0.8, 0.95, 0.55
ENOUGH_LETTERS = 9
UNLIKE, NOTHING_LIKE = 0.02, 0.008
# Languages so alike that a short line is shared out between them.
KIN = (("da", "no"), ("id", "ms"), ("cs", "sk"), ("hr", "sl", "sr"))
_WORD = re.compile(r"[^\W\d_]+")


class _Identifier(Protocol):
    def rank(self, text: str) -> list[tuple[str, float]]: ...


def language_of(text: str, expected: str = "") -> str:
    """The code of a line's language, such as `de`; `expected`, perhaps empty, if the line does not say otherwise."""
    letters = [letter for word in _WORD.findall(text) for letter in word]
    if not letters:
        return expected
    script = _script(letters)
    if script == LATIN:
        return _in_latin(text, expected, short=len(letters) < ENOUGH_LETTERS)
    known = SCRIPTS.get(script, "")
    return _in_shared_script(text, known) if script in SHARED else known or expected


def name_of(language: str) -> str:
    """What a language is called, in English; its code if it has no name here."""
    return NAMES.get(language, language)


def code_of(named: str) -> str:
    """The code of a language that somebody wrote as a code (`de`, `de-AT`) or a name; empty if it is not known."""
    wanted = named.strip().casefold()
    by_name = {name.casefold(): code for code, name in NAMES.items()}
    short = re.split(r"[-_]", wanted)[0]
    return by_name.get(wanted) or (short if short in NAMES else "")


def _script(letters: list[str]) -> str:
    """The writing system of most letters."""
    counts: dict[str, int] = {}
    for letter in letters:
        name = unicodedata.name(letter, "").split(" ")[0]
        counts[name] = counts.get(name, 0) + 1
    # Japanese is written with Chinese characters too; its own decide.
    if counts.get("HIRAGANA", 0) + counts.get("KATAKANA", 0) > 0 and counts.get("CJK"):
        counts["HIRAGANA"] = counts.pop("CJK") + counts.get("HIRAGANA", 0) + counts.pop("KATAKANA", 0)
    return max(counts, key=lambda name: counts[name])


def _in_latin(text: str, expected: str, *, short: bool) -> str:
    identifier = _identifier()
    if identifier is None:
        return expected or told_by_words(text)
    ranks = identifier.rank(text)
    language, certainty = ranks[0]
    if _is_other(ranks, expected, short=short) and not _is_foreign_by_names(identifier, text, expected):
        return language
    if not expected:
        return "en" if language == "en" and certainty >= LIKELY else told_by_words(text)
    return expected


def _is_other(ranks: list[tuple[str, float]], expected: str, *, short: bool) -> bool:
    """Whether a line is clearly in another language than the expected one."""
    shares = dict(ranks)
    # Where nobody knows what is spoken, English is what the offline voices would make of it.
    usual = expected or "en"
    likeness = shares.get(usual, 0.0)
    first = ranks[0][0]
    kin = next((family for family in KIN if first in family and usual not in family), (first,))
    certainty = sum(shares.get(one, 0.0) for one in kin)
    if short:
        return certainty >= VERY_SURE and likeness < NOTHING_LIKE
    return (certainty >= SURE and likeness < UNLIKE) or (certainty >= LIKELY and likeness < NOTHING_LIKE)


def _is_foreign_by_names(identifier: _Identifier, text: str, expected: str) -> bool:
    """Whether only the names in a line are in another language."""
    words = text.split()
    rest = [word for place, word in enumerate(words) if place == 0 or not word[:1].isupper()]
    if len(rest) == len(words):
        return False
    usual = expected or "en"
    small = sum(word.casefold() in function_words() for word in rest)
    return (usual == "en" and small >= len(rest) / 2) or identifier.rank(" ".join(rest))[0][0] == usual


def _in_shared_script(text: str, usual: str) -> str:
    """Of a writing system that several languages share: the one it surely is, else the most usual."""
    identifier = _identifier()
    if identifier is None:
        return usual
    language, certainty = identifier.rank(text)[0]
    return language if certainty >= SURE else usual


def _identifier() -> _Identifier | None:
    if extra.lacking("py3langid", "numpy"):
        return None
    try:
        return _loaded()
    except OSError:  # it unpacks its model into a temporary file, for which the disk may be too full
        return None


@cache
def _loaded() -> _Identifier:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    found = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    found.set_languages(sorted(set(NAMES) & set(found.nb_classes)))
    return _Locked(found)


class _Locked:
    """An identifier used by one thread at a time."""

    def __init__(self, inner: _Identifier) -> None:
        self._inner, self._lock = inner, Lock()

    def rank(self, text: str) -> list[tuple[str, float]]:
        with self._lock:
            return [(language, float(share)) for language, share in self._inner.rank(text)]
