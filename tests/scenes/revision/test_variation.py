"""A fork with another goal, another card or another cast."""

from pathlib import Path

import pytest

from dramaturg.kernel.errors import CharacterLoadError, InvalidConfig
from dramaturg.scenes.events import CueGiven
from dramaturg.scenes.hearing import heard_by
from dramaturg.scenes.state import scene_state
from tests.scenes.revision.stage import played, state_of
from tests.stage import write_cards


async def test_another_goal_is_open_and_everybody_plays_to_it(tmp_path: Path) -> None:
    async with played(tmp_path) as (studio, run, model):
        fork = await studio.scenes.fork(run.id, 2, goal="Carol buys a new cup, and Bob thanks Carol.")
        state = scene_state(fork.entries)
        assert [goal.text for goal in state.goals] == ["Carol buys a new cup", "Bob thanks Carol"]
        assert state.verdict.met == ()
        asked = len(model.requests)
        await studio.start(fork)
        (first, *_) = [request for request in model.requests[asked:] if request.key == "beat-3/alice"]
        assert "Carol buys a new cup; Bob thanks Carol." in first.system
        assert "forgives" not in first.system
        result = studio.scenes.result(fork)
    assert "GOAL: Carol buys a new cup, and Bob thanks Carol." in result.transcript
    assert not result.metadata.goal_achieved


async def test_another_card_is_the_prompt_from_there_on_and_the_parent_keeps_the_old_one(tmp_path: Path) -> None:
    raw = "# Bob - Juggler\n\n## Personality\n- Lies with charm\n"
    async with played(tmp_path) as (studio, run, model):
        fork = await studio.scenes.fork(run.id, 1, cards={"Bob": raw})
        asked = len(model.requests)
        await studio.start(fork)
        (first, *_) = [request for request in model.requests[asked:] if request.key == "beat-2/bob"]
        assert "Lies with charm" in first.system
        assert len(first.messages) == 1
        assert scene_state(fork.entries).member("bob").role == "Juggler"
        assert "Lies with charm" not in scene_state(run.entries).cards["bob"]


async def test_who_is_new_enters_and_has_heard_nothing_and_who_is_not_named_leaves(tmp_path: Path) -> None:
    write_cards(tmp_path, ["dora"])
    async with played(tmp_path) as (studio, run, _):
        fork = await studio.scenes.fork(run.id, 1, cast=["alice", "bob", "dora"])
        state = scene_state(fork.entries)
        assert [line.content for line in state.lines if line.kind == "event"] == ["Carol leaves", "Dora enters"]
        assert state.on_stage() == ("alice", "bob", "dora")
        assert [line.content for line in heard_by("Dora", state.lines)] == ["Carol leaves", "Dora enters"]
        await studio.start(fork)
        after = await state_of(studio, fork.id)
        cued = {
            entry.event.character
            for entry in fork.entries
            if isinstance(entry.event, CueGiven) and entry.event.beat == 2
        }
    assert cued == {"alice", "bob", "dora"}
    assert after.ended is not None


@pytest.mark.parametrize(
    ("varied", "says"),
    [
        ({"goal": "  "}, "The new goal is empty"),
        ({"goal": " . "}, "The new goal is empty"),
        ({"cards": {"zoe": "# Zoe"}}, "'zoe' is not in the cast"),
        ({"cards": {"bob": "# Robert - Potter"}}, "The new card of 'bob' is Robert's"),
        ({"cast": ["alice"]}, "needs 2 to 5 characters on stage, not 1"),
        ({"cast": ["alice", "bob", "Alice"]}, "named twice"),
    ],
)
async def test_a_fork_that_cannot_be_played_is_refused_and_leaves_nothing(
    tmp_path: Path, varied: dict[str, object], says: str
) -> None:
    async with played(tmp_path) as (studio, run, _):
        with pytest.raises(InvalidConfig) as refused:
            await studio.scenes.fork(run.id, 1, **varied)
        with pytest.raises(CharacterLoadError):
            await studio.scenes.fork(run.id, 1, cast=["alice", "nobody"])
        assert len(await studio.runs.find()) == 1
    assert says in refused.value.message
    assert not (tmp_path / "data" / "scenes" / "the-cup-2").exists()
