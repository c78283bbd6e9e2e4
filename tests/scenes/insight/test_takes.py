"""Takes side by side."""

from pathlib import Path

from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs import Run
from dramaturg.scenes.insight.takes import take_setups, take_table
from tests.rehearsals.script import read_rehearsal
from tests.scenes.insight.played import SCENE, the_cup


async def told_otherwise(project: Path, before: str, after: str) -> Run:
    return await the_cup(project, ScriptedModel(read_rehearsal(SCENE.replace(before, after)).answer))


async def test_each_take_says_where_it_parts_from_the_first_and_what_they_share(tmp_path: Path) -> None:
    runs = [
        await the_cup(tmp_path / "1"),
        await the_cup(tmp_path / "2"),
        await told_otherwise(tmp_path / "3", '"Then that is that."', '"I do not forgive you."'),
        await told_otherwise(tmp_path / "4", 'alice  @1  [TO: Bob, TONE: warm] "Then that is that."', ""),
    ]
    table = take_table("the-cup", {run.id: run.entries for run in runs})
    one, same, other, shorter = table.takes
    assert (one.lines, one.interruptions, one.reason, one.goal_achieved) == (6, 1, "max_beats_exceeded", False)
    assert (same.departs, same.common) == (None, 1.0)
    assert other.departs is not None
    assert (other.departs.content, other.common) == ("I do not forgive you.", round(5 / 6, 4))
    assert (shorter.departs, shorter.common) == (None, round(5 / 6, 4))
    assert (table.reached, table.pass_rate) == (0, 0.0)


def test_every_model_plays_every_seed_and_without_seeds_they_are_counted_up() -> None:
    both = take_setups(["a", "b"], [7, 9], [], count=3, first_seed=1)
    assert [(setup.model, setup.seed) for setup in both] == [("a", 7), ("a", 9), ("b", 7), ("b", 9)]
    assert [(setup.model, setup.seed) for setup in take_setups([], [], [], count=2, first_seed=4)] == [
        (None, 4),
        (None, 5),
    ]
    ways = take_setups([], [1], ["direct", "assisted"], count=3, first_seed=1)
    assert [(setup.agent, setup.seed) for setup in ways] == [("direct", 1), ("assisted", 1)]
