"""An answer in several lines that are not for the same ears: only one of them is the character's line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from dramaturg.model_notes.labels import is_hidden_mark
from dramaturg.scenes.answers.asides import may_be_name
from dramaturg.scenes.answers.parts import Names
from dramaturg.scenes.answers.speech import take_manner
from dramaturg.scenes.answers.tags import GESTURE, Fields, pieces_of, take_tags

_TAGS = re.compile(
    r"(?:(?P<row>^[ \t>*_-]{0,8})|(?P<behind>[.!?…*\"”»」』])[ \t]{0,3})"
    r"(?P<tags>[\[【［](?P<inside>[^\[\]【】［］]{1,400})[\]】］]|[(（](?P<manner>[^\[\]【】［］()（）]{1,400})[)）])",
    re.MULTILINE,
)
_PARAGRAPH = re.compile(r"\n[ \t]{0,9}\n")
_SENTENCE_ENDS = frozenset(".!?…")


class _Hearing(NamedTuple):
    """For whom a passage is: everybody, the addressee of an aside, or nobody, since it is a thought."""

    aside: bool = False
    name: str = ""
    hidden: bool = False


_OPEN, _HIDDEN = _Hearing(), _Hearing(hidden=True)


class Heard(NamedTuple):
    """The part of an answer that is for the same ears; whether more was for others, and whether any was a thought."""

    text: str
    left_out: bool = False
    hides: bool = False


@dataclass(slots=True)
class _Passage:
    """What follows the tags of one line."""

    start: int
    hearing: _Hearing
    end: int = 0
    words: bool = False
    marks_all: bool = False
    """Whether its tags stand behind words, and may be about those."""


def with_one_hearing(text: str, names: Names) -> Heard:
    """What everybody may hear, if anything is; else the first aside. An answer for the same ears stays as it is.

    What is marked as a thought is left out of any.
    """
    passages = _passages(text, names)
    spoken = [one for one in passages if one.words and not one.hearing.hidden]
    hides = any(one.hearing.hidden for one in passages)
    if len({one.hearing for one in spoken}) < 2:
        hearing = spoken[0].hearing if spoken else _OPEN
        if spoken and not hides and passages[-1].marks_all:
            return Heard(text)
        others = [one for one in passages if one.hearing != hearing]
        if not hides and (not spoken or not others):
            return Heard(text)
        return Heard(_only(text, passages, hearing), hides=hides)
    hearing = _OPEN if any(one.hearing == _OPEN for one in spoken) else spoken[0].hearing
    return Heard(_only(text, passages, hearing), left_out=True, hides=hides)


def _only(text: str, passages: list[_Passage], hearing: _Hearing) -> str:
    return "\n".join(text[one.start : one.end] for one in passages if one.hearing == hearing)


def _passages(text: str, names: Names) -> list[_Passage]:
    passages: list[_Passage] = []
    at = 0
    for found in _TAGS.finditer(text):
        hearing = _hearing_of(found)
        if hearing is None and not (found["row"] is not None and _is_tagged(found)):
            continue
        start = found.start("tags")
        if not passages and hearing == _HIDDEN and text[:start].strip():
            passages.append(_Passage(0, _OPEN))
        if passages:
            last = passages[-1]
            last.words = last.words or _has_words(text[at:start])
            if not _begins_anew(last, hearing, names):
                if not last.words and hearing is not None and last.hearing == _OPEN:
                    last.hearing = hearing
                at = found.end()
                continue
            _end(passages, text, start)
        at = found.end()
        passages.append(_Passage(start if passages else 0, hearing or _OPEN))
        passages[-1].marks_all = found["row"] is None and _is_mark_alone(found, names)
    if passages:
        passages[-1].words = passages[-1].words or _has_words(text[at:])
        passages[-1].marks_all &= not passages[-1].words
        _end(passages, text, len(text))
    return passages


def _end(passages: list[_Passage], text: str, end: int) -> None:
    """Ends the last passage there; a thought already at the end of its paragraph."""
    last = passages[-1]
    last.end = end
    if not last.hearing.hidden:
        return
    for border in _PARAGRAPH.finditer(text, last.start, end):
        if _has_words(text[last.start : border.start()].partition("]")[2]):
            last.end = border.start()
            passages.append(_Passage(border.end(), _OPEN, end, _has_words(text[border.end() : end])))
            return


def _begins_anew(last: _Passage, hearing: _Hearing | None, names: Names) -> bool:
    """Whether tags begin another line. Those that name nobody go on with an aside, unless it was to nobody else."""
    if hearing is None:
        return last.words and (
            last.hearing.hidden or (last.hearing.aside and names.others.search(last.hearing.name) is None)
        )
    if not last.words and last.hearing == _Hearing(aside=True):
        return False
    return hearing != last.hearing and (last.words or last.hearing != _OPEN)


def _hearing_of(found: re.Match[str]) -> _Hearing | None:
    """For whose ears a bracket says that a line is; None if it says nothing about it."""
    fields = _fields_of(found)
    if fields.aside:
        return _Hearing(aside=True, name=" ".join((fields.target or fields.perhaps or "").casefold().split()))
    if _hides(found):
        return _HIDDEN
    return _OPEN if fields.target else None


def _hides(found: re.Match[str]) -> bool:
    """Whether a bracket says that a thought or a note follows: `[THOUGHT, TONE: sad]`."""
    inside = found["inside"]
    if inside is None or (found["behind"] in _SENTENCE_ENDS and not inside.isupper()):
        return False
    return any(is_hidden_mark(piece) for piece in pieces_of(inside))


def _is_mark_alone(found: re.Match[str], names: Names) -> bool:
    """Whether a bracket only says that it is an aside, and to whom; it may hold what is said aside."""
    fields = _fields_of(found)
    inside = found["inside"] or found["manner"]
    return fields.aside and (fields.target is not None or names.has_other(fields.perhaps or "") or may_be_name(inside))


def _fields_of(found: re.Match[str]) -> Fields:
    fields = Fields()
    if found["inside"] is None:
        take_manner(found["manner"], fields)
    else:
        take_tags(found["inside"], fields)
    return fields


def _is_tagged(found: re.Match[str]) -> bool:
    return found["inside"] is not None and take_tags(found["inside"], Fields())


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, GESTURE.sub("", text)))
