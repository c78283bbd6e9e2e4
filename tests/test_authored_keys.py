"""Keys that stand twice in what people write: an error with both places, never a silent choice."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.authored import LONGEST_KEY
from dramaturg.characters import load_card
from dramaturg.ensemble.ensemble import read_ensemble
from dramaturg.episodes.series import named_series
from dramaturg.episodes.template import named_template
from dramaturg.kernel.errors import CharacterLoadError, InvalidConfig, NotFound
from dramaturg.kernel.text.shortened import shortened
from dramaturg.kernel.text.yaml_json import MalformedTextError, parse_json, parse_yaml
from dramaturg.scenes.director.goals import split_goal
from dramaturg.scenes.scene import named_scene, scene_from
from dramaturg.workshop.book.pages import read_page

SCENE = "prompt: They talk.\ncharacters: [ann, ben]\n"


def written(project: Path, file: str, text: str) -> Path:
    path = project / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("file", "read"),
    [
        ("scenes/x.yaml", lambda project: named_scene(project, "x")),
        ("scenes/x.yml", lambda project: named_scene(project, "x")),
        ("episodes/x.yaml", lambda project: named_template(project, "x")),
        ("series/x.yaml", lambda project: named_series(project, "x")),
        ("ensemble.yaml", read_ensemble),
    ],
)
def test_a_key_that_stands_twice_is_refused_with_both_lines(tmp_path: Path, file: str, read: object) -> None:
    written(tmp_path, file, "name: x\nprompt: one\nname: y\n")
    with pytest.raises(InvalidConfig) as error:
        read(tmp_path)  # type: ignore[operator]
    assert error.value.message.startswith(f"{file}, line 3, column 1: 'name' stands twice, first in line 1; keep one")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n", "line 5, column 3: 'c' stands twice, first in line 3"),
        ("- {a: 1, b: 2, a: 3}", "line 1, column 16: 'a' stands twice, first in line 1"),
        ("1: a\n'1': b\n", "line 2, column 1: '1' stands twice, first in line 1"),
        ('"a": 1\na: 2\n', "line 2, column 1: 'a' stands twice"),
    ],
)
def test_it_is_found_at_any_depth_and_in_any_spelling(text: str, place: str) -> None:
    with pytest.raises(MalformedTextError) as error:
        parse_yaml(text)
    assert place in str(error.value)


def test_one_key_in_two_places_is_fine_and_so_is_what_a_merge_overrides() -> None:
    assert parse_yaml("a: {c: 1}\nb: {c: 2}\n") == {"a": {"c": 1}, "b": {"c": 2}}
    merged = parse_yaml("a: &a {c: 1}\nb: &b {<<: *a, c: 2}\nd: {<<: [*a, *b], c: 3}\n")
    assert merged == {"a": {"c": 1}, "b": {"c": 2}, "d": {"c": 3}}


@pytest.mark.parametrize("text", ['{"a": 1,\n "a": 2}', '{\n\t"b": {"a": 1, "a": 1}}'])
def test_json_is_read_as_strictly(text: str) -> None:
    with pytest.raises(MalformedTextError, match="'a' stands twice"):
        parse_json(text)


def test_the_front_matter_of_a_card_is_read_as_strictly(tmp_path: Path) -> None:
    written(tmp_path, ".claude/agents/ann.md", "---\nname: Ann\nvoice: low\nvoice: high\n---\nShe waits.\n")
    with pytest.raises(CharacterLoadError) as error:
        load_card(tmp_path, "ann")
    assert "line 4, column 1: 'voice' stands twice, first in line 3; keep one of the two" in error.value.message


def test_the_front_matter_of_a_page_is_read_as_strictly() -> None:
    with pytest.raises(InvalidConfig, match="in line 3: 'a' stands twice, first in line 2"):
        read_page("world/x.md", "---\na: 1\na: 2\n---\n# X\n")


@pytest.mark.parametrize(
    ("raw", "both"),
    [
        ({"maxBeats": 3, "max_beats": 5}, "'maxBeats' and 'max_beats'"),
        ({"initialSpeaker": "ann", "initial_speaker": "ben"}, "'initialSpeaker' and 'initial_speaker'"),
    ],
)
def test_two_spellings_of_one_key_are_refused(raw: dict[str, object], both: str) -> None:
    scene = {"name": "x", "prompt": "They talk.", "characters": ["ann", "ben"]}
    with pytest.raises(InvalidConfig, match=f"scene: {both} are the same key. Keep one of the two."):
        scene_from({**scene, **raw})


def test_a_goal_beside_the_goal_in_the_prompt_is_refused(tmp_path: Path) -> None:
    written(tmp_path, "scenes/x.yaml", f"{SCENE}goal: Ann leaves\n".replace("talk.", "talk. Scene goal - Ben stays"))
    assert named_scene(tmp_path, "x").goal == "Ann leaves"
    text = 'prompt: "They talk. Scene goal: Ben stays"\ncharacters: [ann, ben]\ngoal: Ann leaves\n'
    written(tmp_path, "scenes/x.yaml", text)
    with pytest.raises(InvalidConfig) as error:
        named_scene(tmp_path, "x")
    assert error.value.message == (
        "scenes/x.yaml: the goal stands under 'goal:' and in the prompt too, after 'Scene goal:'. Keep one of the two."
    )


def test_a_list_of_more_goals_than_a_scene_can_have_is_refused_and_none_is_merged(tmp_path: Path) -> None:
    rows = [f"Ann hands over letter {number}" for number in range(1, 10)]
    for many, fits in ((8, True), (9, False)):
        written(tmp_path, "scenes/x.yaml", SCENE + "goal:\n" + "".join(f"  - {row}\n" for row in rows[:many]))
        if fits:
            scene = named_scene(tmp_path, "x")
            assert [one.text for one in split_goal(scene.goal or "", ["Ann", "Ben"])] == rows[:many]
        else:
            with pytest.raises(InvalidConfig, match="a list of 9, and a scene has at most 8 sub-goals"):
                named_scene(tmp_path, "x")


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ('[""]', "goal: entry 1 is empty. Write a sub-goal there, or leave it out."),
        ("\n  - Ann leaves\n  -\n", "goal: entry 2 is empty."),
        (
            "\n  - Ann leaves\n  - Ben: stays\n",
            "entry 2 is read as a key, because of its colon. Put the whole entry in quotes.",
        ),
        ("[Ann leaves, no]", "goal: entry 2 is no text."),
        ("[[Ann leaves]]", "goal: entry 1 is no text."),
        ('" . "', "the goal is empty. Write after 'Scene goal:', or under 'goal:', what the scene is to reach."),
        ("yes", "put the word in quotes"),
    ],
)
def test_a_goal_that_says_nothing_is_refused_with_its_entry(tmp_path: Path, goal: str, said: str) -> None:
    written(tmp_path, "scenes/x.yaml", f"{SCENE}goal: {goal}\n")
    with pytest.raises(InvalidConfig) as error:
        named_scene(tmp_path, "x")
    assert error.value.message.startswith("scenes/x.yaml: ")
    assert said in error.value.message


def test_a_key_as_long_as_a_novel_is_quoted_in_short(tmp_path: Path) -> None:
    written(tmp_path, "scenes/x.yaml", f"{SCENE}{'never ' * 100}again: 1\n")
    with pytest.raises(InvalidConfig) as error:
        named_scene(tmp_path, "x")
    assert f"'{shortened('never ' * 100, LONGEST_KEY)}' is not a key" in error.value.message


def test_a_mark_for_the_goal_with_nothing_behind_it_is_refused(tmp_path: Path) -> None:
    written(tmp_path, "scenes/x.yaml", 'prompt: "They talk. Scene goal: ."\ncharacters: [ann, ben]\n')
    with pytest.raises(InvalidConfig, match="the goal is empty"):
        named_scene(tmp_path, "x")


def test_a_scene_that_is_looked_for_in_a_folder_of_the_project_says_where_the_project_is(tmp_path: Path) -> None:
    written(tmp_path, "story/scenes/x.yaml", SCENE)
    with pytest.raises(NotFound, match="no scenes in scenes/scenes/; the project is the folder above, story/"):
        named_scene(tmp_path / "story" / "scenes", "x")
    with pytest.raises(NotFound, match="'dramaturg new DIR' makes a project with one"):
        named_scene(tmp_path, "x")
