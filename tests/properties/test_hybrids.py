"""Laws of hybrids: exactly the chosen paragraphs, to the byte, in the order that was named."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st

from dramaturg.model_notes.scene_text import paragraphs_in, scene_text
from dramaturg.workshop.drafts.hybrid import chosen_paragraphs, hybrid_text, seams_of
from dramaturg.workshop.drafts.variant import Variant
from dramaturg.workshop.patches.rewrite import paragraph_patches

ANSWERS = st.text(alphabet=st.sampled_from("ab .,’“”é—\n\r\t*#-_`夜\u2028"), min_size=1, max_size=300)


def variant(letter: str, paragraphs: tuple[str, ...]) -> Variant:
    return Variant(letter=letter, model="m", strategy="ACTION", target=100, paragraphs=paragraphs)


@st.composite
def drafts(draw: st.DrawFn) -> tuple[list[Variant], list[tuple[str, int]]]:
    """Variants as answers make them, and a choice of their paragraphs in any order."""
    texts = draw(st.lists(ANSWERS.map(scene_text).filter(bool), min_size=1, max_size=4))
    variants = [variant(letter, paragraphs_in(text)) for letter, text in zip("ABCD", texts, strict=False)]
    every = [(one.letter, number) for one in variants for number in range(1, len(one.paragraphs) + 1)]
    return variants, draw(st.lists(st.sampled_from(every), min_size=1, unique=True))


@given(drafts())
def test_a_hybrid_is_exactly_its_paragraphs(drawn: tuple[list[Variant], list[tuple[str, int]]]) -> None:
    variants, wanted = drawn
    texts = {one.letter: one.paragraphs for one in variants}
    chosen = chosen_paragraphs(variants, [f"{letter}{number}" for letter, number in wanted])
    expected = [texts[letter][number - 1] for letter, number in wanted]
    assert hybrid_text(chosen).encode() == "\n\n".join(expected).encode()
    assert list(paragraphs_in(hybrid_text(chosen))) == expected


@given(drafts())
def test_there_is_a_seam_exactly_where_the_order_of_a_variant_is_left(
    drawn: tuple[list[Variant], list[tuple[str, int]]],
) -> None:
    variants, wanted = drawn
    chosen = chosen_paragraphs(variants, [" ".join(f"{letter}{number}" for letter, number in wanted)])
    left = {one.after for one in seams_of(chosen)}
    for place, ((one, first), (other, second)) in enumerate(pairwise(wanted), start=1):
        assert (place in left) == ((one, first + 1) != (other, second))


@given(drafts())
def test_a_letter_alone_is_the_whole_variant(drawn: tuple[list[Variant], list[tuple[str, int]]]) -> None:
    variants, _ = drawn
    for one in variants:
        assert hybrid_text(chosen_paragraphs(variants, [one.letter.lower()])) == one.text
        assert hybrid_text(chosen_paragraphs(variants, [f"{one.letter}1-"])) == one.text


@given(ANSWERS)
def test_reading_an_answer_twice_changes_nothing(answer: str) -> None:
    once = scene_text(answer)
    assert paragraphs_in(once) == tuple(once.split("\n\n")) or not once


PARAGRAPHS = st.lists(st.text(alphabet="abcdefgh’é. ", min_size=6, max_size=40).map(str.strip).filter(bool), max_size=8)


@given(PARAGRAPHS.filter(bool), PARAGRAPHS.filter(bool), st.sampled_from(["", "---\ntitle: x\n---\n\n"]))
def test_the_patches_of_a_new_text_make_exactly_that_text(old: list[str], new: list[str], head: str) -> None:
    exact = head + "\n\n".join(old) + "\n"
    made = exact
    for patch in reversed(paragraph_patches("manuscript/a.md", exact, "\n\n".join(new))):
        at = f"{patch.before}{patch.old}{patch.after}"
        assume(exact.count(at) == 1)
        start = exact.index(at) + len(patch.before)
        made = made[:start] + patch.new + made[start + len(patch.old) :]
    assert made == head + "\n\n".join(new) + "\n"
