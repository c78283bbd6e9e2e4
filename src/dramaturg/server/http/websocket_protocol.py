"""A WebSocket's handshake that is refused: answered, and no error of the server's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

if TYPE_CHECKING:
    from uvicorn._types import ASGISendEvent

BODY = "websocket.http.response.body"


class RefusingProtocol(WebSocketsSansIOProtocol):
    """A refusal with headers ends the handshake, as one without does; uvicorn would log an app that said nothing."""

    async def send(self, message: ASGISendEvent) -> None:
        await super().send(message)
        if message["type"] == BODY and self.close_sent:
            self.handshake_complete = True
