"""The author steers a scene: typed while it plays at a terminal, or from another one with `runs steer`."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.cli.story import new_story, rehearsed, typed
from tests.model_server import ModelServer
from tests.scenes.test_kill_and_resume import dramaturg, line_for, project

if sys.platform == "win32":
    pytest.skip("there is no pseudo-terminal", allow_module_level=True)

from tests.cli.terminal import CTRL_C, ENTER, at_terminal


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as serving:
        serving.reply = line_for
        yield serving


async def test_an_author_types_while_the_scene_plays(tmp_path: Path, server: ModelServer) -> None:
    story = project(tmp_path, server.url)
    server.hold(at=3)
    async with at_terminal("scene", "run", "long", project=story) as at:
        await at.see("Type /help to see how to steer")
        await server.received(3)
        at.press("/dance" + ENTER)
        await at.see("There is no direction 'dance'")
        at.press("/help" + ENTER)
        await at.see("/exit NAME [HOW]")
        at.press("hello" + ENTER)
        await at.see("Begin with a slash")
        at.press("/mute Bpb" + ENTER)
        await at.see("Did you mean 'Bob'?")
        at.press("/event The lights go out." + ENTER)
        await at.see("/event: it is followed after the beat")
        at.press("/pause" + ENTER)
        await at.see("/pause: it is followed after the beat")
        server.release()
        await at.see_all("[EVENT: The lights go out]", "waiting before beat 2: Enter plays the next beat")
        at.press(ENTER)
        await at.see("waiting before beat 3")
        at.press("/end" + ENTER)
        await at.see("[SCENE END - Goal: Not achieved, ended by the author]")
        assert await at.exit_code() == 0
        assert "Traceback" not in at.shown


async def test_ctrl_c_still_stops_a_scene_that_waits_and_the_terminal_is_left_as_it_was(
    tmp_path: Path, server: ModelServer
) -> None:
    async with at_terminal("scene", "run", "long", project=project(tmp_path, server.url)) as at:
        await at.see("Type /help")
        at.press("/pause" + ENTER)
        await at.see("waiting before beat")
        at.press("/event half a li" + CTRL_C)
        assert await at.exit_code() == 130
        await at.see("Resume with: dramaturg runs resume")
        assert at.echoes()


async def test_another_terminal_steers_the_scene_that_this_one_plays(tmp_path: Path, server: ModelServer) -> None:
    story = project(tmp_path, server.url)
    server.hold(at=3)
    playing = await dramaturg("scene", "run", "long", "--project", story)
    await server.received(3)
    (run,) = [
        json.loads(row)["id"] for row in (await asyncio.to_thread(typed, story, "runs", "list", "--json")).splitlines()
    ]
    sent = await asyncio.to_thread(typed, story, "runs", "steer", run, "event", "The", "lights", "go", "out.")
    assert "Direction 1 is stored: it is followed after the beat that is being played." in sent
    refused = await asyncio.to_thread(typed, story, "runs", "steer", run, "mute", "zoe", code=2)
    assert "'zoe' is nobody of this scene (Alice, Bob, Charlie)" in refused
    ended = await asyncio.to_thread(typed, story, "runs", "steer", run, "end", "--json")
    assert json.loads(ended)["outcome"] == "waiting"
    server.release()
    out, err = await playing.communicate()
    result = json.loads(out.splitlines()[-1])
    assert result["metadata"]["reason"] == "ended_by_author", err.decode()
    assert "[EVENT: The lights go out]" in result["transcript"]
    listed = await asyncio.to_thread(typed, story, "runs", "steer", run)
    assert "event The lights go out." in listed
    assert listed.count("followed") == 2
    debug = await asyncio.to_thread(typed, story, "runs", "show", run, "--debug")
    assert "direction.taken" in debug
    assert "event text The lights go out." in debug
    events = re.findall(r"\[EVENT: (.*?)\]", result["transcript"])
    number = events.index("The lights go out") + 1  # beats of a few milliseconds may pass before it is looked for
    why = await asyncio.to_thread(typed, story, "runs", "why", run, f"event:{number}")
    assert "the author asked for it while the scene was played (direction 1, terminal)" in why
    assert "the author ended it" in await asyncio.to_thread(typed, story, "runs", "why", run, "end")


def test_a_scene_that_has_ended_cannot_be_steered_and_the_way_out_is_named(tmp_path: Path) -> None:
    story = new_story(tmp_path / "story")
    run = rehearsed(story)
    assert "has ended; fork it to play on" in typed(story, "runs", "steer", run, "end", code=2)
    assert "Nothing was asked of this run" in typed(story, "runs", "steer", run)
    assert "no run 'zzzz9999'" in typed(story, "runs", "steer", "zzzz9999", "end", code=2)
    assert "note NAME|all TEXT" in typed(story, "runs", "steer", run, "help")
