"""The files of a programme: written once, found again, never over another's."""

import json
from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig, VoiceError
from dramaturg.kernel.store import Artifacts
from dramaturg.voices.export import ENDINGS, ExportTarget, export_programme
from dramaturg.voices.programme import MissingPassage, Programme
from tests.scenes.exports.vtt_reader import read_vtt
from tests.voices.tone_lines import passage, tone_line


def target(root: Path, *, exact: bool = False) -> ExportTarget:
    return ExportTarget(run="r1", kind="scene", to=Artifacts(root), name="scenes/pilot/programme", exact=exact)


def programme(root: Path, *pitches: int) -> Programme:
    lines = [
        passage(tone_line(root, f"lines/{pitch}.wav", 700, pitch=pitch), number, chapter=f"Beat {number}")
        for number, pitch in enumerate(pitches)
    ]
    return Programme(title="The Pilot", passages=tuple(lines))


def names(root: Path) -> set[str]:
    return {path.name for path in (root / "scenes" / "pilot").iterdir()}


def test_the_manifest_says_when_every_passage_is_heard(tmp_path: Path) -> None:
    missing = MissingPassage(id="2", speaker="Nora", text="Merci.", reason="the engine is gone")
    made = export_programme(
        programme(tmp_path, 300, 400).model_copy(update={"missing": (missing,)}), target(tmp_path), tmp_path
    )
    assert names(tmp_path) == {f"programme{ending}" for ending in ENDINGS}
    written = json.loads((tmp_path / "scenes/pilot/programme.json").read_text(encoding="utf-8"))
    assert written["schema"] == "dramaturg.programme/1"
    assert [(one["startMs"], one["endMs"]) for one in written["passages"]] == [(400, 1100), (1450, 2150)]
    assert [one["title"] for one in written["chapters"]] == ["Beat 0", "Beat 1"]
    assert written["missing"][0]["reason"] == "the engine is gone"
    assert written["durationMs"] == 2150 + 900
    assert written["lufs"] == pytest.approx(-16, abs=0.5)
    assert written["bytes"] == made.wav.stat().st_size
    assert [cue.voice for cue in read_vtt(made.wav.with_suffix(".vtt").read_text()).cues] == ["Speaker 0", "Speaker 1"]


def test_the_same_programme_is_found_again_and_another_gets_a_number(tmp_path: Path) -> None:
    first = export_programme(programme(tmp_path, 300), target(tmp_path), tmp_path)
    data, changed = first.wav.read_bytes(), first.wav.stat().st_mtime_ns
    again = export_programme(programme(tmp_path, 300), target(tmp_path), tmp_path)
    assert (again.reused, again.manifest, again.wav) == (True, first.manifest, first.wav)
    other = export_programme(programme(tmp_path, 500), target(tmp_path), tmp_path)
    assert (other.reused, other.wav.name, other.manifest.captions) == (False, "programme-2.wav", "programme-2.vtt")
    assert (first.wav.read_bytes(), first.wav.stat().st_mtime_ns) == (data, changed)
    assert export_programme(programme(tmp_path, 500), target(tmp_path), tmp_path).wav == other.wav


def test_a_file_that_was_changed_since_is_left_and_not_taken_for_the_programme(tmp_path: Path) -> None:
    first = export_programme(programme(tmp_path, 300), target(tmp_path), tmp_path)
    first.wav.write_bytes(b"my own cut")
    again = export_programme(programme(tmp_path, 300), target(tmp_path), tmp_path)
    assert again.wav.name == "programme-2.wav"
    assert first.wav.read_bytes() == b"my own cut"


def test_an_exact_name_that_belongs_to_something_else_is_refused(tmp_path: Path) -> None:
    export_programme(programme(tmp_path, 300), target(tmp_path, exact=True), tmp_path)
    assert export_programme(programme(tmp_path, 300), target(tmp_path, exact=True), tmp_path).reused
    with pytest.raises(InvalidConfig, match=r"programme\.wav .*already exists.* Give another name"):
        export_programme(programme(tmp_path, 500), target(tmp_path, exact=True), tmp_path)


def test_nothing_is_left_of_a_mix_that_failed(tmp_path: Path) -> None:
    broken = programme(tmp_path, 300, 400)
    (tmp_path / "lines" / "400.wav").unlink()
    with pytest.raises(VoiceError):
        export_programme(broken, target(tmp_path), tmp_path)
    assert names(tmp_path) == set()


def test_a_programme_of_nothing_says_why_there_is_nothing(tmp_path: Path) -> None:
    with pytest.raises(VoiceError, match="it has no spoken lines"):
        export_programme(Programme(title="The Pilot", passages=()), target(tmp_path), tmp_path)
    missing = MissingPassage(id="1", speaker="Nora", text="Merci.", reason="the key was refused")
    with pytest.raises(
        VoiceError, match="No line of “The Pilot” could be spoken; the first failure: the key was refused"
    ):
        export_programme(Programme(title="The Pilot", passages=(), missing=(missing,)), target(tmp_path), tmp_path)
