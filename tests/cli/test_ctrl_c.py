"""Ctrl-C under a parent that ignores it: heeded at a terminal, ignored in the background."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

from tests.cli.story import SCENE, new_story

IGNORING = (
    "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); os.execv(sys.executable, sys.argv[1:])"
)


def command(story: Path, *more: str) -> list[str]:
    """A scene at the pace of speech, started by a process that ignores SIGINT."""
    settings = story / "dramaturg.toml"
    settings.write_text(settings.read_text(encoding="utf-8").replace("pace = 0", "pace = 0.1"), encoding="utf-8")
    played = [sys.executable, "-m", "dramaturg", "scene", "run", SCENE, "--model", "rehearsal", "--project", str(story)]
    return [sys.executable, "-c", IGNORING, *played, *more]


async def test_at_a_terminal_it_stops_the_scene_whatever_the_parent_ignores(tmp_path: Path) -> None:
    story = new_story(tmp_path / "story")
    leader, follower = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *command(story), stdin=follower, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    os.close(follower)
    assert process.stdout is not None
    try:
        await process.stdout.readuntil(b"[TO: ")
        process.send_signal(signal.SIGINT)
        _, told = await process.communicate()
    finally:
        os.close(leader)
    assert process.returncode == 130, told.decode()
    assert "runs resume" in told.decode()


def test_in_the_background_the_scene_plays_to_its_end(tmp_path: Path) -> None:
    story = new_story(tmp_path / "story")
    with subprocess.Popen(command(story, "--json"), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        *_, result = process.stdout.read().splitlines()
    assert process.returncode == 0
    assert json.loads(result)["success"] is True
