"""Lines that an author writes for the rehearsal company: in the cards, and in the scene file.

In a card, under `## Lines`, each with the moment it is for, or plain:

    - When pressing: "Three times you told me green."
    - "I can plan around bad news."

In a scene file, under `lines`, as the transcript prints them; a key in parentheses takes a line from the card:

    Alice [TO: Bob, TONE: cold] "Is there anything you'd like to tell me?"
    Alice [TONE: hard] (pressing)
    Alice [TONE: softening] (softening) "I accept your apology."
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.values import Value
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.response import NO_TONE, ParsedResponse, parse_response

_OPENING_QUOTES = "\"“„«»「『'‘‚"
_CLOSING_QUOTES = "\"”“«»」』'’"
_HEADING = re.compile(
    r"\b(?:lines?|sayings?|quotes?|dialogue|repliken|sätze|répliques|líneas|frases|battute|falas)\b|台詞|セリフ", re.I
)
_KEYED = re.compile(
    r"^(?:when|at|if|before|after|on|while|goal|wenn|beim|am|als|ziel|quand|à|en|lorsque|cuando|al|quando|alla)\b", re.I
)
_ROW = re.compile(
    r"^(?P<who>[^\[\]():：\"“„«「]++)(?P<tags>\[[^\]]*+\])?\s*+[:：]?+\s*+"
    r"(?:\((?P<key>[^()]++)\))?\s*+(?P<words>[\"“„«「].++)?$",
    re.DOTALL,
)


class CardLine(Value):
    """A line of a card, and the moment it is for; plain lines have none. A tone and a gesture may be given with it."""

    text: str
    key: str = ""
    tone: str = ""
    gesture: str = ""


class ScriptLine(Value):
    """A line of a script. With `key`, a line of the speaker's card is said first, or instead."""

    speaker: str
    response: ParsedResponse
    key: str = ""


class ScriptMoment(Value):
    """A moment of a scene and the ways to play it. With `goal`, its last line does what that sub-goal asks for."""

    at: str = ""
    goal: int | None = None
    takes: tuple[tuple[ScriptLine, ...], ...]


def is_lines_heading(heading: str) -> bool:
    """Whether a section of a card holds lines to say."""
    return bool(_HEADING.search(heading))


def card_lines(rows: Iterable[str]) -> tuple[CardLine, ...]:
    """The lines of such a section. A row that is only a key, with its colon, is the key of the rows below it."""
    found: list[CardLine] = []
    above = ""
    for row in rows:
        text = row.strip()
        if re.search(r"[:：]$", text) and len(text) < 60:
            above = text[:-1].strip()
            continue
        key, rest = _split_key(text)
        if line := _card_line(rest, key or above):
            found.append(line)
    return tuple(found)


def _card_line(text: str, key: str) -> CardLine | None:
    if not text.startswith("["):
        words = _unquoted(text)
        return CardLine(text=words, key=key) if words else None
    parsed, _ = parse_response(text)
    tone = "" if parsed.tone == NO_TONE else parsed.tone
    return CardLine(text=parsed.content, key=key, tone=tone, gesture=parsed.nonverbal or "") if parsed.content else None


def _split_key(text: str) -> tuple[str, str]:
    if text[:1] in (*_OPENING_QUOTES, "["):
        return "", text
    found = re.match(r"(?P<key>[^:：\"“„«「]{1,60})[:：]\s*(?P<rest>.+)$", text, re.DOTALL)
    if found and (found["rest"][0] in (*_OPENING_QUOTES, "[") or _KEYED.match(found["key"])):
        return found["key"].strip(), found["rest"]
    return "", text


def _unquoted(text: str) -> str:
    plain = text.strip()
    whole = len(plain) > 1 and plain[0] in _OPENING_QUOTES and plain[-1] in _CLOSING_QUOTES
    return plain[1:-1].strip() if whole else plain


def read_script(moments: Iterable[tuple[str, int | None, Sequence[str]]], cast: Sequence[str]) -> list[ScriptMoment]:
    """The moments of a scene's script, for a cast. Raises InvalidConfig with the row that cannot be read."""
    names = CastNames(tuple(cast))
    return [
        ScriptMoment(at=at, goal=goal, takes=tuple(_take(text, names) for text in takes)) for at, goal, takes in moments
    ]


def _take(text: str, names: CastNames) -> tuple[ScriptLine, ...]:
    lines = tuple(_line(row.strip(), names) for row in text.splitlines() if row.strip())
    for before, line in pairwise(lines):
        phrase = line.response.interrupt_after
        if phrase and not before.key and phrase.casefold() not in before.response.content.casefold():
            raise InvalidConfig(
                f"'lines': {line.speaker} interrupts after \"{phrase}\", which is not in the line before it: "
                f'"{before.response.content}".'
            )
    return lines


def _line(row: str, names: CastNames) -> ScriptLine:
    found = _ROW.match(row)
    who = names.resolve(found["who"].strip()) if found else None
    if found is None or not (found["tags"] or found["key"] or found["words"]):
        raise InvalidConfig(f"'lines': '{row}' is not a line. Write it so: Alice [TO: Bob, TONE: cold] \"Well?\"")
    if who is None:
        raise InvalidConfig(f"'lines': '{found['who'].strip()}' is not in the cast ({', '.join(names.names)}).")
    words = _unquoted(found["words"] or "")
    parsed, _ = parse_response(f'{found["tags"] or f"[TONE: {NO_TONE}]"} "{words or "Well."}"', cast=names.names)
    if not found["words"]:
        parsed = parsed.model_copy(update={"content": ""})
        if not found["key"]:
            parsed = parsed.model_copy(update={"action": "react"})
    target = names.resolve(parsed.target) if parsed.target else None
    parsed = parsed.model_copy(update={"content": words, "target": target})
    return ScriptLine(speaker=who, response=parsed, key=(found["key"] or "").strip())
