"""Playing on after a line was changed: in a fork at the line, or in the run itself."""

from pathlib import Path

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import InvalidConfig, RunFenced
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs.events import AnswersSetAside, ModelAnswered
from dramaturg.kernel.settings import read_settings
from dramaturg.scenes.events import CueGiven, SceneEnded
from dramaturg.scenes.revision.changes import Edit, Strike
from dramaturg.scenes.state import scene_state
from dramaturg.studio import Studio
from tests.one_model import OneModel
from tests.rehearsals.script import read_rehearsal
from tests.scenes.revision.stage import THE_CUP, Again, page, played, state_of


class Died(Exception):
    """The process dies."""


def told(run: object, character: str, beat: int) -> str:
    cues = [entry.event for entry in run.entries if isinstance(entry.event, CueGiven)]
    return [cue.message for cue in cues if (cue.character, cue.beat) == (character, beat)][-1]


async def test_a_fork_at_a_line_keeps_its_beat_and_everybody_hears_the_new_words_next(tmp_path: Path) -> None:
    async with played(tmp_path) as (studio, run, _):
        before = page(await state_of(studio, run.id))
        fork = await studio.scenes.revisions.play_on(run.id, "3", Edit("Which of the cups go missing, then?"))
        await studio.start(fork)
        state = await state_of(studio, fork.id)
        assert page(await state_of(studio, run.id)) == before
    assert page(state)[2] == '3. Bob [TONE: airy] "Which of the cups go—"'
    assert [one.beat for one in state.lines] == [0, 1, 1, 1, 2, 3]
    assert (state.revised[3].how, state.revised[3].followed) == ("edited", 0)
    assert "Which of the cups go—" in told(fork, "alice", 2)
    for character in ("alice", "bob", "carol"):
        assert "and who counts them" not in told(fork, character, 2)
    assert state.ended.goal_achieved


async def test_the_judge_of_the_fork_judges_the_new_words(tmp_path: Path) -> None:
    async with played(tmp_path) as (studio, run, _):
        fork = await studio.scenes.revisions.play_on(run.id, "5", Edit("What cup?"))
        await studio.start(fork)
        state = await state_of(studio, fork.id)
    assert 1 not in {evidence.goal for evidence in state.verdict.met}
    assert state.ended.reason != "goal_achieved"
    assert state.lines[5].content == "Then I forgive you, Bob."


async def test_a_fork_has_the_changes_that_were_made_to_what_it_shares(tmp_path: Path) -> None:
    async with played(tmp_path) as (studio, run, _):
        await studio.scenes.revisions.revise(run.id, "2", Strike())
        await studio.scenes.revisions.revise(run.id, "6", Edit("Never."))
        fork = await studio.scenes.fork(run.id, 1)
        await studio.start(fork)
        state = await state_of(studio, fork.id)
    assert [one.number for one in state.lines] == [1, 3, 4, 5, 6]
    assert state.lines[-1].content == "Then I forgive you, Bob."
    assert list(state.revised) == [2]


async def test_an_ended_scene_that_lost_its_goal_is_played_on_in_its_own_run(tmp_path: Path) -> None:
    text = (
        THE_CUP
        + """
beat 4
  bob    @1  [TO: Alice, TONE: small] "Fine. I broke the cup myself."
  judge  1 met by Bob: "I broke the cup myself"
  judge  2 met by Alice: "I forgive you, Bob"
  judge  natural end
"""
    )
    async with played(tmp_path, text) as (studio, run, _):
        with pytest.raises(InvalidConfig, match="has ended; fork it"):
            await studio.adopt(run.id)
        await studio.scenes.revisions.revise(run.id, "5", Edit("What cup?"))
        assert (await studio.runs.get(run.id)).status == "ended"
        again = await studio.adopt(run.id)
        await studio.start(again)
        after = await studio.scenes.open_run(run.id)
        assert after.record.status == "ended"
    state = scene_state(after.entries)
    assert (state.ended.goal_achieved, state.ended.reason, state.ended.beats) == (True, "goal_achieved", 5)
    assert [one.number for one in state.lines] == [1, 2, 3, 4, 5, 6, 7]
    assert "What cup?" in told(after, "alice", 4)
    assert "I broke the cup" not in told(after, "alice", 4)
    ends = [entry.event.reason for entry in after.entries if isinstance(entry.event, SceneEnded)]
    assert ends == ["goal_achieved", "rewritten", "goal_achieved"]


async def test_answers_to_the_old_words_that_nothing_was_built_on_are_asked_for_again(tmp_path: Path) -> None:
    with pytest.raises(Died):
        async with played(tmp_path, more={"beat-2/carol": Died()}):
            pass
    model = ScriptedModel(Again(read_rehearsal(THE_CUP)))
    async with Studio.open(read_settings(tmp_path, {}), StillClock()) as studio:
        studio.resources.gateway = OneModel(model)
        (record,) = await studio.runs.find()
        assert record.status == "failed"
        paid = [e.event.key for e in (await studio.runs.open(record.id)).entries if isinstance(e.event, ModelAnswered)]
        assert "beat-2/alice" in paid
        revised = await studio.scenes.revisions.revise(record.id, "1", Edit("Where is the red cup?"))
        assert (await studio.runs.get(record.id)).status == "failed"
        assert revised.metadata.reason == "internal"
        await studio.start(await studio.adopt(record.id))
        run = await studio.scenes.open_run(record.id)
    (aside,) = [entry.event for entry in run.entries if isinstance(entry.event, AnswersSetAside)]
    assert "beat-2/alice" in aside.keys
    assert "beat-2/alice" in [request.key for request in model.requests]
    assert "red cup" in told(run, "alice", 2)
    assert "blue cup" not in told(run, "alice", 2)
    assert scene_state(run.entries).ended.goal_achieved


async def test_a_run_that_is_played_here_or_by_another_process_is_refused(tmp_path: Path) -> None:
    async with played(tmp_path) as (studio, run, _):
        await studio.runs.mark_record(run.record, "playing")
        await studio.runs._store.runs.adopt(run.id, "another.machine/1/1.0", 0.0)
        with pytest.raises(RunFenced, match="is being played by another process"):
            await studio.scenes.revisions.revise(run.id, "5", Edit("What cup?"))
        with pytest.raises(RunFenced, match="is being played by another process"):
            await studio.scenes.revisions.retake(run.id, "5")
