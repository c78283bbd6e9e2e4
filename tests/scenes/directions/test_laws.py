"""What holds for every direction: it is taken once, in order, however often the process dies; a fork carries it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import AlreadyUsed, InvalidConfig, NotFound
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs.run import to_row
from dramaturg.kernel.settings import Settings
from dramaturg.scenes.directions.direction import DIRECTIONS, TOPIC
from dramaturg.scenes.directions.events import DirectionTaken
from dramaturg.scenes.events import BeatClosed, SceneRun
from dramaturg.scenes.state import scene_state
from tests.one_model import OneModel
from tests.scenes.directions.steered import Scripted, said_by, steered
from tests.scenes.memory.staging import studio_of

ASKS: dict[str, list[dict[str, object]]] = {
    "before": [{"do": "event", "text": "A clock strikes"}],
    "beat-1/bob": [{"do": "note", "to": "bob", "text": "Whisper."}, {"do": "mute", "who": "carol"}],
    "beat-2/alice": [{"do": "event", "text": "Rain"}, {"do": "more", "beats": 2}],
    "beat-3/bob": [{"do": "goal", "text": "Carol sings."}, {"do": "exit", "who": "bob"}],
    "beat-4/alice": [
        {"do": "unmute", "who": "carol"},
        {"do": "event", "text": "Silence"},
        {"do": "enter", "who": "bob"},
    ],
}
SENT = sum(len(asks) for asks in ASKS.values())


def numbers(run: SceneRun) -> list[int]:
    return [entry.event.number for entry in run.entries if isinstance(entry.event, DirectionTaken)]


async def played_on(scene: Scripted, length: int, project: Path) -> SceneRun:
    """The run as it goes on in another process, if the first died with so many entries in the log."""
    async with studio_of(project, ScriptedModel(said_by, name="able")) as studio:
        messages = await scene.messages()
        record = scene.run.record.model_copy(update={"status": "stopped", "player": ""})
        await studio.runs.copies.add(
            studio.runs.copies.check(record, rows := [to_row(entry) for entry in scene.run.entries[:length]]), rows
        )
        for message in messages:
            await studio.runs.inboxes.send(record, TOPIC, message.body, author=message.author, key=message.key)
        await studio.start(performance := await studio.adopt(record.id))
        return performance.run


async def test_a_direction_is_followed_once_wherever_the_process_dies(tmp_path: Path) -> None:
    scene = Scripted(tmp_path / "first", {key: list(asks) for key, asks in ASKS.items()})
    await scene.play()
    assert numbers(scene.run) == list(range(1, SENT + 1))
    entries = scene.run.entries
    first = next(place for place, entry in enumerate(entries) if isinstance(entry.event, DirectionTaken))
    # A direction and what comes of it are written together, so that no process dies in between.
    whole = [n for n in range(first, len(entries) - 3) if not isinstance(entries[n - 1].event, DirectionTaken)]
    for length in whole[::5]:
        run = await played_on(scene, length, tmp_path / f"at-{length}")
        assert numbers(run) == list(range(1, SENT + 1)), f"killed after entry {length}"
        page = [line.rendered() for line in scene_state(run.entries).lines]
        for happening in ("A clock strikes", "Rain", "Silence", "Bob leaves", "Bob enters"):
            assert page.count(f"[EVENT: {happening}]") == 1, f"killed after entry {length}"
        assert scene_state(run.entries).scene.config.max_beats == 8


async def test_a_beat_that_was_under_way_is_finished_before_new_directions_are_taken(tmp_path: Path) -> None:
    scene = Scripted(tmp_path / "first", {})
    await scene.play()
    length = next(entry.seq for entry in scene.run.entries if entry.event.type == "cue.given" and entry.event.beat == 2)
    scene.late = [{"do": "event", "text": "Rain"}]
    run = await played_on(scene, length, tmp_path / "second")
    rain = next(line for line in scene_state(run.entries).lines if line.kind == "event")
    before = [line.speaker for line in scene_state(run.entries).lines if line.beat == 2 and line.number < rain.number]
    assert sorted(before) == ["Alice", "Bob", "Carol"]


async def test_the_log_alone_gives_the_same_transcript_again(tmp_path: Path) -> None:
    scene = Scripted(tmp_path, {key: list(asks) for key, asks in ASKS.items()})
    await scene.play()
    async with studio_of(tmp_path, ScriptedModel([], name="able")) as studio:
        again = await studio.scenes.open_run(scene.run.id)
        assert studio.scenes.result(again).transcript == studio.scenes.result(scene.run).transcript
        assert scene_state(again.entries) == scene_state(scene.run.entries)


async def test_a_fork_carries_what_was_followed_and_has_an_inbox_of_its_own(tmp_path: Path) -> None:
    scene = Scripted(tmp_path, {key: list(asks) for key, asks in ASKS.items()})
    await scene.play()
    async with studio_of(tmp_path, ScriptedModel(said_by, name="able")) as studio:
        fork = await studio.scenes.fork(scene.run.id, 2)
        state = scene_state(fork.entries)
        assert (state.steering.muted, state.steering.taken) == ({"carol"}, 0)
        assert state.scene.config.max_beats == 8
        await studio.scenes.steer(fork.id, DIRECTIONS.validate_python({"do": "unmute", "who": "carol"}))
        assert [(one.number, one.outcome) for one in await studio.scenes.directions(fork.id)] == [(1, "waiting")]
        await studio.start(fork)
        assert [(one.number, one.outcome) for one in await studio.scenes.directions(fork.id)] == [(1, "followed")]
        page = [line.rendered() for line in scene_state(fork.entries).lines]
        assert "[EVENT: Rain]" in page
        assert "[EVENT: Silence]" not in page


async def test_a_fork_of_a_scene_that_waits_does_not_wait(tmp_path: Path) -> None:
    async with steered(tmp_path) as scene:
        scene.play()
        for beat in range(2):
            await scene.waits_before(beat)
            await scene.ask("step")
        await scene.waits_before(2)
        fork = await scene.studio.scenes.fork(scene.run.id, 0)
        await scene.studio.start(fork)
        assert scene_state(fork.entries).ended is not None
        assert scene.state.ended is None


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"do": "mute", "who": "Bpb"}, r"'Bpb' is nobody of this scene \(Alice, Bob, Carol\). Did you mean 'Bob'\?"),
        ({"do": "note", "to": "Zoë", "text": "x"}, "'Zoë' is nobody of this scene"),
        ({"do": "enter", "who": "Bob"}, "Bob is on stage already"),
        ({"do": "unmute", "who": "Bob"}, "Bob is not muted"),
        ({"do": "more", "beats": 200}, "at most 1000 beats"),
        ({"do": "budget"}, "needs dollars or tokens"),
        ({"do": "goal", "text": " . "}, "the goal is empty"),
    ],
    ids=lambda value: value.get("do") if isinstance(value, dict) else "",
)
async def test_what_is_known_to_be_impossible_is_said_when_it_is_sent(
    tmp_path: Path, asked: dict[str, object], says: str
) -> None:
    async with steered(tmp_path, maxBeats=900) as scene:
        with pytest.raises(InvalidConfig, match=says):
            await scene.studio.scenes.steer(scene.run.id, DIRECTIONS.validate_python(asked))
        assert len(await scene.studio.scenes.directions(scene.run.id)) == 1


async def test_what_is_on_its_way_counts_for_what_is_sent_next(tmp_path: Path) -> None:
    async with steered(tmp_path) as scene:
        await scene.ask("exit", who="bob")
        with pytest.raises(InvalidConfig, match="Bob is not on stage"):
            await scene.ask("exit", who="Bob")
        await scene.ask("mute", who="alice")
        with pytest.raises(InvalidConfig, match="without Carol nobody would be left to speak"):
            await scene.ask("exit", who="carol")
        await scene.ask("enter", who="bob")
        await scene.ask("exit", who="carol")


async def test_a_run_that_has_ended_or_is_none_or_is_no_scene_is_not_steered(tmp_path: Path) -> None:
    end = DIRECTIONS.validate_python({"do": "end"})
    async with steered(tmp_path) as scene:
        scene.play()
        first = await scene.studio.scenes.steer(scene.run.id, end, key="k")
        await scene.to_the_end()
        assert await scene.studio.scenes.steer(scene.run.id, end, key="k") == first.model_copy(
            update={"outcome": "followed", "beat": 0, "reason": ""}
        )
        with pytest.raises(AlreadyUsed):
            await scene.studio.scenes.steer(scene.run.id, DIRECTIONS.validate_python({"do": "go"}), key="k")
        with pytest.raises(InvalidConfig, match="has ended; fork it"):
            await scene.studio.scenes.steer(scene.run.id, end)
        with pytest.raises(NotFound, match="no run 'nosuch'"):
            await scene.studio.scenes.steer("nosuch", end)


async def test_a_scene_that_waits_still_waits_after_its_process_died(store_settings: Settings) -> None:
    async with steered(store_settings.project, store_settings.store) as scene:
        scene.play()
        await scene.waits_before(0)
        await scene.ask("step")
        await scene.waits_before(1)
        await scene.studio.engine.cancel(scene.run.id)
        sent = await scene.studio.scenes.steer(
            scene.run.id, DIRECTIONS.validate_python({"do": "event", "text": "Rain"})
        )
        assert (sent.outcome, sent.reason) == ("waiting", "the run is stopped: it is followed once the run is resumed")
        scene.performance = await scene.studio.adopt(scene.run.id)
        scene.run = scene.performance.run
        scene.play()
        await scene.waits_before(1)
        await scene.ask("end")
        await scene.to_the_end()
        assert "[EVENT: Rain]" in scene.page
        assert len([entry for entry in scene.run.entries if isinstance(entry.event, BeatClosed)]) == 1


async def test_a_direction_that_comes_too_late_is_reported_as_such(tmp_path: Path) -> None:
    scene = Scripted(tmp_path, {"beat-2/bob": [{"do": "end"}]})
    await scene.play()
    async with studio_of(tmp_path, ScriptedModel([], name="able")) as studio:
        playing = scene.run.record.model_copy(update={"status": "playing"})
        await studio.runs.inboxes.send(playing, TOPIC, '{"do":"go"}')
        sent = await studio.scenes.directions(scene.run.id)
    assert [one.outcome for one in sent] == ["followed", "too_late"]
    assert sent[1].reason == "the scene had ended before it could be followed"


async def test_a_budget_that_cannot_be_kept_is_refused_when_it_is_sent(tmp_path: Path) -> None:
    scene = Scripted(tmp_path, {})

    class Unpriced(OneModel):
        def price(self, name: str) -> None:
            return None

    async with studio_of(tmp_path, scene.model, StillClock()) as studio:
        studio.resources.gateway = Unpriced(scene.model)
        scene.studio = studio
        scene.run = await studio.scenes.open(scene.config, model="able")
        with pytest.raises(InvalidConfig, match="The price of able is unknown; give the budget in tokens"):
            await scene.ask({"do": "budget", "usd": 2.5})
        await scene.ask({"do": "budget", "tokens": 5000})


async def test_a_message_of_another_version_is_passed_over(tmp_path: Path) -> None:
    async with steered(tmp_path) as scene:
        await scene.studio.runs.inboxes.send(scene.run.record, TOPIC, '{"do": "levitate", "who": "bob"}')
        await scene.ask("event", text="Rain")
        await scene.ask("end")
        scene.play()
        await scene.to_the_end()
        assert scene.page == ["[EVENT: Rain]"]
        assert [one.number for one in await scene.studio.scenes.directions(scene.run.id)] == [1, 3, 4]
