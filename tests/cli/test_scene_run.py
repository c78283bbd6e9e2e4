"""Playing a scene from the command line."""

import asyncio
import json
import os
import re
import signal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dramaturg.cli.app import app
from dramaturg.cli.edge import at_speaking_pace
from dramaturg.kernel.settings import read_settings
from tests import warm
from tests.model_server import ModelServer
from tests.scenes.test_kill_and_resume import line_for, project

SCENE = "the-second-signature"


@pytest.fixture
def story(tmp_path: Path) -> Path:
    folder = tmp_path / "story"
    assert CliRunner().invoke(app, ["new", str(folder)]).exit_code == 0
    with (folder / "dramaturg.toml").open("a", encoding="utf-8") as settings:
        settings.write("\n[scenes]\npace = 0\n")
    return folder


def run(story: Path, *words: str) -> str:
    done = CliRunner().invoke(app, [*words, "--project", str(story)], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    return done.stdout


def test_a_new_project_plays_at_once_and_leaves_its_four_files(story: Path) -> None:
    shown = run(story, "scene", "run", SCENE, "--model", "rehearsal")
    folder = story / "data" / "scenes" / SCENE
    assert {path.name for path in folder.iterdir()} == {"transcript.txt", "metadata.json", "debug.log", "scene.json"}
    transcript = (folder / "transcript.txt").read_text(encoding="utf-8")
    spoken = [line for line in transcript.splitlines() if line.startswith(("Iris [", "Walter ["))]
    assert len(spoken) >= 6
    assert all(line in shown for line in spoken)
    assert "PLAYED BY: the rehearsal company, seed 1 (scripted players, not a language model)" in transcript


def test_the_transcript_has_the_header_the_end_line_and_the_statistics(story: Path) -> None:
    run(story, "scene", "run", SCENE, "--model", "rehearsal")
    text = (story / "data" / "scenes" / SCENE / "transcript.txt").read_text(encoding="utf-8")
    assert re.match(
        r"SCENE: The Second Signature\nCHARACTERS: Iris, Walter\nGOAL: Walter confesses .*\n"
        r"GENERATED: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\nPLAYED BY: .*\n\n---\n\n\[SCENE START\]\n\[Setting: A ",
        text,
    )
    assert re.search(
        r"\n\n\[SCENE END - .*\]\n\n---\n\nSTATISTICS:\n- Duration: \d+ beats\n- Processing time: [\d.]+s\n"
        r"- Total tokens: 0\n- Estimated cost: \$0.00 USD\n$",
        text,
    )


def test_the_same_seed_plays_the_same_scene_and_a_second_run_overwrites_nothing(story: Path) -> None:
    for seed in ("4", "4", "5"):
        run(story, "scene", "run", SCENE, "--model", "rehearsal", "--seed", seed, "--quiet")
    first, again, other = (
        json.loads((story / "data" / "scenes" / name / "scene.json").read_text(encoding="utf-8"))["lines"]
        for name in (SCENE, f"{SCENE}-2", f"{SCENE}-3")
    )
    assert first == again
    assert first != other


def test_json_prints_public_events_and_last_the_result_and_nothing_else(story: Path) -> None:
    lines = [
        json.loads(line) for line in run(story, "scene", "run", SCENE, "--model", "rehearsal", "--json").splitlines()
    ]
    result, events = lines[-1], lines[:-1]
    assert set(result) == {"success", "transcript", "metadata", "outputPath", "run"}
    assert set(result["metadata"]) == {
        "name", "duration", "totalBeats", "characterCount", "goalAchieved", "reason", "errors", "leaks", "words",
        "costs",
    }  # fmt: skip
    assert result["metadata"]["costs"] == {"totalTokens": 0, "estimatedUSD": 0.0}
    assert events[0]["event"]["type"] == "scene.opened"
    assert {event["event"]["type"] for event in events} <= {
        "scene.opened", "line.spoken", "line.cut", "beat.played", "scene.ended"
    }  # fmt: skip
    assert (story / result["outputPath"] / "transcript.txt").read_text(encoding="utf-8") == result["transcript"]


def test_quiet_prints_only_where_the_transcript_is(story: Path) -> None:
    assert Path(run(story, "scene", "run", SCENE, "--model", "rehearsal", "-q").strip()).is_file()


@pytest.mark.parametrize(("watched", "set_to", "pace"), [(True, None, 1.0), (False, None, None), (True, 0.5, 0.5)])
def test_the_company_plays_in_real_time_only_where_somebody_watches(
    tmp_path: Path, watched: bool, set_to: float | None, pace: float | None
) -> None:
    if set_to is not None:
        (tmp_path / "dramaturg.toml").write_text(f"[scenes]\npace = {set_to}\n", encoding="utf-8")
    assert at_speaking_pace(read_settings(tmp_path, {}), watched=watched).scenes.pace == pace


def test_runs_can_be_listed_and_shown_again_to_the_byte(story: Path) -> None:
    run(story, "scene", "run", SCENE, "--model", "rehearsal", "-q")
    record = json.loads(run(story, "runs", "list", "--json"))
    assert (record["kind"], record["name"], record["status"]) == ("scene", SCENE, "ended")
    transcript = (story / "data" / "scenes" / SCENE / "transcript.txt").read_text(encoding="utf-8")
    assert run(story, "runs", "show", record["id"][:12]) == transcript
    assert record["id"] in run(story, "runs", "list")
    debug = run(story, "runs", "show", record["id"], "--debug")
    assert debug == (story / "data" / "scenes" / SCENE / "debug.log").read_text(encoding="utf-8")


def test_an_ended_run_cannot_be_resumed_and_says_why(story: Path) -> None:
    run(story, "scene", "run", SCENE, "--model", "rehearsal", "-q")
    record = json.loads(run(story, "runs", "list", "--json"))
    done = CliRunner().invoke(app, ["runs", "resume", record["id"], "--project", str(story)])
    assert done.exit_code == 2
    assert "has ended" in done.stderr


def test_nothing_played_yet_is_said_kindly(story: Path) -> None:
    assert "Nothing has been played here yet" in run(story, "runs", "list")


def test_models_says_who_can_play_and_why_others_cannot(story: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-to-be-printed")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    shown = " ".join(run(story, "models").split())
    assert "openai usable: OPENAI_API_KEY is set" in shown
    assert "anthropic not usable: ANTHROPIC_API_KEY is not set" in shown
    assert "rehearsal usable" in shown
    assert "sk-not" not in shown
    rows = [json.loads(line) for line in run(story, "models", "--json").splitlines()]
    assert {row["provider"] for row in rows[:-1]} >= {"anthropic", "openai", "google", "ollama"}
    assert rows[-1]["choice"].startswith("openai/")


def test_doctor_finds_this_machine_in_order_and_prints_no_key(story: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-to-be-printed")
    shown = run(story, "doctor")
    assert "Characters: iris, walter" in shown
    assert "openai (OPENAI_API_KEY is set)" in shown
    assert "sk-not" not in shown
    assert all(json.loads(line)["mark"] in ("ok", "note") for line in run(story, "doctor", "--json").splitlines())


def test_doctor_names_episodes_that_nobody_can_play(story: Path) -> None:
    (story / "dramaturg.toml").write_text('[players]\nopen = ["*", "tea-with-waltr"]\n', encoding="utf-8")
    (story / "episodes" / "torn.yaml").write_text("character: [", encoding="utf-8")
    (story / "episodes" / "empty-chair.yaml").write_text("character: nobody\n", encoding="utf-8")
    shown = run(story, "doctor")
    assert "Episodes: Episode 'tea-with-waltr' not found. Did you mean 'tea-with-walter'?" in shown
    assert "Episodes: episodes/torn.yaml, line 1" in shown
    assert "Episodes: episodes/empty-chair.yaml: Character 'nobody' not found." in shown
    assert shown.count("Episodes:") == 3


def test_doctor_names_models_for_characters_that_are_not_here(story: Path) -> None:
    models = '[models.characters]\nIRIS = "rehearsal"\nwaltr = "rehearsal"\n'
    (story / "dramaturg.toml").write_text(models, encoding="utf-8")
    shown = run(story, "doctor")
    assert "Models: [models.characters] names 'waltr', and there is no such character here" in shown
    assert "IRIS" not in shown


def test_doctor_exits_with_5_when_the_store_is_broken(story: Path) -> None:
    (story / "data").mkdir()
    (story / "data" / "dramaturg.db").write_bytes(b"not a database" * 1000)
    done = CliRunner().invoke(app, ["doctor", "--project", str(story)])
    assert done.exit_code == 5
    assert "dramaturg.db" in done.stdout


async def test_ctrl_c_stops_cleanly_says_how_to_resume_and_resuming_plays_on(tmp_path: Path) -> None:
    async with ModelServer() as server, asyncio.timeout(240):
        server.reply = line_for
        story = project(tmp_path, server.url)
        server.hold(at=12)
        process = await warm.start(
            "-m", "dramaturg", "scene", "run", "long", "--project", str(story),
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env=os.environ | {"NO_COLOR": "1"},
        )  # fmt: skip
        await server.received(12)
        process.send_signal(signal.SIGINT)
        out, err = await process.communicate()
        assert process.returncode == 130, err.decode()
        assert b"Traceback" not in err
        found = re.search(r"dramaturg runs resume (\w+) --project", err.decode())
        assert found
        transcript = (story / "data" / "scenes" / "long" / "transcript.txt").read_text(encoding="utf-8")
        assert "[SCENE STOPPED - cancelled]" in transcript
        assert transcript.count("[TONE: steady]") == out.decode().count("[TONE: steady]") > 0
        server.release()
        again = await warm.start(
            "-m", "dramaturg", "runs", "resume", found[1], "--project", str(story), "-q",
            stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        await again.communicate()
    assert again.returncode == 0
    assert "[SCENE END - Maximum length reached]" in (story / "data" / "scenes" / "long" / "transcript.txt").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize("where", ["settings", "scene"])
async def test_a_spent_budget_stops_the_scene_with_exit_4_and_keeps_what_was_played(tmp_path: Path, where: str) -> None:
    async with ModelServer() as server, asyncio.timeout(240):
        server.reply = line_for
        story = project(tmp_path, server.url)
        scene = story / "scenes" / "long.json"
        if where == "scene":
            config = json.loads(scene.read_text(encoding="utf-8")) | {"budget": {"tokens": 9000}}
            scene.write_text(json.dumps(config), encoding="utf-8")
        with (story / "dramaturg.toml").open("a", encoding="utf-8") as settings:
            settings.write(f"[budget]\ntokens = {9000 if where == 'settings' else 900_000}\n")
        process = await warm.start(
            "-m", "dramaturg", "scene", "run", "long", "--project", str(story), "--json",
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, err = await process.communicate()
    assert process.returncode == 4, err.decode()
    assert json.loads(out.splitlines()[-1])["error"]["code"] == "BUDGET_EXCEEDED"
    assert "[TONE: steady]" in (story / "data" / "scenes" / "long" / "transcript.txt").read_text(encoding="utf-8")


async def test_a_rejected_key_stops_the_scene_with_exit_3_and_says_what_to_do(tmp_path: Path) -> None:
    async with ModelServer() as server, asyncio.timeout(240):
        server.fault("401", times=100)
        story = project(tmp_path, server.url)
        process = await warm.start(
            "-m", "dramaturg", "scene", "run", "long", "--project", str(story),
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        _, err = await process.communicate()
    assert process.returncode == 3
    assert b"Traceback" not in err
    assert "runs resume" in err.decode()
    assert len(server.requests) == 1
