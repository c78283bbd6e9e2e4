"""An answer in several lines that are not for the same ears: only one of them is the character's line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from dramaturg.scenes.answers.parts import Names
from dramaturg.scenes.answers.speech import take_manner
from dramaturg.scenes.answers.tags import GESTURE, Fields, take_tags

_TAGS = re.compile(
    r"(?:(?P<row>^[ \t>*_-]{0,8})|[.!?…*\"”»」』][ \t]{0,3})"
    r"(?P<open>[\[【［(（])(?P<inside>[^\[\]【】［］()（）]{1,400})[\]】］)）]",
    re.MULTILINE,
)
_OPEN = (False, "")


class Heard(NamedTuple):
    """The part of an answer that is for the same ears, and whether anything was left out."""

    text: str
    left_out: bool


@dataclass(slots=True)
class _Passage:
    """What follows the tags of one line: for everybody, or an aside to somebody."""

    start: int
    hearing: tuple[bool, str]
    end: int = 0
    words: bool = False


def with_one_hearing(text: str, names: Names) -> Heard:
    """What everybody may hear, if anything is; else the first aside. An answer for the same ears stays as it is."""
    passages = _passages(text, names)
    spoken = [one for one in passages if one.words]
    if len({one.hearing for one in spoken}) < 2:
        hearing = spoken[0].hearing if spoken else _OPEN
        others = [one for one in passages if one.hearing != hearing]
        return Heard(text, False) if not spoken or not others else _only(text, passages, hearing, left_out=False)
    hearing = _OPEN if any(one.hearing == _OPEN for one in spoken) else spoken[0].hearing
    return _only(text, passages, hearing, left_out=True)


def _only(text: str, passages: list[_Passage], hearing: tuple[bool, str], *, left_out: bool) -> Heard:
    return Heard("\n".join(text[one.start : one.end] for one in passages if one.hearing == hearing), left_out)


def _passages(text: str, names: Names) -> list[_Passage]:
    passages: list[_Passage] = []
    at = 0
    for found in _TAGS.finditer(text):
        hearing = _hearing_of(found)
        if hearing is None and not (found["row"] is not None and _is_tagged(found)):
            continue
        if passages:
            passages[-1].words = passages[-1].words or _has_words(text[at : found.start("open")])
            if not _begins_anew(passages[-1], hearing, names):
                at = found.end()
                continue
            passages[-1].end = found.start("open")
        at = found.end()
        passages.append(_Passage(found.start("open") if passages else 0, hearing or _OPEN))
    if passages:
        passages[-1].end = len(text)
        passages[-1].words = passages[-1].words or _has_words(text[at:])
    return passages


def _begins_anew(last: _Passage, hearing: tuple[bool, str] | None, names: Names) -> bool:
    """Whether tags begin another line. Those that name nobody go on with an aside, unless it was to nobody else."""
    if hearing is None:
        return last.words and last.hearing[0] and names.others.search(last.hearing[1]) is None
    return hearing != last.hearing and (last.words or last.hearing != _OPEN)


def _hearing_of(found: re.Match[str]) -> tuple[bool, str] | None:
    """For whose ears a bracket says that a line is; None if it says nothing about it."""
    fields = Fields()
    if found["open"] in "(（":
        take_manner(found["inside"], fields)
    else:
        take_tags(found["inside"], fields)
    if not fields.target:
        return None
    return (True, " ".join(fields.target.casefold().split())) if fields.aside else _OPEN


def _is_tagged(found: re.Match[str]) -> bool:
    return found["open"] not in "(（" and take_tags(found["inside"], Fields())


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, GESTURE.sub("", text)))
