"""Laws of the Word round trip: what nobody changed stays to the byte, and so does all around what somebody did."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.workshop.manuscripts.acceptance import accepted
from dramaturg.workshop.manuscripts.book_text import scene_text
from dramaturg.workshop.manuscripts.markdown import read_prose
from dramaturg.workshop.manuscripts.markdown_writer import edited, source_edit
from dramaturg.workshop.manuscripts.styled import styled
from dramaturg.workshop.manuscripts.word.review import read_review
from tests.laws import examples
from tests.workshop.manuscripts.books import exported, sources
from tests.workshop.manuscripts.word_editor import WordEditor


@examples(100, deadline=None)
@given(st.lists(sources(), min_size=1, max_size=4), st.integers(0, 1000))
def test_a_docx_that_goes_out_and_in_unchanged_brings_nothing_back(texts: list[str], seed: int) -> None:
    scenes = [scene_text(f"manuscript/ch01-sc{number:02}.md", text) for number, text in enumerate(texts)]
    data = exported(*scenes)
    shaken = WordEditor(data)
    shaken.shake(seed)
    for document in (data, shaken.saved(), shaken.through_python_docx()):
        review = read_review("out.docx", document, scenes)
        assert (review.patches, review.notes, review.problems) == ((), (), ())
        assert review.untouched == len(scenes)


@examples(150, deadline=None)
@given(sources(), st.data())
def test_nothing_outside_a_change_changes(text: str, data: st.DataObject) -> None:
    prose = read_prose(text)
    end = data.draw(st.integers(0, len(prose.shown)))
    start = data.draw(st.integers(0, end))
    edit = source_edit(prose, start, end, styled(data.draw(st.text(alphabet="xyz ", max_size=5))))
    after = edited(text, [edit])
    assert after.startswith(text[: edit.start])
    assert after.endswith(text[edit.end :])


@examples(80, deadline=None)
@given(
    st.lists(st.sampled_from("the boat lay *still* and Ruth **did** not speak again".split()), min_size=6, max_size=40),
    st.data(),
)
def test_a_tracked_change_comes_back_and_changes_only_its_words(words: list[str], data: st.DataObject) -> None:
    numbered = [f"{word}{number}" if word.isalpha() else word for number, word in enumerate(words)]
    scene = scene_text("manuscript/ch01-sc01.md", f"---\ntitle: A\n---\n\n{' '.join(numbered)}\n")
    plain = [word for word in numbered if word[-1].isdigit()]
    if not plain:
        return
    editor = WordEditor(exported(scene))
    old = data.draw(st.sampled_from(plain))
    editor.shake(len(words))
    editor.replace(old, "changed")
    review = read_review("out.docx", editor.saved(), [scene])
    assert [one.patch.anchor.quote for one in review.patches] == [old]
    made = accepted(review, [scene], [1])[scene.path]
    assert made == scene.source.replace(f"{old} ", "changed ").replace(f"{old}\n", "changed\n")
