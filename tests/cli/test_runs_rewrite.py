"""`runs retake`, `choose`, `edit`, `strike`, and a fork with another card, goal or cast."""

import json
from pathlib import Path

import pytest

from tests.cli.story import SCENE, document, new_story, rehearsed, typed


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return new_story(tmp_path / "story")


def test_takes_are_asked_for_listed_and_chosen(story: Path) -> None:
    run = rehearsed(story)
    shown = typed(story, "runs", "retake", run, "6", "--takes", "2")
    assert [line[:8] for line in shown.splitlines()[:3]] == ["* take 1", "  take 2", "  take 3"]
    assert "achieved." in typed(story, "runs", "choose", run, "6", "2")
    listed = [json.loads(line) for line in typed(story, "runs", "choose", run, "6", "--json").splitlines()]
    assert (listed[0]["stands"], len(listed[0]["takes"])) == (2, 3)
    assert document(story)["metadata"]["revisions"][0]["how"] == "retaken"
    assert document(story)["metadata"]["goalAchieved"]


def test_an_edit_that_takes_the_confession_back_costs_the_goal_and_a_replay_shows_the_new_words(story: Path) -> None:
    run = rehearsed(story)
    shown = typed(story, "runs", "edit", run, "6", "I have never seen that canvas.")
    assert "Goal: not achieved (rewritten)." in shown
    assert "later lines answered the earlier words" in shown
    replayed = typed(story, "runs", "replay", run, "--speed", "0")
    assert "I have never seen that canvas." in replayed
    assert "That is my hand, Iris." not in replayed
    assert replayed.count("[SCENE END") == 1
    assert "edited by the author: take 2 of 2 stands" in typed(story, "runs", "why", run, "6")
    resumed = typed(story, "runs", "resume", run)
    assert "(the scene is played on)" in resumed
    assert document(story)["metadata"]["goalAchieved"]


def test_a_struck_line_is_gone_and_back_again(story: Path) -> None:
    run = rehearsed(story)
    before = document(story)["lines"]
    typed(story, "runs", "strike", run, "3")
    assert [line["number"] for line in document(story)["lines"]][:3] == [1, 2, 4]
    assert "struck by the author" in typed(story, "runs", "why", run, "3", code=2)
    typed(story, "runs", "choose", run, "3", "1")
    assert document(story)["lines"] == before


def test_playing_on_leaves_the_run_as_it_is(story: Path) -> None:
    run = rehearsed(story)
    before = typed(story, "runs", "show", run)
    shown = typed(story, "runs", "edit", run, "5", "Whose hand is that, Walter?", "--play-on")
    assert "(forked from run" in shown
    assert typed(story, "runs", "show", run) == before
    assert document(story, f"{SCENE}-2")["lines"][4]["content"] == "Whose hand is that, Walter?"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("edit", "99", "Yes."), "No line '99' in this run"),
        (("edit", "3", " "), "There are no words in this edit"),
        (("edit", "3", "[TONE: loud] Yes."), "An edit changes the words"),
        (("choose", "3", "7"), "Line 3 has no take 7"),
        (("strike", "99"), "No line '99'"),
    ],
)
def test_mistakes_are_refused_in_a_sentence(story: Path, words: tuple[str, ...], says: str) -> None:
    run = rehearsed(story)
    command, *rest = words
    shown = typed(story, "runs", command, run, *rest, code=2)
    assert says in shown
    assert "Traceback" not in shown


def test_a_fork_with_another_card_goal_and_cast(story: Path) -> None:
    run = rehearsed(story)
    card = story / "other.md"
    raw = (story / ".claude" / "agents" / "walter.md").read_text(encoding="utf-8")
    card.write_text(raw.replace("##", "## Temper\n- Quick to anger\n\n##", 1), encoding="utf-8")
    extra = ("--card", f"walter={card}", "--goal", "Walter says where the second canvas is.")
    shown = typed(story, "runs", "fork", run, "--beat", "3", *extra)
    fork = shown.split()[-1]
    assert "GOAL: Walter says where the second canvas is." in typed(story, "runs", "show", fork)
    assert "Quick to anger" in typed(story, "runs", "show", fork, "--debug", "--json")
    assert "names no card" in typed(story, "runs", "fork", run, "--beat", "3", "--card", "walter", code=2)
    assert "cannot be read" in typed(story, "runs", "fork", run, "--beat", "3", "--card", "walter=none.md", code=2)
    assert "needs 2 to 5" in typed(story, "runs", "fork", run, "--beat", "3", "--cast", "iris", code=2)
