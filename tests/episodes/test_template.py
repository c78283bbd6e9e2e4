"""Episodes, series and packs as their authors write them: read whole, or refused with the way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.episodes.packs import known_packs, named_pack
from dramaturg.episodes.series import Series, all_series, named_series, series_with
from dramaturg.episodes.template import (
    EpisodeTemplate,
    all_templates,
    known_templates,
    named_template,
    read_template,
    template_from,
)
from dramaturg.kernel.errors import InvalidConfig, NotFound

ROOT = Path(__file__).parents[2]
BASE = {"name": "t", "character": "mina"}


def test_the_episode_of_a_new_story_is_read() -> None:
    template = read_template(ROOT / "src/dramaturg/cli/story/episodes/tea-with-walter.yaml")
    assert (template.completion_mode, template.turns, template.evaluation) == ("turn_limited", 8, "episode_summary")
    assert template.scene_card.title == "A kitchen above a frame shop"


@pytest.mark.parametrize("project", sorted(path.parent for path in (ROOT / "examples").glob("*/episodes")))
def test_every_example_is_sound(project: Path) -> None:
    for path in (project / "episodes").glob("*.yaml"):
        assert read_template(path).name == path.stem
    for path in (project / "series").glob("*.yaml"):
        for name in named_series(project, path.stem).episodes:
            named_template(project, name)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"turn_budge": 3}, "'turn_budge' is not a key of an episode. Did you mean 'turn_budget'?"),
        (
            {"scene_card": {"titel": "x"}},
            "'titel' is not a key of an episode under 'scene_card'. Did you mean 'title'?",
        ),
        ({"completion_mode": "closed"}, "'completion_mode': expected 'open'"),
        (
            {"completion_criteria": {"max_turns": 3}},
            "'max_turns' belongs to 'turn_limited', and this episode is 'open'",
        ),
        ({"completion_mode": "turn_limited"}, "needs 'turn_budget', or 'max_turns'"),
        (
            {"completion_mode": "turn_limited", "turn_budget": 5, "completion_criteria": {"max_turns": 6}},
            "'turn_budget' is 5 and 'max_turns' is 6",
        ),
        ({"completion_mode": "objective"}, "needs 'objective_key'"),
        (
            {"completion_mode": "objective", "completion_criteria": {"objective_key": "done"}},
            "nothing can meet 'done'",
        ),
        (
            {"completion_mode": "beat_gated", "completion_criteria": {"required_beat": "climax"}},
            "'completion_criteria.required_beat': expected 'establishment'",
        ),
        ({"beats": [{"beat": "pivot", "detection": "keyword"}]}, "has no keywords"),
        ({"beats": [{"beat": "pivot", "target_turn": 5, "deadline": 3}]}, "has its deadline (3) before its target"),
        ({"beats": [{"beat": "pivot"}, {"beat": "complication"}]}, "in the order of the story"),
        ({"beats": [{"beat": "pivot"}, {"beat": "pivot"}]}, "only one contract"),
        ({"opening_line": "a", "opening_situation": "b"}, "exclude each other"),
        ({"evaluation": "mystery_progress"}, "there is none"),
        ({"tension": [0.2, 1.4]}, "levels go from 0 to 1"),
        (
            {
                "clue_ledger": {
                    "clues": [{"id": "key", "text": "x"}],
                    "suspects": [{"name": "Ida", "cleared_by": ["kee"]}],
                }
            },
            "is cleared by 'kee', which is no clue of this ledger. Did you mean 'key'?",
        ),
    ],
)
def test_what_cannot_be_played_is_refused_with_the_way_out(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidConfig) as error:
        template_from({**BASE, **changes})
    assert message in error.value.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name: [", "line 1, column 8"),
        ("- a\n- b", "found a list"),
        ("", "found nothing"),
        ("name: t", "'character' is missing"),
    ],
)
def test_a_file_that_is_no_episode_says_where(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidConfig) as error:
        read_template(tmp_path / "t.yaml")
    assert message in error.value.message


def test_a_series_knows_what_comes_before_and_after() -> None:
    series = Series(name="s", episodes=("one", "two", "three"))
    assert (series.after("one"), series.after("three"), series.after("nine")) == ("two", None, None)
    assert (series.before("two"), series.before("one"), series.number_of("three")) == ("one", None, 3)
    assert series_with("two", [series]) is series
    with pytest.raises(ValueError, match="twice"):
        Series(name="s", episodes=("one", "one"))


def test_the_flirt_test_ships_as_a_pack_of_five(tmp_path: Path) -> None:
    pack = named_pack(tmp_path, "flirt_archetype")
    assert [one.key for one in pack.archetypes] == [
        "tension_builder", "bold_mover", "playful_tease", "slow_burn", "mysterious_allure",
    ]  # fmt: skip
    assert known_packs(tmp_path) == ("flirt_archetype",)
    with pytest.raises(NotFound, match="Known here"):
        named_pack(tmp_path, "nothing")


def test_a_projects_own_pack_goes_before_the_one_that_ships(tmp_path: Path) -> None:
    (tmp_path / "evaluations").mkdir()
    (tmp_path / "evaluations" / "flirt_archetype.yaml").write_text(
        "question: q\narchetypes:\n"
        "  - {key: a, title: A, meaning: m, description: d}\n  - {key: b, title: B, meaning: m, description: d}\n",
        encoding="utf-8",
    )
    assert [one.key for one in named_pack(tmp_path, "flirt_archetype").archetypes] == ["a", "b"]


@pytest.mark.parametrize("project", ["the-flirt-test", "the-missing-ledger", "the-night-porter"])
def test_a_template_that_was_written_down_is_read_again(project: str) -> None:
    examples = Path(__file__).parents[2] / "examples" / project
    for name in known_templates(examples):
        template = named_template(examples, name)
        assert EpisodeTemplate.model_validate_json(template.model_dump_json()) == template


@pytest.mark.parametrize("folder", ["episodes", "series"])
def test_two_files_that_give_themselves_one_name_are_not_listed_as_one(folder: str, tmp_path: Path) -> None:
    text = "name: cliff\n" + ("character: alice\n" if folder == "episodes" else "episodes: [night]\n")
    (tmp_path / folder).mkdir()
    for name in ("cliff", "copy", "older"):
        (tmp_path / folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    found = all_templates(tmp_path) if folder == "episodes" else all_series(tmp_path)
    assert [one.name for one in found.values] == ["cliff"]
    assert [(one.name, one.problem) for one in found.unreadable] == [
        (name, f"{folder}/{name}.yaml: its name is '{name}'; 'name: cliff' would be another.")
        for name in ("copy", "older")
    ]
    named = named_template if folder == "episodes" else named_series
    with pytest.raises(InvalidConfig, match="its name is 'copy'"):
        named(tmp_path, "copy")
