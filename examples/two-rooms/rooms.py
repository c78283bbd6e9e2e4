"""A stage for several rooms: receives OSC, keeps a play list per room, and plays a turn when all of it is there.

Run it with `python rooms.py 7000 left right`. It needs nothing but Python, prints what each room would play, and ends
when every room has had one session. A TouchDesigner patch does the same with an OSC In DAT.
"""

from __future__ import annotations

import socket
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field


def read_message(data: bytes) -> tuple[str, list[int | float | str]]:
    """The address and the arguments of an OSC message."""
    address, at = _text(data, 0)
    types, at = _text(data, at)
    values: list[int | float | str] = []
    for kind in types.removeprefix(","):
        if kind == "s":
            text, at = _text(data, at)
            values.append(text)
        else:
            values.append(struct.unpack_from(">i" if kind == "i" else ">f", data, at)[0])
            at += 4
    return address, values


def _text(data: bytes, start: int) -> tuple[str, int]:
    end = data.index(b"\0", start)
    return data[start:end].decode(), (end // 4 + 1) * 4


@dataclass
class Room:
    """One kiosk: its question, the files of each turn, and whether the session is over."""

    name: str
    session: str = ""
    question: str = ""
    files: dict[int, dict[int, tuple[str, float]]] = field(default_factory=dict)
    failed: int = 0
    over: bool = False

    def hear(self, address: str, data: list[int | float | str]) -> Iterator[str]:
        """Take one message; what the room does about it."""
        match address.removeprefix("/dramaturg/"), data:
            case "session/question", [str(question)]:
                self.question, self.files, self.over = question, {}, False
                yield f"asks: {question}"
            case "slot/audio", [int(turn), int(slot), str(path), float(seconds)]:
                self.files.setdefault(turn, {})[slot] = (path, seconds)
            case "slot/error", [int(turn), int(slot), *_]:
                self.failed += 1
                yield f"turn {turn}: slot {slot} stays silent"
            case "turn/audio", [int(turn), _]:
                files = self.files.get(turn, {})
                seconds = sum(length for _, length in files.values())
                yield f"turn {turn}: plays {len(files)} files, {seconds:.1f} s"
            case "done", _:
                self.over = True
                yield "is done"


class Stage:
    """Several rooms on one port. The last two arguments of every message are the session and the kiosk."""

    def __init__(self, *names: str) -> None:
        self.rooms = {name: Room(name) for name in names}

    @property
    def over(self) -> bool:
        return all(room.over for room in self.rooms.values())

    def receive(self, packet: bytes) -> list[str]:
        address, (*data, session, kiosk) = read_message(packet)
        room = self.rooms.get(str(kiosk))
        if room is None:
            return []
        room.session = str(session)
        return [f"{room.name} {done}" for done in room.hear(address, data)]


def main(port: int, *names: str) -> None:
    stage = Stage(*names)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("127.0.0.1", port))
        while not stage.over:
            for line in stage.receive(sock.recv(65535)):
                print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
