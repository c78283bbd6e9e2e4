"""Headings of chapters, parts and scenes, in the words of several languages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from dramaturg.workshop.manuscripts.division.numerals import bare_letters, number, numbered_ordinal, ordinal_words
from dramaturg.workshop.manuscripts.division.title_lines import unframed
from dramaturg.workshop.manuscripts.readers.source_text import SourceBlock

HeadingKind = Literal["part", "chapter", "scene"]
LONGEST_HEADING = 120
MOST_WORDS = 14
_CHAPTERS = "chapter|kapitel|chapitre|capitulo|capitolo|hoofdstuk|rozdział|глава"
_PARTS = (
    "part|book|volume|act|teil|buch|akt|partie|livre|tome|acte|parte|libro|tomo|acto|livro|ato|atto|deel|boek|"
    "czesc|ksiega|часть|книга|действие"
)
_NUMBERED_PARTS = "teil|buch|akt|deel|boek|czesc|ksiega"
_SCENES = "scene|szene|escena|cena|scena|сцена"
_ALONE = re.compile(
    r"(?:prologue?|epilogue?|prolog|epilog|prologo|epilogo|interlude|afterword|foreword|preface|introduction|"
    r"intermission|coda|пролог|эпилог|プロローグ|エピローグ|vorwort|nachwort)(?![^\W\d_])"
)
_JAPANESE = "第[0-9０-９一二三四五六七八九十百]{1,5}"
_BARE = re.compile(r"(?:\d{1,3}|[IVXLC]{1,8})\.?")
_ENDS = (".", "!", "?", "…", ",", ";", "”", '"', "»", "“", "’", ":")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: what it begins, its words, whether only its shape says so, and whether it has no number."""

    kind: HeadingKind
    title: str
    is_bare: bool = False
    is_alone: bool = False


def heading_in(block: SourceBlock) -> Heading | None:
    """The heading that a block is by its words; None if it is prose."""
    lines = [unframed(line.strip(" \t*_#")) for line in block.plain.splitlines() if line.strip()]
    if not lines or len(block.plain) > LONGEST_HEADING or len(lines) > 3 or len(block.plain.split()) > MOST_WORDS + 4:
        return None
    first = lines[0]
    plain = bare_letters(first)
    title = " ".join(lines)
    for kind, pattern in _kinds():
        found = pattern.match(plain)
        if found is not None and _is_title(first[found.end() :], block):
            below = " ".join(lines[1:]) if not first[found.end() :].strip(" .:") else ""
            return Heading(kind, f"{first.rstrip('.:')}: {below}" if below else title, is_alone=pattern is _ALONE)
    if _BARE.fullmatch(first) and len(lines) <= 2:
        return Heading("chapter", title, is_bare=True)
    return None


@cache
def _kinds() -> tuple[tuple[HeadingKind, re.Pattern[str]], ...]:
    first, numbered, after = ordinal_words(), numbered_ordinal(), number()
    chapters = rf"(?:{_CHAPTERS}|chap\.|stave|letter)[ \t]+{after}|(?:{first}|{numbered})[ \t]+(?:{_CHAPTERS})"
    parts = rf"(?:{_PARTS})[ \t]+{after}|{first}[ \t]+(?:{_PARTS})|{numbered}[ \t]+(?:{_NUMBERED_PARTS})"
    scenes = rf"(?:{_SCENES})[ \t]+{after}|(?:{first}|{numbered})[ \t]+(?:{_SCENES})"
    return (
        ("chapter", re.compile(rf"(?:{chapters})(?![^\W\d_])|{_JAPANESE}[章話回]|最終[章話回]")),
        ("chapter", _ALONE),
        ("part", re.compile(rf"(?:{parts})(?![^\W\d_])|{_JAPANESE}[部巻]")),
        ("scene", re.compile(rf"(?:{scenes})(?![^\W\d_])")),
    )


def _is_title(after: str, block: SourceBlock) -> bool:
    """Whether what follows the number is a title, not the rest of a sentence."""
    words = after.strip(" \t.,:—–-|·。：　")
    if block.kind == "heading" or not words:
        return True
    if after[:1] in (".", ":", "—", "–", "-", "|", "：", "　") or after.lstrip()[:1] in ("—", "–", "-", ":", "|"):
        return len(words.split()) <= MOST_WORDS
    is_closed = words.endswith(_ENDS) and not _is_called_out(words)
    return not is_closed and len(words.split()) <= 8 and (words[:1].isupper() or not words[:1].isalpha())


def _is_called_out(text: str) -> bool:
    """Whether a text that ends in `!` or `?` is written as titles are, its longer words with capitals."""
    said = re.findall(r"[^\W\d_]+", text)
    longer = [word for word in said if len(word) > 3] or said
    return text.endswith(("!", "?")) and bool(longer) and not any(word[0].islower() for word in longer)


def is_title_line(block: SourceBlock) -> bool:
    """Whether a short line right behind a chapter's number is that chapter's title."""
    text = block.plain.strip()
    if block.kind == "break" or not text or "\n" in text or len(text.split()) > 10 or len(text) > 80:
        return False
    if block.kind == "heading":
        return True
    is_closed = text.endswith(_ENDS) and not (len(text.split()) > 1 and _is_called_out(text))
    return not is_closed and text[:1].isupper() and text[:1] not in "“\"'‘„«—-"
