"""A WebSocket's handshake: it can be read, is answered in time, and is refused without an error in the log."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode
from websockets.http11 import Request

if TYPE_CHECKING:
    import asyncio

    from uvicorn._types import ASGISendEvent

BODY = "websocket.http.response.body"


class RefusingProtocol(WebSocketsSansIOProtocol):
    """A WebSocket that ends if its handshake is not answered, or cannot be read: uvicorn would hold it for ever."""

    _unanswered: asyncio.TimerHandle | None = None

    def can_open(self, head: bytes) -> bool:
        """Whether a WebSocket could be opened with these headers. Uses up this protocol, which is not connected."""
        self.conn.receive_data(head)
        requests = [event for event in self.conn.events_received() if isinstance(event, Request)]
        return any(self.conn.accept(one).status_code == HTTPStatus.SWITCHING_PROTOCOLS for one in requests)

    def expect_answer(self, seconds: float) -> None:
        """Ends the connection unless the handshake is answered by then."""
        self._unanswered = self.loop.call_later(seconds, self._end_unanswered)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._unanswered is not None:
            self._unanswered.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self.handshake_initiated:  # the headers come in one piece: they could not be read
            self.transport.close()

    def send_receive_event_to_app(self) -> None:
        """Ends the connection for a text that is none; uvicorn would write a traceback to the log."""
        if self.curr_msg_data_type == "text" and not self.close_sent:
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self.frames = []
                self.conn.send_close(CloseCode.INVALID_DATA)
                self.handle_parser_exception()
                return
        super().send_receive_event_to_app()

    def handle_parser_exception(self) -> None:
        if self.conn.close_sent is None:  # nothing is open yet that could be closed
            self.transport.close()
        else:
            super().handle_parser_exception()

    async def send(self, message: ASGISendEvent) -> None:
        """A refusal with headers ends the handshake, as one without does; uvicorn would log that nothing was said."""
        await super().send(message)
        if message["type"] == BODY and self.close_sent:
            self.handshake_complete = True

    def _end_unanswered(self) -> None:
        if not self.handshake_complete:
            self.transport.abort()
