"""The fields of a bracket, as the format has them or in words of other languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from dramaturg.model_notes.notes import is_note
from dramaturg.scenes.answers.asides import AsideMark, mark_at_end, may_be_name, read_aside, without_invisible
from dramaturg.scenes.answers.marks import DOUBLE_QUOTES, NOTE, SILENCE, without_engine_lines

GESTURE = re.compile(r"(?<!\*)\*+([^*\n]+)\*+")
LONGEST_GESTURE = 240
_QUOTES = DOUBLE_QUOTES
_TO = r"to|speaking to|an|zu|à|a|al|para|hacia|宛先|相手|对|對"
_TONE = r"tone|emotion|mood|ton|tono|tom|stimmung|humeur|トーン|口調|感情|语气|語氣|情绪"
_BODY = r"nonverbal|non-verbal|gesture|gestures|action|body language|geste|gesto|handlung|仕草|動作|动作"
_CUT = r"interrupt(?:s|ing)?(?: after)?|unterbricht(?: nach)?|interrompt(?: après)?|interrumpe(?: después de)?"
_FIELD = re.compile(
    rf"^(?:(?P<tone>{_TONE})|(?P<to>{_TO})|(?P<language>language|in)|(?P<cut>{_CUT})|(?P<body>{_BODY}))"
    r"(?!\w)\s*([:=：]?)\s*(.*)$",
    re.IGNORECASE | re.DOTALL,
)
_SILENT = frozenset(("SILENT", "SILENCE", "SCHWEIGT", "SCHWEIGEN", "STILL", "SILENCIO", "SILENZIO", "沈黙", "沉默"))
_REACT = frozenset(("REACT", "REACTS", "REACTION", "REAGIERT", "RÉAGIT", "REACCIONA"))
_COMMA, _ANY_QUOTE = re.compile("[,;|、，]"), re.compile(rf"[{_QUOTES}]")
_BRACKETS = re.compile(r"[\[\]【】［］]")


@dataclass
class Fields:
    """What the brackets of an answer say."""

    target: str | None = None
    tone: str | None = None
    phrase: str | None = None
    aside: bool = False
    perhaps: str | None = None
    """What stands behind the mark of an aside, and may be the name of its addressee."""
    language: str | None = None
    gestures: list[str] = field(default_factory=list)
    mark: Literal["interrupt", "silent", "react"] | None = None

    def address(self, name: str) -> None:
        """Takes whom a line is for. An aside that has an addressee gets no other."""
        if (mark := read_aside(name)) is not None:
            self.mark_aside(mark)
            return
        name, marked = mark_at_end(name)
        if not (self.aside and self.target):
            self.target = plain_value(name.partition("(")[0]) or self.target
        self.aside = self.aside or marked

    def mark_aside(self, mark: AsideMark) -> None:
        """Makes it an aside, to whom its mark names."""
        whom = plain_value(mark.whom.partition("(")[0])
        if mark.sure and whom and not (self.aside and self.target):
            self.target = whom
        elif whom and may_be_name(whom):
            self.perhaps = self.perhaps or whom
        self.aside = True

    def tells_aside(self, text: str) -> bool:
        """Whether a tone or a gesture is the mark of an aside, which it then makes it."""
        mark = read_aside(text)
        if mark is not None and not mark.is_manner:
            self.mark_aside(mark)
        return mark is not None and not mark.is_manner

    def gesture(self, text: str) -> None:
        """Adds what the body does; a note is none, and to say nothing is silence."""
        plain = " ".join(_BRACKETS.sub("", without_engine_lines(text)).strip("*_ \t\n").split())
        plain = plain if plain.endswith("...") else plain.rstrip(".")
        if not any(char.isalnum() for char in plain) or NOTE.match(plain) or is_note(plain):
            return
        if not SILENCE.fullmatch(plain):
            self.gestures.append(plain[:LONGEST_GESTURE])


def take_tags(inside: str, fields: Fields) -> bool:
    """Reads the inside of a bracket into the fields. False if it holds none."""
    known = False
    for piece in pieces_of(without_invisible(inside).strip("[]【】 ")):
        known = _take_piece(piece, fields) or known
    return known


def _take_piece(piece: str, fields: Fields) -> bool:
    if (mark := read_aside(piece)) is not None:
        fields.mark_aside(mark)
        return True
    if gesture := GESTURE.fullmatch(piece):
        fields.gestures.append(_BRACKETS.sub("", gesture[1]).strip()[:LONGEST_GESTURE])
        return True
    bare = piece.strip().upper()
    if bare in _SILENT:
        fields.mark = "silent"
        return True
    if bare in _REACT:
        fields.mark = "react"
        return True
    found = _FIELD.match(piece.strip())
    if not found or (not found[6] and not found["cut"]):
        if found and found["to"]:  # `[to Nora, aside]`
            fields.perhaps = fields.perhaps or plain_value(unquoted(found[7]))
        return False
    _put(found, unquoted(found[7]), fields)
    return True


def _put(found: re.Match[str], value: str, fields: Fields) -> None:
    if found["cut"]:
        fields.mark = "interrupt"
        fields.phrase = value.removeprefix("after").strip().strip(_QUOTES + "'").strip() or fields.phrase
    elif found["to"]:
        fields.address(value)
    elif found["language"]:
        fields.language = plain_value(value) or fields.language
    elif found["tone"]:
        if not fields.tells_aside(value):
            fields.tone = plain_value(value) or fields.tone
    else:
        fields.gesture(value)


def plain_value(value: str) -> str:
    """The value of a field: one row, up to the first bracket."""
    return " ".join(re.split(r"[\[\]【】［］]", value, maxsplit=1)[0].split())


def pieces_of(inside: str) -> Iterator[str]:
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
        if char in ",;|、，" and not quoted and not starred:
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


def unquoted(text: str) -> str:
    """Without the quotation marks around the whole; marks inside stay."""
    text = " ".join(text.split())
    if len(text) > 1 and text[0] in _QUOTES and text[-1] in _QUOTES:
        return text[1:-1].strip()
    if text[:1] in tuple(_QUOTES) and not any(mark in text[1:] for mark in _QUOTES):
        return text[1:].strip()
    return text
