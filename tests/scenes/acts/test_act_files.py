"""Acts as people write them: what is read, and what is refused with a sentence that helps."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.settings import read_settings
from dramaturg.scenes.acts.act import FORM, ActConfig, act_listings, find_act
from dramaturg.studio import Studio
from tests.scenes.acts.staging import scene, write_story

FORK = {"scene": "a", "then": [{"when": "achieved", "play": "b"}, {"else": "c"}]}

BAD = {
    "nothing": ({}, "An act needs scenes. Add 'scenes:'"),
    "an empty list": ({"scenes": []}, "An act needs scenes. List at least one"),
    "a scene twice": ({"scenes": ["a", "b", "a"]}, "'a' is in this act twice. Give each another name with 'as:'"),
    "two of one name": ({"scenes": ["a", {"scene": "b", "as": "a"}]}, "'a' is in this act twice"),
    "a scene called end": ({"scenes": ["end"]}, "can be called 'end'"),
    "a way to nowhere": ({"scenes": [{"scene": "a", "then": "brigde"}, "bridge"]}, "Did you mean 'bridge'?"),
    "a way to itself": ({"scenes": [{"scene": "a", "then": "a"}]}, "circle: a -> a"),
    "a circle": ({"scenes": [{"scene": "a", "then": "b"}, {"scene": "b", "then": "a"}]}, "circle: a -> b -> a"),
    "a circle behind a condition": (
        {"scenes": ["a", {"scene": "b", "then": [{"when": "not achieved", "play": "a"}]}]},
        "The act would go in a circle: a -> b -> a",
    ),
    "a circle later on": (
        {"scenes": [FORK, {"scene": "b", "then": "d"}, "c", {"scene": "d", "then": "b"}]},
        "circle: b -> d -> b",
    ),
    "else in the middle": (
        {"scenes": [{"scene": "a", "then": [{"else": "b"}, {"when": "achieved", "play": "b"}]}, "b"]},
        "must be the last of its ways on",
    ),
    "when without play": ({"scenes": [{"scene": "a", "then": [{"when": "achieved"}]}]}, "'when:' and 'play:'"),
    "play without when": ({"scenes": [{"scene": "a", "then": [{"play": "end"}]}]}, "'when:' and 'play:'"),
    "an unknown word": (
        {"scenes": [{"scene": "a", "then": [{"when": "won", "play": "end"}]}]},
        "'won' is no way for a scene to end. Write achieved, not achieved or walked through",
    ),
    "an unknown reason": (
        {"scenes": [{"scene": "a", "then": [{"when": {"ended": "boredom"}, "play": "end"}]}]},
        "'scenes.0.then.0.when.ended'",
    ),
    "an empty condition": ({"scenes": [{"scene": "a", "then": [{"when": {}, "play": "end"}]}]}, "is empty"),
    "a mistyped key": ({"scens": ["a"]}, "Did you mean 'scenes'?"),
    "a budget of nothing": ({"scenes": ["a"], "budget": {"tokens": 0}}, "'budget.tokens'"),
    "a name that leads out": ({"name": "../up", "scenes": ["a"]}, "cannot name a folder"),
}


@pytest.mark.parametrize("raw", [{"name": "x" * 9999}, {"scenes": [{"scene": "a", "then": [{"when": "x" * 9999}]}]}])
def test_a_message_does_not_repeat_what_is_far_too_long(raw: dict[str, object]) -> None:
    with pytest.raises(InvalidConfig) as refused:
        FORM.value(raw, where="acts/play.yaml", default_name="play")
    assert len(refused.value.message) < 500


@pytest.mark.parametrize(("raw", "said"), BAD.values(), ids=BAD)
def test_a_bad_act_is_refused_with_a_sentence(raw: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidConfig) as refused:
        FORM.value(raw, where="acts/play.yaml", default_name="play")
    assert said in refused.value.message
    assert "acts/play.yaml" in refused.value.message


def read(text: str) -> ActConfig:
    return FORM.value(yaml.safe_load(text), where="acts/play.yaml", default_name="play")


def ways(act: ActConfig) -> dict[str, tuple[str, ...]]:
    return {step.name: act.ways_on(step.name) for step in act.scenes}


def test_a_list_of_names_is_played_in_its_order() -> None:
    assert ways(read("scenes: [a, b, c]")) == {"a": ("b",), "b": ("c",), "c": ("end",)}


def test_branches_meet_again_in_the_next_scene_that_nobody_names() -> None:
    act = read("""
      scenes:
        - scene: a
          then:
            - {when: achieved, play: b}
            - else: c
        - b
        - c
        - d
    """)
    assert ways(act) == {"a": ("b", "c"), "b": ("d",), "c": ("d",), "d": ("end",)}
    assert act.reached() == {"a": (), "b": ("a",), "c": ("a",), "d": ("a", "b")}


def test_without_an_else_the_order_of_the_list_is_the_other_way() -> None:
    act = read("scenes: [{scene: a, then: [{when: achieved, play: end}]}, b, {scene: a, as: again}]")
    assert ways(act) == {"a": ("end", "b"), "b": ("again",), "again": ("end",)}


def test_a_scene_may_lead_back_in_the_list_as_long_as_there_is_no_circle() -> None:
    act = read("scenes: [{scene: a, then: c}, b, {scene: c, then: d}, {scene: d, then: end}]")
    assert ways(act) == {"a": ("c",), "b": ("end",), "c": ("d",), "d": ("end",)}
    assert "b" not in act.reached()


@pytest.mark.parametrize("word", ["Achieved", "goal achieved", "not-achieved", "walked_through"])
def test_words_are_read_in_any_spelling(word: str) -> None:
    (branch, *_) = read(f"scenes: [{{scene: a, then: [{{when: {word}, play: end}}]}}]").scenes[0].then
    assert branch.when is not None
    assert branch.when.goal in ("achieved", "not achieved", "walked through")


def test_fifty_scenes_that_all_lead_to_all_later_ones_are_checked_at_once() -> None:
    names = [f"s{number}" for number in range(50)]
    steps = [
        {"scene": name, "then": [{"when": {"met": 1}, "play": later} for later in names[place + 1 :]]}
        for place, name in enumerate(names)
    ]
    act = FORM.value({"scenes": steps}, where="act", default_name="play")
    assert len(act.reached()) == 50


def test_listings_have_every_file_and_say_what_is_wrong_with_one(tmp_path: Path) -> None:
    written = {name: {"prompt": "They meet."} for name in ("a", "b")}
    write_story(tmp_path, written, good={"scenes": ["a", "b"]}, bad={"scenes": []}, gone={"scenes": ["a", "c"]})
    bad, gone, good = act_listings(tmp_path)
    assert (gone.scenes, gone.problem) == (("a", "c"), "It names scenes that are not there: 'c'.")
    assert (good.title, good.scenes, good.problem) == ("Good", ("a", "b"), None)
    assert bad.problem is not None
    assert "needs scenes" in bad.problem


CONDITIONS = {
    "a sub-goal by a number it has not": ({"met": 3}, "depends on sub-goal 3, and the scene 'first' does not have it"),
    "a sub-goal that nobody wrote": ({"open": "Cora sings"}, "depends on one sub-goal 'Cora sings'"),
    "words that fit two of them": ({"met": "Bob"}, "1. Bob apologizes; 2. Alice forgives Bob"),
    "somebody who is not there": ({"left": "Zed"}, "'Zed' left, who is not in its cast (Alice, Bob)"),
}


@pytest.mark.parametrize(("when", "said"), CONDITIONS.values(), ids=CONDITIONS)
async def test_a_condition_that_no_ending_can_meet_is_refused_before_anything_is_played(
    when: dict[str, object], said: str, tmp_path: Path
) -> None:
    steps = [{"scene": "first", "then": [{"when": when, "play": "end"}]}]
    story = write_story(tmp_path, {"first": scene()}, play={"scenes": steps})
    async with Studio.open(read_settings(story, {})) as studio:
        with pytest.raises(InvalidConfig) as refused:
            await studio.acts.open(find_act(story, "play"))
        assert said in refused.value.message
        assert await studio.runs.find() == []
