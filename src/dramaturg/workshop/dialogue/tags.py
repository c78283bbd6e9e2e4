"""Tags of speech: `said Ruth`, `Tomas asked`, `she whispered`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from dramaturg.kernel.text.words import function_words, lexicon

REACH = 90
"""How far from a quoted line its tag may stand, in characters."""
_TITLE = (
    r"(?:(?:Mr|Mrs|Ms|Dr|St|Mme|Mlle|Prof|Capt|Rev|Hon|Lieut|Col|Gen|Sgt)\.?|Miss|Sir|Lady|Lord|Captain|Uncle|Aunt|"
    r"Herr|Frau|Madame|Monsieur|Doctor|Professor|Inspector|Father|Mother|Sister|Brother|King|Queen|Prince|Princess|"
    r"Old|Young|Little|Señor|Señora)"
)
_LOWER = "".join(letter for letter in map(chr, range(0x100, 0x180)) if letter.islower())
_WORD = rf"[^\W\d_a-zß-öø-ÿа-џ{_LOWER}][^\W\d_]+(?:[-’'][^\W\d_]+)?"
_NAME = rf"(?:{_TITLE}\s+)?{_WORD}(?:\s+(?:de|von|van|du|la|le|of the|of)?\s?{_WORD}){{0,2}}"
_DESCRIBED = (
    r"(?:[Tt]he|[Aa]n?|[Hh]is|[Hh]er|[Mm]y|[Tt]heir|[Dd]er|[Dd]ie|[Dd]as|[Ll][ae]|[Ee]l|[Uu]na?|[Ii]l|[Ll]o|[Uu]ma?|[Oo]"
    r"|[Dd]e|[Hh]et)\s+(?:[^\W\d_]+[ -]){0,2}[^\W\d_]+"
)
_OBJECT = r"(?:had\s+|(?:se|si|le|les|me|te|nos|lui|leur|mi|gli|lhe)\s+|[sm]['’])?"
"""What may stand before the verb of a tag: `had said Ruth`, `le dijo Ana`, `s’écria Odette`."""
_FEW = r"(?:\s+[a-z]{2,12}(?:ly)?)?"
_FIRST = re.compile(rf"[\s,—–-]*+{_OBJECT}([^\W\d_]+)")


@dataclass(frozen=True, slots=True)
class SpeechTag:
    """Who is said to speak: a name, a description or a pronoun, and the words that say so."""

    who: str
    words: str
    is_name: bool = True
    is_pronoun: bool = False


@cache
def verbs() -> frozenset[str]:
    return frozenset(word for row in lexicon("verbs", __package__) for word in row)


@cache
def pronouns() -> frozenset[str]:
    return frozenset(word for row in lexicon("pronouns", __package__) for word in row)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    verb = rf"(?P<verb>{'|'.join(sorted(map(re.escape, verbs()), key=len, reverse=True))})\b"
    pronoun = rf"\b(?:{'|'.join(sorted(pronouns(), key=len, reverse=True))})\b"
    who = rf"(?P<who>\b(?:(?i:{pronoun})|{_DESCRIBED}|{_NAME}))"
    inverted = re.compile(rf"[\s,—–-]*+{_OBJECT}{verb}(?:\s+|-(?:t-)?){who}")
    straight = re.compile(rf"[\s,—–-]*+(?:and\s+|but\s+|then\s+|as\s+)?{who}{_FEW}\s+(?:had\s+)?{verb}")
    before = re.compile(rf"{who}{_FEW}(?:\s+had)?\s+{verb}(?P<rest>[^.!?:\n]{{0,60}})[,:]\s*$")
    return inverted, straight, before


def tag_after(text: str) -> SpeechTag | None:
    """The tag with which a text begins, right behind a quoted line."""
    head = text[:REACH]
    inverted, straight, _ = _patterns()
    for pattern in (inverted, straight):
        found = pattern.match(head)
        if found is not None:
            return _tag(found)
    return None


def inverted_tag(text: str) -> SpeechTag | None:
    """The tag with which a text begins, if its verb comes first: `dit Odette`."""
    found = _patterns()[0].match(text[:REACH])
    return _tag(found) if found is not None else None


def begins_tag(text: str) -> bool:
    """Whether a text begins as a tag does: with a verb of speech, or with somebody and one."""
    first = _FIRST.match(text[:REACH])
    return (first is not None and first[1] in verbs()) or tag_after(text) is not None


def tag_before(text: str) -> SpeechTag | None:
    """The tag with which a text ends, right before a quoted line."""
    tail = text[-REACH:]
    clause = re.split(r"(?<=[.!?…”\"])\s+", tail)[-1]
    found = _patterns()[2].search(clause)
    return _tag(found) if found is not None else None


def _tag(found: re.Match[str]) -> SpeechTag | None:
    who = " ".join(found["who"].split())
    words = " ".join(found[0].split()).strip(" ,—–-:")
    if who.casefold() in pronouns():
        return SpeechTag(who, words, is_name=False, is_pronoun=True)
    parts = _trimmed(who.split())
    if not parts:
        return None
    if parts[0].casefold() in _ARTICLES:
        described = parts[1:]
        if not described or described[-1].casefold() in verbs():
            return None
        proper = [word for word in described if word[:1].isupper()]
        if not proper:
            return SpeechTag(" ".join((parts[0].lower(), *described)), words, is_name=False)
        own = parts[0].casefold() == "the" and described == proper
        return SpeechTag(" ".join(("the", *proper) if own else proper), words)
    return SpeechTag(" ".join(parts), words)


_ARTICLES = frozenset("the a an his her my their der die das le la el un una il lo um uma o de het".split())
_NAMES_TOO = frozenset(("Will", "May"))
"""Function words that people are called; beside a verb of speech, a capital tells."""


def _trimmed(parts: list[str]) -> list[str]:
    """A name without the words of the sentence around it: `Presently Tony`, `the Mouse to Alice`."""
    has_article = parts[0].casefold() in _ARTICLES
    while not has_article and parts and (_is_adverb(parts[0]) or _is_function_word(parts[0])):
        parts = parts[1:]
        has_article = bool(parts) and parts[0].casefold() in _ARTICLES
    end = 1
    while end < len(parts) and not _is_adverb(parts[end]) and not _ends_name(parts, end):
        end += 1
    return parts[:end]


def _ends_name(parts: list[str], at: int) -> bool:
    word = parts[at]
    if word.casefold() in ("of", "de", "von", "van", "du", "la", "le", "the") and parts[at + 1 : at + 2]:
        return not parts[at + 1][:1].isupper() or parts[at - 1].islower()
    if _is_function_word(word):
        return True
    return word.islower() and parts[at - 1][:1].isupper() and at > 1


def _is_function_word(word: str) -> bool:
    return word.casefold() in function_words() and word not in _NAMES_TOO


def _is_adverb(word: str) -> bool:
    return word.casefold().endswith("ly") and len(word) > 5
