"""An episode's turn as text: what the player would see of it in order, without anything hidden."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from dramaturg.episodes.client_talk import NOTICE
from dramaturg.episodes.wire import (
    CareEvent,
    ChoicePromptEvent,
    ChunkEvent,
    EpisodeCompleteEvent,
    ErrorEvent,
    MessageCompleteEvent,
    SceneCardEvent,
    StreamEvent,
)
from dramaturg.kernel.errors import BudgetExceeded
from dramaturg.server.completions.reply import ReplyFailedError

COMPLETE = "The episode is complete. You can go on talking."
_STATUSES = {BudgetExceeded.code: 402, "MODEL_REJECTED": 502, "MODEL_UNREADABLE": 502}


class TurnText:
    """Turns the events of a turn into pieces of text."""

    def __init__(self, *, is_new: bool = False, is_played: bool = False) -> None:
        """A new session tells who plays, and if an episode is played, where it is set."""
        self._is_new, self._is_played = is_new, is_played
        self._message = ""
        self._written = ""
        self._any = False

    def pieces(self, event: StreamEvent) -> str:
        """What is to be added to the text for an event. Raises ReplyFailedError."""
        match event:
            case ChunkEvent():
                return self._chunk(event)
            case MessageCompleteEvent():
                return self._complete(event)
            case SceneCardEvent() if self._is_new:
                setting = (event.title, event.text) if self._is_played else ()
                return self._paragraph(_notice(*setting, event.remark))
            case CareEvent():
                return self._paragraph(_notice(event.text))
            case ChoicePromptEvent():
                return self._paragraph(_notice(event.prompt, *(f"- {one.label}" for one in event.choices)))
            case EpisodeCompleteEvent():
                return self._paragraph(_notice(COMPLETE))
            case ErrorEvent():
                raise ReplyFailedError(_STATUSES.get(event.code, 503), event.code, event.message)
        return ""

    def _chunk(self, event: ChunkEvent) -> str:
        if event.message_id == self._message:
            self._written += event.content
            return event.content
        self._message, self._written = event.message_id, event.content
        return self._paragraph(_named(event.name, event.content))

    def _complete(self, event: MessageCompleteEvent) -> str:
        if event.message_id != self._message:
            self._message, self._written = event.message_id, event.content
            return self._paragraph(_named(event.name, event.content))
        written, self._written = self._written, event.content
        if event.content.startswith(written):
            return event.content.removeprefix(written)
        return "" if event.content == written.strip() else self._paragraph(_named(event.name, event.content))

    def _paragraph(self, text: str) -> str:
        if not text:
            return ""
        before, self._any = "\n\n" if self._any else "", True
        return before + text


def _named(name: str, text: str) -> str:
    return f"**{name}:** {text}" if name else text


def _notice(*lines: str) -> str:
    """A remark outside the story, as a quotation."""
    rows = "\n".join(line for line in lines if line).splitlines()
    return "\n".join(f"{NOTICE}{row}".rstrip() for row in rows)


async def turn_text(events: AsyncGenerator[StreamEvent, None], text: TurnText) -> AsyncGenerator[str, None]:
    """The pieces of a turn's text. Raises ReplyFailedError if the answer failed."""
    async with aclosing(events):
        async for event in events:
            if piece := text.pieces(event):
                yield piece
