"""From scene to scene: what one left comes back in the next, once, and as the log has it."""

import asyncio
from pathlib import Path

from dramaturg.characters import parse_card
from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.scenes.events import MemoryRecalled
from dramaturg.scenes.memory.run_hooks import remember
from dramaturg.scenes.stage import prompt_within
from dramaturg.scenes.state import scene_state
from dramaturg.studio import Studio
from tests.rehearsals.script import read_rehearsal
from tests.scenes.memory.staging import THE_LETTER, THE_MILL, play, scene, script, studio_of


async def everything(studio: Studio) -> list[object]:
    return [await studio.scenes.memory.past(name) for name in ("alice", "bob", "cora")]


def systems(model: ScriptedModel) -> dict[str, str]:
    """The system prompt of each character."""
    return {request.key.partition("/")[2]: request.system for request in model.requests if request.purpose == "acting"}


async def test_the_next_scene_is_asked_with_what_each_character_heard_in_the_one_before(tmp_path: Path) -> None:
    clock, second = StillClock(), script(THE_MILL)
    async with studio_of(tmp_path, script(THE_LETTER), clock) as studio:
        await play(studio, scene(THE_LETTER))
    clock.wind(3600)
    async with studio_of(tmp_path, second, clock) as studio:
        run = await play(studio, scene(THE_MILL))
    asked = systems(second)
    assert "- The Letter: Bob promised you: “I promise I will never open your post again.”" in asked["alice"]
    assert "mill is sold" not in asked["alice"]
    assert "Bob told you alone: “The letter says that the mill is sold.”" in asked["cora"]
    assert "rough with such things" in asked["bob"]
    assert "rough with such things" not in asked["alice"] + asked["cora"]
    receipts = [e.event.receipt for e in run.entries if getattr(e.event, "receipt", None)]
    assert all("memory" in [layer.name for layer in receipt.layers] for receipt in receipts)


async def test_a_scene_that_does_not_remember_neither_recalls_nor_leaves_anything(tmp_path: Path) -> None:
    async with studio_of(tmp_path, script(THE_LETTER)) as studio:
        run = await play(studio, scene(THE_LETTER, remembers=False))
        assert not any(isinstance(entry.event, MemoryRecalled) for entry in run.entries)
        assert await studio.scenes.memory.characters() == ()


async def test_processing_a_run_twice_changes_nothing(tmp_path: Path) -> None:
    async with studio_of(tmp_path, script(THE_LETTER)) as studio:
        run = await play(studio, scene(THE_LETTER))
        before = await everything(studio)
        await remember(run, studio.scenes.memory)
        assert await everything(studio) == before


async def test_what_a_fork_shares_with_its_parent_counts_once(tmp_path: Path) -> None:
    clock = StillClock()
    async with studio_of(tmp_path, script(THE_LETTER), clock) as studio:
        parent = await play(studio, scene(THE_LETTER))
        before = await studio.scenes.memory.past("alice")
        clock.wind(60)
        fork = await studio.scenes.fork(parent.id, 3, note="Let it go.")
        await studio.start(fork)
        nested = await studio.scenes.fork(fork.id, 1)
        await studio.start(nested)
        after = await studio.scenes.memory.past("alice")
    shared = {memory.id for memory in before.memories if memory.line <= 6}
    assert shared
    assert [memory.id for memory in after.memories if memory.id in shared] == sorted(
        shared, key=[memory.id for memory in before.memories].index
    )
    assert len({memory.id for memory in after.memories}) == len(after.memories)
    accused = [change for bond in after.bonds for change in bond.history if change.line == 1]
    assert len(accused) == 1


async def test_two_performances_of_one_scene_count_twice(tmp_path: Path) -> None:
    async with studio_of(tmp_path, script(THE_LETTER)) as studio:
        await play(studio, scene(THE_LETTER))
        once = await studio.scenes.memory.past("alice")
        await play(studio, scene(THE_LETTER))
        twice = await studio.scenes.memory.past("alice")
    assert len(twice.memories) == 2 * len(once.memories)


async def test_a_run_that_was_stopped_leaves_what_was_heard_so_far_and_no_more_when_played_on(tmp_path: Path) -> None:
    reached, rehearsal = asyncio.Event(), read_rehearsal(THE_LETTER)

    async def hang_at_the_promise(request: ModelRequest) -> ModelAnswer | Exception:
        if request.key == "beat-4/bob":
            reached.set()
            await asyncio.Event().wait()
        return rehearsal.answer(request)

    async with studio_of(tmp_path, ScriptedModel(hang_at_the_promise)) as studio:
        playing = asyncio.create_task(play(studio, scene(THE_LETTER)))
        async with asyncio.timeout(240):
            await reached.wait()
        [record] = await studio.runs.find()
        assert await studio.engine.cancel(record.id)
        await asyncio.wait([playing])
        stopped = await studio.scenes.memory.past("alice")
    assert any("admitted to you" in memory.text for memory in stopped.memories)
    assert not any("promised" in memory.text for memory in stopped.memories)
    async with studio_of(tmp_path, script(THE_LETTER)) as studio:
        run = await studio.adopt(record.id)
        await studio.start(run)
        ended = await studio.scenes.memory.past("alice")
    assert any("Bob promised you" in memory.text for memory in ended.memories)
    assert len({memory.line for memory in ended.memories}) == len(ended.memories)


async def test_a_run_keeps_to_what_it_recalled_whatever_is_changed_meanwhile(tmp_path: Path) -> None:
    async with studio_of(tmp_path, script(THE_LETTER)) as studio:
        await play(studio, scene(THE_LETTER))
        run = await studio.scenes.open(scene(THE_MILL), model="rehearsal")
        recalled = scene_state(run.entries).recalled
        for name in ("alice", "bob", "cora"):
            await studio.scenes.memory.reset(name)
    assert recalled["alice"].memories
    model = script(THE_MILL)
    async with studio_of(tmp_path, model) as studio:
        await studio.runs.mark(await studio.runs.open(run.id), "stopped")
        adopted = await studio.adopt(run.id)
        assert adopted.state.recalled == recalled
        await studio.start(adopted)
    assert "Bob promised you" in systems(model)["alice"]


async def test_the_company_gets_the_memories_as_a_section_of_the_part(tmp_path: Path) -> None:
    second = script(THE_MILL)
    async with studio_of(tmp_path, script(THE_LETTER)) as studio:
        await play(studio, scene(THE_LETTER))
    async with studio_of(tmp_path, second) as studio:
        await play(studio, scene(THE_MILL))
    cue = next(request.cue for request in second.requests if request.purpose == "acting")
    sections = {part.name: dict(part.sections) for part in cue.book.cast}
    assert any(text.startswith("Bob promised you") for text in sections["Alice"]["Memories"])
    assert not any("mill" in text for text in sections["Alice"]["Memories"])


async def test_who_remembers_something_is_not_suspected_of_a_leak_for_saying_it(tmp_path: Path) -> None:
    told = THE_MILL + 'beat 1\n  cora  @1  [TONE: dry] "The letter says that the mill is sold."\n'
    secret = {"bob": {"secrets": ["The letter says that the mill is sold."]}}
    async with studio_of(tmp_path, script(THE_LETTER)) as studio:
        await play(studio, scene(THE_LETTER))
    async with studio_of(tmp_path, script(told)) as studio:
        known = await play(studio, scene(told, parts=secret))
        await studio.scenes.memory.reset("cora")
        unknown = await play(studio, scene(told, parts=secret))
    assert [len(scene_state(run.entries).leaks) for run in (known, unknown)] == [0, 1]


async def test_where_a_model_reads_little_the_memories_are_the_first_to_go_and_the_receipt_says_so(
    tmp_path: Path,
) -> None:
    async with studio_of(tmp_path, script(THE_LETTER)) as studio:
        await play(studio, scene(THE_LETTER))
        state = scene_state((await studio.scenes.open(scene(THE_MILL), model="rehearsal")).entries)
        card = parse_card("alice", state.cards["alice"])
        whole = prompt_within(card, state, 4000)
        memory = next(layer.tokens for layer in whole.receipt.layers if layer.name == "memory")
        less, none = (prompt_within(card, state, whole.receipt.tokens - cut) for cut in (10, memory))
    assert whole.receipt.omissions == ()
    assert [(layer.name, layer.fate) for layer in less.receipt.omissions] == [("memory", "trimmed")]
    assert [(layer.name, layer.fate) for layer in none.receipt.omissions] == [("memory", "left out")]
    assert "What you remember" in whole.text
    assert "What you remember" not in none.text
