"""The acceptance criteria of the ensemble, line by line, with the rehearsal company and real WAV files."""

from __future__ import annotations

import wave
from pathlib import Path

import pytest

from dramaturg.ensemble.events import EnsembleRun
from tests.ensemble.table import PROFILES, in_protocol, play, scripted, sent

KINDS = {1: "response", 2: "comment", 3: "reply"}


@pytest.fixture
async def session(tmp_path: Path) -> EnsembleRun:
    return await play(tmp_path, seed=3)


async def test_a_single_request_triggers_the_workflow_of_three_turns(session: EnsembleRun) -> None:
    assert [event["turnIndex"] for event in sent(session, "turn.start")] == [1, 2, 3]
    assert [event["turnIndex"] for event in sent(session, "turn.done")] == [1, 2, 3]
    (done,) = sent(session, "done")
    assert sent(session)[-1] == done
    assert (done["completedSlots"], done["sessionId"], done["turns"]) == (6, session.id, 3)


async def test_every_slot_gives_a_text_a_profile_and_a_wav_in_turn_1(session: EnsembleRun, tmp_path: Path) -> None:
    spoken = [event for event in sent(session, "slot.done") if event["turnIndex"] == 1]
    assert sorted(event["slotId"] for event in spoken) == [1, 2, 3, 4, 5, 6]
    assert len({event["text"] for event in spoken}) == 6
    assert {event["voiceProfile"] for event in spoken} == set(PROFILES)
    heard = [event for event in sent(session, "slot.audio") if event["turnIndex"] == 1]
    assert {event["slotId"] for event in heard} == {1, 2, 3, 4, 5, 6}
    for event in heard:
        with wave.open(str(tmp_path / "data" / "artifacts" / event["audioPath"])) as file:
            assert file.getnframes() == file.getframerate() * event["durationMs"] // 1000


async def test_every_slot_selects_one_other_answer_and_comments_on_it_aloud(session: EnsembleRun) -> None:
    comments = [event for event in sent(session, "slot.done") if event["turnIndex"] == 2]
    assert sorted(event["slotId"] for event in comments) == [1, 2, 3, 4, 5, 6]
    for event in comments:
        assert event["targetSlotId"] in {1, 2, 3, 4, 5, 6} - {event["slotId"]}
        assert event["comment"]
        assert "text" not in event
        assert not event["repaired"]
    assert len([event for event in sent(session, "slot.audio") if event["turnIndex"] == 2]) == 6


async def test_the_slots_that_received_a_comment_reply_and_only_they(session: EnsembleRun) -> None:
    targets = {event["targetSlotId"] for event in sent(session, "slot.done") if event["turnIndex"] == 2}
    replies = [event for event in sent(session, "slot.done") if event["turnIndex"] == 3]
    assert {event["slotId"] for event in replies} == targets
    assert {event["slotId"] for event in sent(session, "slot.audio") if event["turnIndex"] == 3} == targets


async def test_the_wavs_lie_in_their_turns_folders_under_names_that_say_what_they_are(
    session: EnsembleRun, tmp_path: Path
) -> None:
    folder = tmp_path / "data" / "artifacts" / "tts" / "sessions" / session.id
    profiles = {event["slotId"]: event["voiceProfile"] for event in sent(session, "slot.done")}
    agents = {event["slotId"]: event["agentId"] for event in sent(session, "slot.done")}
    targets = {
        event["slotId"]: event["targetSlotId"] for event in sent(session, "slot.done") if event["turnIndex"] == 2
    }

    def names(turn: int) -> set[str]:
        return {path.name for path in (folder / f"turn_{turn}").glob("*.wav")}

    assert names(1) == {f"slot-{n}_{agents[n]}_{profiles[n]}.wav" for n in agents}
    assert names(2) == {f"slot-{n}_comment_to_slot-{targets[n]}_{agents[n]}_{profiles[n]}.wav" for n in agents}
    assert names(3) == {f"slot-{n}_reply_{agents[n]}_{profiles[n]}.wav" for n in set(targets.values())}
    assert {event["audioPath"] for event in sent(session, "slot.audio")} == {
        path.relative_to(tmp_path / "data" / "artifacts").as_posix() for path in folder.rglob("*.wav")
    }


async def test_every_event_has_its_session_turn_and_kind(session: EnsembleRun) -> None:
    for event in sent(session):
        assert event["sessionId"] == session.id
        if event["event"].startswith(("slot.", "turn.")):
            assert event["kind"] == KINDS[event["turnIndex"]]
        if event["event"].startswith("slot."):
            assert event["slotId"] in range(1, 7)
            assert event["agentId"].startswith("the-")


async def test_a_slot_starts_is_done_and_is_heard_in_that_order(session: EnsembleRun) -> None:
    order: dict[tuple[int, int], list[str]] = {}
    for event in sent(session):
        if event["event"].startswith("slot."):
            order.setdefault((event["turnIndex"], event["slotId"]), []).append(event["event"])
    assert set(map(tuple, order.values())) == {("slot.start", "slot.done", "slot.audio")}


async def test_a_turn_begins_when_the_texts_of_the_one_before_are_in(session: EnsembleRun) -> None:
    events = sent(session)
    place = {
        (event["event"], event.get("turnIndex")): event["seq"] for event in events if event["event"] != "slot.audio"
    }
    for turn in (1, 2):
        texts = [event["seq"] for event in events if event["event"] == "slot.done" and event["turnIndex"] == turn]
        assert max(texts) < place["turn.done", turn] < place["turn.start", turn + 1]
    assert place["route.done", 2] < place["turn.start", 3]
    heard = [event["seq"] for event in events if event["event"] == "turn.audio"]
    assert len(heard) == 3
    assert events[-1]["event"] == "done"


async def test_the_length_rules_are_kept_whatever_the_model_writes(tmp_path: Path) -> None:
    long = "This is a sentence of some length. " * 40

    def wordy(request: object) -> str:
        return in_protocol(request).replace("speaks in", long).replace("has a", long)

    run = await play(tmp_path, scripted(wordy), audio=False)
    for event in sent(run, "slot.done"):
        limit = {1: (400, 3), 2: (200, 1), 3: (400, 2)}[event["turnIndex"]]
        said = event.get("text") or event["comment"]
        assert len(said) <= limit[0]
        assert said.count(".") <= limit[1]
        assert event["shortened"]
