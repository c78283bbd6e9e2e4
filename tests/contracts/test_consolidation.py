"""Consolidation on SQLite and on Postgres: merged whole or not at all, settled for good, and undone without a trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.store import Store
from dramaturg.workshop.book.decisions import NewDecision
from dramaturg.workshop.graph.values import StoryGraph
from tests.workshop.consolidation.manuscripts import Reading, answer, prose, said

GREEN = answer(said("Elena", "eye_colour", "green", "Elena had green eyes"))
BLUE = answer(said("Elena", "eye_colour", "blue", "Elena's eyes were blue"))


@pytest.fixture
def book(store: Store, tmp_path: Path) -> Reading:
    prose(tmp_path, "ch01", "Elena had green eyes. She waited at the rail.")
    prose(tmp_path, "ch02", "Elena's eyes were blue in the morning light.")
    return Reading(store, tmp_path)


def holding(graph: StoryGraph) -> set[str]:
    return {one.value for one in graph.current if one.predicate == "eye_colour"}


async def test_the_old_fact_stands_and_the_conflict_waits_with_both_quotations(book: Reading) -> None:
    batch = await book.read(ch01=GREEN, ch02=BLUE)
    assert (batch.counts.added, batch.counts.conflicts, batch.counts.texts) == (1, 1, 2)
    waiting = await book.front.conflicts()
    assert waiting.waiting == 1
    assert waiting.conflicts[0].old.quote == "Elena had green eyes."
    assert waiting.conflicts[0].new.quote == "Elena's eyes were blue"
    assert holding((await book.graph.read()).graph) == {"green"}


async def test_what_was_read_is_not_read_again_and_a_changed_scene_is(book: Reading) -> None:
    await book.read(ch01=GREEN, ch02=BLUE)
    assert await book.front.waiting({}) == ()
    prose(book.project, "ch02", "Elena's eyes were closed.")
    assert [one.path for one in await book.front.waiting({})] == ["manuscript/ch02.md"]
    assert [one.path for one in await book.front.waiting({3: "Elena has a twin."})][-1] == "conversation/turn-3"


@pytest.mark.parametrize(
    ("resolution", "reason", "holds"),
    [("keep_old", "", {"green"}), ("take_new", "", {"blue"}), ("keep_both", "lie", {"green", "blue"})],
)
async def test_a_resolution_stays_and_is_not_asked_again(
    book: Reading, resolution: str, reason: str, holds: set[str]
) -> None:
    await book.read(ch01=GREEN, ch02=BLUE)
    view = await book.front.resolve(1, resolution, reason, "because")  # type: ignore[arg-type]
    assert (view.resolution, view.reason, view.note) == (resolution, reason, "because")
    assert holding((await book.graph.read()).graph) == holds
    prose(book.project, "ch02", "Now it was May. Elena's eyes were blue in the morning light, still.")
    again = answer(said("Elena", "eye_colour", "blue", "Elena's eyes were blue in the morning"))
    prose(book.project, "ch01", "Elena had green eyes. She waited at the rail, again.")
    await book.read(ch01=GREEN, ch02=again)
    assert (await book.front.conflicts()).waiting == 0
    assert holding((await book.graph.read()).graph) == holds
    with pytest.raises(InvalidConfig, match="settled already"):
        await book.front.resolve(1, "keep_old")


async def test_a_chapter_that_was_renamed_is_not_asked_about_again(book: Reading) -> None:
    await book.read(ch01=GREEN, ch02=BLUE)
    await book.front.resolve(1, "keep_both", "lie")
    (book.project / "manuscript" / "ch02.md").rename(book.project / "manuscript" / "ch05.md")
    batch = await book.read(ch05=BLUE)
    assert (batch.counts.added, batch.counts.retired, batch.counts.conflicts) == (1, 1, 0)
    prose(book.project, "ch06", "Elena's eyes were blue in the evening too.")
    await book.read(ch06=answer(said("Elena", "eye_colour", "blue", "Elena's eyes were blue in the evening")))
    assert (await book.front.conflicts()).waiting == 0


async def test_the_same_mistake_in_another_chapter_is_asked_about(book: Reading) -> None:
    await book.read(ch01=GREEN, ch02=BLUE)
    await book.front.resolve(1, "keep_old")
    prose(book.project, "ch06", "Elena's eyes were blue in the evening too.")
    await book.read(ch06=answer(said("Elena", "eye_colour", "blue", "Elena's eyes were blue in the evening")))
    assert (await book.front.conflicts()).waiting == 1


async def test_a_resolution_can_be_taken_back(book: Reading) -> None:
    await book.read(ch01=GREEN, ch02=BLUE)
    for resolution in ("keep_old", "take_new", "keep_both"):
        await book.front.resolve(1, resolution, "dream")  # type: ignore[arg-type]
        assert (await book.front.reopen(1)).resolution == ""
        assert holding((await book.graph.read()).graph) == {"green"}
    with pytest.raises(InvalidConfig, match="nothing to take back"):
        await book.front.reopen(1)


async def test_both_are_kept_only_for_a_reason(book: Reading) -> None:
    await book.read(ch01=GREEN, ch02=BLUE)
    with pytest.raises(InvalidConfig, match="lie, dream, retcon, unreliable, error in the text"):
        await book.front.resolve(1, "keep_both", "because I say so")
    with pytest.raises(NotFound, match="those that wait: 1"):
        await book.front.resolve(7, "keep_old")


async def test_a_merge_is_undone_without_a_trace(book: Reading) -> None:
    before = (await book.graph.read()).graph
    await book.knowledge.decide(NewDecision(category="character", key="elena_job", value="courier"), 1.0)
    await book.read(ch01=GREEN, ch02=BLUE)
    await book.front.resolve(1, "take_new")
    assert (await book.knowledge.current())[0].is_promoted
    undone = await book.front.undo()
    graph = (await book.graph.read()).graph
    assert undone.id == 1
    assert {one.key for one in graph.current} == {one.key for one in before.current}
    assert graph.names == before.names
    assert not (await book.knowledge.current())[0].is_promoted
    assert (await book.front.conflicts(resolved=True)).conflicts[0].resolution == "withdrawn"
    assert len(await book.front.waiting({})) == 2
    with pytest.raises(NotFound, match="no merge to undo"):
        await book.front.undo()
    await book.read(ch01=GREEN, ch02=BLUE)
    assert await book.contradictions() == [
        ("single_value", "Elena has eyes of the colour green", "Elena has eyes of the colour blue")
    ]


async def test_a_run_merges_once(book: Reading) -> None:
    first = await book.read(ch01=GREEN, ch02=BLUE)
    book.runs = 0
    assert await book.read(ch01=GREEN, ch02=BLUE) == first
    assert (await book.front.batches({})).batches[0].counts == first.counts
    assert len((await book.front.batches({})).batches) == 1


async def test_a_scene_that_no_longer_says_it_ends_the_conflict(book: Reading) -> None:
    await book.read(ch01=GREEN, ch02=BLUE)
    prose(book.project, "ch01", "Elena waited at the rail.")
    batch = await book.read()
    assert batch.counts.retired == 1
    assert (await book.front.conflicts(resolved=True)).conflicts[0].resolution == "gone"
    assert holding((await book.graph.read()).graph) == {"blue"}
    await book.front.undo()
    assert (await book.front.conflicts()).waiting == 1
    assert holding((await book.graph.read()).graph) == {"green"}


async def test_a_fact_of_the_bible_that_lost_is_not_read_in_again(book: Reading) -> None:
    fact = "facts:\n  - {subject: Elena, predicate: eye_colour, object: brown}"
    prose(book.project, "ch00", "Elena waited.", fact)
    await book.read(ch01=GREEN)
    assert holding((await book.graph.read()).graph) == {"brown"}
    await book.front.resolve(1, "take_new")
    prose(book.project, "ch00", "Elena waited, and waited.", fact)
    assert holding((await book.graph.read()).graph) == {"green"}
    await book.read()
    assert holding((await book.graph.read()).graph) == {"green"}


async def test_decisions_become_facts_and_those_taken_back_are_retired(book: Reading) -> None:
    for key, value in (("elena_eyes", "green"), ("tide", "twice a day"), ("spelling", "British")):
        category = {"elena_eyes": "character", "tide": "world", "spelling": "preference"}[key]
        new = NewDecision.model_validate({"category": category, "key": key, "value": value})
        await book.knowledge.decide(new, 1.0)
    batch = await book.read()
    assert batch.counts.decisions == 2
    assert [one.is_promoted for one in await book.knowledge.current()] == [True, True, False]
    await book.knowledge.decide(NewDecision(category="character", key="elena_eyes", value="grey"), 2.0)
    batch = await book.read()
    assert batch.counts.retired == 1
    assert holding((await book.graph.read()).graph) == {"grey"}
