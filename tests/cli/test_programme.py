"""`programme make` and `programme feed`: a session, a scene and an act as files that were read back and measured."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from dramaturg.cli.app import app
from dramaturg.voices.providers.media import probe, read_sound
from tests.cli.story import new_story, typed
from tests.voices.reference_meter import reference_loudness
from tests.voices.rss import faults
from tests.voices.test_publication import music

ROOT = Path(__file__).parents[2]
LETTER = """
prompt: "They argue. Scene goal: Walter apologizes."
characters: [iris, walter]
maxBeats: 3
lookahead: false
lines:
  - {at: opening, say: 'Iris [TO: Walter, TONE: hard] "You opened my letter, Walter."'}
  - {at: apology, goal: 1, say: 'Walter [TO: Iris, TONE: low] "I am sorry, Iris. I read it twice."'}
"""


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_story(tmp_path_factory.mktemp("programme") / "story")


@pytest.fixture(scope="module")
def session(story: Path) -> str:
    """Spoken by an engine that needs no network."""
    typed(story, "ensemble", "ask", "What is worth keeping?", "--slots", "2", "--engine", "hibari")
    return json.loads(typed(story, "runs", "list", "--json").splitlines()[0])["id"]


def made(story: Path, run: str, out: Path, *words: str) -> dict[str, Any]:
    return json.loads(typed(story, "programme", "make", run, "--out", str(out), "--json", *words))


def test_a_session_is_a_programme_whose_question_nobody_at_the_table_speaks(
    story: Path, session: str, tmp_path: Path
) -> None:
    programme = made(story, session, tmp_path, "--engine", "hibari", "--format", "m4b,flac")
    titles = ["The question", "Turn 1: answers", "Turn 2: comments", "Turn 3: replies"]
    for file in programme["files"]:
        info = probe(tmp_path / file["file"])
        assert [one.title for one in info.chapters] == titles
        assert abs(info.duration_ms - programme["durationMs"]) < 100
    sound = read_sound(tmp_path / programme["files"][0]["file"]).astype(np.float64)
    assert reference_loudness(sound, 48_000) == pytest.approx(-16, abs=0.5)
    level = np.sqrt(np.mean(sound[: len(sound) // 4800 * 4800].reshape(-1, 4800, 2) ** 2, axis=(1, 2)))
    assert level.min() > 10 ** (-80 / 20)  # a room, never a hole
    manifest = next((story / "data" / "artifacts" / "tts" / "sessions" / session).glob("programme.json"))
    passages = json.loads(manifest.read_text(encoding="utf-8"))["passages"]
    voices = {one["id"]: one["voice"] for one in passages}
    assert passages[0]["text"] == "What is worth keeping?"
    assert voices.pop("question") not in voices.values()
    assert "Question" not in programme["speakers"]
    words = json.loads((tmp_path / programme["words"]).read_text(encoding="utf-8"))["passages"]
    assert {one["source"] for one in words} <= {"engine", "estimated"}
    assert [word["word"].lower().strip("?") for word in words[0]["words"]] == ["what", "is", "worth", "keeping"]


def test_without_the_question_a_session_begins_with_its_answers_and_music_lies_beneath(
    story: Path, session: str, tmp_path: Path
) -> None:
    bed = music(tmp_path / "bed.wav", 22_050, 3)
    programme = made(story, session, tmp_path / "out", "--no-question", "--music", str(bed), "--format", "opus")
    assert programme["chapters"][0]["title"] == "Turn 1: answers"
    assert programme["lufs"] == pytest.approx(-16, abs=0.3)


def test_a_scene_and_an_act_are_programmes_and_all_are_in_the_feed(story: Path, tmp_path: Path) -> None:
    (story / "scenes" / "letter.yaml").write_text(LETTER, encoding="utf-8")
    (story / "acts").mkdir(exist_ok=True)
    (story / "acts" / "evening.yaml").write_text("scenes:\n  - scene: letter\n", encoding="utf-8")
    typed(story, "act", "run", "evening", "--quiet")
    runs = [json.loads(line) for line in typed(story, "runs", "list", "--json").splitlines()]
    act, scene = (next(one["id"] for one in runs if one["kind"] == kind) for kind in ("act", "scene"))
    out = tmp_path / "out"
    plain = ("--engine", "silent", "--no-room-tone", "--format", "mp3")
    one = made(story, scene, out, *plain, "--name", "scene")
    two = made(story, act, out, *plain, "--name", "act")
    short = made(story, scene, tmp_path / "short", *plain, "--no-question")
    assert (one["kind"], two["kind"]) == ("scene", "act")
    assert short["durationMs"] < one["durationMs"]
    assert len(probe(out / "scene.mp3").chapters) == len(one["chapters"]) > 1
    done = CliRunner().invoke(app, ["programme", "feed", str(out), "--url", "https://example.org/x", "--title", "X"])
    assert done.exit_code == 0, done.output
    assert "2 programmes" in done.output
    assert faults((out / "feed.xml").read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--format", "wma"), "known are wav, flac, mp3, opus, m4b"),
        (("--music", "nowhere.mp3"), "nowhere.mp3 cannot be read"),
        (("--music", __file__), "cannot be read as sound"),
        (("--music", __file__, "--duck-db", "-3"), "--duck-db must not be above"),
        (("--name", "../../x"), "cannot name a file"),
        (("--out", __file__), "test_programme.py"),
        (("--question-voice", "nobody", "--format", "wav"), "nobody"),
    ],
)
def test_what_cannot_be_made_is_refused_in_a_sentence(
    story: Path, session: str, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    command = ["programme", "make", session, "--project", str(story), "--engine", "hibari", "--out"]
    command += [str(tmp_path / "out"), *words]
    done = CliRunner().invoke(app, command)
    assert said in " ".join((done.output + done.stderr).split())
    assert "Traceback" not in done.output
    assert "bug in dramaturg" not in done.output
    assert done.exit_code == {"--question-voice": 0, "--out": 5}.get(words[0], 2)


@pytest.mark.parametrize("out", ["../podcast", "programmes/../../podcast"])
def test_a_programme_may_be_written_to_a_folder_beside_the_project(
    story: Path, session: str, out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(story)
    words = ["programme", "make", session, "--out", out, "--name", "beside", "--format", "wav", "--engine", "hibari"]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.stderr
    assert "../podcast/beside.wav" in done.stdout
    assert probe(story.parent / "podcast" / "beside.wav").duration_ms > 0


@pytest.mark.parametrize("out", ["podcast", "podcast/new", "podcast/../podcast"])
def test_a_link_in_the_project_leads_no_programme_out_of_it(
    story: Path, session: str, out: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(story)
    Path("podcast").symlink_to(tmp_path)
    try:
        done = CliRunner().invoke(app, ["programme", "make", session, "--out", out, "--format", "wav"])
    finally:
        Path("podcast").unlink()
    assert done.exit_code == 2
    assert "is a link out of the project" in " ".join(done.stderr.split())
    assert list(tmp_path.iterdir()) == []


def test_a_programme_that_cannot_be_heard_says_so_wherever_it_goes(story: Path, tmp_path: Path) -> None:
    typed(story, "ensemble", "ask", "Who hears this?", "--slots", "1", "--engine", "silent")
    run = json.loads(typed(story, "runs", "list", "--json").splitlines()[0])["id"]
    words = ["programme", "make", run, "--project", str(story), "--engine", "hibari", "--out", str(tmp_path)]
    done = CliRunner().invoke(app, [*words, "--format", "wav", "--name", "unheard", "--no-question"])
    assert done.exit_code == 0
    told = " ".join(done.stderr.split())
    assert "All lines were made by the engine 'silent'" in told
    assert f"dramaturg runs voice {run} --engine hibari" in told
    assert json.loads((tmp_path / "unheard.publication.json").read_text(encoding="utf-8"))["silent"] is True
    feed = CliRunner().invoke(app, ["programme", "feed", str(tmp_path), "--url", "https://example.org/x"])
    assert "Nothing can be heard in 'Who hears this?'" in " ".join(feed.stderr.split())


def test_the_advice_for_a_file_that_is_gone_makes_that_file_again(story: Path, session: str, tmp_path: Path) -> None:
    made(story, session, tmp_path, "--engine", "hibari", "--format", "mp3,flac", "--name", "an evening")
    (tmp_path / "an evening.mp3").unlink()
    feed = ["programme", "feed", str(tmp_path), "--url", "https://example.org/x"]
    refused = CliRunner().invoke(app, feed)
    assert refused.exit_code == 2
    advice = " ".join(refused.stderr.split()).split("Make it again: dramaturg ")[1]
    typed(story, *shlex.split(advice), "--engine", "hibari")
    assert CliRunner().invoke(app, feed).exit_code == 0


def test_a_session_that_was_not_spoken_has_nothing_to_publish(story: Path, tmp_path: Path) -> None:
    typed(story, "ensemble", "ask", "Why?", "--slots", "1", "--no-audio")
    run = json.loads(typed(story, "runs", "list", "--json").splitlines()[0])["id"]
    command = ["programme", "make", run, "--project", str(story), "--out", str(tmp_path), "--no-question"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 3
    assert f"dramaturg runs voice {run}" in " ".join((done.output + done.stderr).split())


def test_the_programme_of_the_examples_is_small_and_its_feed_is_accepted(tmp_path: Path) -> None:
    folder = ROOT / "examples" / "a-programme"
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 300_000
    assert faults((folder / "feed.xml").read_text(encoding="utf-8")) == []
    again = shutil.copytree(folder, tmp_path / "again")
    told = ["--url", "https://example.org/evenings", "--title", "Evenings", "--author", "The reading room"]
    assert CliRunner().invoke(app, ["programme", "feed", str(again), *told]).exit_code == 0
    published = json.loads(next(folder.glob("*.publication.json")).read_text(encoding="utf-8"))
    info = probe(folder / published["files"][0]["file"])
    assert [one.title for one in info.chapters] == [one["title"] for one in published["chapters"]]
    sound = read_sound(folder / published["files"][0]["file"]).astype(np.float64)
    assert reference_loudness(sound, 48_000) == pytest.approx(-16, abs=1.0)
