"""Scenes that were really played, heard as audio plays."""

import wave
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from dramaturg.kernel.errors import InvalidConfig, VoiceError
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.settings import VoiceSettings
from dramaturg.kernel.store import Artifacts
from dramaturg.scenes.audioplay.export import export_audioplay
from dramaturg.scenes.audioplay.recordings import OVERLAP_MS
from dramaturg.scenes.audioplay.script import spoken_lines
from dramaturg.scenes.events import SceneRun
from dramaturg.voices.export import ProgrammeExport
from dramaturg.voices.listen import ListenRequest
from dramaturg.voices.programme import PassageRecord
from tests.rehearsals.script import read_rehearsal
from tests.scenes.audioplay.tone_booth import ToneBooth
from tests.scenes.exports.vtt_reader import read_vtt
from tests.stage import play_scripted

REHEARSAL = """
scene: the-necklace        cast: alice, bob, charlie
prompt: Alice confronts Bob.
enters: charlie 3
event: 2: The lights go out
max beats: 5
beat 0
  alice   @0 [TO: Bob, TONE: accusatory] "The project failed on your desk."
beat 1
  bob     @1.0 [TONE: defensive] "Look, I can explain what happened with the server on Monday"
  alice   @1.1 [INTERRUPT after "explain", TONE: furious] "I don't want excuses!"
beat 2
  bob     @2 [REACT, TONE: startled, *drops his pen*]
  alice   @3 [ASIDE TO: Bob, TONE: warm] "The necklace is glass."
beat 3
  charlie @4 [TONE: whispering] "Who turned off the lights?"
beat 4
  bob     @5 [TONE: tired] "Nobody."
"""


async def played(project: Path, text: str = REHEARSAL, cards: dict[str, str] | None = None) -> SceneRun:
    rehearsal = read_rehearsal(text)
    return await play_scripted(rehearsal.config(), ScriptedModel(rehearsal.answer), project, cards=cards)


async def heard(
    run: SceneRun, booth: ToneBooth, voices: VoiceSettings | None = None, **asked: object
) -> ProgrammeExport:
    return await export_audioplay(run, booth, Artifacts(booth.root), voices or VoiceSettings(), ListenRequest(**asked))


def passage(play: ProgrammeExport, number: int) -> PassageRecord:
    return next(one for one in play.manifest.passages if one.id == str(number))


async def test_a_scene_is_heard_in_order_with_a_narrator_for_what_happens(tmp_path: Path) -> None:
    booth = ToneBooth(tmp_path / "data")
    play = await heard(await played(tmp_path), booth)
    manifest = play.manifest
    assert [(one.speaker, one.text) for one in manifest.passages] == [
        ("Narrator", "The Necklace."),
        ("Alice", "The project failed on your desk."),
        ("Bob", "Look, I can explain—"),
        ("Alice", "I don't want excuses!"),
        ("Narrator", "The lights go out."),
        ("Alice", "The necklace is glass."),
        ("Narrator", "Charlie enters."),
        ("Charlie", "Who turned off the lights?"),
        ("Bob", "Nobody."),
    ]
    assert [chapter.title for chapter in manifest.chapters] == ["Opening", *(f"Beat {beat}" for beat in range(5))]
    assert manifest.missing == ()
    assert {one.speaker: one.voice for one in manifest.passages} == {
        "Narrator": "teller", "Alice": "low", "Bob": "middle", "Charlie": "high",
    }  # fmt: skip
    assert {one.speaker: one.seat for one in manifest.passages} == {
        "Narrator": 0.0, "Alice": -0.4667, "Bob": 0.0, "Charlie": 0.4667,
    }  # fmt: skip
    cues = read_vtt(play.wav.with_suffix(".vtt").read_text(encoding="utf-8")).cues
    assert [cue.voice for cue in cues] == [one.speaker for one in manifest.passages]


async def test_a_cut_line_is_spoken_on_and_really_cut_at_the_word(tmp_path: Path) -> None:
    booth = ToneBooth(tmp_path / "data")
    play = await heard(await played(tmp_path), booth)
    spoken = [text for text, _, _ in booth.asked]
    assert "Look, I can explain what happened with the" in spoken
    cut, cutter = passage(play, 2), passage(play, 3)
    assert cut.cut
    assert cut.end_ms - cut.start_ms == 4 * 200
    assert cutter.start_ms == cut.end_ms - OVERLAP_MS
    assert not any(one.cut for one in play.manifest.passages if one.id != "2")
    # What was not said is in no file that a listener reads.
    for ending in (".vtt", ".json", ".chapters.vtt"):
        assert "what happened" not in play.wav.with_suffix(ending).read_text(encoding="utf-8")
    # Bob's tone is at 260 Hz: heard before the cut, and gone behind it.
    assert strength(play.wav, 260, cut.start_ms + 50, 300) > 0.05
    assert strength(play.wav, 260, cut.end_ms, 300) < 0.002


def strength(wav: Path, pitch: float, start: int, length: int) -> float:
    with wave.open(str(wav)) as file:
        sound = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, 2).mean(axis=1) / 32768
    part = sound[start * 48 : (start + length) * 48] * np.hanning(length * 48)
    return float(np.abs(part @ np.exp(-2j * np.pi * pitch * np.arange(len(part)) / 48_000)) * 4 / len(part))


async def test_an_engine_without_word_times_speaks_only_what_was_heard(tmp_path: Path) -> None:
    booth = ToneBooth(tmp_path / "data", timed=False)
    play = await heard(await played(tmp_path), booth)
    cut, cutter = passage(play, 2), passage(play, 3)
    assert [text for text, _, _ in booth.asked if text.startswith("Look")][-1] == "Look, I can explain—"
    assert (cut.cut, cut.end_ms - cut.start_ms) == (False, 4 * 200)
    assert cutter.start_ms == cut.end_ms - OVERLAP_MS


async def test_tones_shape_the_voice_and_asides_and_whispers_are_softer(tmp_path: Path) -> None:
    booth = ToneBooth(tmp_path / "data")
    play = await heard(await played(tmp_path), booth)
    profiles = {text: profile for text, profile, _ in booth.asked}
    assert profiles["I don't want excuses!"] == "stern_clipped"
    assert profiles["Who turned off the lights?"] == "tender_hushed"
    assert profiles["Nobody."] == "dry_measured"
    assert passage(play, 3).level > 0
    aside = next(one for one in play.manifest.passages if one.text == "The necklace is glass.")
    whisper = next(one for one in play.manifest.passages if one.speaker == "Charlie")
    assert aside.level == whisper.level == -5


async def test_a_gesture_is_a_pause_and_a_beat_a_longer_one(tmp_path: Path) -> None:
    lines = spoken_lines("r", (await played(tmp_path)).entries)
    gaps = {line.text: line.gap_ms for line in lines}
    assert gaps["The necklace is glass."] == 850 + 500
    assert gaps["Nobody."] == 700
    assert all(before.number < after.number for before, after in pairwise(lines))


async def test_without_a_narrator_only_people_speak(tmp_path: Path) -> None:
    play = await heard(await played(tmp_path), ToneBooth(tmp_path / "data"), narrator=False)
    assert {one.speaker for one in play.manifest.passages} == {"Alice", "Bob", "Charlie"}


async def test_a_voice_that_fails_costs_its_line_and_says_so(tmp_path: Path) -> None:
    booth = ToneBooth(tmp_path / "data", fails_on="excuses")
    counted: list[tuple[int, int]] = []
    play = await heard(await played(tmp_path), booth, on_line=lambda done, total: counted.append((done, total)))
    manifest = play.manifest
    assert [(one.id, one.speaker, one.text, one.reason) for one in manifest.missing] == [
        ("3", "Alice", "I don't want excuses!", "The engine lost its voice.")
    ]
    assert len(manifest.passages) == 8
    assert counted == [(number, 9) for number in range(1, 10)]
    # Nobody cuts in any more: who comes next waits for the end of the cut line.
    cut, after = passage(play, 2), passage(play, 4)
    assert cut.cut
    assert after.start_ms > cut.end_ms
    vtt = play.wav.with_suffix(".vtt").read_text(encoding="utf-8")
    assert "Alice: I don't want excuses! (The engine lost its voice.)" in read_vtt(vtt).notes[-1]


async def test_if_no_line_can_be_spoken_there_is_no_file(tmp_path: Path) -> None:
    run = await played(tmp_path)
    with pytest.raises(
        VoiceError, match=r"No line of “The Necklace” could be spoken; the first failure: The engine lost"
    ):
        await heard(run, ToneBooth(tmp_path / "data", fails_on=""), narrator=False)
    assert not list((tmp_path / "data").rglob("programme*"))


async def test_the_card_then_the_settings_say_the_voice_and_an_unknown_one_is_remarked(tmp_path: Path) -> None:
    card = "---\nvoice: {}\n---\n# {} - Colleague\n\n## Personality\n- Direct\n"
    cards = {"alice": card.format("high", "Alice"), "bob": card.format("of-another-engine", "Bob")}
    run = await played(tmp_path, cards=cards)
    settings = VoiceSettings(cast={"alice": "low", "charlie": "middle"})
    play = await heard(run, ToneBooth(tmp_path / "data"), settings)
    assert {one.speaker: one.voice for one in play.manifest.passages} == {
        "Narrator": "teller", "Alice": "high", "Bob": "low", "Charlie": "middle",
    }  # fmt: skip
    assert play.remarks == ("Bob does not have the requested voice: tone has no voice 'of-another-engine'.",)


async def test_nobody_is_given_the_voice_of_the_narrator(tmp_path: Path) -> None:
    run = await played(tmp_path)
    play = await heard(run, ToneBooth(tmp_path / "data", tells="low"))
    voices = {one.speaker: one.voice for one in play.manifest.passages}
    assert (voices["Narrator"], len(set(voices.values()))) == ("low", 4)
    other = await heard(run, ToneBooth(tmp_path / "data", tells="of-another-engine"))
    assert len({one.voice for one in other.manifest.passages}) == 4
    assert other.remarks[0].startswith("The narrator does not have the voice from the settings: tone has no voice")


async def test_a_second_mix_is_the_first_and_another_gets_a_number(tmp_path: Path) -> None:
    run, booth = await played(tmp_path), ToneBooth(tmp_path / "data")
    first = await heard(run, booth)
    again = await heard(run, booth)
    assert (again.reused, again.wav) == (True, first.wav)
    assert first.wav.parent == tmp_path / "data" / "scenes" / "the-necklace"
    plainer = await heard(run, booth, narrator=False)
    assert plainer.wav.name == "programme-2.wav"


async def test_a_file_of_ones_own_is_written_and_never_overwritten(tmp_path: Path) -> None:
    run, booth, out = await played(tmp_path), ToneBooth(tmp_path / "data"), tmp_path / "mine" / "necklace.wav"
    await heard(run, booth, out=out)
    assert {path.name for path in out.parent.iterdir()} == {
        "necklace.wav", "necklace.vtt", "necklace.srt", "necklace.chapters.vtt", "necklace.words.json", "necklace.json",
    }  # fmt: skip
    with pytest.raises(InvalidConfig, match=r"necklace\.wav already exists"):
        await heard(run, booth, out=out, narrator=False)
    asked = len(booth.asked)
    (tmp_path / "song.wav").write_bytes(b"mine")
    for wrong in (tmp_path / "song.wav", tmp_path / "song.mp3", tmp_path):
        with pytest.raises(InvalidConfig, match="Give a"):
            await heard(run, booth, out=wrong)
    assert len(booth.asked) == asked
    assert (tmp_path / "song.wav").read_bytes() == b"mine"


async def test_a_scene_in_which_nobody_spoke_is_no_play(tmp_path: Path) -> None:
    run = await played(tmp_path, "scene: nothing        cast: alice, bob\nmax beats: 2\nevent: 1: A clock strikes\n")
    booth = ToneBooth(tmp_path / "data")
    with pytest.raises(VoiceError, match="There is nothing to hear in “Nothing”: it has no spoken lines"):
        await heard(run, booth)
    assert booth.asked == []


async def test_two_who_spoke_at_once_follow_each_other_closely(tmp_path: Path) -> None:
    text = REHEARSAL.replace(
        'beat 4\n  bob     @5 [TONE: tired] "Nobody."',
        'beat 4\n  bob     @5 [TONE: tired] "Nobody."\n  alice   @5 [TONE: tired] "I did."',
    )
    lines = spoken_lines("r", (await played(tmp_path, text)).entries)
    assert [line.gap_ms for line in lines[-2:]] == [700, 80]
