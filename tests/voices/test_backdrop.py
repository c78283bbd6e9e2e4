"""What lies beneath a programme: room tone without a hole, music that gives way, loops without a seam."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np

from dramaturg.voices.backdrop import backdrop_blocks, ducked, room_tone, seamless
from dramaturg.voices.mixer import blocks
from dramaturg.voices.port import WordTime
from dramaturg.voices.programme import Backdrop, Placement, Programme, timeline
from dramaturg.voices.word_times import estimated, syllables, words_of
from tests.voices.tone_lines import passage, recording_of, tone_line


def placed(*spans: tuple[int, int]) -> list[Placement]:
    return [
        Placement(passage=passage(recording_of(end - start), n), start_ms=start, end_ms=end)
        for n, (start, end) in enumerate(spans, start=1)
    ]


def test_music_is_down_for_the_whole_of_every_line_and_up_between_distant_ones() -> None:
    bed = Backdrop(music="x", music_db=-10, duck_db=-30)
    gain = 20 * np.log10(np.maximum(ducked(bed, placed((4000, 6000), (9000, 10_000)), 14_000), 1e-9))
    at = lambda ms: float(gain[ms // 10])  # noqa: E731
    assert [round(at(ms), 1) for ms in (4000, 5000, 6000, 9000, 9990)] == [-30.0] * 5
    assert [round(at(ms), 1) for ms in (2500, 3700, 7500)] == [-10.0] * 3
    assert -30 < at(3850) < -10
    assert at(0) < -100
    assert at(14_000) < -60


def test_two_lines_close_to_each_other_do_not_make_the_music_pump() -> None:
    bed = Backdrop(music="x", music_db=-10, duck_db=-30)
    gain = 20 * np.log10(ducked(bed, placed((3000, 5000), (5200, 7000)), 10_000)[300:700])
    assert float(gain.max()) < -24


def test_room_tone_is_there_in_every_tenth_of_a_second_and_is_faint() -> None:
    tone = room_tone(-62.0)
    level = [20 * np.log10(np.sqrt(np.mean(tone[n : n + 4800] ** 2))) for n in range(0, len(tone) - 4800, 4800)]
    assert -68 < min(level) < max(level) < -58
    assert (tone == room_tone(-62.0)).all()


def test_a_loop_has_no_step_at_its_seam() -> None:
    t = np.arange(48_000 * 5) / 48_000
    sound = np.stack([np.sin(2 * np.pi * 3.3 * t)] * 2, axis=1).astype(np.float32)
    loop = seamless(sound)
    step = float(np.abs(loop[0] - loop[-1]).max())
    assert step < 2 * float(np.abs(np.diff(sound[:, 0])).max())
    assert len(loop) < len(sound)


def test_a_backdrop_is_as_long_as_its_programme_in_blocks_of_the_same_size(tmp_path: Path) -> None:
    programme = Programme(title="x", passages=(passage(tone_line(tmp_path, "a.wav", 1234)),))
    times = timeline(programme)
    lines = [len(block) for block in blocks(times, 2534, tmp_path)]
    under = [len(block) for block in backdrop_blocks(Backdrop(), times, 2534, None)()]
    assert lines == under == [48_000, 48_000, 25_632]


def test_words_without_times_are_estimated_by_syllables_and_marked() -> None:
    words = list(estimated("Go. Unbelievable things happen", 4.0))
    assert [word.word for word in words] == ["Go.", "Unbelievable", "things", "happen"]
    lengths = [word.end - word.start for word in words]
    assert lengths[1] == max(lengths)
    assert words[0].start == 0.0
    assert abs(words[-1].end - 4.0) < 0.01
    assert all(a.end <= b.start for a, b in pairwise(words))
    (shown,) = words_of(placed((1000, 3000))).passages
    assert (shown.source, shown.start_ms, shown.end_ms) == ("estimated", 1000, 3000)
    assert shown.text


def test_nothing_of_a_line_is_timed_beyond_its_cut() -> None:
    times = tuple(WordTime(word=str(n), start=n / 2, end=n / 2 + 0.4) for n in range(6))
    whole = recording_of(3000).model_copy(update={"words": times})
    cut = Placement(passage=passage(whole, 1, ends_at_ms=1200), start_ms=500, end_ms=1700)
    (shown,) = words_of([cut]).passages
    assert [word.word for word in shown.words] == ["0", "1", "2"]
    assert max(word.end_ms for word in shown.words) <= 1700


def test_every_word_of_every_script_has_a_length() -> None:
    assert all(syllables(word) >= 1 for word in ("a", "brr", "1984", "привет", "東京都", "🙂", "—"))
    assert syllables("1984") > syllables("a")
    assert list(estimated("", 2.0)) == []
