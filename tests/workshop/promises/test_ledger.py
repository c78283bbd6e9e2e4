"""The writer's ledger is changed one entry at a time; every other byte of it stays."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.workshop.promises.ledger import PromiseEntry, QuotedScene, read_ledger, with_entry
from dramaturg.workshop.promises.wire import PromiseStep
from tests.workshop.promises.shelf import shelf
from tests.workshop.workroom import at_work

BY_HAND = """# mine
promises:
  # the first
  - promise: the_photograph   # see ch01
    what: hers

  - promise: old debt
    due: ch03-sc01
# and that is all
"""
PLACES = st.none() | st.builds(QuotedScene, scene=st.just("ch01-sc01"), quote=st.text(min_size=1, max_size=30))
ENTRIES = st.builds(
    PromiseEntry,
    promise=st.sampled_from(["the_photograph", "old debt", "new", "Ein neues Versprechen: groß"]),
    what=st.text(max_size=30),
    planted=PLACES,
    echoed=st.lists(st.builds(QuotedScene, scene=st.just("ch02"), quote=st.just("a: b\n# c")), max_size=2).map(tuple),
    due=st.sampled_from(["", "end", "ch09-sc01", "'"]),
    dropped=st.text(max_size=20),
)


@given(ENTRIES, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", BY_HAND, "# nothing yet\n", "promises: []\n"]))
def test_an_entry_that_is_set_is_read_again_and_the_others_stay(entry: PromiseEntry, ending: str, text: str) -> None:
    made = with_entry(text.replace("\n", ending) or None, entry)
    assert with_entry(made, entry) == made
    if text == BY_HAND:
        for kept in ("# mine", "# and that is all", "  # the first"):
            assert kept in made
        other = "  - promise: old debt" if entry.key != "old_debt" else "  - promise: the_photograph   # see ch01"
        assert other in made


async def test_what_a_writer_notes_stands_in_the_file_and_can_be_undone(tmp_path: Path) -> None:
    shelf(tmp_path)
    async with at_work(tmp_path, []) as foreman:
        made = await foreman.promises.take(
            PromiseStep(step="plant", name="the_photograph", scene="ch1-sc1", due="Finale")
        )
        assert made.promise.planted is not None
        assert made.promise.due == "ch03-sc01"
        assert "Ada slid the photograph" in made.said
        paid = await foreman.promises.take(
            PromiseStep(step="pay", name="The photograph", scene="ch01-sc02", quote="nobody SPOKE of it")
        )
        assert paid.promise.state == "paid"
        await foreman.undo()
        assert (await foreman.promises.promise("the_photograph")).state == "echoed"
        dropped = await foreman.promises.take(PromiseStep(step="drop", name="the_photograph", reason="Cut."))
        assert dropped.promise.state == "dropped"
    assert read_ledger(tmp_path).promises[0].dropped == "Cut."


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ({"step": "drop", "name": "the_photograph"}, "Why is"),
        ({"step": "pay", "name": "the_photograph"}, "Which scene"),
        ({"step": "pay", "name": "the_photograph", "scene": "ch09-sc09"}, "is not written yet"),
        ({"step": "pay", "name": "the_photograph", "scene": "ch01-sc02", "quote": "She wept."}, "do not stand"),
        ({"step": "pay", "name": "the_photograph", "scene": "ch01-sc02", "quote": "Rain."}, "do not stand"),
        ({"step": "plant", "name": "a key", "scene": "ch01-sc02"}, "No sentence of ch01-sc02"),
    ],
)
async def test_a_step_without_what_it_needs_is_refused_and_changes_nothing(
    tmp_path: Path, step: dict[str, str], said: str
) -> None:
    shelf(tmp_path)
    async with at_work(tmp_path, []) as foreman:
        with pytest.raises(InvalidConfig, match=said):
            await foreman.promises.take(PromiseStep.model_validate(step))
        with pytest.raises(NotFound, match="the_photograph"):
            await foreman.promises.take(PromiseStep(step="pay", name="no such", scene="ch01-sc01"))
    assert not (tmp_path / "story-bible" / "promises.yaml").exists()


async def test_the_gate_of_the_director_counts_scaffolds_and_not_files_of_the_manuscript(tmp_path: Path) -> None:
    shelf(tmp_path)
    async with at_work(tmp_path, []) as foreman:
        forced = await foreman.change_mode(force=True)
        assert forced.advanced is not None
        await foreman.change_mode(force=True)
        with pytest.raises(InvalidConfig, match="2 of 4 planned scenes are not drafted"):
            await foreman.change_mode()
