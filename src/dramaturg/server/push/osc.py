"""Events as OSC messages over UDP, for programs that speak only OSC. Delivery is not guaranteed."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Full, Queue
from threading import Thread
from time import monotonic
from typing import Any, TypeAlias

from dramaturg.ensemble.wire import SessionEvent
from dramaturg.kernel.errors import InvalidSettings, install_extra

ROOT = "/dramaturg"
Argument = int | float | str
LONGEST_TEXT = 4000
HIGHEST_PORT = 65535
MOST_WAITING = 10_000
LOOK_AGAIN_SECONDS = 10.0
"""How long a host name that could not be found is not looked up again."""
_SINGLE = {
    "session.question": "message",
    "session.queued": "behind",
    "slot.unspoken": "reason",
    **dict.fromkeys(("turn.done", "turn.audio"), "slot_count"),
}
"""Events with one value of their own."""
_log = logging.getLogger(__name__)
_Place: TypeAlias = tuple[socket.AddressFamily, Any]


def osc_message(event: SessionEvent, artifacts: Path) -> tuple[str, list[Argument]]:
    """An address such as `/dramaturg/slot/audio`, and its arguments: turn, slot, the event's own data, session, kiosk.

    Audio is given as the absolute path of the file to play (the copy at `stage_rate`, if there is one) and its length
    in seconds.
    """
    told = event.model_dump(exclude_none=True, by_alias=False)
    head: list[Argument] = [told[name] for name in ("turn_index", "slot_id") if name in told]
    unspoken = event.event == "slot.audio" and told["status"] == "unspoken"
    name = "slot.unspoken" if unspoken else event.event
    own = [_argument(one) for one in _data(name, told, artifacts)]
    return f"{ROOT}/{name.replace('.', '/')}", [*head, *own, event.session_id, event.kiosk]


def _data(name: str, told: dict[str, Any], artifacts: Path) -> list[Argument]:
    """The arguments of an event that are its own."""
    if name in _SINGLE:
        return [told[_SINGLE[name]]]
    match name:
        case "session.error":
            return [told["error"]["attempt"], told["error"]["type"], told["error"]["message"]]
        case "slot.audio":
            path = told.get("stage_path") or told["audio_path"]
            return [str(artifacts / path), told["duration_ms"] / 1000]
        case "slot.done":
            target = [told["target_slot_id"]] if "target_slot_id" in told else []
            return [*target, told["voice_profile"], told.get("text") or told.get("comment") or ""]
        case "slot.error":
            return [told["error"]["type"], told["error"]["message"]]
        case "turn.skipped" | "remark":
            return [told.get("reason") or told["code"], told["message"]]
        case "done":
            return [told["session_id"], told["completed_slots"], told["turns"]]
    return []


def _argument(value: Argument) -> Argument:
    return value[:LONGEST_TEXT] if isinstance(value, str) else value


class OscSender:
    """Sends every event to one address over UDP, without confirmation.

    Sending happens in a thread of its own: a host name that cannot be found, or a host that is gone, holds up nothing.
    """

    def __init__(
        self,
        address: str,
        artifacts: Path,
        *,
        look_up: Callable[..., Sequence[Any]] = socket.getaddrinfo,
        look_again: float = LOOK_AGAIN_SECONDS,
    ) -> None:
        self._host, self._port = read_address(address)
        self._look_up, self._look_again = look_up, look_again
        try:
            from pythonosc import osc_message_builder as builder
        except ModuleNotFoundError as error:
            raise InvalidSettings(
                f"[ensemble] osc needs python-osc, which is not installed: {install_extra('osc')}.",
                missing="pythonosc",
            ) from error
        self._builder = builder
        self._artifacts = artifacts.resolve()
        self._waiting: Queue[SessionEvent | None] = Queue(MOST_WAITING)
        self._sockets: dict[socket.AddressFamily, socket.socket] = {}
        self._place: _Place | None = None
        self._again = 0.0
        self._thread = Thread(target=self._send_all, name="osc", daemon=True)
        self._thread.start()

    def __call__(self, event: SessionEvent) -> None:
        try:
            self._waiting.put_nowait(event)
        except Full:
            return  # lost, as any datagram may be

    def close(self) -> None:
        """Sends what is waiting, but does not wait long for it."""
        with suppress(Full):
            self._waiting.put_nowait(None)
        self._thread.join(timeout=1.0)
        for one in self._sockets.values():
            one.close()

    def _send_all(self) -> None:
        while (event := self._waiting.get()) is not None:
            place = self._found()
            if place is None:
                continue
            try:
                self._socket(place[0]).sendto(self._datagram(event), place[1])
            except (OSError, ValueError, self._builder.BuildError) as error:
                _log.debug("[ensemble] osc: not sent to %s:%s: %s", self._host, self._port, error)

    def _datagram(self, event: SessionEvent) -> bytes:
        address, arguments = osc_message(event, self._artifacts)
        message = self._builder.OscMessageBuilder(address=address)
        for argument in arguments:
            message.add_arg(argument)
        return bytes(message.build().dgram)

    def _found(self) -> _Place | None:
        """Where to send to; None while the host cannot be found."""
        if self._place is None and monotonic() >= self._again:
            try:
                family, *_, place = self._look_up(self._host, self._port, type=socket.SOCK_DGRAM)[0]
                self._place = family, place
            except OSError as error:
                self._again = monotonic() + self._look_again
                _log.warning("[ensemble] osc: %s cannot be found, so nothing is sent: %s", self._host, error)
        return self._place

    def _socket(self, family: socket.AddressFamily) -> socket.socket:
        if family not in self._sockets:
            made = socket.socket(family, socket.SOCK_DGRAM)
            made.setblocking(False)
            made.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            self._sockets[family] = made
        return self._sockets[family]


def read_address(address: str) -> tuple[str, int]:
    """Splits '127.0.0.1:7000' into host and port. Raises InvalidSettings."""
    host, colon, port = address.strip().rpartition(":")
    host = host.strip("[]")
    if not colon or not host or not port.isdecimal() or len(port) > 5 or not 0 < int(port) <= HIGHEST_PORT:
        raise InvalidSettings("[ensemble] osc must be host:port, for example 127.0.0.1:7000.")
    return host, int(port)
