"""What a character answered: one bracket of fields, then the words. Read tolerantly; it never raises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from dramaturg.kernel.models.bounds import read_answer_with
from dramaturg.kernel.values import WireValue
from dramaturg.model_notes.refusal import declines_to_play
from dramaturg.model_notes.spoken_part import NO_WORDS
from dramaturg.scenes.answers.asides import ONESELF
from dramaturg.scenes.answers.json_form import json_answer, without_objects
from dramaturg.scenes.answers.marks import printable, without_engine_lines, wrote_engine_lines
from dramaturg.scenes.answers.one_hearing import with_one_hearing
from dramaturg.scenes.answers.parts import Names, cast_of, own_part
from dramaturg.scenes.answers.speech import take_manner, take_words
from dramaturg.scenes.answers.tags import Fields
from dramaturg.scenes.answers.wrapping import unwrapped

ResponseAction = Literal["speak", "interrupt", "silent", "react"]
NO_TONE = "neutral"
LONGEST = 20_000
EMPTY, DECLINED = "empty answer, taken as silence", "declined to play, taken as silence"
OTHER_EARS, A_THOUGHT = "went on for other ears, left out", "marked as a thought, left out"
NO_ANSWER = frozenset({EMPTY, DECLINED})
"""Why an answer was no answer, though the model gave one."""


class ParsedResponse(WireValue):
    """An answer as it was understood. Silence has no content; an interruption names the phrase it follows."""

    action: ResponseAction
    target: str | None = None
    tone: str = NO_TONE
    content: str = ""
    interrupt_after: str | None = None
    nonverbal: str | None = None
    aside: bool = False
    language: str | None = None


class CharacterResponse(WireValue):
    """One answer of a character: as it came, as it was read, and when it arrived.

    `warnings` says what had to be assumed to read it.
    """

    raw: str
    parsed: ParsedResponse
    timestamp: float
    warnings: tuple[str, ...] = Field((), exclude=True)


def parse_response(raw: str, *, me: str = "", cast: Sequence[str] = ()) -> tuple[ParsedResponse, tuple[str, ...]]:
    """The response in `raw`, and what had to be assumed to read it. Never raises."""
    warnings: list[str] = []
    names = cast_of(me, cast)
    text = unwrapped(_bounded(raw, warnings))
    if not text or text in NO_WORDS:
        return ParsedResponse(action="silent"), (*warnings, EMPTY)
    fields = Fields()
    if (found := json_answer(text, names)) is not None:
        fields, text = found.fields, found.words
        warnings.append("answered in JSON")
        if found.speaker and not names.is_me(found.speaker) and found.speaker.casefold() in names.forms:
            return ParsedResponse(action="silent"), (*warnings, f"spoke for {found.speaker}, refused")
    else:
        text = without_objects(text)
    if wrote_engine_lines(text):
        text = without_engine_lines(text)
        warnings.append("wrote what only the engine writes, left out")
    return _read(text, names, fields, warnings), tuple(warnings)


def _bounded(raw: str, warnings: list[str]) -> str:
    text = raw.replace("\x00", "")
    if len(text) <= LONGEST:
        return text
    warnings.append(f"answer of {len(raw)} characters, only the first {LONGEST} read")
    return text[:LONGEST]


def _read(text: str, names: Names, fields: Fields, warnings: list[str]) -> ParsedResponse:
    part = own_part(text, names)
    if part.foreign and not part.text:
        warnings.append(f"spoke for {part.foreign}, refused")
        return ParsedResponse(action="silent")
    if part.foreign:
        warnings.append(f"went on to speak for {part.foreign}, cut off there")
    heard = with_one_hearing(part.text, names)
    if heard.left_out:
        warnings.append(OTHER_EARS)
    if heard.hides:
        warnings.append(A_THOUGHT)
    words = take_words(heard.text, names, fields)
    if part.manner:
        take_manner(part.manner, fields)
    if declines_to_play(words, tagged=fields.mark is not None or fields.tone is not None):
        warnings.append(DECLINED)
        return ParsedResponse(action="silent")
    if fields.aside:
        fields.target = hearer_of(fields, names)
    elif fields.target and names.is_me(fields.target):
        fields.target = None
        warnings.append("addressed to itself, taken as said to all")
    return response_of(fields, words, warnings)


def hearer_of(fields: Fields, names: Names) -> str:
    """Whom an aside is for: who is named, or else nobody but its speaker."""
    perhaps = fields.perhaps if fields.perhaps and names.has_other(fields.perhaps) else None
    target = fields.target or perhaps
    return ONESELF if target is None or names.is_me(target) else target


def read_response(raw: str, *, me: str, cast: Sequence[str], key: str = "") -> tuple[ParsedResponse, tuple[str, ...]]:
    """As `parse_response`, for an answer that has just arrived. Raises ModelUnreadable, should it fail after all."""
    return read_answer_with("a character's line", lambda: parse_response(raw, me=me, cast=cast), key=key)


def render_response(parsed: ParsedResponse) -> str:
    """The wire form of a response: what `parse_response` reads back to the same value."""
    inside: list[str] = []
    if parsed.action == "silent":
        inside.append("SILENT")
    elif parsed.action == "react":
        inside.append("REACT")
    elif parsed.action == "interrupt":
        inside.append(f'INTERRUPT after "{parsed.interrupt_after}"')
    if parsed.target and parsed.action in ("speak", "interrupt"):
        inside.append(f"{'ASIDE TO' if parsed.aside else 'TO'}: {parsed.target}")
    if parsed.action != "silent":
        inside.append(f"TONE: {parsed.tone}")
    if parsed.language:
        inside.append(f"IN: {parsed.language}")
    if parsed.nonverbal:
        inside.append(f"*{parsed.nonverbal}*")
    bracket = f"[{', '.join(inside)}]"
    return f'{bracket} "{parsed.content}"' if parsed.content else bracket


def response_of(fields: Fields, words: str, warnings: list[str]) -> ParsedResponse:
    """The response that tags and words make together; what had to be assumed goes into the warnings."""
    gesture = printable("; ".join(dict.fromkeys(g for g in fields.gestures if g))) or None
    words, phrase = printable(words), printable(fields.phrase or "") or None
    action: ResponseAction = "speak"
    if fields.mark == "silent":
        action, words = "silent", ""
    elif fields.mark == "interrupt" and words and phrase:
        action = "interrupt"
    elif not words:
        action = "react" if gesture else "silent"
        if fields.mark is None:
            warnings.append("no words in the answer")
    elif fields.mark == "react" and gesture is None:
        action, gesture, words = "react", words, ""
    if fields.mark == "interrupt" and not phrase:
        warnings.append("interruption without a phrase, taken as speech")
    if fields.tone is None and action != "silent":
        warnings.append("no tone given")
    spoken = action in ("speak", "interrupt")
    return ParsedResponse(
        action=action,
        target=printable(fields.target or "") or None if spoken else None,
        tone=printable(fields.tone or "") or NO_TONE,
        content=words if action != "react" else "",
        interrupt_after=phrase if action == "interrupt" else None,
        nonverbal=gesture,
        aside=fields.aside and spoken,
        language=fields.language if spoken else None,
    )
