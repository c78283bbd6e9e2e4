"""How an answer marks an aside: `ASIDE TO: Bob`, and the ways in which models misspell it."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, NamedTuple

from dramaturg.model_notes.thought_tags import is_one_edit

ONESELF = "oneself"
"""Whom an aside is for that names nobody."""
_INVISIBLE = re.compile("[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_JOINERS = str.maketrans(dict.fromkeys("\u200c\u200d"))
_TOKEN = re.compile("(?:[^\\W_]|[\u200c\u200d]){1,40}|[:=：＝]")
_HEAD = 80
_TO = frozenset("to too t0 ot for zu an à a al para für voor do k к 对 對 に".split())
_BESIDE = frozenset(
    "to in an as en speak speaks speaking spoken said says say quick quickly quiet quietly low short brief only just "
    "directed directly addressed meant hushed softly soft".split()
)
"""Words that may stand beside the mark."""
_ASIDE = frozenset(
    "aside asides beiseite aparte aparté enaparte enaparté àpart àparte terzijde avsides всторону nastronie stranou "
    "傍白 旁白 방백".split()
)
_PRIVATE = frozenset("private privately privat privé privado 私下".split())
_HUSHED = frozenset("secret secretly confidence confidential confidentially".split())
"""Marks only before the name of somebody."""
_WHISPERED = frozenset("whisper whispers whispered whispering".split())
"""Marks only with a colon: `whispers to Bob` is a gesture."""
_ANY = _ASIDE | _PRIVATE | _HUSHED | _WHISPERED
_JOINED = frozenset(("asideto", "privatelyto", "whisperto", "whispersto", "私下对", "私下對"))
_OTHERS = frozenset("side abide abside apside aide asile aride acide asida asido asie asia".split())
"""Other words, a letter away from "aside": marks only with `to` and a colon."""
_SENTENCE = frozenset("from of that this is the these those which".split())
"""Behind "aside" these make it a word of a sentence."""
_EDGE = " \t\n\u00a0:=：＝-–—>→_*.,;()\"'“”„«»"
_LAST = re.compile(r"[\W_](?P<mark>aside|privately|in private|beiseite|aparte|aparté)[\W_]{0,3}\Z", re.IGNORECASE)
_LONGEST_NAME = 3
_SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？")
_ASIDE_TAG = re.compile(r"<aside\b(?P<more>[^<>\n]{0,80})>", re.IGNORECASE)
_ASIDE_TAG_FIRST = re.compile(rf"^[ \t>*_-]{{0,8}}{_ASIDE_TAG.pattern}", re.IGNORECASE | re.MULTILINE)
_ASIDE_END = re.compile(r"</aside\s{0,3}>", re.IGNORECASE)
_ATTRIBUTE_SIGNS = re.compile("[=\"'“”/]")
_BRACED = re.compile(r"(?m)^[ \t>*_-]{0,8}\{([^{}\n\"]{1,80})\}")
_ASIDE_ROW = re.compile(
    r"^[ \t>#*_-]{0,8}(?:\d{1,2}[.)][ \t]{0,2})?(?P<row>[^\W\d_][^\n\[\]\"“”„«»「」『』]{1,2000})$", re.MULTILINE
)
_LABEL = re.compile(r"[^:：]{1,40}[:：]")


class AsideMark(NamedTuple):
    """The mark of an aside: the word it is, what stands behind it, and whether that surely is whom it is for."""

    word: Literal["aside", "private"]
    whom: str = ""
    sure: bool = False

    @property
    def is_manner(self) -> bool:
        """Whether it is nothing but a word like "privately", which may be how somebody speaks."""
        return self.word == "private" and not (self.sure or self.whom)


def without_invisible(text: str) -> str:
    """A text without characters that nobody sees; those that join letters stay."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def read_aside(text: str) -> AsideMark | None:
    """The mark that a field, a manner or starred words begin with, however it is spelled; None if it has none."""
    text = without_invisible(text)
    head: list[str] = []
    to = colon = False
    first = end = 0
    for found in _TOKEN.finditer(text, 0, _HEAD):
        if not (word := _folded(found[0])):
            continue
        if word in ":=":
            colon, end = True, found.end()
            break
        if head and word in _TO:
            to, end = True, found.end()
            break
        if head or word not in _BESIDE:
            head.append(word)
            first = first or found.end()
    if not head:
        return None
    rest = text[end:].lstrip(" \t\n\u00a0_*)") if to or colon else ""
    colon = colon or rest[:1] in (":", "=", "：", "＝")
    if not to and (behind := _TOKEN.match(rest)) is not None and _folded(behind[0]) in _TO:
        to, rest = True, rest[behind.end() :]
    joined = "".join(head) in _JOINED or _is_misspelt(head, "asideto")
    kind = _word_of([word for word in head if word not in _BESIDE], to=to, colon=colon)
    if kind == "aside" and not (to or colon) and head[1:]:
        rest = text[first:]
    if kind is None and colon and joined:
        kind, to = "aside", True
    return None if kind is None else AsideMark(kind, _bare(rest), to)


def _word_of(head: list[str], *, to: bool, colon: bool) -> Literal["aside", "private"] | None:
    """Whether the words before the addressee are a mark, and which."""
    compact = "".join(head)
    if all(word in _PRIVATE or word in _HUSHED for word in head):
        return "private" if to or ((colon or len(head) == 1) and head[0] in _PRIVATE) else None
    if all(word in _WHISPERED for word in head):
        return "private" if to and colon else None
    if any(word in _ASIDE for word in head) and all(word in _ANY for word in head):
        return "aside"
    if head[0] == "aside":
        return None if head[1] in _SENTENCE else "aside"
    if compact in _ASIDE:
        return "aside" if colon or compact != "aside" else None
    if compact in _OTHERS:
        return "aside" if to and colon else None
    alike = _is_misspelt(head, "aside") or _is_misspelt(head, "privately")
    return "aside" if alike and (colon or len(head) == 1) else None


def _is_misspelt(head: list[str], meant: str) -> bool:
    return is_one_edit("".join(head)[: len(meant) + 2], meant)


def with_aside_brackets(text: str) -> str:
    """A text with its asides in brackets: rows like `Aside to Bob: …`, and tags like `<aside to="Bob">`."""
    if "<" in text or "{" in text:
        closed = _ASIDE_END.search(text) is not None
        text = _ASIDE_END.sub("", (_ASIDE_TAG if closed else _ASIDE_TAG_FIRST).sub(_from_tag, text))
        text = _BRACED.sub(_from_braces, text)
    return _ASIDE_ROW.sub(_from_row, text)


def _from_tag(found: re.Match[str]) -> str:
    return f"[aside {_ATTRIBUTE_SIGNS.sub(' ', found['more'])}] "


def _from_braces(found: re.Match[str]) -> str:
    return f"[{found[1]}]" if read_aside(found[1]) is not None else found[0]


def _from_row(found: re.Match[str]) -> str:
    """A row that is a mark alone, or the mark before the words of an aside."""
    row = found["row"].rstrip(" *_")
    mark = read_aside(row)
    if mark is None or (mark.word == "private" and not mark.sure):
        return found[0]
    name, colon, words = mark.whom.replace("：", ":").partition(":")
    if mark.sure and colon and may_be_name(name):
        return f"[aside to {_bare(name)}] {row[row.rfind(words.strip()) :]}"
    if may_be_name(mark.whom) and not row.endswith(_SENTENCE_ENDS):
        return f"[{row}]"
    begun = _LABEL.match(row)
    return f"[aside] {row[begun.end() :].strip()}" if begun is not None and not mark.sure else found[0]


def mark_at_end(text: str) -> tuple[str, bool]:
    """A name without the mark behind it, `Bob (aside)`, and whether there was one."""
    found = _LAST.search(text[:_HEAD])
    return (_bare(text[: found.start()]), True) if found is not None else (text, False)


def may_be_name(text: str) -> bool:
    """Whether a text is short enough to be somebody's name, and not what is said."""
    return len(text.split()) <= _LONGEST_NAME and not text.rstrip().endswith(_SENTENCE_ENDS)


def _bare(text: str) -> str:
    return text.strip(_EDGE)


def _folded(word: str) -> str:
    return unicodedata.normalize("NFKC", word).translate(_JOINERS).casefold()
