"""A scene at a terminal: the status line below it, the words while they are written, and a clean screen at the end."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.cli.screen import Screen
from tests.cli.story import typed
from tests.model_server import Asked, ModelServer
from tests.scenes.test_kill_and_resume import line_for, project

if sys.platform == "win32":
    pytest.skip("there is no pseudo-terminal", allow_module_level=True)

from tests.cli.terminal import CTRL_C, Terminal, at_terminal

BEATS = 3
STATUS = re.compile(r"^beat \d+ · ", re.M)


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as serving:
        serving.reply = line_for
        yield serving


@pytest.fixture
def story(tmp_path: Path, server: ModelServer) -> Path:
    folder = project(tmp_path, server.url)
    scene = folder / "scenes" / "long.json"
    config = json.loads(scene.read_text(encoding="utf-8")) | {"maxBeats": BEATS}
    scene.write_text(json.dumps(config), encoding="utf-8")
    return folder


def screen_of(at: Terminal) -> Screen:
    return Screen.after(at.printed)


async def seen(at: Terminal, text: str) -> None:
    """Wait until a text is on the screen, as a person sees it."""
    while text not in screen_of(at).text:
        await at.more()


def lines_of(story: Path) -> list[str]:
    transcript = (story / "data" / "scenes" / "long" / "transcript.txt").read_text(encoding="utf-8")
    return [row for row in transcript.splitlines() if "[TONE: steady]" in row]


async def test_the_status_line_tells_who_is_asked_and_leaves_every_line_whole(story: Path, server: ModelServer) -> None:
    server.hold(at=2)
    async with at_terminal("scene", "run", "long", project=story, DRAMATURG_TRUST="1") as at:
        await seen(at, "beat 1 · asking Alice, Bob, Charlie, judging · ")
        await seen(at, " tokens · price unknown · ")
        assert len(STATUS.findall(screen_of(at).text)) == 1
        server.release()
        assert await at.exit_code() == 0
        await seen(at, "\nrun ")
        screen = screen_of(at)
    assert not STATUS.search(screen.text)
    assert screen.cursor_is_shown
    joined = " ".join(screen.text.split())
    assert len(lines_of(story)) == 1 + (BEATS - 1) * 3
    assert all(joined.count(line) == 1 for line in lines_of(story))


async def test_the_words_are_shown_while_they_are_written_and_once_in_the_end(story: Path, server: ModelServer) -> None:
    written, go_on = asyncio.Event(), asyncio.Event()

    async def before(event: bytes) -> None:
        if b"harbour" in event and not go_on.is_set():
            written.set()
            await go_on.wait()

    def reply(asked: Asked) -> str:
        if "natural_end" in asked.prompt:
            return line_for(asked)
        return '<think>He lies.</think>[TO: Bob, TONE: steady, *nods*] "We met at the lamp by the harbour wall in May."'

    server.reply, server.on_event = reply, before
    async with at_terminal("scene", "run", "long", project=story, DRAMATURG_TRUST="1") as at:
        await written.wait()
        await seen(at, "asking Alice (writing)")  # reasoning, so far, is not shown
        go_on.set()
        assert await at.exit_code() == 0
        await seen(at, "\nrun ")
        shown = at.shown
    assert "He lies" not in shown
    assert "think" not in shown
    assert all(request.body.get("stream") for request in server.requests if "natural_end" not in str(request.body))


async def test_words_in_the_form_arrive_one_after_another(story: Path, server: ModelServer) -> None:
    go_on = asyncio.Event()

    async def before(event: bytes) -> None:
        if b"wall" in event:
            await go_on.wait()

    server.reply = lambda asked: (
        line_for(asked)
        if "natural_end" in asked.prompt
        else ('[TO: Bob, TONE: steady] "We met at the lamp and went down to the wall."')
    )
    server.on_event = before
    async with at_terminal("scene", "run", "long", project=story, DRAMATURG_TRUST="1") as at:
        await seen(at, "\nAlice: We met at the")
        assert "[TO: Bob" not in screen_of(at).text
        go_on.set()
        await seen(at, 'Alice [TO: Bob, TONE: steady] "We met at the lamp and went down to the wall."')
        assert await at.exit_code() == 0


async def test_ctrl_c_leaves_a_clean_terminal(story: Path, server: ModelServer) -> None:
    server.hold(at=4)
    async with at_terminal("scene", "run", "long", project=story, DRAMATURG_TRUST="1") as at:
        await server.received(4)
        await seen(at, "beat 1 · asking ")
        at.press(CTRL_C)
        assert await at.exit_code() == 130
        await seen(at, "Resume with: dramaturg runs resume")
        screen = screen_of(at)
        assert at.echoes()
    assert not STATUS.search(screen.text)
    assert screen.cursor_is_shown
    assert "Traceback" not in screen.text


async def test_a_pause_is_in_the_status_line_and_ctrl_c_ends_it_at_once(story: Path, server: ModelServer) -> None:
    server.fault("429", after=2, times=9, retry_after="1500")
    async with at_terminal("scene", "run", "long", project=story, DRAMATURG_TRUST="1") as at:
        await seen(at, "house has no room before ")
        await seen(at, "waiting until ")
        assert re.search(r"waiting until \d\d:\d\d for house", screen_of(at).text)
        at.press(CTRL_C)
        assert await at.exit_code() == 130
        await seen(at, "Resume with:")
    assert "unable to respond" not in at.shown


async def test_a_stream_that_breaks_off_costs_no_line(story: Path, server: ModelServer) -> None:
    server.fault("cut-stream", after=2, times=1)
    async with at_terminal("scene", "run", "long", project=story, DRAMATURG_TRUST="1") as at:
        assert await at.exit_code() == 0
    assert len(lines_of(story)) == 1 + (BEATS - 1) * 3
    assert "unable to respond" not in at.shown


async def test_takes_have_a_status_line_too(story: Path, server: ModelServer) -> None:
    server.hold(at=3)
    async with at_terminal("scene", "takes", "long", "-n", "2", project=story, DRAMATURG_TRUST="1") as at:
        await seen(at, "0 of 2 takes · take 1: beat ")
        server.release()
        assert await at.exit_code() == 0
        await seen(at, "Goal reached in 0 of 2 takes")
        screen = screen_of(at)
    assert "of 2 takes ·" not in screen.text
    assert screen.text.count("take 1 of 2: max_beats_exceeded") == screen.text.count("take 2 of 2: ") == 1


async def test_where_nobody_watches_nothing_is_streamed_or_drawn(story: Path, server: ModelServer) -> None:
    shown = await asyncio.to_thread(typed, story, "scene", "run", "long", "--trust")
    assert "\x1b" not in shown
    assert not STATUS.search(shown)
    assert not any(request.body.get("stream") for request in server.requests)
    assert all(line in shown for line in lines_of(story))


async def test_an_act_has_the_same_status_line_and_says_why_a_line_was_lost(story: Path, server: ModelServer) -> None:
    (story / "acts").mkdir()
    (story / "acts" / "both.yaml").write_text("scenes: [long, {as: again, scene: long}]", encoding="utf-8")
    server.hold(at=2)
    async with at_terminal("act", "run", "both", "--fast", project=story, DRAMATURG_TRUST="1") as at:
        await seen(at, "beat 1 · asking Alice, Bob, Charlie, judging · ")
        server.fault("400", times=2)
        server.release()
        assert await at.exit_code() == 0
        await seen(at, "\nrun ")
        screen = screen_of(at)
    assert "could not answer" in screen.text
    assert "SCENE 2" in screen.text
    assert not STATUS.search(screen.text)
