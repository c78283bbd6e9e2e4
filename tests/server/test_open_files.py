"""Connections and the files that a process may open: raised, or fewer of them, and no log that fills the disk."""

from __future__ import annotations

import asyncio
import errno
import logging
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dramaturg.server.open_files import SAID_EVERY, SPARE, AcceptFailures
from tests.child import clean_environment
from tests.hostile.attacks.wire import Connection, ServerProcess
from tests.server.test_limits import Clock
from tests.server.visitor import write_story

ROOM = """
import resource, sys
from dramaturg.kernel.settings import ServerSettings
from dramaturg.server.open_files import with_room_for_connections
soft, hard, wanted = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
told = []
kept = with_room_for_connections(ServerSettings(connections=wanted), told.append)
print(kept.connections, resource.getrlimit(resource.RLIMIT_NOFILE)[0], *told)
"""


@pytest.mark.parametrize(
    ("soft", "hard", "connections", "files"),
    [
        pytest.param(1024, 4096, 1000, 1000 + SPARE, id="raised as far as needed"),
        pytest.param(4096, 4096, 1000, 4096, id="enough"),
        pytest.param(1024, 1024, 1024 - SPARE, 1024, id="fewer connections"),
        pytest.param(256, 512, 256, 512, id="half of few files"),
        pytest.param(100, 200, 100, 200, id="hardly any"),
    ],
)
def test_a_process_takes_no_more_connections_than_it_may_open_files(
    soft: int, hard: int, connections: int, files: int
) -> None:
    command = [sys.executable, "-c", ROOM, str(soft), str(hard), "1000"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split(maxsplit=2)
    assert (int(said[0]), int(said[1])) == (connections, files)
    assert (len(said) > 2) is (connections < 1000)
    assert len(said) < 3 or said[2].count("\n") == 1


def test_connections_that_cannot_be_accepted_are_logged_once_in_a_while(caplog: pytest.LogCaptureFixture) -> None:
    clock, loop = Clock(), asyncio.new_event_loop()
    handle = AcceptFailures(clock)
    failed = {"message": "socket.accept() out of system resource", "exception": OSError(errno.EMFILE, "Too many")}
    with caplog.at_level(logging.WARNING):
        for _ in range(1000):
            handle(loop, failed)
        clock.now += SAID_EVERY
        handle(loop, failed)
        assert [one.exc_info for one in caplog.records] == [None, None]
        handle(loop, {"message": "Task exception was never retrieved", "exception": OSError(errno.EMFILE, "x")})
    loop.close()
    assert len(caplog.records) == 3
    assert caplog.records[-1].exc_info


async def test_more_connections_than_files_are_refused_and_the_others_are_answered(tmp_path: Path) -> None:
    story, log = write_story(tmp_path / "story"), tmp_path / "server.log"
    with (story / "dramaturg.toml").open("a") as file:
        file.write("[server]\nconnections_per_address = 5000\n")
    files = SPARE + 100
    serve = f"ulimit -n {files}; exec '{sys.executable}' -m dramaturg serve --project '{story}' --port 0"
    with (
        log.open("wb") as errors,
        subprocess.Popen(
            ["sh", "-c", serve], env=clean_environment(tmp_path), stdout=subprocess.PIPE, stderr=errors
        ) as process,
    ):
        try:
            assert process.stdout is not None
            found = re.search(r"http://(\S+):(\d+)", process.stdout.readline().decode())
            assert found is not None, log.read_text(encoding="utf-8")
            server = ServerProcess(found[1], int(found[2]), log)
            ask = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
            first = await server.connect()
            held: list[Connection] = [await server.connect() for _ in range(files + 100)]
            await first.send(ask)
            assert b" 200 " in await first.reader.readline()
            refused = [one for one in held[files // 2 + 50 :] if (await one.reply()).status == 503]
            assert len(refused) == len(held[files // 2 + 50 :])
            for one in (first, *held):
                one.writer.close()
            await server.recover()
        finally:
            process.terminate()
    said = log.read_text(encoding="utf-8")
    assert "Traceback" not in said
    assert f"enough for {files // 2} connections and not for 1,000" in said
