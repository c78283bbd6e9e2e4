"""The judge works while the next beat is asked, and nothing of it is lost."""

import asyncio
from pathlib import Path

from dramaturg.kernel.models.port import ModelAnswer, ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.scenes.events import BeatPlayed, VerdictReached
from dramaturg.scenes.state import scene_state
from tests.rehearsals.script import read_rehearsal
from tests.stage import play_scripted

SCENE = """
scene: ahead        cast: alice, bob
prompt: They argue. Scene goal: Bob apologizes, Alice accepts.
max beats: 9
beat 0
  alice  @0  [TONE: cold] "Well?"
beat 1
  bob    @1  [TONE: low] "I am sorry, Alice."
  judge  1 met by Bob: "I am sorry, Alice"
beat 2
  alice  @2  [TONE: warm] "I accept your apology."
  judge  2 met by Alice: "I accept your apology"
beat 3
  bob    @3  [TONE: glad] "Thank you."
"""


async def played(tmp_path: Path, *, lookahead: bool):
    rehearsal = read_rehearsal(SCENE)
    model = ScriptedModel(rehearsal.answer)
    config = rehearsal.config() | {"lookahead": lookahead}
    run = await play_scripted(config, model, tmp_path)
    return run, model


async def test_the_next_beat_is_asked_before_the_verdict_is_in(tmp_path: Path) -> None:
    rehearsal = read_rehearsal(SCENE)
    asked_next = asyncio.Event()

    async def answer(request: ModelRequest) -> ModelAnswer | Exception:
        """The judge of beat 1 answers only when somebody was asked for beat 2; it would wait forever otherwise."""
        if request.key == "beat-2/alice":
            asked_next.set()
        if request.key == "beat-1/judge":
            async with asyncio.timeout(240):
                await asked_next.wait()
        return rehearsal.answer(request)

    run = await play_scripted(rehearsal.config() | {"lookahead": True}, ScriptedModel(answer), tmp_path)
    assert scene_state(run.entries).ended.goal_achieved


async def test_a_verdict_comes_one_beat_later_and_every_spoken_beat_is_judged_once(tmp_path: Path) -> None:
    run, model = await played(tmp_path, lookahead=True)
    order = [entry.event for entry in run.entries if isinstance(entry.event, BeatPlayed | VerdictReached)]
    steps = [(event.type, event.beat) for event in order]
    assert steps.index(("verdict.reached", 1)) > steps.index(("beat.played", 2))
    judged = [event.beat for event in order if isinstance(event, VerdictReached)]
    assert judged == sorted(set(judged))
    assert [request.key for request in model.requests if request.key.endswith("judge")] == [
        f"beat-{beat}/judge" for beat in judged
    ]


async def test_the_scene_ends_for_the_same_reason_with_and_without(tmp_path: Path) -> None:
    ahead, _ = await played(tmp_path / "ahead", lookahead=True)
    behind, _ = await played(tmp_path / "behind", lookahead=False)
    ended = [scene_state(run.entries).ended for run in (ahead, behind)]
    assert [end.reason for end in ended] == ["goal_achieved", "goal_achieved"]


async def test_the_last_beat_is_judged_before_the_safety_limit_ends_the_scene(tmp_path: Path) -> None:
    rehearsal = read_rehearsal(SCENE)
    config = rehearsal.config() | {"lookahead": True, "maxBeats": 3}
    run = await play_scripted(config, ScriptedModel(rehearsal.answer), tmp_path)
    assert scene_state(run.entries).ended.goal_achieved
    assert scene_state(run.entries).ended.beats == 3
