"""What a chat program sends: the whole conversation, and settings of which most are not a client's to make."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, JsonValue

from dramaturg.episodes.client_talk import HistoryLine, merged
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.values import Value

MOST_MESSAGES = 10_000
LONGEST_KEY = 200
LONGEST_NAME = 64
CONVERSATION_KEYS = ("conversation_id", "chat_id", "session_id")
"""The names under which `metadata` may hold the client's own name for the conversation."""
TEXT = "text"
_ROLES = {"user": "player", "assistant": "character"}
EXAMPLE: dict[str, JsonValue] = {
    "model": "character/alice",
    "messages": [{"role": "user", "content": "Good evening. Is this seat taken?"}],
    "stream": True,
}


def _only_one(wanted: int) -> int:
    if wanted != 1:
        raise ValueError("one answer is all there is; leave it out")
    return wanted


class ContentPart(Value):
    """A part of a message. Only text is read."""

    model_config = ConfigDict(frozen=True, extra="allow")

    type: str = Field(max_length=40, examples=["text"])
    text: str | None = None


class CompletionMessage(Value):
    """A message of the conversation."""

    model_config = ConfigDict(frozen=True, extra="allow")

    role: Literal["system", "developer", "user", "assistant", "tool", "function"] = Field(
        description="`user` is the player, `assistant` the character; what the others say is not heard"
    )
    content: str | tuple[ContentPart, ...] | None = None

    @property
    def text(self) -> str:
        if self.content is None or isinstance(self.content, str):
            return self.content or ""
        return "\n\n".join(part.text for part in self.content if part.type == TEXT and part.text)

    @property
    def unread(self) -> set[str]:
        """What of this message is not read: its role, or the types of its parts that are not text."""
        if self.role not in _ROLES:
            return {self.role}
        parts = self.content if isinstance(self.content, tuple) else ()
        return {part.type for part in parts if part.type != TEXT}


class StreamOptions(Value):
    """What is sent with a stream."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    include_usage: bool = Field(False, description="send the usage in a last chunk")


class CompletionRequest(Value):
    """A request as OpenAI defines it. Fields that are not listed here are accepted and have no effect."""

    model_config = ConfigDict(frozen=True, extra="allow", json_schema_extra={"examples": [EXAMPLE]})

    model: str = Field(
        min_length=1,
        max_length=300,
        description="whom to talk to: an id of `GET /v1/models`",
        examples=["character/alice"],
    )
    messages: tuple[CompletionMessage, ...] = Field(
        min_length=1, max_length=MOST_MESSAGES, description="the conversation so far; the last message is answered"
    )
    stream: bool | None = Field(None, description="send the answer while it is written")
    stream_options: StreamOptions | None = None
    n: Annotated[int, AfterValidator(_only_one), Field(json_schema_extra={"minimum": 1, "maximum": 1})] | None = Field(
        None, description="one answer at a time"
    )
    user: str | None = Field(
        None, max_length=LONGEST_KEY, description="for the author's program: who speaks; memories are kept per user"
    )
    metadata: dict[str, Any] | None = Field(
        None, description="`conversation_id`, `chat_id` or `session_id` names the conversation"
    )

    @property
    def wants_usage(self) -> bool:
        return self.stream_options is not None and self.stream_options.include_usage

    @property
    def ignored(self) -> tuple[str, ...]:
        """The fields that have no effect, for the client to see."""
        unread = (f"messages.{name}" for one in self.messages for name in one.unread)
        return tuple(sorted({*(self.model_extra or {}), *unread}))

    @property
    def player_name(self) -> str:
        """What the program calls its user, in the newest message that says it; empty if none does."""
        names = ((one.model_extra or {}).get("name") for one in reversed(self.messages) if one.role == "user")
        return next((name.strip()[:LONGEST_NAME] for name in names if isinstance(name, str) and name.strip()), "")

    def history(self) -> tuple[HistoryLine, ...]:
        """The conversation, each side's messages in a row made one. Raises InvalidConfig if nothing is said in it."""
        lines = [
            HistoryLine("player" if one.role == "user" else "character", one.text)
            for one in self.messages
            if one.role in _ROLES
        ]
        if not lines:
            raise InvalidConfig("There is no message to answer. Send one of the role 'user'.")
        if not lines[-1].text.strip():
            raise InvalidConfig("The last message has no text. Pictures, files and sound are not read here.")
        return merged(lines)

    def conversation_key(self, header: str | None) -> str:
        """The client's own name for the conversation; empty if it has none. Raises InvalidConfig if it is too long."""
        found = (str(value) for name in CONVERSATION_KEYS if (value := (self.metadata or {}).get(name)))
        key = header or next(found, "")
        if len(key) > LONGEST_KEY:
            raise InvalidConfig(f"The name of a conversation can have up to {LONGEST_KEY} characters.")
        return key
