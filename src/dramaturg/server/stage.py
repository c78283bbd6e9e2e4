"""Other stages: the events of every session on one WebSocket and, if wanted, as OSC over UDP.

A patch connects once and hears whatever is asked, without knowing a session's id beforehand.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

from fastapi import APIRouter, Query, WebSocket, WebSocketDisconnect

from dramaturg.ensemble.wire import SessionEvent
from dramaturg.kernel.errors import DramaturgError
from dramaturg.studio import Studio

router = APIRouter()
Hears = Callable[[SessionEvent], None]
MOST_WAITING = 1000
"""Events kept for a stage that reads slowly; one that is further behind is let go and may connect again."""
GOODBYE, GONE, UNKNOWN = 1000, 1011, 4404


class Stage:
    """Passes the events of every session of this server on, to whoever is there."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._hearers: list[Hears] = []
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def add(self, hears: Hears) -> None:
        """Somebody who hears every event from now on."""
        self._hearers.append(hears)

    def follow(self, session_id: str) -> None:
        """Pass a session's events on as they happen. Following it twice changes nothing."""
        if session_id not in self._tasks:
            task = asyncio.create_task(self._pass_on(session_id), name=f"stage of {session_id}")
            self._tasks[session_id] = task
            task.add_done_callback(lambda _: self._tasks.pop(session_id, None))

    async def close(self) -> None:
        for task in list(self._tasks.values()):
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def listen(self) -> AsyncIterator[SessionEvent]:
        """Every event from now on. Ends where the listener is too far behind."""
        with self._heard() as waiting:
            while True:
                event = await waiting.get()
                if event is None:
                    return
                yield event

    @contextmanager
    def _heard(self) -> Iterator[asyncio.Queue[SessionEvent | None]]:
        waiting: asyncio.Queue[SessionEvent | None] = asyncio.Queue()

        def hears(event: SessionEvent) -> None:
            if waiting.qsize() < MOST_WAITING:
                waiting.put_nowait(event)
            elif waiting.qsize() == MOST_WAITING:
                waiting.put_nowait(None)

        self._hearers.append(hears)
        try:
            yield waiting
        finally:
            self._hearers.remove(hears)

    async def _pass_on(self, session_id: str) -> None:
        try:
            async for event in self._studio.session_events(session_id):
                for hears in tuple(self._hearers):
                    hears(event)
        except DramaturgError:
            return  # the session is gone, or the store is; who follows it by its id is told


@router.websocket("/v1/ws")
async def mirror_events(
    socket: WebSocket,
    session: Annotated[str, Query(max_length=40, description="one session; all of this server's if not given")] = "",
    after: Annotated[int, Query(ge=0, description="the last number already known, with `session`")] = 0,
) -> None:
    """The same events as the stream, one JSON object a message: of one session to its end, or of all from now on."""
    stage: Stage = socket.app.state.stage
    studio: Studio = socket.app.state.studio
    await socket.accept()
    if session and not await _is_known(studio, session):
        await socket.close(UNKNOWN, f"There is no session '{session}'.")
        return
    events = studio.session_events(session, after) if session else stage.listen()
    leaving = asyncio.create_task(_until_gone(socket))
    try:
        await _send_all(socket, events, leaving)
    finally:
        leaving.cancel()


async def _send_all(socket: WebSocket, events: AsyncIterator[SessionEvent], leaving: asyncio.Task[None]) -> None:
    sending = asyncio.create_task(_send(socket, events))
    try:
        await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if sending.done() and not leaving.done():
            await socket.close(GONE if sending.exception() else GOODBYE)
    finally:
        sending.cancel()
        await asyncio.gather(sending, return_exceptions=True)


async def _send(socket: WebSocket, events: AsyncIterator[SessionEvent]) -> None:
    async for event in events:
        await socket.send_text(event.payload())


async def _until_gone(socket: WebSocket) -> None:
    """Returns when the other side has gone; what it says is not listened to."""
    try:
        while True:
            await socket.receive_text()
    except (WebSocketDisconnect, KeyError, RuntimeError):
        return


async def _is_known(studio: Studio, session: str) -> bool:
    try:
        await studio.open_session(session)
    except DramaturgError:
        return False
    return True
