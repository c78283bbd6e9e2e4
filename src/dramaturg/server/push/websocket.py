"""The events of the ensemble's sessions over a WebSocket, and the relay that also feeds OSC.

A client connects once and receives the events of every session, without knowing session ids beforehand.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Annotated

from fastapi import APIRouter, Query, Request, WebSocket, WebSocketDisconnect

from dramaturg.ensemble.request import problem_of_kiosk
from dramaturg.ensemble.wire import SessionEvent, event_number, sent_events
from dramaturg.kernel.errors import DramaturgError
from dramaturg.kernel.runs import Entry, Event
from dramaturg.server.http.sse import LAST_NUMBER
from dramaturg.studio import Studio

router = APIRouter()
Listener = Callable[[SessionEvent], None]
MOST_WAITING = 1000
"""Events buffered for a slow client. A client that falls further behind is disconnected and may reconnect."""
NORMAL_CLOSURE, INTERNAL_ERROR, UNKNOWN_SESSION = 1000, 1011, 4404


class EventRelay:
    """Relays the events of every session of this server to its listeners."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._listeners: list[Listener] = []
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def add(self, listener: Listener) -> None:
        """Add a listener that is called with every event from now on."""
        self._listeners.append(listener)

    def follow(self, session_id: str, sent: Iterable[Entry[Event]] = ()) -> None:
        """Relay a session's events, but not those of the entries `sent`, with which its log began before.

        Calling this again for the same session has no effect.
        """
        if session_id not in self._tasks:
            after = sum(1 for _ in sent_events(session_id, sent))
            task = asyncio.create_task(self._relay(session_id, after), name=f"relay of {session_id}")
            self._tasks[session_id] = task
            task.add_done_callback(lambda _: self._tasks.pop(session_id, None))

    async def close(self) -> None:
        for task in list(self._tasks.values()):
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def listen(self, kiosk: str = "") -> AsyncIterator[SessionEvent]:
        """Every event from now on, or every event of one kiosk. Ends if the caller falls too far behind."""
        with self._subscription(kiosk) as queue:
            while True:
                event = await queue.get()
                if event is None:
                    return
                yield event

    @contextmanager
    def _subscription(self, kiosk: str) -> Iterator[asyncio.Queue[SessionEvent | None]]:
        queue: asyncio.Queue[SessionEvent | None] = asyncio.Queue()

        def enqueue(event: SessionEvent) -> None:
            if kiosk and event.kiosk != kiosk:
                return
            if queue.qsize() < MOST_WAITING:
                queue.put_nowait(event)
            elif queue.qsize() == MOST_WAITING:
                queue.put_nowait(None)

        self._listeners.append(enqueue)
        try:
            yield queue
        finally:
            self._listeners.remove(enqueue)

    async def _relay(self, session_id: str, after: int) -> None:
        try:
            async for event in self._studio.ensemble.follow(session_id, after):
                for listener in tuple(self._listeners):
                    listener(event)
        except DramaturgError:
            return  # the session or the store is gone; clients that follow the session by its id are told


def relay_of(request: Request) -> EventRelay:
    relay = request.app.state.event_relay
    assert isinstance(relay, EventRelay)
    return relay


@router.websocket("/v1/ws")
async def mirror_events(
    socket: WebSocket,
    session: Annotated[str, Query(max_length=40, description="one session; every session if not set")] = "",
    after: Annotated[
        int, Query(ge=0, le=LAST_NUMBER, description="the last number received, together with `session`")
    ] = 0,
    kiosk: Annotated[str, Query(max_length=64, description="one kiosk, if no session is named")] = "",
    last: Annotated[str, Query(alias="lastEventId", max_length=60, description="the id of the last event")] = "",
) -> None:
    """The same events as the stream, one JSON object per message: one session to its end, or all from now on."""
    relay: EventRelay = socket.app.state.event_relay
    studio: Studio = socket.app.state.studio
    await socket.accept()
    if last:
        session = session or last.rpartition(":")[0] or last
        after = event_number(session, last) or after
    if kiosk and problem_of_kiosk(kiosk):
        await _close(socket, UNKNOWN_SESSION, "There can be no such kiosk.")
        return
    if session and not await _is_known(studio, session):
        await _close(socket, UNKNOWN_SESSION, "There is no such session.")
        return
    events = studio.ensemble.follow(session, after) if session else relay.listen(kiosk)
    leaving = asyncio.create_task(_disconnected(socket))
    try:
        await _send_all(socket, events, leaving)
    finally:
        leaving.cancel()


async def _send_all(socket: WebSocket, events: AsyncIterator[SessionEvent], leaving: asyncio.Task[None]) -> None:
    sending = asyncio.create_task(_send(socket, events))
    try:
        await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if sending.done() and not leaving.done():
            await _close(socket, INTERNAL_ERROR if sending.exception() else NORMAL_CLOSURE)
    finally:
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)


async def _send(socket: WebSocket, events: AsyncIterator[SessionEvent]) -> None:
    async for event in events:
        await socket.send_text(event.payload())


async def _close(socket: WebSocket, code: int, reason: str = "") -> None:
    with suppress(WebSocketDisconnect):  # the client has gone before it is told why
        await socket.close(code, reason)


async def _disconnected(socket: WebSocket) -> None:
    """Returns when the client has disconnected. Messages it sends are ignored."""
    try:
        while True:
            await socket.receive_text()
    except (WebSocketDisconnect, KeyError, RuntimeError):
        return


async def _is_known(studio: Studio, session: str) -> bool:
    try:
        await studio.ensemble.open_run(session)
    except DramaturgError:
        return False
    return True
