"""A judge is believed only as far as its quotes go."""

from dramaturg.scenes.director.evidence import QuotableLine
from dramaturg.scenes.director.goals import split_goal
from dramaturg.scenes.director.verdict import Evidence, Judgement, check_judgement

GOALS = split_goal("Bob apologizes, Alice accepts", ("Alice", "Bob"))
LINES = (
    QuotableLine("Bob", "Look, I’m truly sorry — I should have called."),
    QuotableLine("Alice", "I accept your apology."),
)


def judged(*claims: dict[str, object], before: tuple[Evidence, ...] = ()) -> tuple[set[int], list[str]]:
    verdict = check_judgement(Judgement.model_validate({"goals": claims}), GOALS, LINES, before)
    return {evidence.goal for evidence in verdict.met}, [claim.reason for claim in verdict.refused]


def test_a_quote_counts_whatever_its_punctuation_and_apostrophes() -> None:
    assert judged({"id": 1, "met": True, "quote": "I'm truly sorry, I should have called", "speaker": "Bob"}) == (
        {1},
        [],
    )


def test_a_quote_that_nobody_said_is_refused() -> None:
    met, reasons = judged({"id": 1, "met": True, "quote": "I apologize deeply", "speaker": "Bob"})
    assert (met, reasons) == (set(), ["the quote is not in the transcript"])


def test_half_a_word_is_not_a_quote() -> None:
    assert judged({"id": 1, "met": True, "quote": "ruly sor", "speaker": "Bob"})[0] == set()


def test_the_words_of_another_do_not_count() -> None:
    met, reasons = judged({"id": 2, "met": True, "quote": "I accept your apology", "speaker": "Bob"})
    assert (met, reasons) == (set(), ["the words are Alice's, not Bob's"])


def test_a_claim_without_a_quote_is_refused() -> None:
    assert judged({"id": 1, "met": True, "quote": " … ", "speaker": "Bob"}) == (set(), ["no quote"])


def test_a_sub_goal_that_does_not_exist_is_refused() -> None:
    assert judged({"id": 7, "met": True, "quote": "I accept", "speaker": "Alice"}) == (
        set(),
        ["no such sub-goal"],
    )


def test_what_was_shown_before_stays_shown() -> None:
    before = (Evidence(goal=1, quote="sorry", speaker="Bob"),)
    assert judged({"id": 1, "met": False}, before=before) == ({1}, [])


def test_all_sub_goals_met_is_complete() -> None:
    claims = [
        {"id": 1, "met": True, "quote": "I'm truly sorry", "speaker": "Bob"},
        {"id": 2, "met": True, "quote": "I accept", "speaker": "Alice"},
    ]
    verdict = check_judgement(Judgement.model_validate({"goals": claims}), GOALS, LINES)
    assert verdict.complete
    assert verdict.progress == 1.0


def test_words_count_when_the_judge_names_their_speaker_by_a_name_that_two_share() -> None:
    cast = ("Anna Kay", "Seán O’Brien", "Anna Berg")
    goals = split_goal("Anna Kay admits the mistake, Seán O’Brien forgives her", cast)
    lines = (QuotableLine("Anna Kay", "I admit the mistake."), QuotableLine("Seán O’Brien", "I forgive you, Anna."))
    claims = [
        {"id": 1, "met": True, "quote": "I admit the mistake", "speaker": "Anna"},
        {"id": 2, "met": True, "quote": "I forgive you, Anna", "speaker": "Sean O'Brien"},
    ]
    verdict = check_judgement(Judgement.model_validate({"goals": claims}), goals, lines, (), cast=cast)
    assert {evidence.goal for evidence in verdict.met} == {1, 2}
