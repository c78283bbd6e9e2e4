"""Answers that come as JSON instead of tags, as some models insist on."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from dramaturg.kernel.reasoning import is_reasoning_name
from dramaturg.model_notes.blocks import (
    is_block,
    is_list_of_blocks,
    is_unspoken,
    thoughts_of,
    without_unspoken,
    words_of,
)
from dramaturg.model_notes.loose_json import load_json
from dramaturg.model_notes.structured import json_values
from dramaturg.workshop.foreman.answer import ContentUpdate, ForemanAnswer, Oddity
from dramaturg.workshop.foreman.json_calls import called

SAID = ("message", "response", "reply")
THOUGHT = ("thinking", "thought", "reasoning")
SAID_ELSE = ("content", "answer", "final_answer", "text")
"""Keys under which the message may stand in an object that calls nothing."""
PLAIN = Oddity(kind="mended", what="Answers are written in tags, not in JSON.")
HALF = Oddity(kind="left_out", what="The JSON of an answer cannot be read; nothing in it was done. Write in tags.")
_SAID = re.compile(rf'"(?:{"|".join((*SAID, *SAID_ELSE))})"\s*+:\s*+"((?:[^"\\]|\\.)*+)', re.S)
_OBJECT_OF = re.compile(
    r'(?:"(?P<key>\w{1,40})"\s{0,9}:\s{0,9}\{|\{\s{0,9}"(?:type|name)"\s{0,9}:\s{0,9}"(?P<type>\w{1,40})")[^{}]{0,200}\Z'
)
"""What an object stands under, or is, amid which a text ends."""
LOOK_BACK = 300
_KEYED = re.compile(r'\{\s{0,20}+"|\[\s{0,20}+\{')


def answer_in_json(text: str, known: Mapping[str, str]) -> ForemanAnswer | None:
    """The answer in a JSON object with a message or actions, or the calls of `known` actions (plain name to name);
    None if there is no such object."""
    if not text.strip().startswith(("{", "[", "```")):
        return None
    thought = _thought_aloud(text)
    for value in json_values(text):
        if is_unspoken(value):
            continue
        calls = tuple(called(value, known))
        if calls and not _is_answer(value):
            return ForemanAnswer(message=_beside(text.strip()), actions=calls, oddities=(PLAIN,))
        if is_list_of_blocks(value) and (said := words_of(value)):
            return ForemanAnswer(message=said.strip(), thinking=_thoughts(value), oddities=(PLAIN,))
        if isinstance(value, dict):
            actions = tuple(called(value.get("actions", value.get("action"))))
            keys = SAID if actions else (*SAID, *SAID_ELSE)
            message = next((said for key in keys if (said := _said(value.get(key)))), "")
            if message and message in thought:
                continue
            if message or actions:
                thinking = next((said for key in THOUGHT if (said := thoughts_of(value.get(key)))), "")
                thinking = thinking or next(filter(None, map(_thoughts, value.values())), "")
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
    whole = load_json(text)
    said = _first_said(text if whole is None else json.dumps(without_unspoken(whole), ensure_ascii=False))
    message = _unquoted(said[1]) if said else ""
    return ForemanAnswer(message=message.strip(), thinking=text, oddities=(HALF,))


def _said(given: object) -> str:
    """The words under a key of the message: text, or blocks; an object counts if it has its words in a text."""
    return words_of(given) if not isinstance(given, dict) or is_block(given) or "text" in given else ""


def _thoughts(given: object) -> str:
    """The thoughts among blocks."""
    return "\n\n".join(map(thoughts_of, filter(is_unspoken, given))) if is_list_of_blocks(given) else ""


def _thought_aloud(text: str) -> frozenset[str]:
    """The words in the thoughts of an object that broke off, which is read by the objects in it."""
    if load_json(text.strip()) is not None:
        return frozenset()
    return frozenset(_unquoted(one[1]) for one in _SAID.finditer(text) if _is_in_thought(text, one.start()))


def _first_said(text: str) -> re.Match[str] | None:
    """The first words in JSON that may break off, which are in no thought."""
    return next((said for said in _SAID.finditer(text) if not _is_in_thought(text, said.start())), None)


def _is_in_thought(text: str, at: int) -> bool:
    before = _OBJECT_OF.search(text[max(0, at - LOOK_BACK) : at])
    return before is not None and is_reasoning_name(before["key"] or before["type"])


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
