"""Headings of chapters, parts and scenes, in the words of several languages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from dramaturg.workshop.manuscripts.readers.source_text import SourceBlock

HeadingKind = Literal["part", "chapter", "scene"]
LONGEST_HEADING = 120
MOST_WORDS = 14
_NUMBER = (
    r"(?:\d{1,4}|[ivxlcdm]{1,8}|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|"
    r"fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|"
    r"first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|"
    r"eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|"
    r"un|deux|trois|quatre|cinq|sept|huit|neuf|dix|premier|première)(?:[ -]+[a-z]{3,9}){0,2})"
)
_CHAPTER = re.compile(
    rf"(?:chapter|chap\.|kapitel|chapitre|cap[ií]tulo|capitolo|hoofdstuk|rozdział|глава|stave|letter)[ \t]+{_NUMBER}"
    r"(?![^\W\d_])|第[0-9０-９一二三四五六七八九十百]{1,5}[章話回]",
    re.IGNORECASE,
)
_ALONE = re.compile(
    r"(?:prologue?|epilogue?|prolog|epilog|épilogue|prólogo|epílogo|interlude|afterword|foreword|preface|introduction|"
    r"intermission|coda|пролог|эпилог|プロローグ|エピローグ|vorwort|nachwort)(?![^\W\d_])",
    re.IGNORECASE,
)
_PART = re.compile(
    rf"(?:part|book|volume|teil|buch|partie|parte|livre|libro|часть|act)[ \t]+{_NUMBER}(?![^\W\d_])|"
    r"第[0-9一二三四五六七八九十]{1,4}[部巻]",
    re.IGNORECASE,
)
_SCENE = re.compile(rf"(?:scene|szene|scène|escena|scena|сцена)[ \t]+{_NUMBER}(?![^\W\d_])", re.IGNORECASE)
_BARE = re.compile(r"(?:\d{1,3}|[IVXLC]{1,8})\.?")
_ENDS = (".", "!", "?", "…", ",", ";", "”", '"', "»", "“", "’", ":")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: what it begins, its words, and whether only its shape says so."""

    kind: HeadingKind
    title: str
    is_bare: bool = False


def heading_in(block: SourceBlock) -> Heading | None:
    """The heading that a block is by its words; None if it is prose."""
    lines = [line.strip(" \t*_#") for line in block.plain.splitlines() if line.strip()]
    if not lines or len(block.plain) > LONGEST_HEADING or len(lines) > 3 or len(block.plain.split()) > MOST_WORDS + 4:
        return None
    first = lines[0]
    title = " ".join(lines)
    rest = " ".join(lines[1:])
    for kind, pattern in _KINDS:
        found = pattern.match(first)
        if found is not None and _is_title(first[found.end() :], rest, block):
            return Heading(kind, title)
    if _BARE.fullmatch(first) and len(lines) <= 2:
        return Heading("chapter", title, is_bare=True)
    return None


_KINDS: tuple[tuple[HeadingKind, re.Pattern[str]], ...] = (
    ("chapter", _CHAPTER),
    ("chapter", _ALONE),
    ("part", _PART),
    ("scene", _SCENE),
)


def _is_title(after: str, rest: str, block: SourceBlock) -> bool:
    """Whether what follows the number is a title, not the rest of a sentence."""
    words = after.strip(" \t.:—–-|·。：　")
    if block.kind == "heading" or not words:
        return True
    if after[:1] in (".", ":", "—", "–", "-", "|", "：", "　") or after.lstrip()[:1] in ("—", "–", "-", ":", "|"):
        return len(words.split()) <= MOST_WORDS
    return not words.endswith(_ENDS) and len(words.split()) <= 8 and (words[:1].isupper() or not words[:1].isalpha())


def is_title_line(block: SourceBlock) -> bool:
    """Whether a short line right behind a chapter's number is that chapter's title."""
    text = block.plain.strip()
    if block.kind == "break" or not text or "\n" in text or len(text.split()) > 10 or len(text) > 80:
        return False
    if block.kind == "heading":
        return True
    return not text.endswith(_ENDS) and text[:1].isupper() and text[:1] not in "“\"'‘„«—-"
