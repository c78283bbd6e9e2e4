"""The smallest play there is: something said aloud, something thought."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, TypeAdapter

from dramaturg.kernel.runs import Event, KernelEvent


class Said(Event):
    type: Literal["said"] = "said"
    text: str


class Thought(Event):
    audience = "hidden"
    type: Literal["thought"] = "thought"
    text: str
    weight: float = 0.0


AnyEvent = Annotated[Said | Thought | KernelEvent, Discriminator("type")]
EVENTS: TypeAdapter[Said | Thought | KernelEvent] = TypeAdapter(AnyEvent)
KINDS = {"said": EVENTS}
