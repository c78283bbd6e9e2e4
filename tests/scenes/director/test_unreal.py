"""Words that name the deed of a sub-goal show it only if their speaker does it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from dramaturg.scenes.director.evidence import QuotableLine
from dramaturg.scenes.director.goals import Goal
from dramaturg.scenes.director.verdict import GoalClaim, Judgement, Verdict, check_judgement

TABLE = yaml.safe_load((Path(__file__).parent / "unreal_deeds.yaml").read_text(encoding="utf-8"))


def rows(kind: str) -> list[tuple[str, str]]:
    return [(goal, text) for found in TABLE[kind].values() for goal, text in found]


def judged(goal: str, text: str) -> Verdict:
    """What a judge gets that takes these words of Ines for evidence."""
    claim = GoalClaim(id=1, met=True, quote=text, speaker="Ines")
    line = QuotableLine("Ines", text, 1)
    return check_judgement(Judgement(goals=(claim,)), (Goal(id=1, text=goal),), [line], cast=TABLE["cast"])


@pytest.mark.parametrize(("goal", "text"), rows("unreal"))
def test_words_whose_speaker_does_not_do_the_deed_do_not_show_it(goal: str, text: str) -> None:
    assert judged(goal, text).refused[0].reason.startswith("the words ")


@pytest.mark.parametrize(("goal", "text"), rows("real"))
def test_a_deed_counts_whatever_is_wished_reported_or_promised_beside_it(goal: str, text: str) -> None:
    assert judged(goal, text).met


@pytest.mark.parametrize(
    ("goal", "text", "reason"),
    [
        ("Ines returns the ring", "I'd have returned the ring.", "the words only suppose what the sub-goal asks for"),
        (
            "Ines returns the ring",
            "I should have returned the ring.",
            "the words only say that it should have been done",
        ),
        (
            "Ines returns the ring",
            "I nearly returned the ring.",
            "the words only say that it was tried, wanted or nearly done",
        ),
        ("Ines returns the ring", "They say I returned the ring.", "the words only tell what others say or want"),
        ("Ines returns the ring", "You returned the ring.", "the words say it of somebody else"),
        (
            "Ines returns the ring",
            "I'll return the ring tomorrow.",
            "the words only announce what the sub-goal asks for",
        ),
        (
            "Ines returns the ring",
            "I'll return the ring as soon as you go.",
            "the words make it depend on something else",
        ),
        (
            "Ines refuses to return the ring",
            "I'll return the ring.",
            "the words do or say the opposite of what the sub-goal asks for",
        ),
        (
            "Ines repairs the clock",
            "Ich kann die alte Uhr nicht richten.",
            "the words are in another language than the sub-goal, and whether they do what it asks for cannot be told",
        ),
    ],
)
def test_the_reason_says_what_is_missing(goal: str, text: str, reason: str) -> None:
    assert judged(goal, text).refused[0].reason == reason


@pytest.mark.parametrize("text", ["Hello, police? Come quickly.", "Adieu, police, I have no more to say."])
def test_one_borrowed_word_makes_no_other_language(text: str) -> None:
    assert judged("Ines calls the police", text).met
