"""Which part of a conversation still fits a prompt. The oldest entries always go first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from dramaturg.kernel.errors import PromptError
from dramaturg.kernel.models.port import Model
from dramaturg.kernel.models.tokens import estimate_tokens

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Window:
    """How a conversation that has grown too long is shortened.

    Providers cache a prompt from its beginning, so it pays to shorten rarely and by more than necessary: `step` drops
    that many entries at a time, and `share` cuts down to a part of the room once the whole no longer fits (0 starts
    over). `most` limits the number of entries as well. An entry is whatever must not be separated: a message, or a
    question together with its answer.
    """

    most: int | None = None
    step: int = 1
    share: float = 1.0

    def newest(self, entries: Sequence[T], room: int, weigh: Callable[[T], int]) -> Sequence[T]:
        """The newest entries that fit, in their order; weights and room are in the same unit, usually tokens."""
        recent = entries if self.most is None else entries[max(0, len(entries) - self.most) :]
        weights = [weigh(entry) for entry in recent]
        first, total = 0, sum(weights)
        if total <= room:
            return recent
        limit = int(room * self.share)
        while total > limit and first < len(weights):
            total -= sum(weights[first : first + self.step])
            first += self.step
        return recent[first:]


@lru_cache(maxsize=4096)
def message_tokens(text: str) -> int:
    """The tokens of a message, estimated once however often it is sent."""
    return estimate_tokens(text)


def prompt_room(model: Model, answer: int, reserved: int) -> int:
    """The tokens that a prompt has in a model's window beside the answer. Raises PromptError if there are none."""
    window = model.profile.context_window
    if window <= answer + reserved:
        raise PromptError(
            f"{model.name} has a window of {window:,} tokens, in which `max_tokens = {answer}` under [models] leaves "
            "no room for a prompt. Lower it, or play with a model that reads more.",
            model=model.name,
            window=window,
            max_tokens=answer,
        )
    return window - answer - reserved
