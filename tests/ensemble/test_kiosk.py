"""One request after another at a kiosk: what is remembered, what is cleared, who waits for whom."""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise
from pathlib import Path

import pytest

from dramaturg.ensemble.conversation import MOST_CARRIED, carried, within
from dramaturg.ensemble.events import EnsembleBegun, ThreadExchange
from dramaturg.ensemble.request import request_from
from dramaturg.ensemble.state import ensemble_state
from dramaturg.kernel.errors import RunFenced
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.models.tokens import estimate_request
from dramaturg.kernel.store import open_store
from tests.ensemble.table import asked, in_protocol, open_table, scripted, sent


def of_slot(model, slot: int) -> list[ModelRequest]:
    return [request for request in model.requests if request.key.endswith(f"/slot-{slot}")]


async def test_a_slots_thread_goes_on_over_turns_and_requests_and_only_grows_at_its_end(tmp_path: Path) -> None:
    model = scripted({})
    async with open_table(tmp_path, model, audio=False) as studio:
        await asked(studio, "What is courage?")
        await asked(studio, "And what is fear?")
    requests = of_slot(model, 1)
    assert [request.key for request in requests] == [f"turn-{turn}/slot-1" for turn in (1, 2, 3)] * 2
    for earlier, later in pairwise(requests):
        assert later.system == earlier.system
        before = [message.encoded for message in earlier.messages]
        assert [message.encoded for message in later.messages][: len(before)] == before
        assert len(later.messages) == len(earlier.messages) + 2
    assert "What is courage?" in requests[3].messages[0].text
    assert json.loads(requests[3].messages[1].text)["text"] == "Slot 1 speaks in turn 1."


async def test_a_closed_studio_opened_again_remembers(tmp_path: Path) -> None:
    async with open_table(tmp_path, scripted({}), audio=False) as studio:
        first = await asked(studio, "What is courage?")
    model = scripted({})
    async with open_table(tmp_path, model, audio=False) as studio:
        second = await asked(studio, "And what is fear?")
    assert len(of_slot(model, 2)[0].messages) == 7
    assert ensemble_state(second.entries).begun == EnsembleBegun(follows=first.id, resets=0)


async def test_a_reset_clears_the_kiosk_and_no_other(tmp_path: Path) -> None:
    model = scripted({})
    async with open_table(tmp_path, model, audio=False) as studio:
        await asked(studio, "One", kiosk="hall")
        await asked(studio, "Two", kiosk="foyer")
        await studio.ensemble.reset("hall")
        await asked(studio, "Three", kiosk="hall")
        await asked(studio, "Four", kiosk="foyer")
    firsts = [request for request in of_slot(model, 1) if request.key.startswith("turn-1")]
    assert [len(request.messages) for request in firsts] == [1, 1, 1, 7]


async def test_a_reset_while_a_request_is_played_is_not_undone_by_it(tmp_path: Path) -> None:
    reached = asyncio.Event()
    go_on = asyncio.Event()

    async def waiting(request: ModelRequest) -> str:
        if request.key.startswith("turn-3") and not go_on.is_set():
            reached.set()
            await go_on.wait()
        return in_protocol(request)

    model = scripted(waiting)
    async with open_table(tmp_path, model, audio=False) as studio, asyncio.timeout(240):
        run = await studio.ensemble.open(request_from({"message": "One"}))
        playing = studio.start(run)
        await reached.wait()
        await studio.ensemble.reset()
        go_on.set()
        await playing
        await asked(studio, "Two")
    assert len(of_slot(model, 1)[-3].messages) == 1


async def test_a_slot_that_is_not_asked_keeps_its_thread_and_another_agent_begins_anew(tmp_path: Path) -> None:
    model = scripted({})
    async with open_table(tmp_path, model, audio=False) as studio:
        await asked(studio, "One", slots=[1, 2, 3])
        await asked(studio, "Two", slots=[1, 2])
        await asked(studio, "Three", slots=[1, 3, {"slotId": 2, "agentId": "a-stranger", "persona": "New here."}])
    last = {slot: next(r for r in reversed(of_slot(model, slot)) if r.key.startswith("turn-1")) for slot in (1, 2, 3)}
    assert "One" in last[3].messages[0].text
    assert len(last[2].messages) == 1
    assert len(last[1].messages) > len(last[3].messages) > 1


async def test_a_deleted_session_is_forgotten_and_the_next_begins_anew(tmp_path: Path) -> None:
    model = scripted({})
    async with open_table(tmp_path, model, audio=False) as studio:
        first = await asked(studio, "One")
        await studio.delete(first.id)
        await asked(studio, "Two")
    assert len(of_slot(model, 1)[3].messages) == 1


async def test_requests_that_come_at_once_are_answered_in_order_each_knowing_the_one_before(tmp_path: Path) -> None:
    model = scripted({})
    async with open_table(tmp_path, model, audio=False) as studio, asyncio.timeout(240):
        runs = [
            await studio.ensemble.open(request_from({"message": f"Question {n}", "slots": [1, 2]})) for n in range(20)
        ]
        await asyncio.gather(*(studio.start(run) for run in reversed(runs)))
        sessions = [await studio.ensemble.open_run(run.id) for run in runs]
    begun = [ensemble_state(session.entries).begun for session in sessions]
    assert [begin.follows for begin in begun if begin] == [None, *(run.id for run in runs[:-1])]
    assert all(sent(session)[-1]["event"] == "done" for session in sessions)
    assert sent(sessions[5], "session.queued")[0]["behind"] in {run.id for run in runs[:5]}


async def test_a_busy_kiosk_refuses_where_the_settings_say_so_and_another_kiosk_does_not(tmp_path: Path) -> None:
    reached, go_on = asyncio.Event(), asyncio.Event()

    async def waiting(request: ModelRequest) -> str:
        reached.set()
        await go_on.wait()
        return in_protocol(request)

    async with open_table(tmp_path, scripted(waiting), audio=False, when_busy="refuse") as studio, asyncio.timeout(240):
        run = await studio.ensemble.open(request_from({"message": "One"}))
        playing = studio.start(run)
        await reached.wait()
        with pytest.raises(RunFenced, match=f"'main' is answering another request .session {run.id}."):
            await studio.ensemble.open(request_from({"message": "Two"}))
        other = studio.start(await studio.ensemble.open(request_from({"message": "Two", "kiosk": "foyer"})))
        go_on.set()
        await asyncio.gather(playing, other)
        await asked(studio, "Three")
        assert len(await studio.runs.find(kind="ensemble")) == 3


async def test_who_has_heard_done_finds_the_kiosk_free(tmp_path: Path) -> None:
    async with open_table(tmp_path, scripted({}), audio=False, when_busy="refuse") as studio, asyncio.timeout(240):
        for n in range(5):
            run = await studio.ensemble.ask(request_from({"message": f"Question {n}", "slots": [1, 2]}))
            async for event in studio.ensemble.follow(run.id):
                if event.event == "done":
                    break
        assert not sent(await studio.ensemble.open_run(run.id), "session.queued")


async def test_a_session_whose_process_died_holds_nobody_up(tmp_path: Path) -> None:
    async with open_table(tmp_path, scripted({}), audio=False) as studio, asyncio.timeout(240):
        lost = await studio.ensemble.open(request_from({"message": "Lost"}))
        gone = lost.record.player.replace(f"/{studio.runs.holder.pid}/", "/1/")
        store = await open_store(studio.settings)
        await store.runs.adopt(lost.id, gone, 0.0)
        await store.close()
        run = await asked(studio, "Found")
    assert sent(run)[-1]["event"] == "done"


async def test_a_thread_is_windowed_within_the_models_context(tmp_path: Path) -> None:
    profile = scripted({}).profile.model_copy(update={"context_window": 2500})
    narrow = ScriptedModel(in_protocol, name="scripted", profile=profile)
    async with open_table(tmp_path, narrow, audio=False) as studio:
        for n in range(6):
            await asked(studio, f"Question {n}", slots=[1, 2])
    lengths = [len(request.messages) for request in of_slot(narrow, 1)]
    assert all(estimate_request(request) + request.max_tokens <= 2500 for request in narrow.requests)
    assert any(later < earlier for earlier, later in pairwise(lengths))
    newest = of_slot(narrow, 1)[-1].messages
    assert newest[0].role == "user"
    assert "Question 5" in "".join(message.text for message in newest)


def test_what_is_carried_is_the_newest_half_of_the_room_once_it_is_full() -> None:
    thread = [ThreadExchange(told=f"{n}" * 1000, answered="a" * 1000) for n in range(9)]
    assert carried(thread) == tuple(thread)
    longer = [*thread, *thread]
    assert carried(longer) == tuple(longer[-6:])
    assert sum(len(one.told) + len(one.answered) for one in carried(longer)) <= MOST_CARRIED // 2
    assert within(thread, 0) == ()
