"""What comes of each direction: in the transcript, in who is asked, and in what they are told."""

from __future__ import annotations

import gc
import json
from pathlib import Path

import pytest

from dramaturg.kernel.errors import BudgetExceeded, InvalidConfig
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest, Usage
from dramaturg.scenes.directions.events import GoalChanged
from dramaturg.scenes.scene import SceneBudget
from tests.scenes.directions.steered import Scripted, said_by, steered
from tests.scenes.memory.staging import studio_of


async def test_an_event_thrown_in_during_a_beat_follows_it_and_everybody_is_told(tmp_path: Path) -> None:
    scene = Scripted(tmp_path, {"beat-2/bob": [{"do": "event", "text": " The lights\x1b[2J go\nout. "}]})
    state = await scene.play()
    line = next(line for line in state.lines if line.kind == "event")
    assert (line.rendered(), line.beat) == ("[EVENT: The lights[2J go out]", 2)
    for who in ("alice", "bob", "carol"):
        assert "The lights[2J go out" in scene.prompt(f"beat-3/{who}")
        assert "The lights" not in scene.prompt(f"beat-2/{who}")


async def test_a_note_reaches_its_reader_with_the_next_cue_and_nobody_else(tmp_path: Path) -> None:
    asks = {
        "beat-1/bob": [{"do": "note", "to": "Bob", "text": "Whisper."}],
        "beat-3/bob": [{"do": "note", "text": "Faster."}],
    }
    scene = Scripted(tmp_path, asks)
    await scene.play()
    told = {key: [word for word in ("Whisper.", "Faster.") if word in scene.prompt(key)] for key in ALL}
    assert {key: words for key, words in told.items() if words} == {
        "beat-2/bob": ["Whisper."],
        "beat-4/alice": ["Faster."],
        "beat-4/bob": ["Faster."],
        "beat-4/carol": ["Faster."],
    }
    assert not any("Whisper" in line or "Faster" in line for line in scene.page)


ALL = [f"beat-{beat}/{who}" for beat in range(1, 6) for who in ("alice", "bob", "carol")]


async def test_the_authors_note_stands_beside_the_moderators(tmp_path: Path) -> None:
    scene = Scripted(tmp_path, {"beat-3/bob": [{"do": "note", "text": "Look up."}]})
    await scene.play()
    assert "Look up." in scene.prompt("beat-4/bob")
    assert "beats are left" in scene.prompt("beat-4/bob").replace("beat is left", "beats are left")


async def test_a_note_for_somebody_who_is_muted_waits_until_they_are_asked(tmp_path: Path) -> None:
    asks = {
        "beat-1/bob": [{"do": "mute", "who": "bob"}, {"do": "note", "to": "bob", "text": "Whisper."}],
        "beat-3/alice": [{"do": "unmute", "who": "Bob"}],
    }
    scene = Scripted(tmp_path, asks)
    await scene.play()
    assert [scene.asked_at(beat) for beat in (2, 3, 4)] == [
        ["alice", "carol"],
        ["alice", "carol"],
        ["alice", "bob", "carol"],
    ]
    assert "Whisper." in scene.prompt("beat-4/bob")


async def test_who_speaks_next_is_asked_alone_and_for_one_beat(tmp_path: Path) -> None:
    scene = Scripted(
        tmp_path, {"before": [{"do": "next", "who": "Carol"}], "beat-1/bob": [{"do": "next", "who": "bob"}]}
    )
    await scene.play()
    everybody = ["alice", "bob", "carol"]
    assert [scene.asked_at(beat) for beat in range(4)] == [["carol"], everybody, ["bob"], everybody]


async def test_an_exit_and_an_entrance_are_seen_by_those_on_stage(tmp_path: Path) -> None:
    asks = {
        "beat-1/bob": [{"do": "exit", "who": "bob", "text": "Bob slams the door."}],
        "beat-2/alice": [{"do": "event", "text": "Rain"}],
        "beat-3/alice": [{"do": "enter", "who": "bob"}],
    }
    scene = Scripted(tmp_path, asks)
    await scene.play()
    assert [line for line in scene.page if line.startswith("[EVENT")] == [
        "[EVENT: Bob slams the door]",
        "[EVENT: Rain]",
        "[EVENT: Bob enters]",
    ]
    assert [scene.asked_at(beat) for beat in (2, 3, 4)] == [
        ["alice", "carol"],
        ["alice", "carol"],
        ["alice", "bob", "carol"],
    ]
    assert "Rain" not in scene.prompt("beat-4/bob")
    assert "Rain" in scene.prompt("beat-3/alice")


async def test_somebody_whom_the_file_sends_off_stays_by_hand_only_until_the_file_says_otherwise(
    tmp_path: Path,
) -> None:
    parts = {"parts": {"carol": {"enters": 3, "leaves": 5}}, "maxBeats": 7}
    scene = Scripted(tmp_path, {"beat-0/alice": [{"do": "enter", "who": "carol"}]}, scene=parts)
    await scene.play()
    assert ["carol" in scene.asked_at(beat) for beat in range(7)] == [False, True, True, True, True, False, False]
    assert [line for line in scene.page if "Carol" in line and "EVENT" in line] == [
        "[EVENT: Carol enters]",
        "[EVENT: Carol leaves]",
    ]


async def test_more_beats_asked_for_in_the_last_one_are_played(tmp_path: Path) -> None:
    scene = Scripted(tmp_path, {"beat-3/judge": [{"do": "more", "beats": 2}]}, scene={"maxBeats": 4})
    state = await scene.play()
    assert (state.ended.beats, state.ended.reason) == (6, "max_beats_exceeded")


async def test_an_end_comes_after_the_beat_and_is_the_authors(tmp_path: Path) -> None:
    scene = Scripted(tmp_path, {"beat-2/bob": [{"do": "end"}]})
    state = await scene.play()
    assert (state.ended.beats, state.ended.reason, state.ended.goal_achieved) == (3, "ended_by_author", False)
    result = scene.studio.scenes.result(scene.run)
    assert "[SCENE END - Goal: Not achieved, ended by the author]" in result.transcript
    assert result.success


def met(request: ModelRequest) -> str:
    """Bob apologizes at beat 1, and the judge quotes him for the first sub-goal from then on."""
    if request.purpose == "judging":
        quote = {"id": 1, "met": True, "quote": "I am sorry for all of it, Alice", "speaker": "Bob"}
        return json.dumps({"goals": [quote] if "sorry for all" in request.messages[-1].text else []})
    return '[TONE: low] "I am sorry for all of it, Alice."' if request.key == "beat-1/bob" else said_by(request)


async def test_a_sub_goal_that_stays_keeps_its_evidence_when_the_goal_changes(tmp_path: Path) -> None:
    changed = "Carol leaves the table. Bob apologizes."
    scene = Scripted(tmp_path, {"beat-2/bob": [{"do": "goal", "text": changed}]}, answer=met)
    state = await scene.play()
    (event,) = [entry.event for entry in scene.run.entries if isinstance(entry.event, GoalChanged)]
    assert [goal.text for goal in event.goals] == ["Carol leaves the table", "Bob apologizes"]
    (evidence,) = state.verdict.met
    assert (evidence.goal, evidence.speaker) == (2, "Bob")
    assert "Carol leaves the table" in scene.prompt("beat-3/judge")
    assert "Carol leaves the table" in scene.prompt("beat-3/alice")
    assert "Carol leaves the table" not in scene.prompt("beat-1/judge")
    result = scene.studio.scenes.result(scene.run)
    assert "GOAL: Carol leaves the table. Bob apologizes" in result.transcript
    assert "STEERED: 1 direction of the author; the goal at first: Bob apologizes, Alice accepts." in result.transcript
    assert result.metadata.model_dump()["directions"] == 1


async def test_a_goal_that_changes_while_the_judge_is_ahead_is_not_met_by_the_old_verdict(tmp_path: Path) -> None:
    asks = {"beat-2/bob": [{"do": "goal", "text": "Carol leaves the table. Alice sings."}]}
    scene = Scripted(tmp_path, asks, answer=met, scene={"lookahead": True})
    state = await scene.play()
    assert state.verdict.met == ()
    assert not state.ended.goal_achieved


def costly(request: ModelRequest) -> ModelAnswer:
    usage = Usage(input_tokens=900, output_tokens=100)
    return ModelAnswer(text=said_by(request), model="able", usage=usage, cost_usd=0.01)


async def test_a_budget_that_is_raised_in_time_lets_the_scene_play_on(tmp_path: Path) -> None:
    limited = {"budget": SceneBudget(tokens=9000).model_dump()}
    asks = {"beat-1/bob": [{"do": "budget", "tokens": 900_000}]}
    scene = Scripted(tmp_path, asks, answer=costly, scene=limited)
    state = await scene.play()
    assert (state.ended.beats, state.ended.reason) == (6, "max_beats_exceeded")


async def test_a_budget_that_is_raised_after_it_stopped_the_scene_counts_from_the_first_request_on(
    tmp_path: Path,
) -> None:
    limited = {"budget": SceneBudget(tokens=9000).model_dump()}
    scene = Scripted(tmp_path, {}, answer=costly, scene=limited)
    with pytest.raises(BudgetExceeded):
        await scene.play()
    async with studio_of(tmp_path, scene.model) as scene.studio:
        await scene.ask({"do": "event", "text": "Rain"})
        with pytest.raises(InvalidConfig, match="has spent"):
            await scene.ask({"do": "budget", "tokens": 8000})
        await scene.ask({"do": "budget", "tokens": 900_000})
        await scene.studio.start(performance := await scene.studio.adopt(scene.run.id))
    assert performance.state.ended.reason == "max_beats_exceeded"
    keys = [request.key for request in scene.model.requests]
    assert len(keys) == len(set(keys))


async def test_a_judge_who_finds_the_budget_spent_too_leaves_no_complaint_of_the_event_loop(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    scene = Scripted(tmp_path, {}, answer=costly, scene={"budget": SceneBudget(tokens=9000).model_dump()})
    with pytest.raises(BudgetExceeded):
        await scene.play()
    gc.collect()
    assert not [record.getMessage() for record in caplog.records if record.name == "asyncio"]


async def test_the_goal_of_a_scene_with_lines_of_its_own_can_be_changed(tmp_path: Path) -> None:
    lines = [
        {"at": "one", "goal": 1, "say": 'Bob [TONE: low] "I am sorry, Alice, for all of it."'},
        {"at": "two", "goal": 2, "say": 'Alice [TONE: warm] "I accept that, Bob."'},
    ]
    async with steered(tmp_path, lines=lines, maxBeats=20) as scene:
        scene.play()
        await scene.waits_before(0)
        await scene.ask("goal", text="Carol sings; Alice accepts")
        await scene.ask("go")
        await scene.to_the_end()
    assert not any("I am sorry" in line for line in scene.page)
    assert any("I accept that" in line for line in scene.page)
    assert any("sings" in line for line in scene.page)
