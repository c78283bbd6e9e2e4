"""A session whose log this process may not write to any more: whoever follows it here goes on where it is played."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

from dramaturg.episodes.open_session import OpenSession
from dramaturg.episodes.wire import StreamEvent
from dramaturg.kernel.errors import RunFenced
from dramaturg.kernel.runs import Mark
from tests.episodes.staging import ANNA, FLIRT, Halting, spoken, studio_of

OPEN = {**FLIRT, "completion_mode": "open", "turn_budget": None, "evaluation": None}
SECONDS = 30


async def shown_until(events: AsyncIterator[StreamEvent], client_id: str) -> list[str]:
    shown = []
    async for event in events:
        shown.append(event.type)
        if event.type == "done" and event.client_id == client_id:
            break
    return shown


async def test_who_follows_a_session_that_is_taken_as_somebody_speaks_sees_the_answer(tmp_path: Path) -> None:
    model = Halting(spoken("One two three."), after=2)
    model.go.set()
    async with asyncio.timeout(SECONDS), studio_of(tmp_path, model, OPEN) as studio:
        view, sessions = await studio.episodes.open("last-orders", ANNA), studio.episodes._open
        first = sessions.get(view.id)

        async def speak(opened: OpenSession) -> Mark:
            if opened is first:
                opened.run.fence(RunFenced("taken", run=view.id))  # another process was the first to write
                await studio.runs.ask_to_stop(opened.run.record)  # a change that is in no log
                await asyncio.wait([watching])
            return await opened.take("Still there?", "c1")

        async with aclosing(studio.episodes.follow(view.id)) as events:
            await anext(events)
            following = asyncio.create_task(shown_until(events, "c1"))
            [watching] = [task for task in asyncio.all_tasks() if task.get_name() == f"holder of {view.id}"]
            await sessions.act(view.id, speak)
            shown = await following
    assert shown[-2:] == ["message_complete", "done"]


async def test_who_stops_following_a_session_leaves_nothing_running(tmp_path: Path) -> None:
    async with asyncio.timeout(SECONDS), studio_of(tmp_path, Halting(spoken("One."), after=1), OPEN) as studio:
        view = await studio.episodes.open("last-orders", ANNA)
        async with aclosing(studio.episodes.follow(view.id)) as events:
            await anext(events)
        assert f"holder of {view.id}" not in {task.get_name() for task in asyncio.all_tasks()}
