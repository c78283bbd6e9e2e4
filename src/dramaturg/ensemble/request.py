"""A chat request: a message and the slots that should answer it. Invalid fields are refused by name."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from reprlib import repr as shortened
from typing import Annotated

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from dramaturg.authored import AuthoredForm, explained
from dramaturg.ensemble.ensemble import MOST, Text, Turn3, problem_of_slots
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.values import WireValue

LONGEST_MESSAGE = 4000
DEFAULT_KIOSK = "main"
_KIOSK = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_DIGITS = re.compile(r"\s*+[0-9]{1,3}\s*+")
_BREAKS = str.maketrans({"\r": "\n", "\v": "\n", "\f": "\n", "\u2028": "\n", "\u2029": "\n"})


def cleaned(message: str) -> str:
    """The typed text without invisible characters: control characters, lone surrogates, surrounding whitespace."""
    text = message.replace("\r\n", "\n").translate(_BREAKS)
    seen = (char for char in text if char in "\n\t" or unicodedata.category(char) not in ("Cc", "Cs", "Cn", "Co"))
    return re.sub(r"\n{3,}", "\n\n", "".join(seen)).strip()


def _numbered(value: object) -> object:
    """A bare number is a slot, also as a text, which is all that some stages can send."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    is_digits = isinstance(value, str) and _DIGITS.fullmatch(value) is not None
    return {"slotId": value} if is_number or is_digits else value


def check_kiosk(name: str) -> str:
    """The name of a kiosk. Raises InvalidConfig if it cannot be one."""
    if problem := problem_of_kiosk(name):
        raise InvalidConfig(problem)
    return name


def problem_of_kiosk(name: str) -> str | None:
    """Why this cannot name a kiosk; None if it can."""
    if _KIOSK.fullmatch(name):
        return None
    return f"{name[:80]!r} cannot name a kiosk. Use letters, digits, '-', '_' and '.', up to 64 of them."


class SlotRequest(WireValue):
    """A slot that should answer; its fields override ensemble.yaml. A bare number is enough."""

    slot_id: int = Field(ge=1, le=MOST, description="1 to 6")
    agent_id: Text | None = Field(default=None, min_length=1, max_length=80, description="a name, a card, or a model")
    persona: Text | None = Field(default=None, max_length=4000)
    model: Text | None = Field(default=None, max_length=200, description="what plays it")
    voice: Text | None = Field(default=None, max_length=200, description="one voice of the speech engine")
    voice_profile: Text | None = Field(default=None, max_length=80, description="how it sounds")
    language: Text | None = Field(default=None, max_length=40, description="what it speaks, such as German")


class ChatRequest(WireValue):
    """One message to one to six slots. Without `slots`, the whole ensemble answers."""

    message: str = Field(description=f"what was asked, up to {LONGEST_MESSAGE} characters")
    slots: tuple[Annotated[SlotRequest, BeforeValidator(_numbered)], ...] | None = Field(
        default=None, description="who answers: numbers, or {slotId, agentId}"
    )
    kiosk: str = Field(default=DEFAULT_KIOSK, description="whose conversation this goes on with")
    audio: bool | None = Field(default=None, description="speak every line; as the settings say if not set")
    turn3: Turn3 | None = Field(default=None, description="who replies: those with a comment, or all")
    seed: int | None = Field(default=None, description="makes the rehearsal company say the same again")

    @model_validator(mode="before")
    @classmethod
    def _clean(cls, raw: object) -> object:
        if isinstance(raw, Mapping) and isinstance(raw.get("message"), str):
            message = raw["message"]
            # Checked before cleaning: a megabyte is not worth the work.
            return {**raw, "message": cleaned(message) if len(message) <= 4 * LONGEST_MESSAGE else message}
        return raw

    @model_validator(mode="after")
    def _askable(self) -> ChatRequest:
        if problem := _problem(self):
            raise ValueError(problem)
        return self


def _problem(request: ChatRequest) -> str | None:
    if not request.message:
        return "The message is empty. Say something to the ensemble."
    if len(request.message) > LONGEST_MESSAGE:
        return (
            f"The message has {len(request.message):,} characters; at most {LONGEST_MESSAGE:,} can be answered "
            "in a few sentences. Shorten it."
        )
    if problem := problem_of_kiosk(request.kiosk):
        return problem
    return problem_of_slots([slot.slot_id for slot in request.slots]) if request.slots is not None else None


def request_from(raw: object) -> ChatRequest:
    """A request from parsed JSON. Raises InvalidConfig with the problem and how to fix it."""
    try:
        return ChatRequest.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "value_error":
            raise InvalidConfig(str(first["ctx"]["error"])) from error
        if first["loc"][:1] == ("slots",) and first["type"] in _NO_SLOT:
            raise InvalidConfig(
                f"There is no slot {shortened(first['input'])}; slots are numbered 1 to {MOST}."
            ) from error
        raise InvalidConfig(explained(error, _FORM, "request", raw)) from error


_FORM = AuthoredForm(ChatRequest, "request")
_NO_SLOT = ("model_type", "greater_than_equal", "less_than_equal", "int_parsing", "int_type", "int_from_float")
