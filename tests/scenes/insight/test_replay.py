"""A run shown again: the same events, the pauses of the log."""

from pathlib import Path

from dramaturg.kernel.clock import Clock, StillClock
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs import Run, public
from dramaturg.scenes.events import LineSpoken, SceneOpened
from dramaturg.scenes.insight.replay import LONGEST_PAUSE, ReplayStep, replay_steps
from tests.stage import play_scripted

SECONDS = {"beat-0/alice": 1.5, "beat-1/bob": 2.0, "beat-1/alice": 2.75, "beat-2/bob": 60.0}


def speaking(clock: Clock) -> ScriptedModel:
    """Answers that arrive so many seconds after they were asked for."""

    def answer(request: ModelRequest) -> ModelAnswer:
        words = f'[TONE: even] "Said at {request.key}."' if request.key in SECONDS else "[SILENT]"
        return ModelAnswer(text=words, model="scripted", arrived_at=clock.now() + SECONDS.get(request.key, 0))

    return ScriptedModel(answer)


async def played(project: Path) -> Run:
    clock = StillClock()
    config = {"name": "slow", "prompt": "They talk.", "characters": ["alice", "bob"], "maxBeats": 4}
    return await play_scripted(config, speaking(clock), project, clock)


def pauses(shown: tuple[ReplayStep, ...]) -> list[float]:
    return [round(step.pause, 2) for step in shown if step.speaks]


async def test_it_shows_what_the_public_saw_in_the_same_order(tmp_path: Path) -> None:
    run = await played(tmp_path)
    assert [step.event for step in replay_steps(run.entries)] == [entry.event for entry in public(run.entries)]


async def test_pauses_are_those_between_the_arrivals_and_never_long(tmp_path: Path) -> None:
    run = await played(tmp_path)
    assert pauses(replay_steps(run.entries)) == [1.5, 2.0, 0.75, LONGEST_PAUSE]
    assert pauses(replay_steps(run.entries, speed=2)) == [0.75, 1.0, 0.38, LONGEST_PAUSE / 2]
    assert sum(step.pause for step in replay_steps(run.entries, speed=0)) == 0


async def test_it_can_begin_at_a_beat_and_still_says_what_is_played(tmp_path: Path) -> None:
    run = await played(tmp_path)
    shown = [step.event for step in replay_steps(run.entries, beat=2)]
    assert isinstance(shown[0], SceneOpened)
    assert [event.line.content for event in shown if isinstance(event, LineSpoken)] == ["Said at beat-2/bob."]
