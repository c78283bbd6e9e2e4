"""A slot's conversation with its model: append-only until it no longer fits."""

from __future__ import annotations

from collections.abc import Sequence

from dramaturg.ensemble.events import ThreadExchange
from dramaturg.kernel.models.port import Message
from dramaturg.kernel.prompts.window import Window, message_tokens

MOST_CARRIED = 24_000
"""Characters of earlier requests that a new request takes over."""
_A_MESSAGE = 4
_WINDOW = Window(share=0.5)
"""A thread that no longer fits is cut to half the room, so that its new beginning stays stable for a while."""


def messages_of(thread: Sequence[ThreadExchange], newest: str) -> tuple[Message, ...]:
    """The thread and the newest question, as they are sent."""
    before = (message for one in thread for message in (Message("user", one.told), Message("assistant", one.answered)))
    return (*before, Message("user", newest))


def carried(thread: Sequence[ThreadExchange]) -> tuple[ThreadExchange, ...]:
    """The part of a thread that the next request takes over."""
    return tuple(_WINDOW.newest(thread, MOST_CARRIED, lambda one: len(one.told) + len(one.answered)))


def within(thread: Sequence[ThreadExchange], room: int, *beside: str) -> tuple[ThreadExchange, ...]:
    """The newest exchanges that fit into `room` tokens together with the texts beside them."""
    left = room - sum(_tokens(text) for text in beside)
    return tuple(_WINDOW.newest(thread, max(0, left), lambda one: _tokens(one.told) + _tokens(one.answered)))


def _tokens(text: str) -> int:
    return message_tokens(text) + _A_MESSAGE
