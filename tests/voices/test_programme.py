"""When each passage of a programme is heard."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.voices.captions import render_captions, render_chapters
from dramaturg.voices.programme import (
    MissingPassage,
    Programme,
    ProgrammePassage,
    chapters_of,
    duration_ms,
    seats,
    timeline,
)
from tests.scenes.exports.vtt_reader import read_vtt
from tests.voices.tone_lines import passage, recording_of

AWKWARD = st.text(st.characters(exclude_categories=()), max_size=20)


@st.composite
def passages(draw: st.DrawFn) -> ProgrammePassage:
    length = draw(st.integers(1, 9000))
    return ProgrammePassage(
        id=str(draw(st.integers(1, 999))),
        speaker=draw(AWKWARD),
        text=draw(AWKWARD),
        recording=recording_of(length),
        gap_ms=draw(st.integers(0, 3000)),
        ends_at_ms=draw(st.none() | st.integers(1, 12_000)),
        overlap_ms=draw(st.sampled_from([0, 0, 0, 180, 5000])),
        chapter=draw(st.sampled_from(["", "Beat 0", "Beat 1", "a --> b\n<i>"])),
    )


programmes = st.builds(
    Programme,
    title=st.just("The Pilot"),
    passages=st.lists(passages(), min_size=1, max_size=12).map(tuple),
    lead_ms=st.integers(0, 1000),
    tail_ms=st.integers(0, 1000),
)


@given(programmes)
def test_passages_are_heard_in_order_and_one_is_spoken_into_only_where_it_says_so(programme: Programme) -> None:
    placed = timeline(programme)
    assert [one.passage for one in placed] == list(programme.passages)
    assert placed[0].start_ms == programme.lead_ms
    high = 0
    for before, after in pairwise(placed):
        high = max(high, before.end_ms)
        assert after.start_ms >= before.start_ms
        if before.passage.overlap_ms and before.passage.length_ms > 1:
            assert before.end_ms - before.passage.overlap_ms <= after.start_ms < before.end_ms
        else:
            assert after.start_ms == high + after.passage.gap_ms


@given(programmes)
def test_a_line_that_is_cut_ends_at_the_cut(programme: Programme) -> None:
    for one in timeline(programme):
        whole, cut = one.passage.recording.duration_ms, one.passage.ends_at_ms
        assert one.end_ms - one.start_ms == (whole if cut is None else min(whole, cut))
        assert one.passage.is_cut is (cut is not None and cut < whole)


@given(programmes)
def test_it_lasts_to_the_last_end_and_the_tail(programme: Programme) -> None:
    placed = timeline(programme)
    assert duration_ms(programme, placed) == max(one.end_ms for one in placed) + programme.tail_ms


@given(programmes)
def test_chapters_leave_no_hole_and_change_where_the_passages_say_so(programme: Programme) -> None:
    placed = timeline(programme)
    chapters = chapters_of(programme, placed)
    assert chapters[0].start_ms == 0
    assert chapters[-1].end_ms == duration_ms(programme, placed)
    assert all(before.end_ms == after.start_ms for before, after in pairwise(chapters))
    titles = [one.passage.chapter or programme.title for one in placed]
    changes = [title for before, title in pairwise(["\0", *titles]) if before != title]
    assert [chapter.title for chapter in chapters] == changes


@given(programmes)
def test_the_subtitles_are_webvtt_whatever_was_said(programme: Programme) -> None:
    placed = timeline(programme)
    missing = MissingPassage(id="9", speaker="Bo\nb", text="a --> b", reason="the engine is gone")
    shown = read_vtt(render_captions(programme.model_copy(update={"missing": (missing,)}), placed))
    starts = [cue.start for cue in shown.cues]
    assert [start for start in dict.fromkeys(starts) if start in {one.start_ms for one in placed}] == list(
        dict.fromkeys(one.start_ms for one in placed)
    )
    assert all(any(one.start_ms <= cue.start < cue.end <= one.end_ms for one in placed) for cue in shown.cues)
    assert all(cue.voice for cue in shown.cues)
    assert "Bo b: a → b (the engine is gone)" in shown.notes[-1]
    chapters = chapters_of(programme, placed)
    assert len(read_vtt(render_chapters(chapters)).cues) == len(chapters)


@given(st.integers(0, 12))
def test_seats_are_symmetric_and_go_from_left_to_right(count: int) -> None:
    places = seats(count)
    assert len(places) == count
    assert list(places) == sorted(places)
    assert [-place for place in reversed(places)] == list(places)
    assert all(-1 < place < 1 for place in places)
    assert len(set(places)) == count


def test_the_same_passages_have_the_same_fingerprint_and_others_another() -> None:
    one = Programme(title="A", passages=(passage(recording_of(1000)),))
    spoken_before = recording_of(1000).model_copy(update={"cached": True, "path": "elsewhere.wav"})
    assert one.fingerprint() == Programme(title="A", passages=(passage(spoken_before),)).fingerprint()
    others = [
        Programme(title="B", passages=one.passages),
        Programme(title="A", passages=(passage(recording_of(1000), seat=0.5),)),
        Programme(title="A", passages=(passage(recording_of(1000), text="Another line."),)),
        Programme(title="A", passages=(passage(recording_of(1000).model_copy(update={"sha256": "1"})),)),
    ]
    assert len({one.fingerprint(), *(other.fingerprint() for other in others)}) == 5
