"""What happened in a scene further back counts for less."""

from __future__ import annotations

from dramaturg.scenes.memories import Memory
from dramaturg.scenes.memory.recall import rank
from dramaturg.scenes.scene import scene_from

MILL = scene_from({"name": "mill", "prompt": "They meet at the mill.", "characters": ["alice", "bob"]})


def memory(text: str, evening: int, importance: float) -> Memory:
    place = {"character": "alice", "scene": "s", "run": f"r{evening}", "line": 1, "at": float(evening)}
    return Memory.model_validate(
        {**place, "moment": f"r{evening}/1", "text": text, "kind": "heard", "importance": importance}
    )


def ranked(*memories: Memory) -> list[str]:
    return [one.text for one in rank(memories, MILL, [])]


def test_yesterdays_scene_outweighs_a_slightly_weightier_one_of_long_ago() -> None:
    assert ranked(memory("Tea.", 1, 0.6), memory("Cake.", 2, 0.5)) == ["Cake.", "Tea."]


def test_what_weighs_much_more_is_recalled_first_whatever_its_age() -> None:
    assert ranked(memory("Tea.", 1, 0.9), memory("Cake.", 2, 0.5)) == ["Tea.", "Cake."]


def test_age_is_counted_in_scenes_and_each_counts_less_than_the_next() -> None:
    evenings = [memory("One.", 1, 0.58), memory("Two.", 2, 0.54), memory("Three.", 3, 0.5)]
    assert ranked(*evenings) == ["Three.", "Two.", "One."]
