"""`runs listen`, with the double that makes no sound and the engine that speaks at once."""

import json
import wave
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from dramaturg.cli.app import app
from tests.cli.story import SCENE, new_story, rehearsed, typed
from tests.scenes.exports.vtt_reader import read_vtt
from tests.voices.reference_meter import reference_loudness


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_story(tmp_path_factory.mktemp("listening") / "story")


@pytest.fixture(scope="module")
def run(story: Path) -> str:
    return rehearsed(story)


def listened(story: Path, run: str, *words: str) -> dict[str, object]:
    return json.loads(typed(story, "runs", "listen", run, "--json", *words))


def test_a_rehearsed_scene_is_spoken_by_an_engine_that_needs_no_network(story: Path, run: str) -> None:
    made = listened(story, run, "--engine", "hibari")
    folder = story / "data" / "scenes" / SCENE
    assert made["path"] == str(folder / "programme.wav")
    assert made["missing"] == []
    assert not made["silent"]
    with wave.open(str(folder / "programme.wav")) as file:
        assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (48_000, 2, 2)
        assert file.getnframes() == 48 * made["durationMs"]
        sound = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2) / 32768
    assert reference_loudness(sound, 48_000) == pytest.approx(-16, abs=0.5)
    assert made["truePeakDb"] <= -1
    for one in made["passages"]:
        heard = sound[one["startMs"] * 48 : one["endMs"] * 48]
        assert np.sqrt(np.mean(np.square(heard))) > 0.01, one
    begun = {one["startMs"] for one in made["passages"]}  # a long line has more cues than this one
    cues = read_vtt((folder / "programme.vtt").read_text(encoding="utf-8")).cues
    spoken = [cue.voice for cue in cues if cue.start in begun]
    document = json.loads((folder / "scene.json").read_text(encoding="utf-8"))
    said = [line["speaker"] or "Narrator" for line in document["lines"] if line["content"] and line["kind"] != "system"]
    assert spoken == ["Narrator", *said]
    assert len({one["voice"] for one in made["passages"]}) == len(set(spoken))

    again = listened(story, run, "--engine", "hibari")
    assert (again["again"], again["path"], again["sha256"]) == (True, made["path"], made["sha256"])


def test_the_silent_double_says_that_nothing_can_be_heard(story: Path, run: str, tmp_path: Path) -> None:
    out = tmp_path / "silent.wav"
    words = ["runs", "listen", run, "--engine", "silent", "--no-narrator", "--out", str(out), "--project", str(story)]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    assert str(out) in done.stdout
    assert "silence" in done.stdout
    assert "nothing can be heard" in done.stderr
    assert "1 of 14 lines spoken" in done.stderr
    assert "14 of 14 lines spoken" in done.stderr
    assert json.loads(out.with_suffix(".json").read_text(encoding="utf-8"))["silent"] is True


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--engine", "gramophone"), "There is no engine 'gramophone'. Available: auto, kokoro"),
        (("--engine", "silent", "--out", "play.mp3"), "Give a name that ends in .wav"),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_spoken(
    story: Path, run: str, words: tuple[str, ...], said: str
) -> None:
    done = CliRunner().invoke(app, ["runs", "listen", run, *words, "--project", str(story)])
    assert done.exit_code in (2, 3)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_a_run_that_is_not_there_is_named(story: Path) -> None:
    assert "There is no run 'nowhere'" in typed(story, "runs", "listen", "nowhere", code=2)
