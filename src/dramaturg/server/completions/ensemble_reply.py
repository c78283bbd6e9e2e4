"""A session of the ensemble as text, and which session a client's question goes on from.

One question is one session. Its id is made from the conversation before it, so that the same conversation sent again is
found: an answer that the client sends back leads to the session that gave it.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass

from dramaturg.ensemble.request import request_from
from dramaturg.ensemble.wire import (
    SessionEvent,
    SessionRemark,
    SessionStopped,
    SlotDone,
    SlotErrorEvent,
    TurnStart,
    sent_events,
)
from dramaturg.episodes.client_talk import NOTICE, HistoryLine
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.runs.costs import CostRow, answers, cost_of
from dramaturg.kernel.runs.ids import id_for
from dramaturg.server.completions.reply import ReplyFailedError
from dramaturg.studio import Studio

MOST_ATTEMPTS = 100
TITLES: Mapping[int, str] = {2: "*They comment on each other.*", 3: "*They reply.*"}


class TableText:
    """Turns the events of a session into pieces of text."""

    def __init__(self, names: Mapping[int, str]) -> None:
        self._names = names
        self._any = False

    def pieces(self, event: SessionEvent) -> str:
        """What is to be added to the text for an event. Raises ReplyFailedError."""
        match event:
            case TurnStart() if event.turn_index in TITLES:
                return self._paragraph(TITLES[event.turn_index])
            case SlotDone(comment=str() as comment):
                return self._paragraph(
                    f"**{self._name(event.slot_id)} to {self._name(event.target_slot_id)}:** {comment}"
                )
            case SlotDone(text=str() as text):
                return self._paragraph(f"**{self._name(event.slot_id)}:** {text}")
            case SlotErrorEvent() if event.error.type != "tts_error":
                return self._paragraph(f"{NOTICE}{self._name(event.slot_id)}: {event.error.message}")
            case SessionRemark():
                return self._paragraph(f"{NOTICE}{event.message}")
            case SessionStopped():
                raise ReplyFailedError(503, event.error.type.upper(), event.error.message)
        return ""

    def _name(self, slot: int | None) -> str:
        return self._names.get(slot or 0, f"Slot {slot}")

    def _paragraph(self, text: str) -> str:
        before, self._any = "\n\n" if self._any else "", True
        return before + text


@dataclass(frozen=True, slots=True)
class TableTalk:
    """Whose conversation with the ensemble it is. `key` is the client's own name for it, if it has one."""

    caller: str
    key: str = ""

    def session_id(self, history: Sequence[HistoryLine], attempt: int) -> str:
        """The id of the nth session that answers the last message of a history."""
        return id_for("ensemble", f"client\0{self.caller}\0{self.key}\0{_digest(history)}\0{attempt}")

    def kiosk(self, history: Sequence[HistoryLine]) -> str:
        return "chat-" + id_for("kiosk", f"{self.caller}\0{self.key or _digest(history[:1])}")


async def table_session(studio: Studio, talk: TableTalk, history: Sequence[HistoryLine], *, repeated: bool) -> str:
    """Has the ensemble answer the last message of a history; the id of the session.

    A conversation whose last answer no session has given goes on without what was said before. A `repeated` request
    leads to the session of the first. Raises InvalidConfig.
    """
    if history[-1].role != "player":
        raise InvalidConfig("The last message is the ensemble's own. Ask it something.")
    request = request_from({"message": history[-1].text, "kiosk": talk.kiosk(history), "audio": False})
    made = [one async for one in _sessions(studio, talk, history)]
    if made and (repeated or (await studio.runs.get(made[-1])).status == "playing"):
        return made[-1]
    follows = await _before(studio, talk, history[:-1])
    run = await studio.ensemble.open(request, run_id=talk.session_id(history, len(made)), follows=follows)
    studio.ensemble.start(run)
    return run.id


async def table_text(studio: Studio, session: str) -> AsyncGenerator[str, None]:
    """The pieces of a session's text, as its lines come in. Raises ReplyFailedError if it was stopped."""
    text = TableText(await _names(studio, session))
    events = studio.ensemble.follow(session)
    async for event in events:
        if piece := text.pieces(event):
            yield piece
        if isinstance(event, SessionStopped):
            return


async def table_used(studio: Studio, session: str) -> CostRow:
    """What all models of a session have used."""
    return cost_of(answers((await studio.ensemble.open_run(session)).entries))


async def _sessions(studio: Studio, talk: TableTalk, history: Sequence[HistoryLine]) -> AsyncIterator[str]:
    for attempt in range(MOST_ATTEMPTS):
        session = talk.session_id(history, attempt)
        if await studio.runs.known(session) is None:
            return
        yield session


async def _before(studio: Studio, talk: TableTalk, before: Sequence[HistoryLine]) -> str:
    """The session that gave the last answer of a history; empty if none did."""
    if len(before) < 2:
        return ""
    async for session in _sessions(studio, talk, before[:-1]):
        run = await studio.ensemble.open_run(session)
        if _plain(whole_text(sent_events(session, run.entries), await _names(studio, session))) == _plain(
            before[-1].text
        ):
            return session
    return ""


def whole_text(events: Iterable[SessionEvent], names: Mapping[int, str]) -> str:
    """A finished session's text, as a client has it; up to where it was stopped."""
    text, pieces = TableText(names), []
    for event in events:
        try:
            pieces.append(text.pieces(event))
        except ReplyFailedError:
            break
    return "".join(pieces)


async def _names(studio: Studio, session: str) -> dict[int, str]:
    manifest = studio.ensemble.manifest(await studio.ensemble.open_run(session))
    return {seat.slot_id: seat.name for seat in manifest.cast}


def _digest(history: Sequence[HistoryLine]) -> str:
    told = "\0".join(f"{one.role}\0{_plain(one.text)}" for one in history)
    return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()


def _plain(text: str) -> str:
    return " ".join(text.split())
