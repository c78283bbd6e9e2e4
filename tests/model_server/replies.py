"""What the stand-in says: a pure function of the prompt, so that a run repeats exactly.

The role is taken from the model's name or from `[[ROLE:name]]` in the prompt: a `character` speaks a line in
the scene's response format to somebody of `CAST: A, B`; a `judge` answers JSON, complete from `BEAT: k` on when
the server was told `complete_after=k`; anybody else says one neutral sentence.
"""

from __future__ import annotations

import json
import re
import zlib
from dataclasses import dataclass
from typing import Any

ROLES = ("character", "judge")
CAST = ("Alice", "Bob", "Charlie")
TONES = ("wary", "plain", "amused", "tense", "tired", "hopeful", "firm", "tender")
GESTURES = ("turns a cup round", "looks to the window", "sits down at last", "folds the letter")
LINES = (
    "We could have had this talk a month ago, and it would have been shorter.",
    "I kept the ticket. I do not know why I kept it.",
    "Say it once in plain words and I will answer in plain words.",
    "Nobody is leaving until the lamp is mended or the story is told.",
    "You are right about the money and wrong about the reason.",
    "Then let it be written down: we begin again on Thursday.",
    "I was afraid, and I called it being busy.",
    "There is one chair too many at this table.",
)
SENTENCES = (
    "Outside, the tram goes by without stopping.",
    "The kettle has gone quiet and nobody gets up.",
    "A door closes somewhere below, softly.",
)

_ROLE = re.compile(r"\[\[ROLE:(\w+)\]\]")
_CAST_LINE = re.compile(r"CAST: ([^\n\"\\]+)")
_BEAT = re.compile(r"BEAT: (\d+)")


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as the reply sees it: which protocol, which model, the prompt as one text, the whole body."""

    api: str
    model: str
    prompt: str
    body: dict[str, Any]

    @property
    def role(self) -> str:
        named = next((role for role in ROLES if role in self.model.lower()), "")
        marked = _ROLE.search(self.prompt)
        return named or (marked[1] if marked else "other")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A reply that calls one of the tools it was offered (Anthropic only)."""

    name: str
    input: dict[str, Any]


def stock_reply(asked: Asked, complete_after: int = 0) -> str:
    dice = zlib.crc32(asked.prompt.encode())
    if asked.role == "character":
        return _line(asked.prompt, dice)
    if asked.role == "judge":
        beats = [int(beat) for beat in _BEAT.findall(asked.prompt)]
        done = bool(complete_after and beats and max(beats) >= complete_after)
        return json.dumps({"complete": done, "confidence": round((1 + dice % 9) / 10, 1), "note": ""})
    if wants_json(asked.body):
        return json.dumps({"answer": SENTENCES[dice % len(SENTENCES)]})
    return SENTENCES[dice % len(SENTENCES)]


def _line(prompt: str, dice: int) -> str:
    named = _CAST_LINE.search(prompt)
    cast = [name.strip() for name in named[1].split(",")] if named else list(CAST)
    tone, line = TONES[dice % len(TONES)], LINES[(dice >> 5) % len(LINES)]
    to, gesture = cast[(dice >> 9) % len(cast)], GESTURES[(dice >> 13) % len(GESTURES)]
    match (dice >> 17) % 10:
        case 0:
            return f"[SILENT, *{gesture}*]"
        case 1:
            return f"[REACT, TONE: {tone}, *{gesture}*]"
        case 2 | 3:
            return f'[TO: {to}, TONE: {tone}, *{gesture}*] "{line}"'
        case _:
            return f'[TO: {to}, TONE: {tone}] "{line}"'


def forced_tool(body: dict[str, Any]) -> str | None:
    """The tool an Anthropic request insists on."""
    choice = body.get("tool_choice") or {}
    return choice.get("name") if isinstance(choice, dict) and choice.get("type") == "tool" else None


def wants_json(body: dict[str, Any]) -> bool:
    return bool(body.get("response_format") or (body.get("output_config") or {}).get("format") or forced_tool(body))


def cut_at_stop(text: str, stops: object) -> tuple[str, str | None]:
    """The text up to the first stop sequence, and which one it was."""
    found = [(text.find(stop), stop) for stop in (stops if isinstance(stops, list) else []) if stop in text]
    if not found:
        return text, None
    at, stop = min(found)
    return text[:at], stop


def pieces(text: str, count: int = 6) -> list[str]:
    step = max(1, -(-len(text) // count))
    return [text[at : at + step] for at in range(0, len(text), step)] or [""]
