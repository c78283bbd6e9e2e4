"""The JSON a slot answers in, as its documents spell it."""

from __future__ import annotations

import re
from typing import Annotated

import orjson
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field

from dramaturg.ensemble.events import SlotSpoke

LONGEST_RAW = 8000
_NUMBER = re.compile(r"\d+")


def _spoken(value: object) -> object:
    """On one line, without what cannot be said."""
    if not isinstance(value, str):
        return value
    return " ".join("".join(char for char in value if char.isprintable() or char.isspace()).split())


def _number(value: object) -> object:
    """`2`, `"2"` and `"slot-2"` mean the same."""
    if isinstance(value, str) and len(found := _NUMBER.findall(value)) == 1:
        return int(found[0])
    return value


class SpokenResponse(BaseModel):
    """Turn 1 and turn 3: what is said, and how it should sound."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: Annotated[str, BeforeValidator(_spoken)] = Field(min_length=1, max_length=LONGEST_RAW)
    voice_profile: str = Field("", validation_alias=AliasChoices("voice_profile", "voiceProfile"))


class CommentSelection(BaseModel):
    """Turn 2: one other answer, and one sentence about it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    target_slot_id: Annotated[int, BeforeValidator(_number)] = Field(
        alias="targetSlotId", validation_alias=AliasChoices("targetSlotId", "target_slot_id")
    )
    comment: Annotated[str, BeforeValidator(_spoken)] = Field(min_length=1, max_length=LONGEST_RAW)
    voice_profile: str = Field("", validation_alias=AliasChoices("voice_profile", "voiceProfile"))


def answer_of(line: SlotSpoke) -> str:
    """A line as the JSON it should have come in; the slot's model later reads this as its own answer."""
    if line.target is None:
        return orjson.dumps({"text": line.text, "voice_profile": line.voice_profile}).decode()
    said = {"targetSlotId": line.target, "comment": line.text, "voice_profile": line.voice_profile}
    return orjson.dumps(said).decode()
