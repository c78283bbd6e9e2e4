"""Laws of scaffolds: what is written is read again, and what a writer added stays to the byte."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.scaffold import FIELDS, LISTS, Scaffold, read_scaffold
from dramaturg.workshop.book.scaffold_text import scaffold_text

NASTY = st.sampled_from(
    ["# no heading", "```", "---", "Background: a choir", "yes", "18:30", "null", "- item", "a: b", "TBD", "<!-- x -->",
     "'", '"', "{", "[a, b]", "&x", "*x", "\u2028", "\ufeff", "Ünï 漢字 🦉", "one\n\n## two\n\nthree", "```\nopen", "%"]
)  # fmt: skip
TEXTS = st.text(max_size=40) | NASTY | st.tuples(NASTY, NASTY).map("\n".join)
LINES = st.lists(TEXTS, max_size=4).map(tuple)
HEADINGS = st.sampled_from(["My own notes", "Rückblick", "Do not forget", "Soundtrack"])


@st.composite
def scaffolds(draw: st.DrawFn) -> Scaffold:
    """Any scaffold."""
    fields = {name: draw(LINES if name in LISTS else TEXTS) for name in FIELDS if name != "word_target"}
    target = draw(st.none() | st.integers(1, 200_000))
    sources = draw(st.dictionaries(st.sampled_from(FIELDS), TEXTS, max_size=4))
    return Scaffold.model_validate({"scaffold_id": "ch04-sc02", **fields, "word_target": target, "sources": sources})


@given(scaffolds())
def test_a_scaffold_that_is_written_and_read_loses_nothing(scaffold: Scaffold) -> None:
    assert read_scaffold(scaffold.path, scaffold_text(scaffold)) == scaffold


@given(scaffolds(), HEADINGS, st.sampled_from(["Brass, but muted.", "Ask *Jana* first.\n\n- one\n- two"]))
def test_notes_are_written_and_read_too(scaffold: Scaffold, heading: str, note: str) -> None:
    noted = scaffold.model_copy(update={"notes": {heading: note}})
    assert read_scaffold(scaffold.path, scaffold_text(noted)) == noted


@given(
    scaffolds(),
    scaffolds(),
    st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="#`~\r\0"), max_size=80),
    st.sampled_from(["\n", "\r\n"]),
)
def test_setting_fields_leaves_every_byte_that_the_writer_added(
    old: Scaffold, new: Scaffold, own: str, ending: str
) -> None:
    added = f"## My own notes\n\n{own}\n"
    before = f"{scaffold_text(old)}\n{added}\n## Another\n\nStays.\n".replace("\n", ending)
    wanted = new.model_copy(update={"notes": read_scaffold(old.path, before).notes})
    after = scaffold_text(wanted, before)
    assert added.replace("\n", ending) in after
    assert f"## Another{ending}{ending}Stays.{ending}" in after
    assert read_scaffold(old.path, after) == wanted


@given(scaffolds(), st.sampled_from(["\n", "\r\n", "\r"]))
def test_a_scaffold_without_changes_is_the_same_file(scaffold: Scaffold, ending: str) -> None:
    before = scaffold_text(scaffold).replace("\n", ending)
    assert scaffold_text(read_scaffold(scaffold.path, before), before) == before


@given(st.text(max_size=300) | st.lists(NASTY, max_size=8).map("\n".join))
def test_any_text_is_a_scaffold_or_an_error_with_its_file(text: str) -> None:
    where = "scaffolds/ch01-sc01.md"
    with suppress(InvalidConfig):
        assert read_scaffold(where, text).scaffold_id == "ch01-sc01"
