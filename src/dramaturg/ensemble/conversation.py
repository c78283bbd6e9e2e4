"""A slot's conversation with its model: it only grows at its end, until it would not fit."""

from __future__ import annotations

from collections.abc import Sequence

from dramaturg.ensemble.events import Exchange
from dramaturg.kernel.models.port import Message
from dramaturg.kernel.models.tokens import estimate_tokens

MOST_CARRIED = 24_000
"""Characters of earlier requests that a new one takes along."""
_A_MESSAGE = 4


def messages_of(thread: Sequence[Exchange], newest: str) -> tuple[Message, ...]:
    """The thread and the newest question, as they are sent."""
    before = (message for one in thread for message in (Message("user", one.told), Message("assistant", one.answered)))
    return (*before, Message("user", newest))


def carried(thread: Sequence[Exchange]) -> tuple[Exchange, ...]:
    """What of a thread goes on into the next request."""
    return _newest(thread, [len(one.told) + len(one.answered) for one in thread], MOST_CARRIED)


def within(thread: Sequence[Exchange], room: int, *beside: str) -> tuple[Exchange, ...]:
    """The newest exchanges that fit so many tokens beside these texts."""
    weights = [estimate_tokens(one.told) + estimate_tokens(one.answered) + 2 * _A_MESSAGE for one in thread]
    left = room - sum(estimate_tokens(text) + _A_MESSAGE for text in beside)
    return _newest(thread, weights, max(0, left))


def _newest(thread: Sequence[Exchange], weights: Sequence[int], most: int) -> tuple[Exchange, ...]:
    """All of it, or the newest half of what there is room for.

    Half, so that the beginning stays the same for a while and can be cached again.
    """
    if sum(weights) <= most:
        return tuple(thread)
    room, kept = most // 2, 0
    for weight in reversed(weights):
        room -= weight
        if room < 0:
            break
        kept += 1
    return tuple(thread[len(thread) - kept :])
