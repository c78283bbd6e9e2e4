"""Answers that come as JSON instead of tags, as some models insist on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dramaturg.kernel.models.structured import json_values
from dramaturg.workshop.foreman.answer import ContentUpdate, ForemanAnswer, Oddity
from dramaturg.workshop.foreman.json_calls import called

SAID = ("message", "response", "reply")
THOUGHT = ("thinking", "thought", "reasoning")
PLAIN = Oddity(kind="mended", what="Answers are written in tags, not in JSON.")


def answer_in_json(text: str, known: Mapping[str, str]) -> ForemanAnswer | None:
    """The answer in a JSON object with a message or actions, or the calls of `known` actions (plain name to name);
    None if there is no such object."""
    if not text.strip().startswith(("{", "[", "```")):
        return None
    for value in json_values(text):
        calls = tuple(called(value, known))
        if calls and not _is_answer(value):
            return ForemanAnswer(message="", actions=calls, oddities=(PLAIN,))
        if isinstance(value, dict):
            actions = tuple(called(value.get("actions", value.get("action"))))
            message = next((str(value[key]) for key in SAID if isinstance(value.get(key), str)), "")
            if message or actions:
                thinking = next((str(value[key]) for key in THOUGHT if isinstance(value.get(key), str)), "")
                updates = tuple(_updates(value.get("content_updates", value.get("content_update"))))
                return ForemanAnswer(
                    message=message.strip(), thinking=thinking, actions=actions, updates=updates, oddities=(PLAIN,)
                )
    return None


def _is_answer(value: object) -> bool:
    return isinstance(value, dict) and any(isinstance(value.get(key), str) for key in SAID)


def _updates(given: object) -> Iterator[ContentUpdate]:
    for one in given if isinstance(given, list) else [given]:
        if isinstance(one, dict) and isinstance(one.get("target"), str):
            text = one.get("content", one.get("text", ""))
            yield ContentUpdate(target=str(one["target"]), text=str(text))
