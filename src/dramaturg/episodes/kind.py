"""What a session of an episode is: one conversation, played turn by turn and idle in between."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dramaturg.episodes.answer_names import names_in
from dramaturg.episodes.answer_stream import ANSWER_READER, shown_text
from dramaturg.episodes.apology import UNANSWERABLE
from dramaturg.episodes.events import (
    EPISODE_EVENTS,
    AnswerAsked,
    AnswerPieces,
    EpisodeEvent,
    EpisodeRun,
    LineSpoken,
    LineUnspoken,
    TurnEnded,
)
from dramaturg.episodes.open_session import OpenSession
from dramaturg.episodes.play import failure
from dramaturg.episodes.session_speech import audio_folder
from dramaturg.episodes.state import EPISODE_FOLD, EpisodeState, episode_state
from dramaturg.episodes.views import conversation_text, session_view
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.models.bounds import readable
from dramaturg.kernel.runs import AnswerSoFar, Entry, Event, Kind, Performance, RunStopped
from dramaturg.kernel.store import RunRecord

EPISODE = "episode"


class EpisodeKind(Kind[EpisodeEvent, EpisodeState]):
    """A session. It belongs to its player; to everybody else it does not exist."""

    name = EPISODE
    noun = "a session of an episode"
    rests = True
    private = True
    events = EPISODE_EVENTS
    fold = EPISODE_FOLD

    def __init__(self, open_session: Callable[[EpisodeRun, EpisodeKind], OpenSession]) -> None:
        self._open_session = open_session

    def perform(self, run: EpisodeRun) -> OpenSession:
        return self._open_session(run, self)

    async def play(self, performance: Performance[EpisodeEvent, EpisodeState]) -> None:
        if not isinstance(performance, OpenSession):
            raise AssertionError("a session is performed as an OpenSession")
        await performance.play()

    def has_work(self, performance: Performance[EpisodeEvent, EpisodeState]) -> bool:
        return isinstance(performance, OpenSession) and performance.has_work()

    def give_up(self, performance: Performance[EpisodeEvent, EpisodeState], reason: RunStopped) -> tuple[Event, ...]:
        """The turn ends without an answer; its player may ask for one again."""
        state = performance.state
        if state.turn is None:
            return ()
        return (failure(state, UNANSWERABLE, reason.code), TurnEnded(client_id=state.turn, answered=False))

    async def restore(self, run: EpisodeRun) -> None:
        session = self.perform(run)
        await session.tables.restore(session)

    def show(self, run: EpisodeRun) -> str:
        return conversation_text(episode_state(run.entries))

    def documents(self, run: EpisodeRun) -> Iterator[object]:
        """What its player sees of it; none of its entries is public."""
        yield session_view(run.id, episode_state(run.entries)).model_dump(mode="json", by_alias=True)

    def answer_at(
        self, performance: Performance[EpisodeEvent, EpisodeState], entry: Entry[EpisodeEvent]
    ) -> AnswerSoFar | None:
        event = entry.event
        if not isinstance(event, AnswerAsked):
            return None
        asked, live = performance.state.asked, performance.live
        is_open = asked is not None and asked.seq == entry.seq
        if live is not None and live.seq == entry.seq:
            return AnswerSoFar(live.shown, is_open)
        if is_open:
            return AnswerSoFar("", is_open=True)
        whole = performance.run.answers.get(event.key)
        text = whole.text if whole is not None else _pieces(performance, event.message_id)
        names = names_in(performance.state.session, event.speaker)
        return AnswerSoFar(readable(ANSWER_READER, lambda: shown_text(text, names), key=event.key), is_open=False)

    def is_aside(self, entry: Entry[EpisodeEvent]) -> bool:
        return isinstance(entry.event, LineSpoken | LineUnspoken)

    def folder(self, run: EpisodeRun) -> str | None:
        return audio_folder(run.id)

    def check_resumable(self, record: RunRecord) -> None:
        raise InvalidConfig(
            f"Run {record.id} is a session of an episode; it continues when its player speaks.", run=record.id
        )

    def held_elsewhere(self, record: RunRecord) -> str:
        return f"Run {record.id} is being played by another process ({record.player}). Try again when its turn is over."


def _pieces(performance: Performance[EpisodeEvent, EpisodeState], message_id: str) -> str:
    """What the log has of an answer that was never completed."""
    events = (entry.event for entry in performance.run.entries)
    return "".join(one.text for one in events if isinstance(one, AnswerPieces) and one.message_id == message_id)
