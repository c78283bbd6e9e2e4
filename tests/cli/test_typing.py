"""Typing at a terminal: editing, history, completion, typing ahead, and Ctrl-C at any moment."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.cli.story import typed
from tests.model_server import ModelServer

if sys.platform == "win32":
    pytest.skip("there is no pseudo-terminal", allow_module_level=True)

from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from dramaturg.cli.terminal_lines import CommandCompleter
from tests.cli.terminal import CTRL_C, CTRL_D, CTRL_U, ENTER, UP, at_terminal

EXAMPLES = Path(__file__).parents[2] / "examples"
WRITING = "Two sisters inherit a lighthouse that nobody lights."


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLES / "the-flirt-test", tmp_path / "story"))


@pytest.fixture
def book(tmp_path: Path) -> Path:
    (tmp_path / "dramaturg.toml").write_text('[models]\ndefault = "rehearsal"\n', encoding="utf-8")
    return tmp_path


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as serving:
        serving.reply = lambda asked: "I see."
        yield serving


def served(folder: Path, server: ModelServer) -> Path:
    (folder / "dramaturg.toml").write_text(
        f'[models]\ndefault = "house/character"\n[providers.house]\nprotocol = "openai"\nbase_url = "{server.url}/v1"',
        encoding="utf-8",
    )
    return folder


async def test_a_line_is_edited_sent_and_found_again_in_the_next_session(story: Path) -> None:
    for keys, said in (("Hullo\x7f\x7f\x7f\x7fello" + ENTER, "Hello"), (UP + ENTER, "Hello")):
        async with at_terminal("episode", "play", "the-flirt-test", project=story, DRAMATURG_MODEL="rehearsal") as at:
            await at.see("›")
            at.press(keys)
            await at.see(said)
            await at.see("Juno:")
            await at.see("›")
            at.press(CTRL_D)
            assert await at.exit_code() == 0
    sessions = json.loads(await asyncio.to_thread(typed, story, "episode", "list", "--json"))["sessions"]
    assert [one["turn_count"] for one in sessions] == [1, 1]


async def test_ctrl_c_leaves_a_prompt_at_once_even_with_half_a_line_typed(story: Path) -> None:
    async with at_terminal("episode", "play", "the-flirt-test", project=story, DRAMATURG_MODEL="rehearsal") as at:
        await at.see("›")
        at.press("I was going to s" + CTRL_C)
        assert await at.exit_code() == 130
        await at.see("Continue with: dramaturg episode play --session")
        assert at.echoes()
        assert "Traceback" not in at.shown


async def test_ctrl_c_leaves_while_an_answer_is_awaited_and_the_message_is_saved(
    tmp_path: Path, server: ModelServer
) -> None:
    server.hold()
    async with at_terminal("foreman", "chat", project=served(tmp_path, server)) as at:
        await at.see(">")
        at.press(WRITING + ENTER)
        await server.received(1)
        at.press(CTRL_C)
        assert await at.exit_code() == 130
        await at.see("Your message is saved")
        assert at.echoes()
        assert "Traceback" not in at.shown
    assert json.loads(await asyncio.to_thread(typed, tmp_path, "foreman", "state", "--json"))["unanswered"]


async def test_what_is_typed_while_an_answer_streams_stands_at_the_next_prompt(
    tmp_path: Path, server: ModelServer
) -> None:
    server.hold()
    async with at_terminal("foreman", "chat", project=served(tmp_path, server)) as at:
        await at.see(">")
        at.press(WRITING + ENTER)
        await server.received(1)
        assert not at.echoes()
        at.press("My next thou")
        server.release()
        await at.see("I see.")
        await at.see(">")
        await at.see("My next thou")
        at.press("ght." + ENTER)
        await server.received(2)
        assert "My next thought." in server.requests[-1].raw.decode()
        await at.see("I see.")
        await at.see(">")
        at.press(CTRL_D)
        assert await at.exit_code() == 0


async def test_a_line_that_ends_with_a_backslash_goes_on_and_commands_are_completed(book: Path) -> None:
    async with at_terminal("foreman", "chat", project=book) as at:
        await at.see(">")
        at.press("Two sisters inherit a lighthouse \\" + ENTER)
        await at.see("…")
        at.press("that nobody lights." + ENTER)
        await at.see("✓ Decided: premise")
        await at.see(">")
        at.press("/wo")
        await at.see("what the book still needs")
        at.press("\t" + ENTER)
        await at.see("The gate to")
        await at.see(">")
        at.press("nothing" + CTRL_U + "/quit" + ENTER)
        assert await at.exit_code() == 0
    assert json.loads(await asyncio.to_thread(typed, book, "foreman", "state", "--json"))["turns"] == 1


async def test_json_at_a_terminal_prompts_and_still_prints_every_event(story: Path) -> None:
    async with at_terminal(
        "episode", "play", "the-flirt-test", "--json", project=story, DRAMATURG_MODEL="rehearsal"
    ) as at:
        await at.see('"type":"done"')
        await at.see("›")
        at.press("Hello" + ENTER)
        await at.see('"type":"done"')
        await at.see("›")
        at.press("/quit" + ENTER)
        await at.see('"status":')
        assert await at.exit_code() == 0


async def test_a_question_is_answered_or_left_with_ctrl_c(story: Path) -> None:
    for keys, code, told in ((CTRL_C, 130, ""), ("n" + ENTER, 2, "Nothing was changed"), ("y" + ENTER, 0, "no longer")):
        async with at_terminal("character", "reset", "juno", project=story) as at:
            await at.see("[y/N]")
            at.press(keys)
            assert await at.exit_code() == code
            await at.see(told)


def test_only_commands_are_completed() -> None:
    completer = CommandCompleter({"/swipe": "another answer", "/state": "the book", "/quit": "leave"})

    def offered(text: str) -> list[str]:
        return [one.text for one in completer.get_completions(Document(text), CompleteEvent())]

    assert offered("/s") == ["/swipe", "/state"]
    assert offered("/") == ["/swipe", "/state", "/quit"]
    assert offered("") == offered("s") == offered("either/or") == offered("/x") == []
