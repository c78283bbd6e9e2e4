"""What the host of a public server sees of sessions: how far each is and what its director knows, not what was said."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from pydantic import Field

from dramaturg.episodes.director import DirectorState
from dramaturg.episodes.state import EpisodeState
from dramaturg.episodes.store import EpisodeStore
from dramaturg.episodes.story_beats import StoryBeat
from dramaturg.episodes.views import SessionRecord, SessionStatus, no_session
from dramaturg.kernel.values import Value


class HostedSession(Value):
    """A session in brief. Times are seconds since 1970."""

    id: str
    player: str = Field(description="the id of its player")
    template: str
    character: str
    status: SessionStatus
    turn_count: int
    beat: StoryBeat
    tension: float | None = Field(None, description="after the last exchange, from 0 to 1")
    created_at: float
    updated_at: float


class HostedClue(Value):
    """A clue of a mystery, and whether it has come out, here or in an earlier episode of the series."""

    id: str
    text: str
    found: bool


class HostedDirector(Value):
    """The director's state of one session, without a word of the conversation."""

    session: HostedSession
    model: str = Field("", description="the model that plays it now")
    beats_completed: tuple[StoryBeat, ...] = ()
    signals: Mapping[str, int] = Field(default_factory=dict, description="what the player's manner was, and how often")
    flags: Mapping[str, bool] = Field(default_factory=dict)
    tension_curve: tuple[float, ...] = ()
    tension_target: tuple[float, ...] = ()
    clues: tuple[HostedClue, ...] = ()
    accused: tuple[str, ...] = Field((), description="the suspects whom the player has accused, in order")
    completion_trigger: str | None = None


class HostedSessions:
    """The sessions of all players, as their host sees them."""

    def __init__(self, tables: EpisodeStore, state: Callable[[str], Awaitable[EpisodeState]]) -> None:
        self._tables = tables
        self._state = state

    async def newest(self, limit: int = 100) -> tuple[HostedSession, ...]:
        return tuple(hosted_session(one) for one in await self._tables.sessions(None, limit))

    async def director(self, session: str) -> HostedDirector:
        """What a session's director knows, without what was said. Raises NotFound."""
        record = await self._tables.session(session)
        if record is None:
            raise no_session(session)
        return hosted_director(record, await self._state(session))


def hosted_session(record: SessionRecord) -> HostedSession:
    director = DirectorState.model_validate_json(record.director_state)
    return HostedSession(
        id=record.id,
        player=record.player_id,
        template=record.template,
        character=record.character,
        status=record.status,
        turn_count=record.turn_count,
        beat=director.current_beat,
        tension=director.tension_curve[-1] if director.tension_curve else None,
        created_at=record.created_at,
        updated_at=record.updated_at,
    )


def hosted_director(record: SessionRecord, state: EpisodeState) -> HostedDirector:
    director, ledger = state.director, state.template.clue_ledger
    found = {*director.clues, *(one.id for one in state.session.recalled.clues)}
    return HostedDirector(
        session=hosted_session(record),
        model=state.session.model,
        beats_completed=director.beats_completed,
        signals=director.user_signals,
        flags=director.flags,
        tension_curve=director.tension_curve,
        tension_target=director.tension_target,
        clues=tuple(
            HostedClue(id=one.id, text=one.text, found=one.id in found) for one in (ledger.clues if ledger else ())
        ),
        accused=tuple(one.suspect for one in director.accusations),
        completion_trigger=director.completion_trigger,
    )
