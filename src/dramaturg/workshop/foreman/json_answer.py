"""Answers that come as JSON instead of tags, as some models insist on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dramaturg.kernel.models.structured import json_values
from dramaturg.workshop.foreman.answer import ActionRequest, ContentUpdate, ForemanAnswer, Oddity

SAID = ("message", "response", "reply")
THOUGHT = ("thinking", "thought", "reasoning")
NAMES = ("type", "name", "action")
PLAIN = Oddity(kind="mended", what="Answers are written in tags, not in JSON.")


def answer_in_json(text: str) -> ForemanAnswer | None:
    """The answer in a JSON object with a message or actions; None if there is no such object."""
    if not text.strip().startswith(("{", "```")):
        return None
    for value in json_values(text):
        if isinstance(value, dict):
            actions = tuple(_actions(value.get("actions", value.get("action"))))
            message = next((str(value[key]) for key in SAID if isinstance(value.get(key), str)), "")
            if message or actions:
                thinking = next((str(value[key]) for key in THOUGHT if isinstance(value.get(key), str)), "")
                updates = tuple(_updates(value.get("content_updates", value.get("content_update"))))
                return ForemanAnswer(
                    message=message.strip(), thinking=thinking, actions=actions, updates=updates, oddities=(PLAIN,)
                )
    return None


def _actions(given: object) -> Iterator[ActionRequest]:
    for one in given if isinstance(given, list) else [given]:
        if not isinstance(one, dict):
            continue
        kind = next((str(one[key]) for key in NAMES if isinstance(one.get(key), str)), "")
        inner = one.get("params", one.get("parameters"))
        rest = {key: value for key, value in one.items() if key not in (*NAMES, "params", "parameters")}
        if kind:
            params = inner if isinstance(inner, Mapping) else rest
            yield ActionRequest.model_validate({"type": kind, "params": params, "raw": str(one)[:2000]})


def _updates(given: object) -> Iterator[ContentUpdate]:
    for one in given if isinstance(given, list) else [given]:
        if isinstance(one, dict) and isinstance(one.get("target"), str):
            text = one.get("content", one.get("text", ""))
            yield ContentUpdate(target=str(one["target"]), text=str(text))
