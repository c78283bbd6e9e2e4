"""Takes side by side: no line is lost, none moves, and those that are alike stand opposite one another."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.scenes.exports.takes_page import render_takes
from dramaturg.scenes.insight.alignment import ComparedTake, TakeComparison, align
from dramaturg.scenes.line import Line


def lines(*said: str) -> list[Line]:
    """Lines as "Ann: words", numbered from 1."""
    parts = [one.partition(": ") for one in said]
    return [Line(number=n, beat=n, speaker=who, content=words) for n, (who, _, words) in enumerate(parts, start=1)]


def shown(*takes: list[Line]) -> list[tuple[str, ...]]:
    return [tuple(f"{cell.speaker}: {cell.content}" if cell else "" for cell in row.cells) for row in align(takes)]


WORDS = st.sampled_from(["Ann: yes", "Ann: no, not today", "Ben: yes", "Ben: not today", "Cy: the boat is gone"])
TAKES = st.lists(st.lists(WORDS, max_size=8), min_size=2, max_size=4)


@given(TAKES)
def test_every_line_of_every_take_stands_in_one_row_and_in_its_order(takes: list[list[str]]) -> None:
    rows = shown(*(lines(*take) for take in takes))
    for place, take in enumerate(takes):
        assert [row[place] for row in rows if row[place]] == take
    assert all(any(row) for row in rows)


@given(st.lists(WORDS, max_size=8))
def test_a_take_beside_itself_is_the_same_in_every_row(take: list[str]) -> None:
    assert all(row.same for row in align([lines(*take), lines(*take), lines(*take)]))


def test_a_line_that_was_added_stands_alone_and_the_rest_stays_opposite() -> None:
    one = lines("Ann: where were you", "Ben: at the mill", "Ann: all night")
    two = lines("Ann: where were you", "Ben: at home", "Ben: at the mill", "Ann: all night")
    assert shown(one, two) == [
        ("Ann: where were you", "Ann: where were you"),
        ("", "Ben: at home"),
        ("Ben: at the mill", "Ben: at the mill"),
        ("Ann: all night", "Ann: all night"),
    ]


def test_a_line_that_was_reworded_stands_opposite_the_one_it_is_most_alike() -> None:
    one = lines("Ann: hello", "Ben: I sold the boat in May", "Ann: so it was you")
    two = lines("Ann: hello", "Cy: good evening all", "Ben: in May I sold the old boat", "Ann: it was you, so it was")
    assert shown(one, two) == [
        ("Ann: hello", "Ann: hello"),
        ("", "Cy: good evening all"),
        ("Ben: I sold the boat in May", "Ben: in May I sold the old boat"),
        ("Ann: so it was you", "Ann: it was you, so it was"),
    ]


def test_lines_of_different_speakers_without_a_word_in_common_are_not_opposite() -> None:
    assert shown(lines("Ann: hello"), lines("Ben: goodbye")) == [("Ann: hello", ""), ("", "Ben: goodbye")]


def test_the_page_marks_the_words_that_differ_and_shows_markup_as_text() -> None:
    rows = align([lines("Ann: I <b>sold</b> it in May"), lines("Ann: I <b>sold</b> it in June")])
    takes = tuple(ComparedTake(run=run, played_by="a & b", seed=1, end="[END]", beats=1) for run in ("r1", "r2"))
    page = render_takes(TakeComparison(scene="x", title="X <1>", goal="g", takes=takes, rows=rows))
    assert "I &lt;b&gt;sold&lt;/b&gt; it in <mark>June</mark>" in page
    assert "it in May</td>" in page
    assert "<b>sold" not in page
    assert '<h1 dir="auto">X &lt;1&gt;</h1>' in page
    assert "2 takes; 1 of 1 rows differ." in page
    assert "<script" not in page
