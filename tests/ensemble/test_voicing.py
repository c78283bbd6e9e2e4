"""Voicing a session that is over: sound for what has none, or anew; the log, the files and the mix follow."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from dramaturg.ensemble.events import EnsembleRun, RemarkMade, SlotRecorded, VoicesCast
from dramaturg.ensemble.state import ensemble_state
from dramaturg.kernel.errors import InvalidConfig, NotFound, RunFenced, VoiceError
from dramaturg.studio import Studio
from dramaturg.voices.voicing import VoicingRequest
from tests.ensemble.booth import ToneBooth
from tests.ensemble.table import asked, open_table, scripted, sent


async def voiced(studio: Studio, run: EnsembleRun, **request: Any) -> EnsembleRun:
    await studio.ensemble.voice(run.id, VoicingRequest(**request))
    await studio.engine.join()
    return await studio.ensemble.open_run(run.id)


def heard(run: EnsembleRun) -> set[tuple[int, int]]:
    return set(ensemble_state(run.entries).recorded)


def manifest(tmp_path: Path, run: EnsembleRun) -> dict[str, Any]:
    file = tmp_path / "data" / "artifacts" / "tts" / "sessions" / run.id / "session.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


async def test_a_session_without_sound_gets_it_later(tmp_path: Path) -> None:
    async with open_table(tmp_path, scripted({})) as studio:
        run = await asked(studio, audio=False)
        assert not heard(run)
        after = await voiced(studio, run)
    lines = ensemble_state(after.entries).lines
    assert heard(after) == set(lines)
    assert after.record.status == "ended"
    events = [one["event"] for one in sent(after)]
    later = events[events.index("done") + 1 :]
    assert later[0] == "session.voicing"
    assert later[-1] == "session.voiced"
    assert later.count("slot.audio") == len(lines)
    assert later.count("turn.audio") == 3
    assert sent(after, "session.voiced")[0]["spokenCount"] == len(lines)
    told = manifest(tmp_path, after)
    assert [turn["status"] for turn in told["turns"]] == ["audio_in"] * 3
    assert all((tmp_path / "data" / "artifacts" / line["audio"]["audioPath"]).exists() for turn in told["turns"]
               for line in turn["lines"])  # fmt: skip


async def test_only_the_lines_that_failed_are_spoken_again(tmp_path: Path) -> None:
    failing = True

    def fault(number: int, text: str) -> Exception | None:
        return VoiceError("The engine died.") if failing and text.startswith("Slot 3 ") else None

    async with open_table(tmp_path, scripted({}), fault=fault) as studio:
        run = await asked(studio)
        assert {slot for _, slot in set(ensemble_state(run.entries).lines) - heard(run)} == {3}
        failing = False
        booth = studio.booth.booth
        assert isinstance(booth, ToneBooth)
        before = len(booth.recorded)
        after = await voiced(studio, run)
        assert {text.split()[1] for text, *_ in booth.recorded[before:]} == {"3"}
    assert heard(after) == set(ensemble_state(after.entries).lines)
    assert manifest(tmp_path, after)["errors"] == []


@pytest.mark.parametrize(("request_", "places"), [
    ({"slot": 2}, {(1, 2), (2, 2), (3, 2)}),
    ({"line": 1}, {(1, 1)}),
    ({"line": 8}, {(2, 2)}),
    ({"slot": 2, "line": 8}, {(2, 2)}),
])  # fmt: skip
async def test_a_slot_or_a_line_is_spoken_anew(
    tmp_path: Path, request_: dict[str, int], places: set[tuple[int, int]]
) -> None:
    async with open_table(tmp_path, scripted({})) as studio:
        run = await asked(studio)
        after = await voiced(studio, run, **request_)
    new = [entry.event for entry in after.entries[len(run.entries) :]]
    assert {(one.turn, one.slot_id) for one in new if isinstance(one, SlotRecorded)} == places


async def test_another_voice_speaks_and_the_mix_follows(tmp_path: Path) -> None:
    from dramaturg.voices.listen import ListenRequest

    async with open_table(tmp_path, scripted({})) as studio:
        run = await asked(studio)
        first = await studio.listen(run.id, ListenRequest())
        after = await voiced(studio, run, slot=1, voice="bm_fable")
        second = await studio.listen(run.id, ListenRequest())
    voices = {one.recording.voice for place, one in ensemble_state(after.entries).recorded.items() if place[1] == 1}
    assert voices == {"bm_fable"}
    assert {one["voice"] for one in sent(after, "slot.audio")[-3:]} == {"bm_fable"}
    heard_by = {one.voice for one in second.manifest.passages}
    assert "bm_fable" in heard_by
    assert first.wav != second.wav


@pytest.mark.parametrize(("request_", "error", "says"), [
    ({}, InvalidConfig, "Every line of this session has its sound"),
    ({"line": 99}, NotFound, "There is no line 99; the session has"),
    ({"slot": 2, "line": 1}, NotFound, "Line 1 is not one of slot 2"),
    ({"engine": "gramophone"}, InvalidConfig, "There is no engine 'gramophone'"),
    ({"engine": "auto"}, InvalidConfig, "There is no engine 'auto'"),
])  # fmt: skip
async def test_what_cannot_be_voiced_is_refused_before_anything_is_written(
    tmp_path: Path, request_: dict[str, Any], error: type[Exception], says: str
) -> None:
    async with open_table(tmp_path, scripted({})) as studio:
        run = await asked(studio)
        with pytest.raises(error, match=says):
            await studio.ensemble.voice(run.id, VoicingRequest(**request_))
        again = await studio.ensemble.open_run(run.id)
    assert len(again.entries) == len(run.entries)
    assert again.record.status == "ended"


async def test_a_session_that_is_being_voiced_is_not_voiced_twice_at_once(tmp_path: Path) -> None:
    async with open_table(tmp_path, scripted({})) as studio:
        run = await asked(studio)
        gate = asyncio.Event()
        studio.booth.booth = ToneBooth(studio.artifacts, gate=gate)
        await studio.ensemble.voice(run.id, VoicingRequest(slot=1))
        with pytest.raises(RunFenced, match="is being played"):
            await studio.ensemble.voice(run.id, VoicingRequest(slot=2))
        gate.set()
        await studio.engine.join()


async def test_a_voicing_that_was_stopped_is_resumed_and_speaks_the_rest_alone(tmp_path: Path) -> None:
    async with open_table(tmp_path, scripted({})) as studio:
        run = await asked(studio, audio=False)
        gate = asyncio.Event()
        held = ToneBooth(studio.artifacts, gate=gate)
        studio.booth.booth = held
        await studio.ensemble.voice(run.id, VoicingRequest())
        while not held.recorded:
            await asyncio.sleep(0)
        await studio.cancel(run.id)
        assert (await studio.runs.get(run.id)).status == "stopped"
        studio.booth.booth = ToneBooth(studio.artifacts)
        await studio.start(await studio.adopt(run.id))
        after = await studio.ensemble.open_run(run.id)
    assert heard(after) == set(ensemble_state(after.entries).lines)
    assert sent(after)[-1]["event"] == "session.voiced"


async def test_the_engine_and_voices_of_a_session_are_in_its_log_and_kept_by_a_resumed_one(tmp_path: Path) -> None:
    async with open_table(tmp_path, scripted({})) as studio:
        run = await asked(studio, slots=[1, 2])
        (cast,) = [entry.event for entry in run.entries if isinstance(entry.event, VoicesCast)]
        assert cast.engine == "silent"
        assert len({one.voice for one in cast.voices}) == 2
        booth = studio.booth.booth
        assert isinstance(booth, ToneBooth)
        given = {(to.split("slot-")[1][0], voice) for _, to, _, voice in booth.recorded}
        assert given == {(str(one.slot_id), one.voice) for one in cast.voices}


async def test_a_pinned_voice_that_the_engine_lacks_gives_way_to_the_seats_own_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "ensemble.yaml").write_text(
        "name: two\nslots:\n"
        "  - {slot: 1, agent: ada, persona: A mathematician., voice: nobody-here}\n"
        "  - {slot: 2, agent: benno, persona: A baker.}\n",
        encoding="utf-8",
    )

    class ChoosyBooth(ToneBooth):
        def casting(self, pins: Any) -> tuple[str, ...]:
            if "nobody-here" in pins:
                raise VoiceError("tone has no voice 'nobody-here'.")
            return super().casting(pins)

    async with open_table(tmp_path, scripted({})) as studio:
        studio.booth.booth = ChoosyBooth(studio.artifacts)
        run = await asked(studio)
        (cast,) = [entry.event for entry in run.entries if isinstance(entry.event, VoicesCast)]
        remarks = [entry.event for entry in run.entries if isinstance(entry.event, RemarkMade)]
    assert [one.code for one in remarks] == ["VOICES"]
    assert "nobody-here" in remarks[0].message
    assert len({one.voice for one in cast.voices}) == 2
    assert heard(run) == set(ensemble_state(run.entries).lines)
    assert not sent(run, "slot.error")


async def test_lines_are_told_by_turn_whichever_was_recorded_first(tmp_path: Path) -> None:
    held = asyncio.Event()

    class LateBooth(ToneBooth):
        async def record(self, text: str, to: str, **more: Any) -> Any:
            if "turn_1/slot-1_" in to:
                await held.wait()
            made = await super().record(text, to, **more)
            if "turn_3" in to:
                held.set()
            return made

    async with open_table(tmp_path, scripted({}), turn3="all") as studio:
        booth = LateBooth(studio.artifacts)
        studio.booth.booth = booth
        run = await asked(studio)
        assert {order.rank for order in booth.orders} == {1, 2, 3}
        assert {order.lane for order in booth.orders} == {"main"}
    told = [(one["event"], one["turnIndex"]) for one in sent(run) if one["event"] in ("slot.audio", "turn.audio")]
    turns = [turn for _, turn in told]
    assert turns == sorted(turns)
    assert [event for event, turn in told if turn == 1][-1] == "turn.audio"
