"""What a player sees of a session as it is played: events of the log, and the text of answers between them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from dramaturg.episodes.events import AnswerAsked, EpisodeEvent, PlayerSpoke
from dramaturg.episodes.sent_messages import waits_at
from dramaturg.episodes.state import EpisodeState
from dramaturg.episodes.wire import ChunkEvent, StreamEvent, shown
from dramaturg.kernel.runs import Aside, Entry, Mark, Performance, Piece


async def session_stream(
    session: Performance[EpisodeEvent, EpisodeState], after: Mark, turn: str | None = None
) -> AsyncGenerator[StreamEvent, None]:
    """What the player sees after a mark, then whatever comes. Raises whatever error ends the session.

    With `turn`, the id of a message that waits there, nothing of the turns that it waits for.
    """
    aside = after.aside
    waits = turn is not None and waits_at(session.run, turn, after)
    async with aclosing(session.follow(after)) as entries:
        async for one in entries:
            if waits:
                spoke = one.event if isinstance(one, Entry) else None
                waits = not (isinstance(spoke, PlayerSpoke) and spoke.client_id == turn)
            elif isinstance(one, Piece):
                yield _chunk(one, session.state)
            else:
                aside = one.mark.aside if isinstance(one, Aside) else aside
                event = _event(one, session.state, aside)
                if event is not None:
                    yield event


def _event(one: Entry[EpisodeEvent] | Aside, state: EpisodeState, aside: int) -> StreamEvent | None:
    if isinstance(one, Aside):
        return shown(one.entry, state, one.mark)
    return shown(one, state, Mark(one.seq, 0, aside))


def _chunk(piece: Piece, state: EpisodeState) -> ChunkEvent:
    """A piece of an answer as the player sees it."""
    asked, mark = piece.entry.event, str(piece.mark)
    if not isinstance(asked, AnswerAsked):
        return ChunkEvent(id=mark, content=piece.text, message_id="")
    name = state.name_of(asked.speaker) if asked.speaker else ""
    return ChunkEvent(id=mark, content=piece.text, message_id=asked.message_id, speaker=asked.speaker, name=name)
