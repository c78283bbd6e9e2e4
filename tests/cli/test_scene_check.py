"""`scene check`: what a scene would be played with, before anything is played."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.story import SCENE, new_story, rehearsed, typed

OWN = """
prompt: Iris has found a second signature.
goal:
  - Walter names a price of at least 300
  - Iris refuses
  - nobody touches the painting
characters: [iris, walter]
lines:
  - goal: 1
    say: |
      Walter [TO: Iris, TONE: light] "Shall we say a good deal of money?"
"""


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return new_story(tmp_path / "story")


def test_it_shows_the_cast_the_models_and_the_split_goal_and_plays_nothing(story: Path) -> None:
    shown = typed(story, "scene", "check", SCENE)
    assert "Iris" in shown
    assert "rehearsal" in shown
    assert "1. Walter confesses that he painted it" in shown
    assert "3. they agree on how to tell the museum" in shown
    assert "walk through" not in shown
    assert json.loads(typed(story, "scene", "check", SCENE, "--json"))["goals"][1]["shownBy"] == ["Iris"]
    assert "Nothing has been played" in typed(story, "runs", "list")


def test_it_says_what_is_missing_and_which_line_would_not_count(story: Path) -> None:
    (story / "scenes" / "own.yaml").write_text(OWN, encoding="utf-8")
    shown = " ".join(typed(story, "scene", "check", "own").split())
    assert "does not reach sub-goal 1: the number 300 is not said." in shown
    assert "The rehearsal company has no lines for sub-goal 2" in shown
    assert "3. nobody touches the painting (judged at the end)" in shown


def test_a_scene_without_a_goal_says_what_is_taken_for_it(story: Path) -> None:
    (story / "scenes" / "bare.yaml").write_text("prompt: They talk.\ncharacters: [iris, walter]\n", encoding="utf-8")
    assert "the whole prompt is taken as the goal" in " ".join(typed(story, "scene", "check", "bare").split())


def test_lines_that_cannot_be_played_are_refused_with_the_row(story: Path) -> None:
    (story / "scenes" / "own.yaml").write_text(OWN.replace("Walter [TO", "Zed [TO"), encoding="utf-8")
    assert "'Zed' is not in the cast" in typed(story, "scene", "check", "own", code=2)
    (story / "scenes" / "own.yaml").write_text(OWN.replace("goal: 1", "goal: 7"), encoding="utf-8")
    assert "sub-goal 7, and the goal has only 3" in typed(story, "scene", "check", "own", code=2)


def test_it_shows_every_word_that_each_character_is_told(story: Path) -> None:
    (story / "scenes" / "own.yaml").write_text(
        f"{OWN}parts:\n  walter:\n    secrets: [The lamp is borrowed.]\n  iris: {{leaves: 9}}\n", encoding="utf-8"
    )
    shown = typed(story, "scene", "check", "own", "--prompts")
    iris, walter = shown.split("=== Walter: the prompt")
    assert "=== Iris: the prompt (" in iris
    assert "Patient with objects, impatient with excuses" in iris
    assert "The lamp is borrowed." not in iris
    assert "The lamp is borrowed." in walter
    assert "You are Iris. Begin the scene." in iris
    assert "<what Iris opens with>" in walter
    assert "beats 0 to 8" in shown
    assert "=== Iris" not in typed(story, "scene", "check", "own")
    told = json.loads(typed(story, "scene", "check", "own", "--prompts", "--json"))["briefings"]
    assert [one["displayName"] for one in told] == ["Iris", "Walter"]
    assert "briefings" not in json.loads(typed(story, "scene", "check", "own", "--json"))


def test_what_is_shown_is_what_is_sent(story: Path) -> None:
    told = json.loads(typed(story, "scene", "check", SCENE, "--prompts", "--json", "--model", "rehearsal"))["briefings"]
    run = rehearsed(story)
    sent = typed(story, "runs", "why", run, "1", "--prompt")
    assert told[0]["system"].strip() in sent
    assert told[0]["firstCue"].strip() in sent


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("rehearsal", "costs nothing: the rehearsal company plays"),
        ("ollama/mistral:7b", "costs nothing: the models run here;"),
        ("anthropic/claude-sonnet-4-5", "about $"),
        ("openai/no-such-model", "unknown price (openai/no-such-model);"),
    ],
)
def test_the_price_is_a_range_or_said_to_be_unknown(
    story: Path, monkeypatch: pytest.MonkeyPatch, model: str, said: str
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "x")
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    shown = " ".join(typed(story, "scene", "check", SCENE, "--model", model).split())
    assert said in shown
    price = json.loads(typed(story, "scene", "check", SCENE, "--model", model, "--json"))["price"]
    assert price["lowTokens"] <= price["highTokens"]
    assert price["fewBeats"] <= price["mostBeats"] == 30
    assert (price["lowUsd"] is None) == bool(price["unknown"])


def test_a_model_is_not_priced_for_a_part_that_a_person_plays(story: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "x")
    (story / "scenes" / "own.yaml").write_text(OWN, encoding="utf-8")

    def price(*words: str) -> tuple[int, int]:
        found = json.loads(
            typed(story, "scene", "check", "own", "--model", "anthropic/claude-sonnet-4-5", "--json", *words)
        )
        return found["price"]["lowTokens"], found["price"]["highTokens"]

    both, one = price(), price("--as", "walter")
    assert one[0] < both[0]
    assert one[1] < both[1]
    assert "a person " in typed(story, "scene", "check", "own", "--as", "walter")
    parts = "parts:\n  walter: {played_by: person, else: model}\n"
    (story / "scenes" / "own.yaml").write_text(OWN + parts, encoding="utf-8")
    assert price() == (one[0], both[1])
    assert "a person, or" in typed(story, "scene", "check", "own", "--model", "rehearsal")
    assert "nobody" in typed(story, "scene", "check", "own", "--as", "nobody", code=2)


def test_a_field_of_a_card_that_nothing_reads_is_named(story: Path) -> None:
    card = story / ".claude/agents/iris.md"
    card.write_text(card.read_text(encoding="utf-8").replace("tempo:", "secret: a\ntempo:", 1), encoding="utf-8")
    shown = " ".join(typed(story, "scene", "check", SCENE).split())
    assert "The card of iris has a field 'secret', which nothing reads. Did you mean 'secrets'?" in shown


def test_what_comes_after_the_last_beat_is_named(story: Path) -> None:
    late = """prompt: They talk.
goal: Iris forgives Walter
characters: [walter, iris]
maxBeats: 6
events: [{beat: 5, text: A bell rings}, {beat: 6, text: A dog barks}]
parts: {iris: {enters: 9}}
"""
    (story / "scenes" / "late.yaml").write_text(late, encoding="utf-8")
    shown = " ".join(typed(story, "scene", "check", "late").split())
    assert "at beat 6 never does, because the last beat is 5 (maxBeats: 6): A dog barks" in shown
    assert "Iris is to enter at beat 9 and never does, because the last beat is 5 (maxBeats: 6)." in shown
    assert "A bell rings" not in shown


def test_a_budget_that_even_a_brisk_scene_exceeds_is_named(story: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "for the price alone")
    file, text = story / "scenes" / "own.yaml", f"{OWN}budget: {{tokens: 900, usd: 0.0001}}\n"
    file.write_text(text, encoding="utf-8")
    shown = " ".join(typed(story, "scene", "check", "own", "--model", "openai/gpt-4o").split())
    assert "budget of 900 tokens stops it: it needs at least about " in shown
    assert "budget of $0.0001 stops it: it needs at least about $0." in shown
    file.write_text(text.replace("900", "9_000_000").replace("0.0001", "50"), encoding="utf-8")
    assert "stops it" not in typed(story, "scene", "check", "own", "--model", "openai/gpt-4o")
