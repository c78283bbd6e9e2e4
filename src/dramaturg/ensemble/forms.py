"""The JSON a slot answers in, as its documents spell it. What is meant counts, where it cannot be mistaken."""

from __future__ import annotations

import re
from typing import Annotated

import orjson
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from dramaturg.ensemble.events import SlotSpoke
from dramaturg.kernel.reasoning import is_reasoning_name
from dramaturg.model_notes.blocks import is_block, is_list_of_blocks, is_unspoken, words_of
from dramaturg.model_notes.loose_json import load_json
from dramaturg.model_notes.sections import below_thoughts

LONGEST_RAW = 8000
EXAMPLES = ("what you say", "your one sentence")
"""What stands for a line in the questions. A model that sends it back has said nothing."""
_NUMBER = re.compile(r"[\W_]*+(?:slot|seat|speaker|answer)?[\W_]{0,9}([0-9]{1,3})[\W_]*+", re.IGNORECASE)
_WORDS = ("text", "comment")


def _spoken(value: object) -> object:
    """On one line, without what cannot be said. More than is ever read is left out; the turn's limit comes later."""
    if not isinstance(value, str):
        return value
    value = below_thoughts(value)
    line = " ".join("".join(char for char in value if char.isprintable() or char.isspace()).split())
    said = _said_in_json(line) if line.startswith("{") else line
    if said.strip(" .").casefold() in EXAMPLES:
        raise ValueError("this is the example; expected words of your own")
    return said[:LONGEST_RAW]


def _said_in_json(line: str) -> str:
    inner = load_json(line)
    if not isinstance(inner, dict):
        return line
    words = next((inner[key] for key in _WORDS if isinstance(inner.get(key), str)), None)
    if words is None:
        raise ValueError("expected words that can be said, and found JSON")
    return " ".join(words.split())


def _target(value: object) -> object:
    """`2`, `"2"`, `"slot-2"` and `[2]` mean the same. A name stays a name; anything else is nobody."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, str):
        number = _NUMBER.fullmatch(value)
        return int(number[1]) if number else value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _name(value: object) -> str:
    """A profile that is no text is none: the slot has one of its own."""
    return value if isinstance(value, str) else ""


def _said_in_blocks(given: object) -> object:
    """The answer in blocks of typed content or turns of a chat; anything else stays as it is."""
    if isinstance(given, dict) and not any(key in given for key in _WORDS):
        given = next((value for value in given.values() if is_list_of_blocks(value)), given)
    has_words = isinstance(given, dict) and any(key in given for key in _WORDS)
    said = words_of(given) if is_list_of_blocks(given) or (is_block(given) and not has_words) else ""
    if not said:
        return given
    inner = load_json(said)
    return inner if isinstance(inner, dict) else {"text": said}


class _Answer(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _unwrapped(cls, given: object) -> object:
        """An answer in a list, or inside one that has no words itself, counts as if it stood alone; no thought does."""
        given = _said_in_blocks(given)
        if isinstance(given, list) and given:
            given = next((one for one in given if not is_unspoken(one)), None)
        if is_unspoken(given):
            raise ValueError("expected what is said, and found a thought or somebody else's turn")
        if isinstance(given, dict) and not any(key in given for key in _WORDS):
            inner = [value for key, value in given.items() if isinstance(value, dict) and not is_reasoning_name(key)]
            return inner[0] if len(inner) == 1 else given
        return given


class SpokenResponse(_Answer):
    """Turn 1 and turn 3: what is said, and how it should sound."""

    text: Annotated[str, BeforeValidator(_spoken)] = Field(min_length=1, max_length=LONGEST_RAW)
    voice_profile: Annotated[str, BeforeValidator(_name)] = Field(
        "", validation_alias=AliasChoices("voice_profile", "voiceProfile")
    )


class CommentSelection(_Answer):
    """Turn 2: one other answer, and one sentence about it."""

    target_slot_id: Annotated[int | str | None, BeforeValidator(_target), WithJsonSchema({"type": "integer"})] = Field(
        None, alias="targetSlotId", validation_alias=AliasChoices("targetSlotId", "target_slot_id")
    )
    comment: Annotated[str, BeforeValidator(_spoken)] = Field(
        min_length=1, max_length=LONGEST_RAW, validation_alias=AliasChoices("comment", "text")
    )
    voice_profile: Annotated[str, BeforeValidator(_name)] = Field(
        "", validation_alias=AliasChoices("voice_profile", "voiceProfile")
    )


def answer_of(line: SlotSpoke) -> str:
    """A line as the JSON it should have come in; the slot's model later reads this as its own answer."""
    if line.target is None:
        return orjson.dumps({"text": line.text, "voice_profile": line.voice_profile}).decode()
    said = {"targetSlotId": line.target, "comment": line.text, "voice_profile": line.voice_profile}
    return orjson.dumps(said).decode()
