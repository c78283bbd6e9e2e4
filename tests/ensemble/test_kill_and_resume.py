"""A session is killed and played on: no answer is paid for twice, no line is recorded twice, the stream goes on."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from dramaturg.ensemble.events import EnsembleRun, SlotRecorded
from dramaturg.ensemble.request import request_from
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs.events import ModelAnswered
from dramaturg.kernel.runs.run import to_row
from dramaturg.kernel.store import open_store
from tests import warm
from tests.ensemble.booth import ToneBooth
from tests.ensemble.table import asked, open_table, scripted, sent
from tests.model_server import Asked, ModelServer

ROOT = Path(__file__).parents[2]


def answer(asked: Asked) -> str:
    """In protocol, over the wire; comments go to the example in the prompt, which is never one's own slot."""
    told = asked.body["messages"][-1]["content"]
    profile = "calm_precise"
    if "exactly one of these answers" in told:
        target = int(told.rpartition('"targetSlotId": ')[2].partition(",")[0])
        return json.dumps({"targetSlotId": target, "comment": "That is well said.", "voice_profile": profile})
    return json.dumps({"text": f"I say {len(asked.prompt)} things.", "voice_profile": profile})


def project(folder: Path, url: str) -> Path:
    (folder / "dramaturg.toml").write_text(
        f'[models]\ndefault = "house/character"\n'
        f'[providers.house]\nprotocol = "openai"\nbase_url = "{url}/v1"\nconcurrency = 2\n',
        encoding="utf-8",
    )
    return folder


async def kiosk(*words: str | Path) -> asyncio.subprocess.Process:
    return await warm.start(
        "-m", "tests.ensemble.kiosk_process", *map(str, words),
        cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip


async def answered_keys(database: Path, count: int) -> list[str]:
    """The keys of the answers in the log, as soon as there are so many."""
    while True:
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as db:
            rows = db.execute("select body from events where type = 'model.answered' order by seq").fetchall()
        if len(rows) >= count:
            return [json.loads(body)["key"] for (body,) in rows]
        await asyncio.sleep(0.02)


async def test_a_killed_kiosk_goes_on_where_it_stood_and_pays_for_nothing_twice(tmp_path: Path) -> None:
    async with ModelServer() as server, asyncio.timeout(240):
        server.reply = answer
        story = project(tmp_path, server.url)
        server.hold(at=9)
        first = await kiosk(story, "ask", "What is courage?")
        await server.received(10)
        before = await answered_keys(story / "data" / "dramaturg.db", 8)
        first.send_signal(signal.SIGKILL)
        out, _ = await first.communicate()
        paid, asked_so_far = {request.raw for request in server.requests[:8]}, len(server.requests)
        server.release()
        seen = [json.loads(line) for line in out.decode().splitlines()]

        out, err = await (await kiosk(story)).communicate()

    *lines, recorded = out.decode().splitlines()
    events = [json.loads(line) for line in lines]
    assert events, err.decode()
    assert events[: len(seen)] == seen
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["event"] == "done"
    keys = await answered_keys(story / "data" / "dramaturg.db", 12)
    assert keys[:8] == before
    assert Counter(keys) == Counter(set(keys))
    later = server.requests[asked_so_far:]
    assert not paid & {request.raw for request in later}
    assert 8 + len(later) == len(keys)
    heard = [event for event in events if event["event"] == "slot.audio"]
    assert len(heard) == len({event["audioPath"] for event in heard}) == len(keys)
    already = len([event for event in seen if event["event"] == "slot.audio"])
    assert int(recorded.split()[1]) <= len(keys) - already


@pytest.fixture
async def whole(tmp_path: Path) -> EnsembleRun:
    async with open_table(tmp_path / "whole", scripted({})) as studio:
        return await asked(studio, slots=[1, 2, 3])


def texts(run: EnsembleRun) -> set[tuple[int, int, str]]:
    return {(e["turnIndex"], e["slotId"], e.get("text") or e["comment"]) for e in sent(run, "slot.done")}


def by_slot(run: EnsembleRun) -> dict[tuple[int, int], list[str]]:
    order: dict[tuple[int, int], list[str]] = {}
    for event in sent(run):
        if event["event"].startswith("slot."):
            order.setdefault((event["turnIndex"], event["slotId"]), []).append(event["event"])
    return order


async def resumed_after(
    whole: EnsembleRun, kept: int, origin: Path, project: Path, missing: str = ""
) -> tuple[EnsembleRun, ScriptedModel, ToneBooth]:
    """The session again from the first entries of its log, with the files that were there by then."""
    entries = whole.entries[:kept]
    model = scripted({})
    project.mkdir()
    files = [entry.event.audio_path for entry in entries if isinstance(entry.event, SlotRecorded)]
    for path in set(files) - {missing}:
        (project / "data" / "artifacts" / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(origin / "data" / "artifacts" / path, project / "data" / "artifacts" / path)
    async with open_table(project, model) as studio:
        store = await open_store(studio.settings)
        record = whole.record.model_copy(update={"status": "playing", "player": "nobody/1/x"})
        await store.runs.add(record, [to_row(entry) for entry in entries])
        await store.close()
        await studio.start(await studio.adopt(whole.id))
        assert isinstance(studio.booth.booth, ToneBooth)
        return await studio.ensemble.open_run(whole.id), model, studio.booth.booth


async def test_comments_that_a_log_ends_before_routing_are_routed_when_it_goes_on(
    whole: EnsembleRun, tmp_path: Path
) -> None:
    routed = next(place for place, entry in enumerate(whole.entries) if entry.event.type == "route.done")
    run, _, _ = await resumed_after(whole, routed, tmp_path / "whole", tmp_path / "again")
    assert sent(run, "route.done")[0]["assignments"] == sent(whole, "route.done")[0]["assignments"] != []
    assert texts(run) == texts(whole)


@pytest.mark.parametrize("share", [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.97, 1.0])
async def test_killed_anywhere_it_ends_the_same_and_pays_and_records_once(
    whole: EnsembleRun, share: float, tmp_path: Path
) -> None:
    kept = max(5, round(share * len(whole.entries)))
    run, model, booth = await resumed_after(whole, kept, tmp_path / "whole", tmp_path / "again")
    known = {entry.event.key for entry in whole.entries[:kept] if isinstance(entry.event, ModelAnswered)}
    assert not known & {request.key for request in model.requests}
    assert texts(run) == texts(whole)
    assert by_slot(run) == by_slot(whole)
    assert [event["seq"] for event in sent(run)] == list(range(1, len(sent(run)) + 1))
    assert [event["event"] for event in sent(run)].count("done") == 1
    assert sent(run)[-1]["event"] == "done"
    assert [event["turnIndex"] for event in sent(run, "turn.audio")] == sorted({1, 2, 3})
    before = sum(isinstance(entry.event, SlotRecorded) for entry in whole.entries[:kept])
    assert len(booth.recorded) == len(sent(whole, "slot.audio")) - before


async def test_a_recording_whose_file_is_lost_is_made_again(whole: EnsembleRun, tmp_path: Path) -> None:
    origin = tmp_path / "whole"
    lost = next(entry.event for entry in whole.entries if isinstance(entry.event, SlotRecorded))
    last = len(whole.entries) - 1
    run, _, booth = await resumed_after(whole, last, origin, tmp_path / "again", missing=lost.audio_path)
    assert [to for _, to, _, _ in booth.recorded] == [f"artifacts/{lost.audio_path}"]
    assert (tmp_path / "again" / "data" / "artifacts" / lost.audio_path).stat().st_size == lost.recording.bytes
    assert sent(run)[-1]["event"] == "done"


async def test_a_session_that_was_cancelled_is_played_on_in_the_same_stream(tmp_path: Path) -> None:
    model = scripted({})
    async with open_table(tmp_path, model) as studio, asyncio.timeout(240):
        run = await studio.ensemble.open(request_from({"message": "And?", "slots": [1, 2]}))
        task = studio.start(run)
        await asyncio.sleep(0)
        await studio.cancel(run.id)
        assert task.done()
        stopped = sent(await studio.ensemble.open_run(run.id))
        assert stopped[-1]["event"] == "session.error"
        assert stopped[-1]["error"]["type"] == "cancelled"
        await studio.start(await studio.adopt(run.id))
        events = sent(await studio.ensemble.open_run(run.id))
    assert events[: len(stopped)] == stopped
    assert events[-1]["event"] == "done"
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
