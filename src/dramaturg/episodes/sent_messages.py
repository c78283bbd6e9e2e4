"""What a client sent before: found in the log by the id that the client chose."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from dramaturg.episodes.events import EpisodeRun, MessageReceived, PlayerSpoke
from dramaturg.kernel.errors import AlreadyUsed
from dramaturg.kernel.runs import Mark
from dramaturg.kernel.runs.events import Entry


def check_same(run: EpisodeRun, client_id: str, words: str, choice: str | None, to: str) -> None:
    """Raises AlreadyUsed if the client sent something else under this id."""
    sent = next(_sent_as(run, client_id), None)
    if sent is None:
        return
    received = sent.event
    same = received.choice == choice and received.to == to and (choice is not None or received.text == words)
    if not same:
        raise AlreadyUsed(
            "This client_id was used for another message. Choose a new one for every message.", client_id=client_id
        )


def place_of(run: EpisodeRun, client_id: str) -> Mark:
    """The place after which the turn of a known message is shown."""
    sent = next(_sent_as(run, client_id), None)
    assert sent is not None, "a message that is known has its place"
    return Mark(sent.seq)


def waits_at(run: EpisodeRun, client_id: str, at: Mark) -> bool:
    """Whether a message, at this place in the log, waits for the turns before its own to end."""
    sent = next((one for one in _sent_as(run, client_id) if one.seq <= at.seq), None)
    return sent is not None and isinstance(sent.event, MessageReceived)


def _sent_as(run: EpisodeRun, client_id: str) -> Iterator[Entry[MessageReceived | PlayerSpoke]]:
    """The entries of what a client sent under an id, newest first."""
    for entry in reversed(run.entries):
        if isinstance(entry.event, MessageReceived | PlayerSpoke) and entry.event.client_id == client_id:
            yield cast("Entry[MessageReceived | PlayerSpoke]", entry)
