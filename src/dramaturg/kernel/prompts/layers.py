"""The layers a prompt is made of, and the receipt that lists what went out."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from dramaturg.kernel.values import Value

Fate = Literal["whole", "trimmed", "left out"]


class Layer(Value):
    """One part of a prompt.

    A layer with `entries` (oldest first) can be trimmed: it loses its oldest entries and keeps at least `min_entries`;
    `text`, if any, is its heading. Any other layer is sent whole or not at all. If the budget is short, layers of
    higher `priority` go first; a required layer is always sent.
    """

    name: str = Field(min_length=1)
    text: str = ""
    entries: tuple[str, ...] | None = None
    joint: str = Field("\n", description="between entries")
    required: bool = True
    priority: int = 0
    min_entries: int = Field(1, ge=1)
    max_tokens: int | None = Field(None, ge=1, description="a limit of its own, below the budget")

    @property
    def whole(self) -> int:
        """How many entries it has; 0 for a layer without entries."""
        return len(self.entries or ())

    @property
    def least(self) -> int:
        """How many of them it has to keep."""
        return min(self.min_entries, self.whole)

    @property
    def is_empty(self) -> bool:
        return not self.whole if self.entries is not None else not self.text.strip()

    def newest(self, kept: int) -> Layer:
        """This layer with only its newest entries."""
        return self if kept == self.whole else self.model_copy(update={"entries": (self.entries or ())[-kept:]})

    def __str__(self) -> str:
        heading = (self.text,) if self.text else ()
        return self.joint.join(heading + (self.entries or ()))


class LayerReceipt(Value):
    """The outcome for one layer: it took `tokens` of the `wanted`.

    `sha256`, 12 digits of it, is the hash of what was sent, or of the whole layer if it was left out.
    """

    name: str
    fate: Fate
    sha256: str
    tokens: int
    wanted: int
    dropped_entries: int = 0
    reason: str = ""


class Receipt(Value):
    """What went into a prompt and what did not: lists every layer, in order."""

    layers: tuple[LayerReceipt, ...]
    tokens: int
    budget: int

    @property
    def omissions(self) -> tuple[LayerReceipt, ...]:
        """The layers that were trimmed or left out."""
        return tuple(layer for layer in self.layers if layer.fate != "whole")

    def __str__(self) -> str:
        rows = [f"{self.tokens} of {self.budget} tokens"]
        for layer in self.layers:
            reason = f" ({layer.reason})" if layer.reason else ""
            rows.append(f"  {layer.name}: {layer.fate}, {layer.tokens} tokens, {layer.sha256}{reason}")
        return "\n".join(rows)


class Prompt(Value):
    """A prompt ready to send: its layers as sent, their text, and the receipt."""

    text: str
    layers: tuple[Layer, ...]
    receipt: Receipt

    def layer(self, name: str) -> str:
        """The text of one layer as sent; empty if it was left out."""
        return next((str(layer) for layer in self.layers if layer.name == name), "")
