"""Answers that come as JSON instead of tags, as some models insist on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from dramaturg.kernel.models.structured import json_values
from dramaturg.workshop.foreman.answer import ContentUpdate, ForemanAnswer, Oddity
from dramaturg.workshop.foreman.json_calls import called

SAID = ("message", "response", "reply")
THOUGHT = ("thinking", "thought", "reasoning")
SAID_ELSE = ("content", "answer", "final_answer", "text")
"""Keys under which the message may stand in an object that calls nothing."""
PLAIN = Oddity(kind="mended", what="Answers are written in tags, not in JSON.")
HALF = Oddity(kind="left_out", what="The JSON of an answer cannot be read; nothing in it was done. Write in tags.")
_SAID = re.compile(rf'"(?:{"|".join((*SAID, *SAID_ELSE))})"\s*+:\s*+"((?:[^"\\]|\\.)*+)', re.S)
_KEYED = re.compile(r'\{\s{0,20}+"|\[\s{0,20}+\{')


def answer_in_json(text: str, known: Mapping[str, str]) -> ForemanAnswer | None:
    """The answer in a JSON object with a message or actions, or the calls of `known` actions (plain name to name);
    None if there is no such object."""
    if not text.strip().startswith(("{", "[", "```")):
        return None
    for value in json_values(text):
        calls = tuple(called(value, known))
        if calls and not _is_answer(value):
            return ForemanAnswer(message=_beside(text.strip()), actions=calls, oddities=(PLAIN,))
        if isinstance(value, dict):
            actions = tuple(called(value.get("actions", value.get("action"))))
            keys = SAID if actions else (*SAID, *SAID_ELSE)
            message = next((str(value[key]) for key in keys if isinstance(value.get(key), str)), "")
            if message or actions:
                thinking = next((str(value[key]) for key in THOUGHT if isinstance(value.get(key), str)), "")
                updates = tuple(_updates(value.get("content_updates", value.get("content_update"))))
                return ForemanAnswer(
                    message=message.strip(), thinking=thinking, actions=actions, updates=updates, oddities=(PLAIN,)
                )
    return None


def answer_in_half_json(text: str) -> ForemanAnswer | None:
    """The message of an answer whose JSON broke off or is none, as far as it goes; None if the text is no JSON.

    Nothing that such an answer asks for is done.
    """
    text = text.strip().removeprefix("```json").removeprefix("```").lstrip()
    if _KEYED.match(text) is None:
        return None
    said = _SAID.search(text)
    message = _unquoted(said[1]) if said else ""
    return ForemanAnswer(message=message.strip(), thinking=text, oddities=(HALF,))


def _unquoted(inside: str) -> str:
    """The text of a JSON string that may break off amid an escape."""
    try:
        return str(json.loads(f'"{inside.rstrip(chr(92))}"', strict=False))
    except ValueError:
        return inside.replace("\\n", "\n").replace('\\"', '"')


def _beside(text: str) -> str:
    """What stands below the JSON, or the code fence, with which a text begins."""
    if text.startswith("```"):
        end = text.find("```", 3)
        return text[end + 3 :].strip() if end >= 0 else ""
    try:
        _, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return ""
    return text[end:].strip()


def _is_answer(value: object) -> bool:
    return isinstance(value, dict) and any(isinstance(value.get(key), str) for key in SAID)


def _updates(given: object) -> Iterator[ContentUpdate]:
    for one in given if isinstance(given, list) else [given]:
        if isinstance(one, dict) and isinstance(one.get("target"), str):
            text = one.get("content", one.get("text", ""))
            yield ContentUpdate(target=str(one["target"]), text=str(text))
