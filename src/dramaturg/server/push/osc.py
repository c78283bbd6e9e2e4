"""Events as OSC messages over UDP, for programs that speak only OSC. Delivery is not guaranteed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from dramaturg.ensemble.wire import SessionEvent
from dramaturg.kernel.errors import InvalidSettings, install_extra

ROOT = "/dramaturg"
Argument = int | float | str
LONGEST_TEXT = 4000
HIGHEST_PORT = 65535


def osc_message(event: SessionEvent, artifacts: Path) -> tuple[str, list[Argument]]:
    """An address such as `/dramaturg/slot/audio`, and its arguments: turn, slot, then the event's own data.

    Audio is given as the absolute path of its file, which a patch can play, and its length in seconds.
    """
    told = event.model_dump(exclude_none=True, by_alias=False)
    address = f"{ROOT}/{event.event.replace('.', '/')}"
    head: list[Argument] = [told[name] for name in ("turn_index", "slot_id") if name in told]
    if event.event == "slot.audio":
        return address, [*head, str(artifacts / told["audio_path"]), told["duration_ms"] / 1000]
    if event.event == "slot.done":
        words = str(told.get("text") or told.get("comment") or "")[:LONGEST_TEXT]
        target: list[Argument] = [told["target_slot_id"]] if "target_slot_id" in told else []
        return address, [*head, *target, told["voice_profile"], words]
    if event.event == "slot.error":
        return address, [*head, told["error"]["type"], told["error"]["message"][:LONGEST_TEXT]]
    if event.event in ("turn.done", "turn.audio"):
        return address, [*head, told["slot_count"]]
    if event.event == "done":
        return address, [told["session_id"], told["completed_slots"], told["turns"]]
    return address, [*head, told["session_id"]]


class OscSender:
    """Sends every event to one address over UDP, without confirmation."""

    def __init__(self, address: str, artifacts: Path) -> None:
        host, port = read_address(address)
        try:
            from pythonosc.udp_client import SimpleUDPClient

            self._client = SimpleUDPClient(host, port)
        except ModuleNotFoundError as error:
            raise InvalidSettings(
                f"[ensemble] osc needs python-osc, which is not installed: {install_extra('osc')}.",
                missing="pythonosc",
            ) from error
        except OSError as error:
            raise InvalidSettings(f"[ensemble] osc: the address cannot be reached: {error.strerror}.") from error
        self._artifacts = artifacts.resolve()

    def __call__(self, event: SessionEvent) -> None:
        address, arguments = osc_message(event, self._artifacts)
        with suppress(OSError):
            self._send(address, arguments)

    def _send(self, address: str, arguments: Sequence[Argument]) -> None:
        self._client.send_message(address, list(arguments))

    def close(self) -> None:
        self._client.close()


def read_address(address: str) -> tuple[str, int]:
    """Splits '127.0.0.1:7000' into host and port. Raises InvalidSettings."""
    host, colon, port = address.strip().rpartition(":")
    host = host.strip("[]")
    if not colon or not host or not port.isdecimal() or len(port) > 5 or not 0 < int(port) <= HIGHEST_PORT:
        raise InvalidSettings("[ensemble] osc must be host:port, for example 127.0.0.1:7000.")
    return host, int(port)
