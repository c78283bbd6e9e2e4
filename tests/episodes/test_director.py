"""The director: beats, signals, tension, completion and pacing, by rules over values."""

from __future__ import annotations

import pytest

from dramaturg.episodes.director import PlayerExchange, direct, observe, pace
from dramaturg.episodes.events import Findings, QuotedFinding
from dramaturg.episodes.story_beats import StoryBeat, beat_by_turn
from dramaturg.episodes.template import EpisodeTemplate, template_from


def template(**changes: object) -> EpisodeTemplate:
    return template_from({"name": "t", "character": "mina", **changes})


def talk(*said: str, answered: str = "Mm.") -> list[PlayerExchange]:
    return [PlayerExchange(f"m{number}", text, answered) for number, text in enumerate(said, start=1)]


@pytest.mark.parametrize(
    ("turn", "budget", "beat"),
    [(0, 8, "establishment"), (2, 8, "complication"), (4, 8, "escalation"), (6, 8, "pivot"), (8, 8, "resolution")],
)
def test_a_beat_by_the_position_of_the_turn(turn: int, budget: int, beat: str) -> None:
    assert beat_by_turn(turn, budget) == beat


@pytest.mark.parametrize("budget", [None, 0, -3])
def test_without_a_budget_the_beats_come_all_the_same_and_reach_the_resolution(budget: int | None) -> None:
    assert [beat_by_turn(turn, budget).value for turn in (0, 3, 6, 9, 11, 500)] == [
        "establishment", "complication", "escalation", "pivot", "resolution", "resolution",
    ]  # fmt: skip


def test_beats_that_are_passed_are_completed() -> None:
    state = direct(template(turn_budget=8), talk(*"abcd"))
    assert state.current_beat == "escalation"
    assert state.beats_completed == ("establishment", "complication")


def test_a_turn_limit_completes_at_its_turn_and_stays_completed() -> None:
    limited = template(completion_mode="turn_limited", turn_budget=3)
    assert direct(limited, talk("a", "b")).completion_trigger is None
    assert direct(limited, talk("a", "b", "c")).completion_trigger == "turn_limit"
    later = direct(limited, talk("a", "b", "c", "d"))
    assert (later.completion_trigger, later.completed_turn, later.turn_count) == ("turn_limit", 3, 4)


def test_an_open_episode_never_completes() -> None:
    assert direct(template(), talk(*"abcdefghijklmnop")).completion_trigger is None


def test_a_gate_opens_when_its_beat_is_played_by_its_keyword() -> None:
    gated = template(
        completion_mode="beat_gated",
        turn_budget=20,
        completion_criteria={"required_beat": "pivot"},
        beats=[{"beat": "pivot", "detection": "keyword", "keywords": ["two keys"], "deadline": 12}],
    )
    assert direct(gated, talk("Tell me.", "More.")).completion_trigger is None
    state = direct(gated, talk("Tell me.", "So there are TWO KEYS?"))
    assert state.completion_trigger == "beat_complete"
    assert state.mark(StoryBeat.PIVOT).by == "keyword"
    assert state.mark(StoryBeat.PIVOT).quote == "two keys"


def test_a_gate_with_resolution_waits_for_it() -> None:
    gated = template(completion_mode="beat_gated", turn_budget=8, completion_criteria={"require_resolution": True})
    assert direct(gated, talk(*"abcdefg")).completion_trigger is None
    assert direct(gated, talk(*"abcdefgh")).completion_trigger == "beat_complete"


def test_a_gate_whose_words_never_come_opens_after_its_deadline() -> None:
    gated = template(
        completion_mode="beat_gated",
        completion_criteria={"required_beat": "complication"},
        beats=[{"beat": "complication", "detection": "keyword", "keywords": ["never said"], "deadline": 3}],
    )
    assert direct(gated, talk(*"abc")).completion_trigger is None
    state = direct(gated, talk(*"abcde"))
    assert state.mark(StoryBeat.COMPLICATION).by == "deadline"
    assert state.completion_trigger == "beat_complete"


def test_a_model_moves_the_story_only_where_the_template_lets_it() -> None:
    found = Findings(beat=QuotedFinding(name="pivot", quote="say it"))
    exchange = PlayerExchange("m1", "say it", "no", findings=found)
    assert direct(template(beat_detection="model"), [exchange]).current_beat == "pivot"
    assert direct(template(beat_detection="heuristic"), [exchange]).current_beat == "establishment"


def test_an_objective_is_met_by_keyword_by_choice_or_by_a_models_finding() -> None:
    objective = template(
        completion_mode="objective",
        completion_criteria={"objective_key": "accused", "keywords": ["it was you"], "met_when": "the player accuses"},
    )
    assert direct(objective, talk("It was not you")).completion_trigger is None
    assert direct(objective, talk("IT WAS YOU!")).completion_trigger == "objective_met"
    assert direct(objective, [PlayerExchange("m1", "x", "y", flags=("accused",))]).completion_trigger == "objective_met"
    found = Findings(flags=(QuotedFinding(name="accused", quote="x"),))
    assert direct(objective, [PlayerExchange("m1", "x", "y", findings=found)]).flags == {"accused": True}
    # The character's own words accuse nobody.
    assert direct(objective, talk("Who?", answered="It was you.")).completion_trigger is None


def test_signals_are_counted_once_an_exchange_whoever_saw_them() -> None:
    found = Findings(signals=(QuotedFinding(name="playful", quote="haha"), QuotedFinding(name="warm", quote="haha")))
    state = direct(template(), [PlayerExchange("m1", "haha, dare you ;)", "y", findings=found), *talk("haha")])
    assert state.user_signals["playful"] == 2
    assert state.user_signals["warm"] == 1


def test_tension_is_smoothed_and_stays_between_nothing_and_everything() -> None:
    loud = [
        PlayerExchange(f"m{n}", "LIAR! I hate you! Never!", "Get out!", mood="furious", shift=1.0) for n in range(5)
    ]
    curve = direct(template(), [*talk("Thank you, dear."), *loud]).tension_curve
    assert all(0 <= level <= 1 for level in curve)
    assert list(curve) == sorted(curve)
    assert curve[1] - curve[0] < 0.5


def test_the_director_prefers_to_hold_and_says_why() -> None:
    decided = pace(template(turn_budget=12), direct(template(turn_budget=12), talk("Hello.")))
    assert decided.note == ""
    assert decided.reason.startswith("hold")


def test_a_beat_that_is_due_is_asked_for_and_at_its_deadline_insisted_on() -> None:
    due = template(
        turn_budget=12,
        beats=[
            {
                "beat": "complication",
                "instruction": "Mention the letter.",
                "target_turn": 2,
                "deadline": 4,
                "detection": "keyword",
                "keywords": ["letter"],
            }
        ],
    )
    assert pace(due, direct(due, [])).note == ""
    assert pace(due, direct(due, talk("a"))).note == "Mention the letter."
    assert pace(due, direct(due, talk("a", "b", "c"))).note == "Do this now: Mention the letter."
    assert pace(due, direct(due, talk("a", "the letter?", "c"))).note == ""


def test_the_last_turn_is_told_to_land() -> None:
    limited = template(completion_mode="turn_limited", turn_budget=4)
    assert "last exchange" in pace(limited, direct(limited, talk("a", "b", "c"))).note
    assert "one exchange left" in pace(limited, direct(limited, talk("a", "b"))).note
    assert pace(limited, direct(limited, talk("a", "b", "c", "d"))).reason == "hold: the episode is complete"


def test_a_farewell_or_a_fading_talk_is_a_pause() -> None:
    assert direct(template(), talk("Tell me more about it.", "I have to go. Good night!")).pausing
    assert direct(template(), talk("Mm.", "...", "Ok.")).pausing
    assert not direct(template(), talk("Mm.", "...")).pausing
    assert not direct(template(), talk("I wanted to see you again tonight.")).pausing


def test_a_look_takes_no_model_and_depends_on_the_exchange_alone() -> None:
    one = PlayerExchange("m7", "Maybe... I guess?", "She waits.", mood="calm")
    assert observe(template(), one) == observe(template(), one)
    assert observe(template(), one).signals == ("hesitant",)


def test_a_talk_is_judged_the_same_whatever_was_judged_before() -> None:
    """One exchange more is one step more; other words at the same place begin from what is the same."""
    template = template_from({"name": "t", "character": "mina", "completion_mode": "turn_limited", "turn_budget": 6})
    talk = [PlayerExchange(f"m{number}", f"I dare you, number {number}!", "Hm.") for number in range(1, 7)]
    step_by_step = [direct(template, talk[:length]) for length in range(7)]
    again = template_from(template.model_dump())
    assert [direct(again, talk[:length]) for length in reversed(range(7))][::-1] == step_by_step
    edited = [*talk[:2], PlayerExchange("m3", "Goodbye.", "Hm."), *talk[3:]]
    assert direct(template, edited) == direct(again.model_copy(), edited)
    assert direct(template, edited) != step_by_step[-1]
