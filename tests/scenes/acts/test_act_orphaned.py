"""An act whose process died is taken up from any state of its log, as a server does when it starts."""

from __future__ import annotations

import shutil
import socket
import sqlite3
from pathlib import Path

from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs import RunAdopted
from dramaturg.scenes.acts.events import ActSceneResumed
from dramaturg.studio import Studio
from tests.scenes.acts.staging import costly, play_act, played, scene, state_of, write_story
from tests.scenes.memory.staging import studio_of

SCENE = scene(lines=False, maxBeats=3, lookahead=False)
DEAD = f"{socket.gethostname().replace('/', '-')}/99999999/1"
"""No process has that number."""


def orphan(story: Path, kept: dict[str, int]) -> None:
    """The first performance again, with so many entries of each of its runs, held by a dead process."""
    saved = story / "saved"
    if not saved.exists():
        shutil.copytree(story / "data", saved)
    shutil.rmtree(story / "data")
    shutil.copytree(saved, story / "data")
    with sqlite3.connect(story / "data" / "dramaturg.db") as db:
        for (run,) in db.execute("select id from runs").fetchall():
            db.execute("delete from events where run_id = ? and seq > ?", (run, kept[run]))
        db.execute("update runs set status = 'playing', player = ?", (DEAD,))


async def taken_up(studio: Studio) -> list[str]:
    """The kinds of the runs that were taken up; all of them are played to their end."""
    found = [performance.kind.name for performance in await studio.resume_unfinished()]
    await studio.engine.join()
    return found


async def lengths(studio: Studio) -> dict[str, int]:
    return {record.id: (await studio.runs.open(record.id)).seq for record in await studio.runs.find()}


async def test_from_every_entry_of_its_log_an_act_goes_on_and_asks_nothing_again(tmp_path: Path) -> None:
    story = write_story(tmp_path, {"a": SCENE, "b": SCENE}, play={"scenes": ["a", "b"]})
    model = ScriptedModel(costly, name="able")
    async with studio_of(story, model) as studio:
        run = await play_act(studio, model="able")
        whole, asked = await lengths(studio), len(model.requests)
        first = [one.text for one in state_of(run).played]
    for seq in range(1, run.seq + 1):
        orphan(story, whole | {run.id: seq})
        async with studio_of(story, model) as studio:
            assert await taken_up(studio) == ["act"]
            again = await studio.acts.open_run(run.id)
            assert [one.text for one in state_of(again).played] == first
            assert len(await studio.runs.find("scene")) == 2
            assert {record.status for record in await studio.runs.find(status="ended")} == {"ended"}
    assert len(model.requests) == asked


async def test_from_every_entry_of_its_second_scene_only_what_is_missing_is_asked(tmp_path: Path) -> None:
    story = write_story(tmp_path, {"a": SCENE, "b": SCENE}, play={"scenes": ["a", "b"]})
    model = ScriptedModel(costly, name="able")
    async with studio_of(story, model) as studio:
        run = await play_act(studio, model="able")
        whole = await lengths(studio)
        second = await studio.scenes.open_run(state_of(run).played[1].run)
        started = next(one.seq for one in run.entries if one.event == state_of(run).begun[1])
        paid = [entry.seq for entry in second.entries if entry.event.type == "model.answered"]
    for seq in range(4, second.seq, 7):
        orphan(story, whole | {run.id: started, second.id: seq})
        before = len(model.requests)
        async with studio_of(story, model) as studio:
            assert await taken_up(studio) == ["act"]
            again = await studio.acts.open_run(run.id)
            assert played(again) == ["a", "b"]
        known = sum(one <= seq for one in paid)
        (resumed,) = [entry.event for entry in again.entries if isinstance(entry.event, ActSceneResumed)]
        assert (resumed.answers, resumed.is_new) == (known, known > 0)
        assert len(model.requests) - before == sum(one > seq for one in paid)


async def test_an_act_that_gets_further_is_taken_up_as_often_as_its_process_dies(tmp_path: Path) -> None:
    story = write_story(tmp_path, {"a": SCENE, "b": SCENE}, play={"scenes": ["a", "b"]})
    model = ScriptedModel(costly, name="able")
    async with studio_of(story, model) as studio:
        run = await play_act(studio, model="able")
        whole = await lengths(studio)
        second = await studio.scenes.open_run(state_of(run).played[1].run)
        started = next(one.seq for one in run.entries if one.event == state_of(run).begun[1])
    resumed = [(RunAdopted(player=DEAD), ActSceneResumed(run=second.id, answers=one, is_new=True)) for one in range(6)]
    stuck = [(RunAdopted(player=DEAD), ActSceneResumed(run=second.id, answers=6, is_new=False)) for _ in range(4)]
    for deaths, expected in ((resumed, ["act"]), (stuck, [])):
        orphan(story, {**whole, run.id: started, second.id: 6})
        async with studio_of(story, model) as studio:
            again = await studio.runs.adopt(await studio.runs.get(run.id))
            for events in deaths:
                await again.append(*events)
            await studio.runs._store.runs.adopt(run.id, DEAD, 0.0)
        async with studio_of(story, model) as studio:
            assert await taken_up(studio) == expected
            assert (await studio.runs.get(run.id)).status == ("ended" if expected else "failed")
