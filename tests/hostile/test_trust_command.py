"""`dramaturg trust` and `--trust`, at a terminal and without one; and cards that choose their own model."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dramaturg.characters.exchange import export_card
from dramaturg.cli.app import app
from dramaturg.ensemble.request import ChatRequest, SlotRequest
from dramaturg.episodes.events import Persona
from dramaturg.kernel.errors import InvalidSettings, NotTrusted
from dramaturg.kernel.settings import Settings, read_settings
from dramaturg.scenes.scene import find_scene
from dramaturg.server.http.player_tokens import secret_of
from dramaturg.studio import Studio
from dramaturg.trust import check_authored_model
from tests.cli.story import SCENE, new_story
from tests.cli.terminal import ENTER, at_terminal
from tests.hostile.projects import EVIL, HostileProject, provider


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_CONFIG_HOME", "DRAMATURG_TRUST", "DRAMATURG_MODEL", "DRAMATURG_STORE_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def story(tmp_path: Path) -> Path:
    folder = new_story(tmp_path / "story")
    with (folder / "dramaturg.toml").open("a", encoding="utf-8") as settings:
        settings.write(provider("openai", base_url=EVIL))
    return folder


def run(story: Path, *words: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, [*words, "--project", str(story)], catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done.output


def test_trust_once_is_for_one_command(story: Path) -> None:
    run(story, "runs", "list", code=2)
    run(story, "runs", "list", "--trust")
    run(story, "runs", "list", code=2)


def test_consent_is_listed_and_can_be_revoked(story: Path, tmp_path: Path) -> None:
    assert "OPENAI_API_KEY" in run(story, "trust", code=2)
    assert "Remembered" in run(story, "trust", "--yes")
    run(story, "runs", "list")
    assert "Everything this project asks for is allowed" in run(story, "trust")
    assert str(story.resolve()) in run(story, "trust", "--list")
    assert EVIL in run(story, "trust", "--list")
    assert "forgotten" in run(story, "trust", "--revoke")
    assert run(story, "trust", "--list") == ""
    run(story, "runs", "list", code=2)
    assert "not allowed anything" in run(story, "trust", "--revoke")


@pytest.mark.parametrize(("engine", "code"), [("silent", 0), ("auto", 0), ("elevenlabs", 2)])
def test_an_engine_of_this_machine_asks_for_no_key_of_another(tmp_path: Path, engine: str, code: int) -> None:
    story = new_story(tmp_path / "story")
    with (story / "dramaturg.toml").open("a", encoding="utf-8") as settings:
        settings.write('[voices]\nengine = "openai-compatible"\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n')
    words = ("ensemble", "ask", "Who is there?", "--slots", "1", "--model", "rehearsal", "--no-audio")
    told = run(story, *words, "--engine", engine, code=code)
    assert ("ELEVENLABS_API_KEY" in told) == bool(code)


def test_a_new_project_asks_for_nothing(tmp_path: Path) -> None:
    assert "asks for nothing" in run(new_story(tmp_path / "new"), "trust")


@pytest.mark.timeout(180)
async def test_trust_is_not_given_unseen_to_what_changes_while_the_question_is_read(tmp_path: Path) -> None:
    settings = '[notebooks.rim]\nrole = "world"\ncommand = ["make"]\n'
    story = HostileProject("", settings, files={"Makefile": "one"}).write(tmp_path / "story")
    async with at_terminal("runs", "list", project=story, HOME=str(tmp_path / "home")) as terminal:
        await terminal.see("[y/N]")
        (story / "Makefile").write_text("two", encoding="utf-8")
        terminal.press("y" + ENTER)
        assert await terminal.exit_code() == 0
    assert "changed since you allowed it: Makefile" in await asyncio.to_thread(run, story, "runs", "list", code=2)


def test_a_program_of_the_project_that_changed_is_named(tmp_path: Path) -> None:
    settings = '[notebooks.rim]\nrole = "world"\ncommand = ["python3", "-m", "tool"]\n'
    story = HostileProject("", settings, files={"tool.py": "one"}).write(tmp_path / "story")
    run(story, "trust", "--yes")
    run(story, "runs", "list")
    (story / "tool.py").write_text("two", encoding="utf-8")
    said = "start the program python3 -m tool ([notebooks.rim]); changed since you allowed it: tool.py"
    for words in (("runs", "list"), ("trust",)):
        assert said in run(story, *words, code=2)
    (wish,) = json.loads(run(story, "trust", "--json", code=2))["wishes"]
    assert (wish["wish"], wish["allowed"]) == (said, False)
    assert json.loads(run(story, "trust", "--json", "--yes"))["wishes"][0]["allowed"] is True
    run(story, "runs", "list")


def test_cards_behind_a_link_are_not_asked_about(story: Path, tmp_path: Path) -> None:
    (story / ".claude").rename(tmp_path / "papers")
    (story / ".claude").symlink_to(tmp_path / "papers")
    told = run(story, "trust", code=2)
    assert ".claude is a link out of the project" in told
    assert "OPENAI_API_KEY" in told


@pytest.mark.timeout(180)
async def test_a_person_at_a_terminal_is_asked_once(story: Path, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path / "home")}
    for answer, code in (("n", 2), ("", 2), ("y", 0)):
        async with at_terminal("runs", "list", project=story, **home) as terminal:
            await terminal.see("OPENAI_API_KEY")
            await terminal.see("[y/N]")
            terminal.press(answer + ENTER)
            assert await terminal.exit_code() == code
    async with at_terminal("runs", "list", project=story, **home) as terminal:
        assert await terminal.exit_code() == 0
        assert "[y/N]" not in terminal.shown


def test_for_a_program_the_wishes_are_json(story: Path) -> None:
    (wish,) = json.loads(run(story, "trust", "--json", code=2))["wishes"]
    assert (wish["kind"], wish["allowed"]) == ("key", False)
    refused = json.loads(run(story, "runs", "list", "--json", code=2))
    assert refused["error"]["code"] == "NOT_TRUSTED"
    assert json.loads(run(story, "trust", "--json", "--yes"))["wishes"][0]["allowed"] is True


def test_a_way_out_of_a_voice_that_the_command_line_chooses_is_asked_for(tmp_path: Path) -> None:
    local = '[voices]\nengine = "openai-compatible"\nbase_url = "http://127.0.0.1:9/v1"\n'
    story = HostileProject("", local).write(tmp_path / "story")
    out = str(tmp_path / "a.wav")
    said = run(story, "voices", "say", "Hello.", "--out", out, "--engine", "elevenlabs", code=2)
    assert "ELEVENLABS_API_KEY" in said


def with_card(story: Path, model: str) -> Path:
    card = story / ".claude" / "agents" / "iris.md"
    text = card.read_text(encoding="utf-8")
    card.write_text(text.replace("---\n", f"---\nmodel: {model}\n", 1), encoding="utf-8")
    return story


@pytest.mark.parametrize("model", ["claude-code", "claude-code/opus", "local//srv/x.gguf", "local/../../x.gguf"])
async def test_a_card_that_starts_a_program_or_leaves_the_project_asks_first(model: str, tmp_path: Path) -> None:
    story = with_card(new_story(tmp_path / "plain"), model)
    env = {"HOME": str(tmp_path / "home")}
    async with Studio.open(read_settings(story, {**env, "DRAMATURG_MODEL": "rehearsal"})) as studio:
        with pytest.raises(NotTrusted, match="the card of iris"):
            await studio.scenes.open(find_scene(story, SCENE))
        with pytest.raises(NotTrusted, match="of the ensemble"):
            await studio.ensemble.open(ChatRequest(message="Hi", slots=(SlotRequest(slot_id=1, agent_id="iris"),)))
        await studio.scenes.open(find_scene(story, SCENE), model="rehearsal")
    assert "the card of iris" in await asyncio.to_thread(run, story, "trust", code=2)
    await asyncio.to_thread(run, story, "trust", "--yes")
    assert check_authored_model(read_settings(story, env), model, "the card of iris") == model


async def test_an_episode_with_such_a_card_asks_too(tmp_path: Path) -> None:
    story = new_story(tmp_path / "plain")
    card = story / ".claude" / "agents" / "walter.md"
    card.write_text(card.read_text(encoding="utf-8").replace("---\n", "---\nmodel: claude-code\n", 1), encoding="utf-8")
    async with Studio.open(read_settings(story, {"DRAMATURG_MODEL": "rehearsal"})) as studio:
        with pytest.raises(NotTrusted, match="the card of walter"):
            await studio.episodes.open("tea-with-walter", Persona(id="anna", name="Anna"))


def test_a_card_that_names_its_own_model_says_so_when_it_is_imported_and_shown(tmp_path: Path) -> None:
    story = with_card(new_story(tmp_path / "one"), "openrouter/expensive")
    (tmp_path / "iris.json").write_bytes(export_card(story, "iris", "json").data)
    other = new_story(tmp_path / "two")
    told = run(other, "character", "import", str(tmp_path / "iris.json"), "--name", "stranger")
    assert "names its own model, 'openrouter/expensive'" in told
    assert "openrouter/expensive" in run(other, "character", "show", "stranger")
    plain = new_story(tmp_path / "three")
    assert "model" not in run(plain, "character", "show", "iris")


@pytest.mark.parametrize("shipped", ["open", "linked"])
def test_a_project_does_not_bring_the_secret_that_signs_players_tokens(shipped: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o755)
    known = data / "players.key" if shipped == "open" else tmp_path / "known"
    known.write_text("k" * 64, encoding="utf-8")
    known.chmod(0o644 if shipped == "open" else 0o600)
    if shipped == "linked":
        (data / "players.key").symlink_to(known)
    with pytest.raises(InvalidSettings, match=r"players\.key is not secret"):
        secret_of(Settings(project=tmp_path))
