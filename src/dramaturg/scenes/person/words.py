"""What a person typed, read as a line. Nothing of it is taken for a model's habit: no word of it is left out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dramaturg.kernel.text.control import plain
from dramaturg.scenes.answers.marks import without_engine_lines, wrote_engine_lines
from dramaturg.scenes.answers.parts import cast_of
from dramaturg.scenes.answers.speech import LONGEST_CONTENT, is_stress, take_manner
from dramaturg.scenes.answers.tags import Fields, take_tags, unquoted
from dramaturg.scenes.line import Line
from dramaturg.scenes.response import ParsedResponse, hearer_of, response_of

CUTS_IN = re.compile(r"\s*(?:--|—|–)\s*(?=\S)")
_BRACKET = re.compile(r"\s*\[([^\[\]]{1,2000})\]")
_MANNER = re.compile(r"\s*\(([^()]{1,120})\)")
_GESTURE = re.compile(r"(?<!\*)\*(?! )([^*\n]{1,240})(?<! )\*(?!\*)")
_DOTS = re.compile(r"[\s.…]*")
_LAST_WORDS = 6
_EXPECTED = ("no tone given", "no words in the answer")
"""What nobody who types plain words has to be told."""


def read_words(
    text: str, heard: Sequence[Line], *, me: str, cast: Sequence[str]
) -> tuple[ParsedResponse, tuple[str, ...]]:
    """The line in what somebody typed, and what had to be assumed to read it. Never raises.

    A dash before the words cuts into the latest line that the person was told.
    """
    warnings: list[str] = []
    if wrote_engine_lines(text := plain(text)):
        text = without_engine_lines(text)
        warnings.append("wrote what only the engine writes, left out")
    fields = Fields()
    words = _without_tags(_without_own_name(text, me, cast), fields)
    if (dash := CUTS_IN.match(words)) is not None and fields.mark is None:
        words = words[dash.end() :]
        fields.mark, fields.phrase = "interrupt", _last_words(heard, me)
    if manner := _MANNER.match(words):
        take_manner(manner[1], fields)
        words = words[manner.end() :]
    words = unquoted(_GESTURE.sub(lambda found: _gesture(found, fields), words).strip())
    if _DOTS.fullmatch(words):
        words = ""
    if fields.aside:
        fields.target = hearer_of(fields, cast_of(me, cast))
    parsed = response_of(fields, words[:LONGEST_CONTENT], warnings)
    return parsed, tuple(warning for warning in warnings if warning not in _EXPECTED)


def _without_own_name(text: str, me: str, cast: Sequence[str]) -> str:
    """`Bob: I know` is `I know` if Bob says it; another name in front is whom he calls."""
    found = cast_of(me, cast).label.match(text)
    mine = found is not None and cast_of(me, cast).is_me(found["who"])
    return text[found.end() :] if found is not None and mine else text


def _without_tags(text: str, fields: Fields) -> str:
    """The text behind its leading brackets; one that holds no tags stays."""
    while (bracket := _BRACKET.match(text)) is not None and take_tags(bracket[1], fields):
        text = text[bracket.end() :]
    return text


def _gesture(found: re.Match[str], fields: Fields) -> str:
    """What is left of starred words: nothing of a gesture, and a stressed word without its stars."""
    before, behind = found.string[: found.start()].rstrip(), found.string[found.end() : found.end() + 9]
    inside = found[1].strip()
    if is_stress(inside, before, behind, is_first=not before):
        return inside
    fields.gesture(inside)
    return " "


def _last_words(heard: Sequence[Line], me: str) -> str | None:
    """The end of the line that is still being spoken, or else of the latest one by somebody else."""
    others = [line for line in heard if line.kind == "line" and line.speaker != me and line.content]
    speaking = [line for line in others if line.still_speaking] or others
    return " ".join(speaking[-1].content.split()[-_LAST_WORDS:]) if speaking else None
