"""The booth: files whole or not at all, lines spoken once, failures that say so."""

import asyncio
import os
import resource
import subprocess
import sys
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig, StoreUnavailable, VoiceError
from dramaturg.kernel.settings import VoiceSettings
from dramaturg.kernel.store import Artifacts
from dramaturg.voices.booth import Booth
from dramaturg.voices.cache import FOLDER, LineCache, Master, MasterMetadata
from dramaturg.voices.providers.silent_voice import SilentVoice
from dramaturg.voices.wav import read_wav
from tests.child import uncounted
from tests.voices.sounds import BabblingVoice


@pytest.fixture
def artifacts(tmp_path: Path) -> Artifacts:
    return Artifacts(tmp_path)


@pytest.fixture
def voice() -> BabblingVoice:
    return BabblingVoice()


@pytest.fixture
async def booth(voice: BabblingVoice, artifacts: Artifacts) -> AsyncIterator[Booth]:
    async with Booth(voice, artifacts, cache=LineCache(artifacts)) as opened:
        yield opened


def cached_files(artifacts: Artifacts) -> list[Path]:
    return sorted((artifacts.root / FOLDER).glob("*/*.wav"))


async def test_a_line_becomes_a_file_with_its_measurements(booth: Booth, artifacts: Artifacts) -> None:
    made = await booth.record("*bows* Good evening.", "tts/a.wav", profile="warm_gravel")
    data = (artifacts.root / "tts" / "a.wav").read_bytes()
    wav = read_wav(data)
    assert (made.path, made.spoken, made.voice, made.engine) == ("tts/a.wav", "Good evening.", "deep", "hibari")
    assert (made.bytes, made.sample_rate, made.profile) == (len(data), wav.sample_rate, "warm_gravel")
    assert made.duration_ms == pytest.approx(1000 * wav.seconds, abs=1)
    assert made.lufs == pytest.approx(-16, abs=0.5)
    assert made.words[-1].end <= wav.seconds
    assert not made.cached


async def test_the_same_line_again_comes_from_the_cache(
    booth: Booth, voice: BabblingVoice, artifacts: Artifacts
) -> None:
    first = await booth.record("Good evening.", "one.wav")
    again = await booth.record("(bows) Good evening.", "two.wav")
    assert again == first.model_copy(update={"path": "two.wav", "cached": True})
    assert (artifacts.root / "one.wav").read_bytes() == (artifacts.root / "two.wav").read_bytes()
    assert len(voice.asked) == 1


async def test_another_voice_delivery_or_text_is_another_line(booth: Booth, voice: BabblingVoice) -> None:
    await booth.record("Good evening.", "a.wav")
    await booth.record("Good evening.", "b.wav", voice="deep")
    await booth.record("Good evening.", "c.wav", voice="deep", profile="solemn_grave")
    await booth.record("Good evening!", "d.wav")
    assert len(voice.asked) == 4


async def test_lines_are_in_the_cache_after_the_booth_was_closed(voice: BabblingVoice, artifacts: Artifacts) -> None:
    for number in range(2):
        async with Booth(voice, artifacts, cache=LineCache(artifacts)) as booth:
            made = await booth.record("Good evening.", f"{number}.wav")
    assert made.cached
    assert len(voice.asked) == 1


@pytest.mark.parametrize("damage", ["cut", "changed", "no metadata", "metadata cut"])
async def test_a_damaged_file_in_the_cache_is_not_used(
    booth: Booth, voice: BabblingVoice, artifacts: Artifacts, damage: str
) -> None:
    first = await booth.record("Good evening.", "one.wav")
    (kept,) = cached_files(artifacts)
    data, metadata = kept.read_bytes(), kept.with_suffix(".json")
    if damage == "cut":
        kept.write_bytes(data[:-1000])
    elif damage == "changed":
        kept.write_bytes(data[:-1] + b"\x7f")
    elif damage == "no metadata":
        metadata.unlink()
    else:
        metadata.write_bytes(metadata.read_bytes()[:20])
    again = await booth.record("Good evening.", "two.wav")
    assert again.sha256 == first.sha256
    assert not again.cached
    assert len(voice.asked) == 2
    assert kept.read_bytes() == data


async def test_twenty_who_ask_for_the_same_at_once_are_served_by_one_synthesis(
    booth: Booth, voice: BabblingVoice, artifacts: Artifacts
) -> None:
    made = await asyncio.gather(*(booth.record("Good evening.", f"{number}.wav") for number in range(20)))
    assert len(voice.asked) == 1
    assert [one.cached for one in made].count(False) == 1
    assert len({one.sha256 for one in made}) == 1
    assert len(list(artifacts.root.glob("*.wav"))) == 20


async def test_no_more_lines_are_spoken_at_once_than_the_settings_allow(artifacts: Artifacts) -> None:
    voice = BabblingVoice()
    async with Booth(voice, artifacts, VoiceSettings(concurrency=3)) as booth:
        await asyncio.gather(*(booth.record(f"Line {number}.", f"{number}.wav") for number in range(20)))
    assert len(voice.asked) == 20
    assert voice.most_at_once == 3
    assert voice.closed


async def test_one_who_goes_away_stops_nobody_else(booth: Booth, voice: BabblingVoice) -> None:
    voice.gate.clear()
    leaving, staying = (asyncio.create_task(booth.record("Good evening.", f"{name}.wav")) for name in "ab")
    while not voice.at_once:
        await asyncio.sleep(0)
    leaving.cancel()
    voice.gate.set()
    assert (await staying).path == "b.wav"
    assert leaving.cancelled()
    assert len(voice.asked) == 1


async def test_lines_under_way_when_the_booth_closes_are_given_up_with_a_word(
    voice: BabblingVoice, artifacts: Artifacts
) -> None:
    booth = Booth(voice, artifacts)
    voice.gate.clear()
    asked = asyncio.create_task(booth.record("Good evening.", "a.wav"))
    while not voice.at_once:
        await asyncio.sleep(0)
    await booth.aclose()
    with pytest.raises(VoiceError, match="booth was closed"):
        await asked


async def test_a_closed_booth_speaks_nothing_more_and_asks_its_engine_for_nothing(
    voice: BabblingVoice, artifacts: Artifacts
) -> None:
    booth = Booth(voice, artifacts)
    await booth.aclose()
    with pytest.raises(VoiceError, match="booth was closed"):
        await booth.record("Good evening.", "a.wav")
    assert not voice.asked


async def test_a_failure_costs_its_line_leaves_no_file_and_is_not_remembered(
    booth: Booth, voice: BabblingVoice, artifacts: Artifacts
) -> None:
    failed, fine = await asyncio.gather(
        booth.record("Please fail.", "a.wav"), booth.record("Fine.", "b.wav"), return_exceptions=True
    )
    assert isinstance(failed, VoiceError)
    assert not isinstance(fine, BaseException)
    with pytest.raises(VoiceError, match="lost its voice"):
        await booth.record("Please fail.", "a.wav")
    assert len(voice.asked) == 3
    assert [path.name for path in artifacts.root.glob("*.wav")] == ["b.wav"]


@pytest.mark.parametrize("text", ["What silence.", "*sighs*"])
async def test_silence_and_nothing_to_say_are_errors_and_no_files(
    booth: Booth, artifacts: Artifacts, text: str
) -> None:
    with pytest.raises(VoiceError, match=r"silence instead of speech|nothing to say"):
        await booth.record(text, "a.wav")
    assert not (artifacts.root / "a.wav").exists()
    assert not cached_files(artifacts)


async def test_a_path_that_leads_out_is_refused_before_anything_is_spoken(booth: Booth, voice: BabblingVoice) -> None:
    with pytest.raises(InvalidConfig, match="is not inside"):
        await booth.record("Good evening.", "../a.wav")
    assert not voice.asked


async def test_a_disk_that_refuses_is_told_and_leaves_nothing(booth: Booth, artifacts: Artifacts) -> None:
    (artifacts.root / "tts").write_text("in the way")
    with pytest.raises(StoreUnavailable, match="a file, not a folder"):
        await booth.record("Good evening.", "tts/a.wav")


async def test_a_cache_that_cannot_be_written_costs_nobody_their_line(booth: Booth, artifacts: Artifacts) -> None:
    (artifacts.root / "artifacts").write_text("in the way")
    made = await booth.record("Good evening.", "a.wav")
    assert (artifacts.root / made.path).is_file()


def test_a_full_disk_fails_the_line_whole(tmp_path: Path) -> None:
    program = """
        import asyncio, sys
        from pathlib import Path
        from dramaturg.kernel.errors import StoreUnavailable
        from dramaturg.kernel.store import Artifacts
        from dramaturg.voices.booth import Booth
        from dramaturg.voices.providers.silent_voice import SilentVoice
        from dramaturg.voices.cache import LineCache

        async def main():
            artifacts = Artifacts(Path(sys.argv[1]))
            async with Booth(SilentVoice(), artifacts, cache=LineCache(artifacts)) as booth:
                await booth.record("Hi.", "short.wav")
                try:
                    await booth.record("This line is longer than the disk.", "long.wav")
                except StoreUnavailable as error:
                    print(error)

        asyncio.run(main())
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), tmp_path],
        capture_output=True,
        text=True,
        check=True,
        env=uncounted(dict(os.environ)),  # coverage would write less than it wants to
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000)),
    )
    assert "long.wav cannot be written: the file would be larger than allowed" in done.stdout
    names = sorted(path.name for path in tmp_path.rglob("*") if path.is_file() and path.suffix != ".json")
    assert "short.wav" in names
    assert len(names) == 2


async def test_the_silent_double_has_the_right_length_and_says_what_it_is(artifacts: Artifacts) -> None:
    async with Booth(SilentVoice(), artifacts) as booth:
        short = await booth.record("Yes.", "a.wav", profile="warm_gravel")
        long = await booth.record("Yes, and here is why I think so.", "b.wav")
        copy = await booth.copy_at(long, 48_000, "c.wav")
    assert short.silent
    assert copy.silent
    assert 300 < short.duration_ms < long.duration_ms == copy.duration_ms < 5000
    assert [word.word for word in long.words] == "Yes, and here is why I think so.".split()
    assert not any(read_wav((artifacts.root / "b.wav").read_bytes()).pcm)


async def test_a_copy_for_a_stage_keeps_the_times_of_the_words(booth: Booth, artifacts: Artifacts) -> None:
    made = await booth.record("Good evening, everybody.", "a.wav")
    copy = await booth.copy_at(made, 48_000, "stage/a.wav")
    wav = read_wav((artifacts.root / "stage" / "a.wav").read_bytes())
    assert (copy.sample_rate, copy.bytes, wav.sample_rate) == (48_000, 2 * wav.frames + 44, 48_000)
    assert (copy.words, copy.spoken) == (made.words, made.spoken)
    assert copy.sha256 != made.sha256
    with pytest.raises(VoiceError, match="not a sample rate"):
        await booth.copy_at(made, 12, "b.wav")


async def test_the_settings_pin_a_speaker(voice: BabblingVoice, artifacts: Artifacts) -> None:
    async with Booth(voice, artifacts, VoiceSettings(cast={"alice": "deep"}, narrator="deep")) as booth:
        assert (await booth.record("Hello.", "a.wav", speaker="alice")).voice == "deep"
        assert (await booth.record("Hello.", "b.wav", speaker="bob")).voice == "heart"
        assert booth.narrator() == "deep"
        assert booth.casting([None, "heart"]) == ("male", "heart")


def test_beyond_its_limit_a_cache_evicts_the_oldest(artifacts: Artifacts) -> None:
    metadata = MasterMetadata(sha256="0", duration_ms=1, sample_rate=24_000)
    old = LineCache(artifacts)
    for key in ("aaa", "bbb", "ccc"):
        old.put(key, Master(b"x" * 1000, metadata))
    for age, path in enumerate(reversed(cached_files(artifacts))):
        os.utime(path, (1000 - age, 1000 - age))
    LineCache(artifacts, limit=2500).put("ddd", Master(b"x" * 1000, metadata))
    assert [path.stem for path in cached_files(artifacts)] == ["ccc", "ddd"]
