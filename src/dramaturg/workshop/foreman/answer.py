"""What the Foreman answered: reasoning, a message to the writer, actions, prose for the manuscript.

Values only; `answer_reader.py` finds them in whatever a model wrote.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from dramaturg.kernel.values import JsonData, Value

OddityKind = Literal["mended", "left_out", "unclear"]


class Oddity(Value):
    """A breach of the protocol in an answer: repaired, left out for safety, or not understood.

    The writer sees it, and the next prompt tells the model.
    """

    kind: OddityKind
    what: str = Field(description="one sentence, with the way to do it right")
    quote: str = Field("", description="the beginning of the place")


class ActionRequest(Value):
    """An action as the model requested it. Not validated: parameters are text unless they came as JSON."""

    type: str
    params: Mapping[str, JsonData] = Field(default_factory=dict)
    raw: str = Field("", description="as it was written")


class ContentUpdate(Value):
    """Prose for a file of the manuscript. `whole` is false if the answer broke off inside it."""

    target: str
    text: str
    whole: bool = True


class ForemanAnswer(Value):
    """A parsed answer. `message` has everything the model said to the writer."""

    message: str
    thinking: str = ""
    actions: tuple[ActionRequest, ...] = ()
    updates: tuple[ContentUpdate, ...] = ()
    oddities: tuple[Oddity, ...] = ()
