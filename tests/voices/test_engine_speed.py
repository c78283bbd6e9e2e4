"""Which engine is chosen by itself: the best that keeps up, measured once a day, and said aloud."""

import asyncio
import time
from pathlib import Path

import pytest

from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Artifacts
from dramaturg.voices.engine_speed import FILE, EngineSpeed, speed_of
from dramaturg.voices.engines import open_booth
from dramaturg.voices.providers.kokoro_voice import KokoroVoice
from dramaturg.voices.providers.thread_pool import thread_count
from tests.voices.sounds import BabblingVoice


def remember(folder: Path, seconds: float, **more: object) -> Artifacts:
    """A machine on which Kokoro was measured before."""
    artifacts = Artifacts(folder)
    known = {"model": KokoroVoice.model, "threads": thread_count(), "seconds": seconds, "at": time.time(), **more}
    artifacts.write_bytes(FILE, EngineSpeed.model_validate(known).model_dump_json().encode())
    return artifacts


async def test_kokoro_speaks_where_it_keeps_up_and_says_so(tmp_path: Path) -> None:
    async with open_booth(Settings(), remember(tmp_path, 0.3)) as booth:
        assert booth.engine == "kokoro"
        assert booth.remark == "kokoro speaks: it takes 0.3 s here for a second of speech, which keeps up."


async def test_hibari_speaks_where_kokoro_does_not_keep_up_and_says_why(tmp_path: Path) -> None:
    async with open_booth(Settings(), remember(tmp_path, 0.9)) as booth:
        assert booth.engine == "hibari"
        assert "hibari speaks instead of kokoro, which takes 0.9 s here" in booth.remark
        assert 'engine = "kokoro" under [voices]' in booth.remark


@pytest.mark.parametrize("more", [{"model": "another"}, {"threads": 99}, {"at": 0.0}])
def test_a_figure_of_another_model_machine_or_day_is_not_believed(tmp_path: Path, more: dict[str, object]) -> None:
    voice = BabblingVoice()
    artifacts = remember(tmp_path, 0.3, **({"model": voice.model} | more))
    measured = speed_of(voice, thread_count(), artifacts)
    assert voice.asked
    assert measured.at > 1_000_000
    count = len(voice.asked)
    assert speed_of(voice, thread_count(), artifacts) == measured
    assert len(voice.asked) == count


async def test_it_is_measured_with_every_thread_busy_even_inside_an_event_loop(tmp_path: Path) -> None:
    voice = BabblingVoice()
    await asyncio.to_thread(speed_of, voice, 3, Artifacts(tmp_path / "one"))
    assert voice.most_at_once == 3
    assert speed_of(BabblingVoice(), 2, Artifacts(tmp_path / "two")).threads == 2


def test_a_damaged_figure_is_measured_again(tmp_path: Path) -> None:
    artifacts, voice = Artifacts(tmp_path), BabblingVoice()
    artifacts.write_bytes(FILE, b'{"model": ')
    assert speed_of(voice, 1, artifacts).model == "babble"
