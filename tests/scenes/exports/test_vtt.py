"""Subtitles: valid to the letter, and timed so that they can be followed."""

from pathlib import Path

import pytest

from dramaturg.scenes.exports import render_vtt
from dramaturg.scenes.exports.timeline import LONGEST_SILENCE, timings
from dramaturg.scenes.line import Line
from dramaturg.voices.captions import clock
from tests.scenes.exports.sample import SCRIPT, script_with
from tests.scenes.exports.vtt_reader import read_vtt

GOLDEN = Path(__file__).parent / "golden" / "pilot.vtt"
FIRST = Line(number=1, beat=0, speaker="Nora", content="x" * 28)
SECOND = Line(number=2, beat=1, speaker="Jonas", content="y" * 28)


def spans(*lines: Line, arrivals: dict[int, float]) -> list[tuple[int, int]]:
    return [(at.start, at.end) for at in timings(script_with(*lines, arrivals=arrivals)).values()]


def test_the_sample_is_written_as_it_stands_in_the_golden_file() -> None:
    assert render_vtt(SCRIPT) == GOLDEN.read_text(encoding="utf-8")


def test_every_line_has_its_voice_and_its_words() -> None:
    cues = read_vtt(render_vtt(SCRIPT)).cues
    spoken = {line.number: (line.speaker, line.content) for line in SCRIPT.lines if line.kind == "line"}
    assert [(cue.voice, " ".join(cue.rows)) for cue in cues if cue.id in "1267"] == [spoken[n] for n in (1, 2, 6, 7)]
    assert cues[-1].rows == ("(aside to Mr. Grey)", "Merci.", "Thank you.")


def test_a_long_line_and_its_translation_have_cues_of_two_rows() -> None:
    words = "I could not see the bow from the wheel, and nobody called. " * 3
    line = Line(
        number=1, beat=0, speaker="Nora", content=words, gloss="Je ne voyais pas la proue depuis la barre. " * 3
    )
    cues = read_vtt(render_vtt(script_with(line))).cues
    assert all(len(row) <= 42 for cue in cues for row in cue.rows)
    assert all(len(cue.rows) <= 2 for cue in cues)
    assert [cue.id for cue in cues if cue.voice] == ["1", "1-2", "1-3"]
    assert " ".join(row for cue in cues if cue.voice for row in cue.rows) == words.strip()
    assert " ".join(row for cue in cues if not cue.voice for row in cue.rows) == (line.gloss or "").strip()


def test_an_interruption_begins_before_the_end_of_the_line_it_cuts() -> None:
    times = timings(SCRIPT)
    assert times[2].start < times[3].start < times[2].end


def test_a_line_that_is_cut_late_is_held_until_it_is_cut() -> None:
    cut = FIRST.model_copy(update={"cut_by": "Jonas"})
    between = Line(number=2, beat=1, speaker="Jonas", action="react", nonverbal="stands up")
    late = Line(number=3, beat=2, speaker="Jonas", action="interrupt", interrupt_after="x", content="No!")
    times = timings(script_with(cut, between, late))
    assert times[2].start <= times[3].start < times[1].end


def test_what_was_said_in_the_same_instant_begins_together() -> None:
    times = timings(SCRIPT)
    assert times[6].start == times[7].start


def test_without_usable_times_a_line_takes_as_long_as_it_takes_to_say() -> None:
    assert spans(FIRST, SECOND, arrivals={}) == [(0, 2000), (2600, 4600)]


def test_recorded_times_are_followed_where_lines_can_be_followed() -> None:
    assert spans(FIRST, SECOND, arrivals={1: 100.0, 2: 105.5}) == [(0, 2000), (5500, 7500)]


def test_a_recorded_line_that_begins_a_little_early_ends_the_one_before() -> None:
    assert spans(FIRST, SECOND, arrivals={1: 100.0, 2: 101.5}) == [(0, 1500), (1500, 3500)]


@pytest.mark.parametrize("second", [99.0, 100.4, 100.0 + LONGEST_SILENCE / 1000 + 1])
def test_times_that_go_back_or_rush_or_leave_a_long_silence_are_not_followed(second: float) -> None:
    assert spans(FIRST, SECOND, arrivals={1: 100.0, 2: second}) == [(0, 2000), (2600, 4600)]


def test_one_line_without_a_time_leaves_all_of_them_unused() -> None:
    assert spans(FIRST, SECOND, arrivals={1: 100.0}) == [(0, 2000), (2600, 4600)]


def test_an_event_among_recorded_lines_follows_at_once() -> None:
    event = Line(number=3, beat=1, kind="event", content="A bell")
    times = timings(script_with(FIRST, event, SECOND, arrivals={1: 100.0, 2: 105.5}))
    assert (times[3].start, times[2].start) == (2000, 5500)


@pytest.mark.parametrize("words", ["a < b && b > c", "--> 00:00:01.000", "<v Nora>fake</v>", "&amp;", "NOTE", "WEBVTT"])
def test_words_that_look_like_markup_stay_words(words: str) -> None:
    (cue,) = read_vtt(render_vtt(script_with(Line(number=1, beat=0, speaker="A & <B>", content=words)))).cues
    assert (cue.voice, cue.rows) == ("A & <B>", (words,))


def test_an_arrow_in_the_goal_does_not_break_the_header() -> None:
    assert "Goal: a → b" in read_vtt(render_vtt(script_with(goal="a --> b"))).notes[0]


def test_clock_times_have_hours_and_milliseconds() -> None:
    assert clock(0) == "00:00:00.000"
    assert clock(100 * 3_600_000 + 61_007) == "100:01:01.007"


@pytest.mark.parametrize(
    ("words", "seconds"),
    [("x" * 42, 3), ("対不起我把信弄丢了真的很" + "抱歉", 3), ("미안합니다정말로미안합니다다", 3), ("はい。", 1)],
)
def test_a_sign_that_is_a_syllable_takes_as_long_as_three_letters(words: str, seconds: int) -> None:
    line = Line(number=1, beat=0, speaker="花子", content=words)
    ((start, end),) = spans(line, arrivals={})
    assert round((end - start) / 1000) == seconds


@pytest.mark.parametrize(
    ("speaker", "gesture", "told"),
    [
        ("王伟", "低头", "王伟低头。"),
        ("花子", "頷く。", "花子頷く。"),
        ("Ada", "うなずく", "Ada うなずく。"),
        ("عمر", "يبتسم", "عمر يبتسم."),
    ],
)
def test_a_deed_is_a_sentence_in_its_own_script(speaker: str, gesture: str, told: str) -> None:
    line = Line(number=1, beat=0, speaker=speaker, action="react", nonverbal=gesture)
    assert f"<i>{told}</i>" in render_vtt(script_with(line))
