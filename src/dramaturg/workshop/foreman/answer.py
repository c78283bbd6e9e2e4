"""What the Foreman answered: reasoning, a message to the writer, actions, prose for the manuscript.

Values only; `reading.py` finds them in whatever a model wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, JsonValue

from dramaturg.kernel.values import Value

OddityKind = Literal["mended", "left_out", "unclear"]


class Oddity(Value):
    """Where an answer left the protocol: mended on the way, left out for safety, or not understood.

    The writer sees it, and the model is told with the next prompt.
    """

    kind: OddityKind
    what: str = Field(description="one sentence, with the way to do it right")
    quote: str = Field("", description="the beginning of the place")


class ActionRequest(Value):
    """An action as the model asked for it. Not validated: parameters are text unless they came as JSON."""

    type: str
    params: Mapping[str, JsonValue] = Field(default_factory=dict)
    raw: str = Field("", description="as it was written")


class ContentUpdate(Value):
    """Prose for a file of the manuscript. `whole` is false where the answer broke off inside it."""

    target: str
    text: str
    whole: bool = True


class ForemanAnswer(Value):
    """An answer, taken apart. Nothing the model said to the writer is missing from `message`."""

    message: str
    thinking: str = ""
    actions: tuple[ActionRequest, ...] = ()
    updates: tuple[ContentUpdate, ...] = ()
    oddities: tuple[Oddity, ...] = ()
