"""Nobody can fill the log of a server with requests that it refuses."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dramaturg.server.open_files import SAID_EVERY
from dramaturg.server.request_log import REPEATED, RepeatedWarnings
from tests.child import clean_environment
from tests.hostile.attacks.wire import ServerProcess
from tests.server.test_limits import Clock
from tests.server.visitor import write_story

UPGRADE = b"Host: localhost\r\nConnection: Upgrade\r\nUpgrade: %s\r\n"
HANDSHAKE = (
    b"GET /v1/%s HTTP/1.1\r\n" + UPGRADE % b"websocket" + b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    b"Sec-WebSocket-Version: 13\r\nOrigin: https://evil.example\r\n\r\n"
)


def said(filtered: logging.Filter, line: str) -> str:
    record = logging.LogRecord("uvicorn.error", logging.WARNING, "", 0, line, (), None)
    return record.getMessage() if filtered.filter(record) else ""


@pytest.mark.parametrize("line", REPEATED)
def test_a_line_that_strangers_cause_is_logged_once_in_a_while_with_a_count(line: str) -> None:
    clock = Clock()
    filtered = RepeatedWarnings(clock)
    assert said(filtered, line) == line
    assert [said(filtered, line) for _ in range(1000)] == [""] * 1000
    assert said(filtered, "Something else.") == "Something else."
    clock.now += SAID_EVERY
    assert said(filtered, line) == f"{line} (1000 more since this was last logged.)"
    clock.now += SAID_EVERY
    assert said(filtered, line) == line


async def test_refused_handshakes_and_malformed_requests_leave_one_line_each(tmp_path: Path) -> None:
    story, log = write_story(tmp_path / "story"), tmp_path / "server.log"
    command = [sys.executable, "-m", "dramaturg", "serve", "--project", str(story), "--port", "0"]
    with (
        log.open("wb") as errors,
        subprocess.Popen(command, env=clean_environment(tmp_path), stdout=subprocess.PIPE, stderr=errors) as process,
    ):
        try:
            assert process.stdout is not None
            found = re.search(r"http://(\S+):(\d+)", process.stdout.readline().decode())
            assert found is not None, log.read_text(encoding="utf-8")
            server = ServerProcess(found[1], int(found[2]), log)
            for _ in range(5):
                assert [(await server.say(HANDSHAKE % path)).status for path in (b"ws", b"nothing")] == [403, 403]
                assert (await server.say(b"\x00\x01 nonsense\r\n\r\n")).status == 400
                other = b"GET /healthz HTTP/1.1\r\n" + UPGRADE % b"h2c" + b"\r\n"
                assert (await server.say(other.replace(b"Upgrade\r\n", b"Upgrade, close\r\n"))).status == 200
        finally:
            process.terminate()
    lines = log.read_text(encoding="utf-8").splitlines()
    assert sorted(line.partition(":")[2].strip() for line in lines) == sorted(REPEATED)
