"""Captions: split where a line can be read on, and timed by its words."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.voices.caption_cues import COLUMNS, LONGEST_MS, TimedRows, columns, split_line
from dramaturg.voices.captions import cues_of, plain, render_captions, render_subrip
from dramaturg.voices.port import WordTime
from dramaturg.voices.programme import Programme, ProgrammePassage, timeline
from tests.scenes.exports.vtt_reader import read_vtt
from tests.voices.tone_lines import passage, recording_of

LONG = (
    "Courage: first described to me on a wet Tuesday, by somebody who had just had to do without. "
    "People define best what they have lately missed."
)
LANGUAGES = {
    "de": "Mut ist, wenn man trotzdem geht, obwohl einem die Knie zittern; das sagte schon meine Großmutter, und die "
    "hat den Krieg gesehen.",
    "es": "El valor no es la falta de miedo, sino seguir adelante con él; eso decía mi abuelo, que había visto el mar.",
    "fr": "Le courage, ce n'est pas de ne pas avoir peur : c'est d'avancer malgré elle, quand personne ne regarde.",
    "ja": "勇気とは、恐れがないことではなく、恐れながらも一歩を踏み出すことだと思います。小さな習慣かもしれません。",
    "ar": "الشجاعة ليست غياب الخوف، بل أن تمضي رغم الخوف، وأن تقول ما يجب أن يقال حين يصمت الجميع من حولك.",
}
TIMED = re.compile(r"(\d\d):(\d\d):(\d\d),(\d{3}) --> (\d\d):(\d\d):(\d\d),(\d{3})")


def evenly(text: str, seconds: float) -> tuple[WordTime, ...]:
    said = text.split()
    step = seconds / max(1, len(said))
    return tuple(WordTime(word=word, start=n * step, end=(n + 1) * step) for n, word in enumerate(said))


def cues(text: str, seconds: float) -> tuple[TimedRows, ...]:
    return split_line(text, 0, round(1000 * seconds), evenly(text, seconds))


def test_a_long_line_is_split_where_its_sentences_and_clauses_end() -> None:
    shown = [" ".join(one.rows) for one in cues(LONG, 9)]
    assert shown == [
        "Courage: first described to me on a wet Tuesday,",
        "by somebody who had just had to do without.",
        "People define best what they have lately missed.",
    ]


def test_a_cue_comes_with_its_first_word() -> None:
    starts = {word.word: round(1000 * word.start) for word in evenly(LONG, 9)}
    assert [one.start_ms for one in cues(LONG, 9)] == [0, starts["by"], starts["People"]]


def test_a_short_line_is_one_cue_of_one_row() -> None:
    assert cues("I was afraid.", 1.2) == (TimedRows(("I was afraid.",), 0, 1200),)


def test_words_that_are_shown_and_not_said_stay_with_their_neighbours() -> None:
    said = evenly("Come in. We were waiting for you.", 4)
    shown = split_line("*waves* Come in. (aside) We were waiting for you. " + "And more of this. " * 4, 0, 9000, said)
    text = " ".join(row for one in shown for row in one.rows)
    assert text.startswith("*waves* Come in. (aside) We were waiting for you.")
    assert shown[1].start_ms >= 4000


def test_a_pause_within_a_line_leaves_the_screen_empty() -> None:
    words = (*evenly("I know what you did to her that night.", 3), *(
        WordTime(word=one.word, start=one.start + 8, end=one.end + 8) for one in evenly("And I will wait.", 2)
    ))  # fmt: skip
    first, second = split_line("I know what you did to her that night. And I will wait.", 0, 10_000, words)
    assert (first.end_ms, second.start_ms) == (3700, 8000)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_language_is_torn_at_any_place(language: str) -> None:
    text = LANGUAGES[language]
    shown = cues(text, 8)
    assert len(shown) > 1
    ends = [one.rows[-1][-1] for one in shown]
    assert all(not end.isalnum() for end in ends), ends


AWKWARD = st.text(st.characters(exclude_categories=()), max_size=60)
SENTENCES = st.lists(
    st.sampled_from(
        [*LANGUAGES.values(), LONG, "Yes.", "—", "*sighs*", "a" * 90, "勇" * 60, "👩‍👩‍👧 &c. <i>x</i> -->", "3.5"]
    ),
    max_size=4,
).map(" ".join)
TEXTS = SENTENCES | AWKWARD


@st.composite
def lines(draw: st.DrawFn) -> ProgrammePassage:
    """A line whose engine gives times for its words, for other words, out of order, or none."""
    text, length = draw(TEXTS), draw(st.integers(500, 60_000))
    said = plain(draw(st.sampled_from([text, "la la la", ""])))
    words = evenly(said, length / 1000 * draw(st.sampled_from([0.5, 1.0, 2.0])))
    if draw(st.booleans()):
        words = words[::-1]
    recording = recording_of(length).model_copy(update={"spoken": said, "words": words})
    return passage(
        recording,
        draw(st.integers(1, 99)),
        speaker=draw(AWKWARD | st.sampled_from(["Gardener", "The very long name of a very old family"])),
        text=text,
        gap_ms=draw(st.integers(0, 2000)),
        ends_at_ms=draw(st.none() | st.integers(500, 30_000)),
        overlap_ms=draw(st.sampled_from([0, 0, 180, 9000])),
    )


programmes = st.lists(lines(), min_size=1, max_size=3).map(lambda all_of: Programme(title="A", passages=tuple(all_of)))


@given(programmes)
def test_cues_are_short_and_in_order(programme: Programme) -> None:
    placed = timeline(programme)
    shown = cues_of(placed)
    assert [one.start_ms for one in shown] == sorted(one.start_ms for one in shown)
    for one in shown:
        assert 0 < one.end_ms - one.start_ms <= LONGEST_MS
        assert len(one.rows) <= 2
        assert all(columns(row) <= COLUMNS for row in one.rows)


@given(programmes)
def test_the_cues_of_a_line_follow_each_other_and_have_all_its_words(programme: Programme) -> None:
    for placement in timeline(programme):
        own = cues_of([placement])
        assert own[0].start_ms == placement.start_ms
        assert own[-1].end_ms <= placement.end_ms
        assert all(before.end_ms <= after.start_ms for before, after in pairwise(own))
        assert [one.names for one in own] == [True, *[False] * (len(own) - 1)]
        shown = "".join("".join(row for one in own for row in one.rows).split())
        assert shown == "".join(plain(placement.passage.text).split())


@given(programmes)
def test_both_formats_show_the_same_at_the_same_time(programme: Programme) -> None:
    placed = timeline(programme)
    shown = read_vtt(render_captions(programme, placed)).cues
    blocks = render_subrip(placed).rstrip("\n").split("\n\n")
    assert len(blocks) == len(shown)
    for number, (block, cue) in enumerate(zip(blocks, shown, strict=True), start=1):
        head, times, *rows = block.split("\n")
        found = TIMED.fullmatch(times)
        assert head == str(number)
        assert found
        h, m, s, ms, *end = map(int, found.groups())
        assert (((h * 60 + m) * 60 + s) * 1000 + ms, ((end[0] * 60 + end[1]) * 60 + end[2]) * 1000 + end[3]) == (
            cue.start,
            cue.end,
        )
        assert 1 <= len(rows) <= 2
        assert all(columns(row) <= COLUMNS + 2 for row in rows)  # an arrow of three letters becomes one


@pytest.mark.parametrize("length", range(18, 46))
def test_no_row_begins_with_a_mark_that_closes(length: int) -> None:
    text = "信" * length + "，" + "茶" * length + "。」" + "雨" * length + "！？」』"
    rows = [row for shown in split_line(text, 0, 60_000) for row in shown.rows]
    assert "".join(rows) == text
    assert all(row[0] not in "，。」！？』" and columns(row) <= COLUMNS for row in rows)
