"""What a player sees of a session as it is played: events of the log, and the text of answers between them."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing

from dramaturg.episodes.events import AnswerAsked, EpisodeEvent
from dramaturg.episodes.state import EpisodeState
from dramaturg.episodes.wire import ChunkEvent, StreamEvent, shown
from dramaturg.kernel.runs import Aside, Mark, Performance, Piece


async def session_stream(
    session: Performance[EpisodeEvent, EpisodeState], after: Mark
) -> AsyncGenerator[StreamEvent, None]:
    """What the player sees after a mark, then whatever comes. Raises whatever error ends the session."""
    aside = after.aside
    async with aclosing(session.follow(after)) as entries:
        async for one in entries:
            if isinstance(one, Piece):
                yield _chunk(one, session.state)
                continue
            if isinstance(one, Aside):
                aside = one.mark.aside
                event = shown(one.entry, session.state, one.mark)
            else:
                event = shown(one, session.state, Mark(one.seq, 0, aside))
            if event is not None:
                yield event


def _chunk(piece: Piece, state: EpisodeState) -> ChunkEvent:
    """A piece of an answer as the player sees it."""
    asked, mark = piece.entry.event, str(piece.mark)
    if not isinstance(asked, AnswerAsked):
        return ChunkEvent(id=mark, content=piece.text, message_id="")
    name = state.name_of(asked.speaker) if asked.speaker else ""
    return ChunkEvent(id=mark, content=piece.text, message_id=asked.message_id, speaker=asked.speaker, name=name)
