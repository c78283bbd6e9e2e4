"""Types a command into a warm interpreter: gives it our streams, folder and environment, and ends as it ended.

client.py SOCKET -m MODULE WORDS…      client.py SOCKET -c TEXT WORDS…      client.py SOCKET PROGRAM.py WORDS…
"""

import json
import os
import signal
import socket
import sys

PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def ask(line: socket.socket, asked: dict, streams: list[int]) -> int:
    """Sends a command; the number of the process that plays it."""
    text = json.dumps(asked).encode()
    socket.send_fds(line, [len(text).to_bytes(8, "big")], streams)
    line.sendall(text)
    return number(line)


def number(line: socket.socket) -> int:
    """What the interpreter tells next: first the process, then how it ended. Nobody there: as if it was killed."""
    told = line.recv(8, socket.MSG_WAITALL)
    return int.from_bytes(told, "big", signed=True) if len(told) == 8 else -signal.SIGKILL


def main() -> int:
    signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)  # they wait until there is somebody to pass them on to
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.connect(sys.argv[1])
        asked = {"words": sys.argv[2:], "folder": os.getcwd(), "environment": dict(os.environ)}
        child = ask(line, asked, [0, 1, 2])
        for one in PASSED_ON:
            signal.signal(one, lambda one, _: os.kill(child, one))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED_ON)
        ended = number(line)
    return ended if ended >= 0 else 128 - ended


if __name__ == "__main__":
    sys.exit(main())
