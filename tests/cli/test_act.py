"""`act`: played, checked, listed and forked from the terminal; and what `runs` knows of acts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from dramaturg.cli.app import app
from tests.cli.story import typed

EXAMPLE = Path(__file__).parents[2] / "examples" / "the-lost-umbrella"
ACT = "the-lost-umbrella"


@pytest.fixture
def story(tmp_path: Path) -> Path:
    folder = tmp_path / "story"
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("data"))
    with (folder / "dramaturg.toml").open("a", encoding="utf-8") as settings:
        settings.write('\n[scenes]\npace = 0\n[voices]\nengine = "silent"\n')
    return folder


def played(story: Path) -> str:
    return json.loads(typed(story, "act", "run", ACT, "--json").splitlines()[-1])["run"]


def test_an_act_is_watched_scene_by_scene_with_the_reason_for_each(story: Path) -> None:
    shown = typed(story, "act", "run", ACT)
    parts = ["SCENE 1\nTHE GREEN UMBRELLA", "[SCENE END - Goal: Achieved]", "Next: friday, because “Bertram promises"]
    parts += ["SCENE 2\nFRIDAY", "one hook empty.", "1. the-green-umbrella: goal achieved, 8 beats, run "]
    places = [shown.index(part) for part in parts]
    assert places == sorted(places)
    assert "data/acts/the-lost-umbrella/ transcript.txt metadata.json debug.log act.json" in shown


def test_json_gives_the_events_of_the_act_and_its_result(story: Path) -> None:
    *events, result = [json.loads(line) for line in typed(story, "act", "run", ACT, "--json").splitlines()]
    assert [one["event"]["type"] for one in events] == [
        "act.opened", "act_scene.started", "act_scene.ended", "act_scene.started", "act_scene.ended", "act.ended",
    ]  # fmt: skip
    assert result["metadata"]["scenes"][1]["name"] == "friday"
    shown = [json.loads(line) for line in typed(story, "runs", "show", result["run"], "--json").splitlines()]
    assert shown == [*events, result]


def test_quiet_prints_the_path_of_the_transcript_which_runs_show_shows(story: Path) -> None:
    path = Path(typed(story, "act", "run", ACT, "--quiet", "--also", "fountain,md,vtt,html").strip())
    text = path.read_text(encoding="utf-8")
    assert text.startswith("ACT: The Lost Umbrella\n")
    assert "[ACT END - 2 scenes]" in text
    act = next(json.loads(line) for line in typed(story, "runs", "list", "--json").splitlines() if '"act"' in line)
    assert typed(story, "runs", "show", act["id"]) == text
    assert {one.name for one in path.parent.iterdir()} == {
        "transcript.txt", "metadata.json", "debug.log", "act.json", "act.fountain", "act.md", "act.vtt", "act.html",
    }  # fmt: skip


def test_check_shows_where_each_scene_leads_and_list_what_there_is(story: Path) -> None:
    shown = typed(story, "act", "check", ACT)
    assert "-> if “Bertram promises to bring it back on Friday” was met: friday\n" in shown
    assert "-> else: the-empty-hook\n" in shown
    assert shown.count("-> end\n") == 2
    found = json.loads(typed(story, "act", "check", ACT, "--json"))
    assert [way["then"] for way in found["scenes"][0]["waysOn"]] == ["friday", "the-empty-hook"]
    (story / "acts" / "broken.yaml").write_text("scenes: [a, a]", encoding="utf-8")
    listed = typed(story, "act", "list")
    assert "the-green-umbrella, friday, the-empty-hook" in listed
    assert "twice" in listed
    assert len(typed(story, "act", "list", "--json").splitlines()) == 2
    shutil.rmtree(story / "acts")
    assert "There are no acts here yet" in typed(story, "act", "list")


def test_check_says_what_nothing_leads_to_and_what_will_be_walked_through(story: Path) -> None:
    (story / "acts" / "odd.yaml").write_text("scenes: [{scene: friday, then: end}, the-empty-hook]", encoding="utf-8")
    assert "Nothing leads to 'the-empty-hook', so it is never played." in typed(story, "act", "check", "odd")


@pytest.mark.parametrize("form", ["fountain", "vtt", "md", "html", "json", "txt"])
def test_an_act_is_exported_like_a_scene(form: str, story: Path) -> None:
    run = played(story)
    text = typed(story, "runs", "export", run, "--format", form)
    assert "Which hand?" in text
    assert "It is Friday" in text or "Friday, you said" in text
    if form == "fountain":
        assert text.count("Title:") == 1
        assert "\n.THE SAME OFFICE ON FRIDAY" in text
    if form == "json":
        assert [one["config"]["name"] for one in json.loads(text)["documents"]] == ["the-green-umbrella", "friday"]


def test_costs_are_those_of_all_scenes_by_character_or_by_scene(story: Path) -> None:
    run = played(story)
    rows = typed(story, "runs", "cost", run).splitlines()
    assert {row.split()[0] for row in rows} == {"who", "odile", "bertram", "director", "total"}
    by_scene = typed(story, "runs", "cost", run, "--beats").splitlines()
    assert [row.split()[0] for row in by_scene] == ["scene", "1", "2", "total"]
    calls = [int(row.split()[1]) for row in by_scene[1:]]
    assert calls[0] + calls[1] == calls[2] > 0
    table = json.loads(typed(story, "runs", "cost", run, "--json"))
    assert table["total"]["calls"] == calls[2]


def test_a_fork_plays_from_a_scene_on_and_says_what_it_shares(story: Path) -> None:
    run = played(story)
    shown = typed(story, "act", "fork", run, "--scene", "2", "--seed", "3")
    assert "SCENE 1\nTHE GREEN UMBRELLA" in shown
    fork = shown.split()[-1]
    assert f"FORKED FROM: run {run}, before scene 2" in typed(story, "runs", "show", fork)
    assert f"were paid for in run {run}." in typed(story, "runs", "cost", fork)
    assert "fork it at one of its scenes 1 to 2" in typed(story, "act", "fork", run, "--scene", "7", code=2)


def test_an_act_is_one_audio_play_with_a_chapter_for_each_scene(story: Path) -> None:
    run = played(story)
    manifest = json.loads(typed(story, "runs", "listen", run, "--json"))
    assert [one["title"] for one in manifest["chapters"]] == ["Opening", "The Green Umbrella", "Friday"]
    assert manifest["kind"] == "act"
    voices = {one["speaker"]: one["voice"] for one in manifest["passages"]}
    assert len(set(voices.values())) == len(voices) == 3
    assert "Friday. The same office on Friday" in " ".join(one["text"] for one in manifest["passages"])


def test_an_act_that_ended_is_not_resumed_and_one_that_failed_says_how(story: Path) -> None:
    run = played(story)
    assert "has ended; fork it to play on" in typed(story, "runs", "resume", run, code=2)
    hook = story / "scenes" / "friday.yaml"
    hook.write_text(hook.read_text(encoding="utf-8").replace("[odile, bertram]", "[odile, nobody]"), encoding="utf-8")
    said = typed(story, "act", "run", ACT, code=2)
    assert "nobody" in said
    assert len(typed(story, "runs", "list", "--json").splitlines()) == 3


def test_a_stopped_act_is_resumed_and_shown_in_full(story: Path) -> None:
    with (story / "dramaturg.toml").open("a", encoding="utf-8") as settings:
        settings.write("[budget]\ntokens = 5\n")
    done = CliRunner().invoke(app, ["act", "run", ACT, "--project", str(story)])
    assert done.exit_code == 4, done.output
    assert "The act stopped. Once the problem below is fixed, resume with: dramaturg runs resume" in done.output
    run = done.output.split("runs resume ")[1].split()[0]
    shown = typed(story, "runs", "resume", run, "--budget", "900000")
    assert "SCENE 2\nFRIDAY" in shown
    assert "2. friday: goal achieved" in shown


def test_an_act_is_moved_with_all_its_scenes_and_files(story: Path, tmp_path: Path) -> None:
    run, file, there = played(story), tmp_path / "act.jsonl", tmp_path / "there"
    assert CliRunner().invoke(app, ["new", str(there)]).exit_code == 0
    assert "and the 2 runs it consists of" in moved(story, "export", run, "--log", str(file))
    assert "and the 2 runs it consists of" in moved(there, "import", str(file))
    for form in ("json", "md"):
        assert typed(there, "runs", "export", run, "-f", form) == typed(story, "runs", "export", run, "-f", form)
    assert typed(there, "runs", "cost", run) == typed(story, "runs", "cost", run)
    assert "is here already" in moved(there, "import", str(file))
    (there / "acts").mkdir()
    for name in ("scenes", ".claude/agents", "acts"):
        shutil.copytree(story / name, there / name, dirs_exist_ok=True)
    assert "SCENE 2" in typed(there, "act", "fork", run, "--scene", "2", "--fast")


def test_a_copy_under_a_new_id_has_scenes_of_its_own(story: Path, tmp_path: Path) -> None:
    run, file = played(story), tmp_path / "act.jsonl"
    moved(story, "export", run, "--log", str(file))
    copy = moved(story, "import", str(file), "--as-new").split()[1]
    mine, theirs = (json.loads(typed(story, "runs", "export", one, "-f", "json")) for one in (run, copy))
    assert [one["config"] for one in mine["documents"]] == [one["config"] for one in theirs["documents"]]
    assert not {one["run"] for one in mine["documents"]} & {one["run"] for one in theirs["documents"]}
    assert len(typed(story, "runs", "list", "--json").splitlines()) == 6


def test_of_a_deleted_scene_the_rest_is_moved(story: Path, tmp_path: Path) -> None:
    run, file, there = played(story), tmp_path / "act.jsonl", tmp_path / "there"
    scene = json.loads(typed(story, "runs", "show", run, "--json").splitlines()[-1])["metadata"]["scenes"][0]["run"]
    typed(story, "runs", "delete", scene, "--yes")
    assert "and the run it consists of" in moved(story, "export", run, "--log", str(file))
    assert CliRunner().invoke(app, ["new", str(there)]).exit_code == 0
    moved(there, "import", str(file))
    assert typed(there, "runs", "show", run) == typed(story, "runs", "show", run)


def moved(story: Path, *words: str) -> str:
    done = CliRunner().invoke(app, ["runs", *words, "--project", str(story)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stderr
