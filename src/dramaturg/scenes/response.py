"""What a character answered: one bracket of fields, then the words. Read tolerantly; it never raises."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from pydantic import Field

from dramaturg.kernel.models.bounds import read_answer_with
from dramaturg.kernel.models.loose_json import load_json
from dramaturg.kernel.text.fences import unfenced
from dramaturg.kernel.values import WireValue

ResponseAction = Literal["speak", "interrupt", "silent", "react"]
NO_TONE = "neutral"
LONGEST = 20_000
LONGEST_CONTENT = 4_000
LONGEST_BRACKET = 2_000
MOST_STRANGE_BRACKETS = 12
"""After this many brackets that hold no field of ours, the rest is speech."""

_THINK = re.compile(r"<(think|thinking)\b[^<>]*>.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_QUOTES = '"“”„«»‟〝〞＂'
_REFUSAL = re.compile(
    r"\b(as an ai\b|as a language model|i (?:cannot|can't|can’t) (?:help|assist|continue) with)",
    re.IGNORECASE,
)
_GESTURE = re.compile(r"(?<!\*)\*+([^*\n]+)\*+")
_FIELD = re.compile(
    r"^(aside to|whispers? to|tone|to|language|in|interrupt(?:s|ing)?(?: after)?|nonverbal)\b\s*([:=]?)\s*(.*)$",
    re.IGNORECASE | re.DOTALL,
)
_LINE_ENDS = "\n\r\v\f\x1c-\x1e\x85\u2028\u2029"
"""Where `splitlines` divides."""
_QUOTATION = re.compile(rf"([{_QUOTES}][^{_QUOTES}]*[{_QUOTES}])")
_ANY_QUOTE, _COMMA = re.compile(rf"[{_QUOTES}]"), re.compile("[,;]")
_SEAM = re.compile(rf"[{_QUOTES}]\s+[{_QUOTES}](?=\S)")
_OPEN, _CLOSE = "“„«〝", "”»〞"
_MARKS = re.compile(rf"[\[{_QUOTES}]")
_CLOSERS = re.compile(rf"[\]{_QUOTES}]")


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


@dataclass
class _Fields:
    target: str | None = None
    tone: str | None = None
    phrase: str | None = None
    aside: bool = False
    language: str | None = None
    gestures: list[str] = field(default_factory=list)
    mark: Literal["interrupt", "silent", "react"] | None = None


def parse_response(raw: str, *, me: str = "", cast: Sequence[str] = ()) -> tuple[ParsedResponse, tuple[str, ...]]:
    """The response in `raw`, and what had to be assumed to read it. Never raises."""
    warnings: list[str] = []
    text = _cleared(raw, warnings)
    if not text:
        return ParsedResponse(action="silent"), (*warnings, "empty answer, taken as silence")
    if (from_json := _from_json(text)) is not None:
        return from_json, (*warnings, "answered in JSON")
    text, foreign = _own_part(text, me, cast)
    if foreign and not text:
        return ParsedResponse(action="silent"), (*warnings, f"spoke for {foreign}, refused")
    if foreign:
        warnings.append(f"went on to speak for {foreign}, cut off there")
    fields, rest = _fields(text)
    words = _words(rest, fields)
    if fields.mark is None and fields.tone is None and _REFUSAL.search(words):
        return ParsedResponse(action="silent"), (*warnings, "declined to play, taken as silence")
    return _decide(fields, words, warnings), tuple(warnings)


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


def _cleared(raw: str, warnings: list[str]) -> str:
    text = raw.replace("\x00", "")
    if len(text) > LONGEST:
        text = text[:LONGEST]
        warnings.append(f"answer of {len(raw)} characters, only the first {LONGEST} read")
    if "<" in text:
        text = _THINK.sub("", text)
    fenced = unfenced(text) if "```" in text else None
    return (text if fenced is None else fenced).replace("**", "").strip()


def _from_json(text: str) -> ParsedResponse | None:
    if not text.startswith("{"):
        return None
    found = load_json(text)
    if not isinstance(found, dict):
        return None
    flat = {str(k).lower().replace("_", ""): v for k, v in found.items() if isinstance(v, str)}
    content = _unquoted(flat.get("content") or flat.get("dialogue") or flat.get("text") or "")
    action = flat.get("action", "").lower()
    phrase = flat.get("interruptafter") or None
    gesture = (flat.get("nonverbal") or "").strip("* ") or None
    chosen: ResponseAction = "speak" if content else "react" if gesture else "silent"
    if action == "interrupt" and phrase and content:
        chosen = "interrupt"
    elif action == "silent":
        chosen, content = "silent", ""
    return ParsedResponse(
        action=chosen,
        target=flat.get("target") or None,
        tone=flat.get("tone", "").strip() or NO_TONE,
        content=content[:LONGEST_CONTENT],
        interrupt_after=phrase if chosen == "interrupt" else None,
        nonverbal=gesture,
    )


def _own_part(text: str, me: str, cast: Sequence[str]) -> tuple[str, str | None]:
    """The part of the answer that is this character's own, and the name it went on to speak for, if any."""
    if _spoken_by(me, tuple(cast)).search(text) is None:
        return text.strip(), None
    own: list[str] = []
    for line in text.splitlines():
        named = next((name for name in (me, *cast) if name and _speaks(line, name)), None)
        if named is None:
            own.append(line)
        elif named.casefold() == me.casefold():
            own.append(re.sub(rf"^\s*{re.escape(named)}\s*:?\s*", "", line, flags=re.IGNORECASE))
        else:
            return "\n".join(own).strip(), named
    return "\n".join(own).strip(), None


@lru_cache(maxsize=256)
def _spoken_by(me: str, cast: tuple[str, ...]) -> re.Pattern[str]:
    """Finds a line that begins with anybody's name, as in a script. Most answers have none."""
    names = "|".join(re.escape(name) for name in (me, *cast) if name)
    return re.compile(
        rf"(?:\A|[{_LINE_ENDS}])[^\S{_LINE_ENDS}]*(?:{names})\s*(?::|(?=\[))" if names else r"(?!)", re.IGNORECASE
    )


def _speaks(line: str, name: str) -> bool:
    return bool(re.match(rf"\s*{re.escape(name)}\s*(?::|(?=\[))", line, re.IGNORECASE))


def _fields(text: str) -> tuple[_Fields, str]:
    """Read every bracket group of ours that stands outside the quoted words; what is left is speech."""
    fields, rest, at, quoted, strange = _Fields(), [], 0, False, 0
    for found in _MARKS.finditer(text):
        if found.start() < at:
            continue
        mark = found[0]
        if mark != "[":
            quoted = mark in _OPEN or (mark not in _CLOSE and not quoted)
            continue
        end = None if quoted or strange > MOST_STRANGE_BRACKETS else _closing(text, found.start())
        if end is not None and _take(text[found.end() : end], fields):
            rest.append(text[at : found.start()])
            at = end + 1
        elif not quoted:
            strange += 1
    rest.append(text[at:])
    return fields, "".join(rest)


def _closing(text: str, start: int) -> int | None:
    quoted = False
    for found in _CLOSERS.finditer(text, start + 1, start + LONGEST_BRACKET):
        if found[0] != "]":
            quoted = not quoted
        elif not quoted:
            return found.start()
    fallback = text.find("]", start, start + LONGEST_BRACKET)
    return fallback if fallback > 0 else None


def _take(inside: str, fields: _Fields) -> bool:
    known = False
    for piece in _pieces(inside):
        known = _take_piece(piece, fields) or known
    return known


def _take_piece(piece: str, fields: _Fields) -> bool:
    if gesture := _GESTURE.fullmatch(piece):
        fields.gestures.append(gesture[1].strip())
        return True
    bare = piece.strip().upper()
    if bare in ("SILENT", "SILENCE"):
        fields.mark = "silent"
        return True
    if bare in ("REACT", "REACTS", "REACTION"):
        fields.mark = "react"
        return True
    found = _FIELD.match(piece.strip())
    if not found or (not found[2] and not found[1].lower().startswith("interrupt")):
        return False
    name, value = found[1].lower(), _unquoted(found[3])
    if name.startswith("interrupt"):
        fields.mark = "interrupt"
        fields.phrase = value.removeprefix("after").strip().strip(_QUOTES + "'").strip() or fields.phrase
    elif name.endswith("to"):
        fields.target = value or fields.target
        fields.aside = fields.aside or (name != "to" and bool(value))
    elif name in ("language", "in"):
        fields.language = value or fields.language
    elif name == "tone":
        fields.tone = value or fields.tone
    elif name == "nonverbal":
        fields.gestures.append(value.strip("* "))
    return True


def _pieces(inside: str) -> Iterator[str]:
    """Fields of a bracket: divided at commas that stand outside quotes and gestures."""
    if "*" not in inside and _ANY_QUOTE.search(inside) is None:
        for plain in _COMMA.split(inside):
            yield from _divided(plain)
        return
    piece: list[str] = []
    quoted = starred = False
    for char in inside:
        if char in _QUOTES:
            quoted = not quoted
        elif char == "*" and not quoted:
            starred = not starred
        if char in ",;" and not quoted and not starred:
            yield from _divided("".join(piece))
            piece = []
        else:
            piece.append(char)
    yield from _divided("".join(piece))


def _divided(piece: str) -> Iterator[str]:
    """A gesture may follow a field without a comma: `TONE: sad *sighs*`."""
    piece = piece.strip()
    if not piece:
        return
    if "*" in piece and not piece.startswith("*"):
        head, _, tail = piece.partition("*")
        yield head.strip()
        yield "*" + tail.strip()
    else:
        yield piece


def _words(rest: str, fields: _Fields) -> str:
    """The spoken words; gestures that stand between or around the quotations are taken out as gestures."""
    parts = _QUOTATION.split(" ".join(rest.split()))
    for at in range(0, len(parts), 2):
        if "*" not in parts[at]:
            continue
        fields.gestures += [found.strip() for found in _GESTURE.findall(parts[at])]
        parts[at] = _GESTURE.sub(" ", parts[at])
    joined = _SEAM.sub(" ", "".join(parts).strip())
    return _unquoted(joined)[:LONGEST_CONTENT].strip()


def _quoted_whole(text: str) -> bool:
    stripped = text.strip()
    return len(stripped) > 1 and stripped[0] in _QUOTES and stripped[-1] in _QUOTES


def _unquoted(text: str) -> str:
    """Without the quotation marks around the whole; marks inside stay."""
    text = " ".join(text.split())
    if _quoted_whole(text):
        return text[1:-1].strip()
    if text[:1] in tuple(_QUOTES) and not any(mark in text[1:] for mark in _QUOTES):
        return text[1:].strip()
    return text


def _decide(fields: _Fields, words: str, warnings: list[str]) -> ParsedResponse:
    gesture = "; ".join(dict.fromkeys(g for g in fields.gestures if g)) or None
    action: ResponseAction = "speak"
    if fields.mark == "silent":
        action, words = "silent", ""
    elif fields.mark == "interrupt" and words and fields.phrase:
        action = "interrupt"
    elif not words:
        action = "react" if gesture else "silent"
        if fields.mark is None:
            warnings.append("no words in the answer")
    elif fields.mark == "react" and gesture is None:
        action, gesture, words = "react", words, ""
    if fields.mark == "interrupt" and not fields.phrase:
        warnings.append("interruption without a phrase, taken as speech")
    if fields.tone is None and action != "silent":
        warnings.append("no tone given")
    spoken = action in ("speak", "interrupt")
    return ParsedResponse(
        action=action,
        target=fields.target if spoken else None,
        tone=fields.tone or NO_TONE,
        content=words if action != "react" else "",
        interrupt_after=fields.phrase if action == "interrupt" else None,
        nonverbal=gesture,
        aside=fields.aside and spoken,
        language=fields.language if spoken else None,
    )
