"""Laws of patches: nothing outside an accepted one changes, and each can be undone in any order."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import assume, given
from hypothesis import strategies as st

from dramaturg.workshop.book.plain_text import plain_text
from dramaturg.workshop.patches.applied import (
    Applied,
    applied_patch,
    covering,
    followed,
    numbers_of,
    with_patch,
    without_patch,
)
from dramaturg.workshop.patches.patch import Place, Unplaced, locate, patch_at, quoted_patch
from dramaturg.workshop.patches.splice import Splice
from dramaturg.workshop.patches.word_diff import changes, word_diff
from tests.laws import examples

WORDS = (
    "the",
    "sea",
    "a",
    "a a",
    "Ruth",
    "“No.”",
    "...",
    "—",
    "\n\n",
    "\r\n",
    "\n",
    "  ",
    "é",
    "\ufeff",
    "海は",
    ".",
    "",
)
texts = st.lists(st.sampled_from(WORDS) | st.text(max_size=6), max_size=24).map(lambda parts: " ".join(parts))


@st.composite
def spans(draw: st.DrawFn, text: str) -> list[tuple[int, int]]:
    """Spans of a text that do not overlap, in order; they may touch and may be empty."""
    edges = sorted(draw(st.lists(st.integers(0, len(text)), max_size=12)))
    return list(zip(edges[::2], edges[1::2], strict=False))


@given(texts, st.data())
@examples(300)
def test_patches_are_undone_to_the_byte_in_any_order(text: str, data: st.DataObject) -> None:
    chosen = data.draw(spans(text))
    news = [data.draw(texts) for _ in chosen]
    order = data.draw(st.permutations(range(len(chosen))))
    now, applied = _made(text, chosen, news), _shifted(text, chosen, news, order)
    undo = data.draw(st.permutations(range(len(chosen))))
    left = set(order)
    for number in undo:
        held = applied_patch(applied, number)
        assert held is not None
        now, applied = held.undoing.made(now), without_patch(applied, number)
        left.discard(number)
        assert now == _made(text, [chosen[n] for n in sorted(left)], [news[n] for n in sorted(left)])
    assert now == text
    assert applied == ()


@given(texts, st.data())
@examples(300)
def test_patches_over_one_another_are_undone_from_the_top(text: str, data: st.DataObject) -> None:
    applied: Applied = ()
    now, seen = text, [text]
    for number in range(data.draw(st.integers(0, 6))):
        start, end = sorted((data.draw(st.integers(0, len(now))), data.draw(st.integers(0, len(now)))))
        splice = Splice(start=start, old=now[start:end], new=data.draw(texts))
        now, applied = splice.made(now), with_patch(applied, number, splice)
        seen.append(now)
    for number in reversed(range(len(seen) - 1)):
        assert covering(applied, number) is None
        held = applied_patch(applied, number)
        assert held is not None
        now, applied = held.undoing.made(now), without_patch(applied, number)
        assert now == seen[number]
    assert numbers_of(applied) == frozenset()


@given(texts, st.data())
@examples(300)
def test_a_patch_in_a_text_that_did_not_change_is_found_where_it_was_made_or_not_at_all(
    text: str, data: st.DataObject
) -> None:
    plain = plain_text(text)
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(plain.plain))] * 2)))
    patch = patch_at("a.md", plain.plain, start, end, "new")
    found = locate(patch, text)
    if isinstance(found, Place):
        assert (found.start, found.end) == (plain.exact(start), plain.exact(end))
    else:
        assert found.reason == "twice" or not patch.old


@given(texts, texts, texts)
@examples(300)
def test_a_place_always_holds_the_words_of_the_patch(text: str, other: str, quote: str) -> None:
    patch = quoted_patch("a.md", text, quote, "new")
    for where in (text, other, other + text):
        found = locate(patch, where)
        if isinstance(found, Place):
            assert plain_text(where[found.start : found.end]).plain == patch.old
        else:
            assert isinstance(found, Unplaced)
            assert str(found)


@given(texts, texts)
@examples(300)
def test_the_changes_between_two_texts_make_one_of_the_other(old: str, new: str) -> None:
    now, by = old, 0
    for one in changes(old, new):
        assert one.old != one.new
        now = one.model_copy(update={"start": one.start + by}).made(now)
        by += len(one.new) - len(one.old)
    assert now == new
    parts = word_diff(old, new)
    assert "".join(one.text for one in parts if one.kind != "new") == old
    assert "".join(one.text for one in parts if one.kind != "old") == new


@given(texts, texts, st.data())
@examples(200)
def test_a_patch_that_survives_an_edit_still_holds_its_words(text: str, edited: str, data: st.DataObject) -> None:
    chosen = data.draw(spans(text))
    news = [data.draw(texts) for _ in chosen]
    applied = _shifted(text, chosen, news, range(len(chosen)))
    made = _made(text, chosen, news)
    now = data.draw(st.sampled_from([edited, made + edited, edited + made, made[: len(made) // 2] + edited + made]))
    assume(now != made)
    for one in followed(applied, made, now):
        assert now[one.start : one.end] == one.new


def _made(text: str, chosen: list[tuple[int, int]], news: list[str]) -> str:
    for (start, end), new in reversed(list(zip(chosen, news, strict=True))):
        text = text[:start] + new + text[end:]
    return text


def _shifted(text: str, chosen: list[tuple[int, int]], news: list[str], order: Iterable[int]) -> Applied:
    """The patches as they stand when they were accepted in an order."""
    applied: Applied = ()
    done: list[int] = []
    for number in order:
        start, end = chosen[number]
        by = sum(len(news[n]) - (chosen[n][1] - chosen[n][0]) for n in done if n < number)
        applied = with_patch(applied, number, Splice(start=start + by, old=text[start:end], new=news[number]))
        done.append(number)
    return applied
