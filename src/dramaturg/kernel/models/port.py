"""The model port: the one seam between dramaturg and anything that writes text.

A `Model` has a profile and two methods. Everything else (retries, limits, budgets, prices, recording)
is a wrapper with the same interface.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

import orjson

from dramaturg.kernel.models.profiles import ModelProfile
from dramaturg.kernel.values import Value

Role = Literal["user", "assistant"]
Purpose = Literal["acting", "judging", "events", "repair", "extraction", "writing"]
Finish = Literal["stop", "length", "refusal"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation. `encoded` is its JSON, built once and reused by every later request."""

    role: Role
    text: str
    encoded: bytes = b""

    def __post_init__(self) -> None:
        if not self.encoded:
            object.__setattr__(self, "encoded", orjson.dumps({"role": self.role, "content": self.text}))


@dataclass(frozen=True, slots=True)
class OutputForm:
    """The JSON that an answer must contain: a name and a JSON Schema."""

    name: str
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class CueAnswer:
    """The text that answers a cue, and the seconds somebody would have taken for it."""

    text: str
    seconds: float = 0.2

    @classmethod
    def composed(cls, text: str) -> CueAnswer:
        """A text that takes a moment of thought, and longer the longer it is."""
        return cls(text, 0.4 + 0.008 * len(text))


class Cue(ABC):
    """The facts of a prompt as values, and how to answer them without a model. Never sent to a provider.

    A capability puts one into each of its requests; the rehearsal company answers with it.
    """

    __slots__ = ()

    @abstractmethod
    def answer(self) -> CueAnswer:
        """The answer, the same for the same cue."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to a model.

    `key` is unique within a run and stable across a resume: a request whose key is already in the log is answered
    from it. `system` and all messages but the last form the prefix that providers cache. `check`, if given, is called
    when there is room for the request, and raises if it is not to be sent any more.
    """

    key: str
    purpose: Purpose
    system: str
    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float | None = None
    stop: tuple[str, ...] = ()
    output: OutputForm | None = None
    cue: Cue | None = None
    check: Callable[[], Awaitable[None]] | None = field(default=None, compare=False, repr=False)


class Usage(Value):
    """The tokens of one answer. `input_tokens` includes cache reads and writes.

    `reported` is false if the server gave no usage and the figures are our own estimate.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    reported: bool = True

    @property
    def total_tokens(self) -> int:
        return self.input_tokens + self.output_tokens


class ModelAnswer(Value):
    """A model's answer. `cost_usd` is None if the price is unknown; zero always means free."""

    text: str
    model: str
    usage: Usage = Usage()
    cost_usd: float | None = None
    finish: Finish = "stop"
    arrived_at: float = 0.0


class Model(Protocol):
    """The seam. `name` is the name the model was opened by, `provider/model`; it and `profile` never change."""

    @property
    def name(self) -> str: ...

    @property
    def profile(self) -> ModelProfile: ...

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        """Returns the complete answer. Raises ModelError, BudgetExceeded."""
        ...

    def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        """Yields pieces of text as they arrive, then the complete answer as the last item."""
        ...
