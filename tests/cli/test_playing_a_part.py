"""A person plays a part at a terminal, or through a pipe, with `scene run --as`."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.cli.story import document, new_story, typed
from tests.model_server import Asked, ModelServer
from tests.scenes.test_kill_and_resume import line_for, project

SCENE = "the-second-signature"


def test_lines_of_a_pipe_are_spoken_one_turn_after_the_other_and_at_its_end_the_person_leaves(tmp_path: Path) -> None:
    story = new_story(tmp_path / "story")
    keys = "You came up.\n/event The skylight rattles.\n(quietly) I know what you found.\n"
    shown = typed(story, "scene", "run", SCENE, "--as", "walter", keys=keys)
    assert "Played by Walter: a person; the others: the rehearsal company" in shown
    assert "You are Walter, Retired Restorer." in shown
    first, second = shown.index('"You came up."'), shown.index('Walter [TONE: quietly] "I know what you found."')
    assert first < second < shown.index("[EVENT: The skylight rattles]")
    assert shown.count("Walter [") == 2
    assert document(story)["metadata"]["people"] == ["Walter"]


def test_another_program_plays_through_a_pipe_in_json(tmp_path: Path) -> None:
    story = new_story(tmp_path / "story")
    rows = [
        json.loads(row)
        for row in typed(story, "scene", "run", SCENE, "--as", "Walter", "--json", keys="Hm.\n").splitlines()
    ]
    kinds = [row["type"] for row in rows[:-1]]
    assert (kinds[0], kinds[-1]) == ("seat.briefing", "seat.scene_ended")
    assert [row["number"] for row in rows[:-1]] == list(range(1, len(rows)))
    assert {"seat.heard", "seat.cue", "seat.answer_taken", "seat.turn_ended"} <= set(kinds)
    assert rows[-1]["metadata"]["people"] == ["Walter"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--as", "wolter"], "'wolter' is nobody of this scene (Iris, Walter). Did you mean 'Walter'?"),
        (["--wait"], "Nobody has to be waited for"),
    ],
)
def test_a_part_that_is_none_is_refused_before_anything_is_written(tmp_path: Path, words: list[str], says: str) -> None:
    story = new_story(tmp_path / "story")
    assert says in typed(story, "scene", "run", SCENE, *words, code=2).replace("\n", " ")
    assert typed(story, "runs", "list", "--json") == ""


def test_whoever_reads_the_run_later_sees_that_a_person_said_it(tmp_path: Path) -> None:
    story = new_story(tmp_path / "story")
    typed(story, "scene", "run", SCENE, "--as", "walter", keys="Hm.\n")
    (run,) = [json.loads(row)["id"] for row in typed(story, "runs", "list", "--json").splitlines()]
    assert "PLAYED BY: Walter: a person" in typed(story, "runs", "show", run)
    debug = typed(story, "runs", "show", run, "--debug")
    assert "seat.answered" in debug
    assert "seat.left" in debug
    assert "by Walter (a person)" in typed(story, "runs", "why", run, "Hm")
    assert typed(story, "runs", "why", run, "Hm", "--prompt") == ""
    assert "there is no model to ask again" in typed(story, "runs", "why", run, "Hm", "--test", "--yes", code=2)


if sys.platform == "win32":
    pytest.skip("there is no pseudo-terminal", allow_module_level=True)

from tests.cli.terminal import CTRL_C, ENTER, at_terminal  # noqa: E402 - not on Windows


def whispering(asked: Asked) -> str:
    """Alice has an aside for Charlie at her second line."""
    if "Beat 1. Alice:" in asked.prompt:
        return '[ASIDE TO: Charlie, TONE: low] "The poison is in the blue cup."'
    return line_for(asked)


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as serving:
        serving.reply = whispering
        yield serving


async def test_a_person_at_a_terminal_sees_whose_turn_it_is_and_only_what_their_character_hears(
    tmp_path: Path, server: ModelServer
) -> None:
    story = project(tmp_path, server.url)
    async with at_terminal("scene", "run", "long", "--as", "bob", "--wait", project=story) as at:
        await at.see("You play Bob.")
        await at.see("Bob, it is your turn (beat 1) > ")
        at.press("/help" + ENTER)
        await at.see("/silent")
        at.press("/me" + ENTER)
        await at.see("Bob - Colleague")
        at.press("Pass me the cup." + ENTER)
        await at.see('Bob [TONE: neutral] "Pass me the cup."')
        await at.see("Bob, it is your turn (beat 2) > ")
        at.press("/silent" + ENTER)
        await at.see("Bob, it is your turn (beat 3) > ")
        at.press("/event The lights go out." + ENTER)
        await at.see("/event: it is followed after the beat")
        at.press("/leave" + ENTER)
        await at.see("You do not play Bob any more.")
        await at.see("[EVENT: The lights go out]")
        at.press("/end" + ENTER)
        await at.see("[SCENE END - Goal: Not achieved, ended by the author]")
        assert await at.exit_code() == 0
        assert "blue cup" not in at.printed
        assert "Traceback" not in at.shown


async def test_the_author_who_plays_a_part_may_see_everything(tmp_path: Path, server: ModelServer) -> None:
    story = project(tmp_path, server.url)
    async with at_terminal("scene", "run", "long", "--as", "bob", "--wait", "--author", project=story) as at:
        await at.see("You play Bob.")
        at.press("Pass me the cup." + ENTER)
        await at.see("blue cup")
        at.press(CTRL_C)
        assert await at.exit_code() == 130


async def test_the_only_part_for_a_person_is_theirs_who_types_here(tmp_path: Path, server: ModelServer) -> None:
    story = project(tmp_path, server.url)
    file = story / "scenes" / "long.json"
    scene = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(scene | {"parts": {"bob": {"played_by": "person", "wait": True}}}), encoding="utf-8")
    async with at_terminal("scene", "run", "long", project=story) as at:
        await at.see("Bob, it is your turn (beat 1) > ")
        at.press(CTRL_C)
        assert await at.exit_code() == 130
        await at.see("Resume with: dramaturg runs resume")
    listed = await asyncio.to_thread(typed, story, "runs", "list", "--json")
    (run,) = [json.loads(row)["id"] for row in listed.splitlines()]
    async with at_terminal("runs", "resume", run, project=story) as at:
        await at.see("Bob, it is your turn (beat 1) > ")
        at.press("Here I am again." + ENTER)
        await at.see('Bob [TONE: neutral] "Here I am again."')
        at.press(CTRL_C)
        assert await at.exit_code() == 130
