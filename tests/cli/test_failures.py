"""When models cannot answer: the reason and the way out are on the terminal, and no secret is."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dramaturg.cli.app import app
from tests.model_server import ModelServer
from tests.scenes.test_kill_and_resume import line_for, project

KEY = "sk-proj-very-secret-0123456789"


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer() as serving:
        serving.reply = line_for
        yield serving


@pytest.fixture
def story(tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOUSE_KEY", KEY)
    monkeypatch.setenv("DRAMATURG_TRUST", "1")
    folder = project(tmp_path, server.url)
    settings = folder / "dramaturg.toml"
    text = settings.read_text(encoding="utf-8").replace("[models]", "[models]\nretries = 0")
    settings.write_text(text + 'key_env = "HOUSE_KEY"\n', encoding="utf-8")
    return folder


async def run(story: Path, *words: str) -> tuple[int, str]:
    """The exit code, and all that a person sees."""
    done = await asyncio.to_thread(CliRunner().invoke, app, [*words, "--project", str(story)])
    return done.exit_code, done.output


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("500", r"house answered 500 \(api_error: the pot boils over"),
        ("502", r"house answered 502"),
        ("503", r"house answered 503"),
        ("529", r"house answered 529"),
        ("429", r"house answered 429"),
        ("garbage", r"is not a model's answer \(.*Welcome to the hotel"),
        ("cut", r"no connection to http://127\.0\.0\.1"),
        ("error-in-body", r"house answered 500"),
    ],
)
async def test_a_cast_that_cannot_answer_says_why_and_how_to_play_on(
    story: Path, server: ModelServer, kind: str, words: str
) -> None:
    server.fault(kind, after=8, times=1000, message=f"the pot boils over, key {KEY}")
    code, shown = await run(story, "scene", "run", "long")
    assert code == 3
    assert re.search(words, shown)
    assert KEY not in shown
    assert "Nobody in the cast could answer" in shown
    assert "dramaturg doctor" in shown
    command = re.search(r"dramaturg (runs fork \w+ --beat \d+)", shown)
    assert command
    server.reset()
    code, shown = await run(story, *command[1].split(), "--json")
    assert code == 0
    assert json.loads(shown.splitlines()[-1])["metadata"]["reason"] == "max_beats_exceeded"


@pytest.mark.parametrize("kind", ["400", "401", "402", "403", "404", "413", "422"])
async def test_a_request_that_is_refused_stops_the_scene_which_can_be_resumed(
    story: Path, server: ModelServer, kind: str
) -> None:
    server.fault(kind, times=1000, message=f"no such thing, key {KEY}")
    code, shown = await run(story, "scene", "run", "long")
    assert code == 3
    assert f"house answered {kind}" in shown
    assert KEY not in shown
    assert "dramaturg doctor" in shown
    assert re.search(r"resume with: dramaturg runs resume \w+", shown)


async def test_before_the_first_line_the_way_out_is_to_play_the_scene_again(story: Path, server: ModelServer) -> None:
    server.fault("500", times=1000)
    code, shown = await run(story, "scene", "run", "long", "--quiet")
    assert code == 3
    assert "house answered 500" in shown
    assert "play on with: dramaturg scene run long" in shown


async def test_one_character_that_fails_is_explained_once_and_the_loss_is_counted(
    story: Path, server: ModelServer
) -> None:
    (story / ".claude" / "agents" / "bob.md").write_text(
        "---\nmodel: attic/owl\n---\n# Bob - Colleague\n", encoding="utf-8"
    )
    with (story / "dramaturg.toml").open("a", encoding="utf-8") as settings:
        settings.write('[providers.attic]\nprotocol = "openai"\nbase_url = "http://127.0.0.1:9/v1"\n')
    code, shown = await run(story, "scene", "run", "long")
    assert code == 0
    assert shown.count("Bob could not answer: attic/owl: no connection to http://127.0.0.1:9/v1") == 1
    assert re.search(r"\d+ lines were lost because a model could not answer", shown)


async def test_a_judge_that_fails_is_explained_when_it_happens(story: Path, server: ModelServer) -> None:
    with (story / "dramaturg.toml").open("a", encoding="utf-8") as settings:
        settings.write('[providers.attic]\nprotocol = "openai"\nbase_url = "http://127.0.0.1:9/v1"\n')
    text = (story / "dramaturg.toml").read_text(encoding="utf-8")
    text = text.replace('director = "house/character"', 'director = "attic/owl"')
    (story / "dramaturg.toml").write_text(text, encoding="utf-8")
    _, shown = await run(story, "scene", "run", "long")
    assert shown.count("The judge could not answer: attic/owl: no connection") == 1


async def test_a_pause_that_is_too_long_says_until_when_and_how_to_resume(story: Path, server: ModelServer) -> None:
    server.fault("429", after=3, times=9, retry_after="7200")
    code, shown = await run(story, "scene", "run", "long")
    assert code == 3
    assert "house has no room before" in shown
    assert re.search(r"resume with: dramaturg runs resume \w+", shown)
    assert "unable to respond" not in shown
