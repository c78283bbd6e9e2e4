"""A book's conversation, on SQLite and on Postgres."""

from __future__ import annotations

import asyncio

import pytest

from dramaturg.kernel.errors import RunFenced
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.runs import Holder
from dramaturg.kernel.runs.cancellation import cancel_run
from dramaturg.kernel.settings import Settings
from dramaturg.workshop.front import Workshop
from tests.workshop.workroom import acting, at_work, heard, message_of, names, saying

FLAW = acting("save_decision", category="character", key="flaw", value="pride \0 and 🎭 “quotes”")
THEME = acting("write_template", template="theme", content="<central_theme>Debt</central_theme>")


async def test_a_conversation_goes_on_where_it_was_and_its_actions_are_taken_back(store_settings: Settings) -> None:
    project, store = store_settings.project, store_settings.store
    async with at_work(project, [saying("One.", FLAW, THEME)], store=store) as foreman:
        await heard(foreman, "First \0 words.")
    async with at_work(project, [saying("Two.", FLAW.replace("pride", "vanity"))], store=store) as foreman:
        await heard(foreman, "Second.")
        assert [turn.writer for turn in (await foreman.conversation()).conversation(3)] == ["First  words.", "Second."]
        assert len(await foreman.history("flaw")) == 2
        for _ in range(3):
            await foreman.undo()
        assert await foreman.decisions() == ()
        assert not (project / "story-bible" / "theme.md").exists()


async def test_the_same_book_gives_the_same_prompt_on_either_database(store_settings: Settings) -> None:
    decisions = [
        acting("save_decision", category=category, key=f"{category}_{n}", value=f"Something about the docks, {n}")
        for n in range(2)
        for category in ("character", "world", "structure", "constraint", "voice")
    ]
    async with at_work(store_settings.project, [saying("Noted.", *decisions)], store=store_settings.store) as foreman:
        await heard(foreman, "Go.")
        prompt = await foreman.prompt("What about the docks?", model="openai/gpt-4o")
    state = prompt.system + prompt.messages[-1].text
    told = [word.split('"')[0] for word in state.split('key="')[1:]]
    assert told == [
        "character_1", "voice_1", "structure_1", "character_0", "world_1", "voice_0", "structure_0", "world_0",
    ]  # fmt: skip
    assert state.count("<continuity>Something about the docks") == 2, "constraints are remembered"


def moved_away(foreman: Workshop) -> None:
    """From now on the others take it for a process of another machine."""
    foreman._resources.runs.holder = Holder("elsewhere", 7, "42@elsewhere")


async def test_a_turn_is_followed_to_its_end_in_a_process_that_does_not_work_on_it(store_settings: Settings) -> None:
    project, store = store_settings.project, store_settings.store
    asked, answers = asyncio.Event(), asyncio.Event()

    async def slowly(_: ModelRequest) -> str:
        asked.set()
        await answers.wait()
        return saying("Pride, then.", FLAW)

    async with at_work(project, slowly, store=store) as here, at_work(project, [], store=store) as there:
        moved_away(there)
        own = asyncio.create_task(heard(here, "What is her flaw?"))
        await asked.wait()
        [turn] = (await there.conversation()).open_turns
        following = there.follow(turn)
        first = await anext(following)
        answers.set()
        seen = [first, *[event async for event in following]]
        shown = await own
    assert message_of(seen) == message_of(shown) == "Pride, then."
    assert names(seen) == names(shown)
    assert [event.id for event in seen] == sorted({event.id for event in seen}, key=lambda mark: float(mark))


async def test_a_command_that_holds_the_book_is_stopped_by_another_process(store_settings: Settings) -> None:
    project, store = store_settings.project, store_settings.store
    async with at_work(project, [saying("One."), saying("Two.")], store=store) as here:
        await heard(here, "First.")
        async with at_work(project, [], store=store) as there:
            moved_away(there)
            held = asyncio.Event()

            async def hold() -> None:
                async with here._hold.alone():
                    held.set()
                    await asyncio.Event().wait()

            holding = asyncio.create_task(hold())
            await held.wait()
            record = await cancel_run(there._resources.runs, there._resources.engine, here._hold.run_id)
            assert record.status == "stopped"
            with pytest.raises(RunFenced, match="stopped from elsewhere"):
                await holding
        assert message_of(await heard(here, "Second.")) == "Two."
