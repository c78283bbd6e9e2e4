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
_NO_WORDS_FOLLOW = re.compile(r"(?:[^\w\n*]|\*[^*\n]{1,100}\*){0,20}(?:\n|\Z)")
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
    begin: int = 0
    """Where its tags end."""
    end: int = 0
    words: bool = False


def with_one_hearing(text: str, names: Names) -> Heard:
    """What everybody may hear, if anything is; else the first aside. An answer for the same ears stays as it is.

    What is marked as a thought is left out of any.
    """
    passages = _passages(text, names)
    spoken = [one for one in passages if one.words and not one.hearing.hidden]
    hides = any(one.hearing.hidden for one in passages)
    if len({one.hearing for one in spoken}) < 2:
        hearing = spoken[0].hearing if spoken else _OPEN
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
            is_behind = _is_behind(found, hearing, names)
            if is_behind or not _begins_anew(last, hearing, names):
                if (is_behind or not last.words) and hearing is not None and last.hearing == _OPEN:
                    last.hearing = hearing
                at = found.end()
                last.begin = last.begin if last.words else at
                continue
            _end(passages, text, start)
        at = found.end()
        passages.append(_Passage(start if passages else 0, hearing or _OPEN, at))
    if passages:
        passages[-1].words = passages[-1].words or _has_words(text[at:])
        _end(passages, text, len(text))
    return passages


def _end(passages: list[_Passage], text: str, end: int) -> None:
    """Ends the last passage there; a thought already at the end of its paragraph."""
    last = passages[-1]
    last.end = end
    if not last.hearing.hidden:
        return
    at = last.begin
    for border in _PARAGRAPH.finditer(text, at, end):
        if _has_words(text[at : border.start()]):
            last.end = border.start()
            rest = _has_words(text[border.end() : end])
            passages.append(_Passage(border.end(), _OPEN, border.end(), end, rest))
            return
        at = border.end()


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


def _is_behind(found: re.Match[str], hearing: _Hearing | None, names: Names) -> bool:
    """Whether the mark of an aside ends its row, and is about the words before it; it may hold what is said aside."""
    if hearing is None or not hearing.aside or found["row"] is not None:
        return False
    if _NO_WORDS_FOLLOW.match(found.string, found.end()) is None:
        return False
    fields = _fields_of(found)
    inside = found["inside"] or found["manner"]
    return fields.target is not None or names.has_other(fields.perhaps or "") or may_be_name(inside)


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
