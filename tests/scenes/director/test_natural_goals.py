"""Goals as people write them: lists, first names, pronouns, eight languages."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dramaturg.scenes.director.goals import Goal, goal_source, goal_text, is_lasting, situation, split_goal
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.scene import scene_from

HERE = Path(__file__).parent
TABLE = yaml.safe_load((HERE / "natural_goals.yaml").read_text(encoding="utf-8"))
NEGATIVE = yaml.safe_load((HERE / "negative_goals.yaml").read_text(encoding="utf-8"))


def test_the_table_has_a_hundred_goals_or_more() -> None:
    assert len(TABLE) >= 100


@pytest.mark.parametrize(
    ("prompt", "goal", "before"),
    [
        ("Они встречаются. Цель: Иван уходит", "Иван уходит", "Они встречаются."),
        ("Sie treffen sich.\nZiel der Szene: Karl geht", "Karl geht", "Sie treffen sich."),
        ("Ils se voient. Objectif : Paul part", "Paul part", "Ils se voient."),
        ("Se ven. Objetivo de la escena: Inés se va", "Inés se va", "Se ven."),
        ("يلتقيان. الهدف: كريم يعتذر", "كريم يعتذر", "يلتقيان."),
        ("二人が会う。目標：健太が謝る", "健太が謝る", "二人が会う。"),
    ],
)
def test_the_goal_in_a_prompt_is_marked_in_the_authors_language(prompt: str, goal: str, before: str) -> None:
    assert (goal_text(prompt), situation(prompt)) == (goal, before)


@pytest.mark.parametrize("row", TABLE, ids=lambda row: str(row["goal"])[:40])
def test_a_natural_goal_is_split_as_a_reader_would(row: dict[str, object]) -> None:
    config = scene_from({"name": "x", "prompt": "They meet.", "characters": ["a", "b"], "goal": row["goal"]})
    found = split_goal(goal_source(config.prompt, config.goal), row["cast"])
    assert [goal.text for goal in found] == row["split"]


def test_a_list_in_the_prompt_is_a_list_too() -> None:
    prompt = "They meet.\nScene goal:\n  1. Ann pays\n  2. Ben leaves, and Ann waves\n"
    assert [goal.text for goal in split_goal(goal_source(prompt), ["Ann", "Ben"])] == [
        "Ann pays",
        "Ben leaves, and Ann waves",
    ]
    assert goal_text(prompt) == "Ann pays; Ben leaves, and Ann waves"


@pytest.mark.parametrize("text", NEGATIVE["lasting"])
def test_what_must_not_happen_is_judged_when_the_scene_is_over(text: str) -> None:
    assert is_lasting(Goal(id=1, text=text))


@pytest.mark.parametrize("text", NEGATIVE["deeds"])
def test_a_negation_inside_a_deed_leaves_it_a_deed(text: str) -> None:
    assert not is_lasting(Goal(id=1, text=text))


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("Ruth", "Ruth Calloway"),
        ("ruth calloway", "Ruth Calloway"),
        ("Mrs. Calloway", "Ruth Calloway"),
        ("Pike", "Judge Amos Pike"),
        ("the judge", "Judge Amos Pike"),
        ("Ruth's", "Ruth Calloway"),
        ("Ann", None),
        ("Ann Lee", "Ann Lee"),
        ("Lee", "Ann Lee"),
        ("", None),
        ("健太", "田中 健太"),
        ("健太さん", "田中 健太"),
    ],
)
def test_a_name_is_known_by_any_part_that_is_only_one_persons(text: str, who: str | None) -> None:
    cast = CastNames(("Ruth Calloway", "Judge Amos Pike", "Ann Lee", "Ann Moor", "田中 健太"))
    assert cast.resolve(text) == who
