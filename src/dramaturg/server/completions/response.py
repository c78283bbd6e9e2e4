"""What a chat program is sent: one completion, or its chunks, as OpenAI defines them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from dramaturg.kernel.runs.costs import CostRow
from dramaturg.kernel.values import Value

FinishReason = Literal["stop"]


class CompletionUsage(Value):
    """The tokens of the answer: of the character's model, or of all models at an ensemble's table."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0

    @classmethod
    def of(cls, row: CostRow) -> CompletionUsage:
        total = row.input_tokens + row.output_tokens
        return cls(prompt_tokens=row.input_tokens, completion_tokens=row.output_tokens, total_tokens=total)


class AnswerMessage(Value):
    """The answer."""

    role: Literal["assistant"] = "assistant"
    content: str
    refusal: None = None


class CompletionChoice(Value):
    """The one answer."""

    index: Literal[0] = 0
    message: AnswerMessage
    finish_reason: FinishReason = "stop"
    logprobs: None = None


class ChatCompletion(Value):
    """A whole answer."""

    id: str = Field(examples=["chatcmpl-1mkq8zt4c0v7hxw3rn"])
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: tuple[CompletionChoice, ...]
    usage: CompletionUsage
    session: str = Field(description="the run that has the conversation")


class AnswerDelta(Value):
    """The next piece of the answer."""

    role: Literal["assistant"] | None = None
    content: str | None = None


class ChunkChoice(Value):
    """The next piece of the one answer."""

    index: Literal[0] = 0
    delta: AnswerDelta
    finish_reason: FinishReason | None = None


class ChatCompletionChunk(Value):
    """One `data:` line of a stream; the last is `[DONE]`."""

    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str
    choices: tuple[ChunkChoice, ...] = ()
    usage: CompletionUsage | None = None
    session: str
