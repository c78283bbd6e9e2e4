"""A judge's scores: only what is quoted counts, and what is unscored stays unscored."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dramaturg.model_notes.scene_text import scene_text
from dramaturg.workshop.calibration.tournament.cells import cells_of, companies
from dramaturg.workshop.calibration.tournament.passage import flaw_of
from dramaturg.workshop.calibration.tournament.scores import (
    DIMENSIONS,
    CompanyClaims,
    PassageClaims,
    Scorecard,
    ScoreClaim,
    check_claims,
    judged,
)

TEXT = "The ferry left at six. Ruth counted the crates, then counted them again."


def claim(dimension: str = "rhythm", score: float = 6.0, quote: str = "counted them again") -> ScoreClaim:
    return ScoreClaim(dimension=dimension, score=score, reason="It repeats.", quote=quote)


def card(*claims: ScoreClaim, passage: str = "P1") -> Scorecard:
    said = CompanyClaims(passages=(PassageClaims(passage=passage, scores=claims),))
    (found,) = check_claims(said, [3], {3: TEXT}, 1)
    return found


def test_a_score_with_a_true_quote_counts() -> None:
    (score,) = card(claim(quote="Ruth counted the crates … again")).scores
    assert (score.dimension, score.score) == ("rhythm", 6.0)


def test_a_quote_that_is_not_in_the_passage_or_too_short_does_not_count() -> None:
    for quote in ("counted them twice", "", "   ", "crates", "the"):
        found = card(claim(quote=quote))
        assert not found.scores
        assert found.refused[0].dimension == "rhythm"


def test_a_score_out_of_range_or_of_no_dimension_does_not_count() -> None:
    for score in (-1.0, 10.5, float("nan"), float("inf")):
        assert not card(claim(score=score)).scores
    assert card(claim(dimension="wit")) == Scorecard(cell=3, round=1)
    assert card(claim(dimension="Voice Authenticity")).scores


def test_a_passage_that_the_judge_forgot_is_unscored() -> None:
    assert card(claim(), passage="P2") == Scorecard(cell=3, round=1)


def test_two_rounds_make_a_mean_and_a_distance() -> None:
    cards = [card(*(claim(name, score) for name in DIMENSIONS)) for score in (4.0, 7.0)]
    found = judged(3, cards)
    assert (found.overall, found.dimensions[0].apart, found.dimensions[0].seen) == (5.5, 3.0, 2)


@given(st.sets(st.sampled_from(sorted(DIMENSIONS))), st.floats(0, 10))
def test_unscored_stays_unscored(scored: set[str], score: float) -> None:
    found = judged(3, [card(*(claim(name, score) for name in scored))])
    assert {one.dimension for one in found.dimensions if one.score is not None} == scored
    assert (found.overall is None) == (scored != set(DIMENSIONS))
    assert judged(4, [card(*(claim(name, score) for name in scored))]).overall is None


@given(st.integers(1, 26), st.integers(0, 50))
def test_every_passage_is_seen_twice_and_in_other_company_where_there_are_enough(count: int, seed: int) -> None:
    seen = companies(range(1, count + 1), seed)
    for cell in range(1, count + 1):
        groups = [one for one in seen if cell in one.cells]
        assert [one.round for one in groups] == [1, 2]
        assert all(len(one.cells) <= 4 for one in groups)
        if count >= 4:
            assert set(groups[0].cells) != set(groups[1].cells)
    assert len({one.key for one in seen}) == len(seen)


def test_nobody_is_judged_where_nobody_has_written() -> None:
    assert companies([], 1) == ()


def test_the_cells_are_every_agent_with_every_strategy() -> None:
    cells = cells_of(["a", "b"], ["ACTION", "DIALOGUE"])
    assert [(one.number, one.agent, one.strategy) for one in cells] == [
        (1, "a", "ACTION"), (2, "a", "DIALOGUE"), (3, "b", "ACTION"), (4, "b", "DIALOGUE"),
    ]  # fmt: skip


def test_a_passage_loses_its_wrapping_and_nothing_else() -> None:
    prose = "Rain fell.\n\n“No,” said Ruth.\n\n" + "She walked on. " * 40
    for text in (
        prose,
        f"<think>A plan.</think>\n{prose}",
        f"```text\n{prose.strip()}\n```",
        f"Here is the passage:\n\n{prose}",
        f"**Ruth at the quay**\n\n{prose}",
        f"# Ruth\n\n{prose}",
        f"{prose}\n\n(Word count: 128)",
        f"{prose}\n\n---\n\nLet me know if you want changes!",
    ):
        assert scene_text(text) == prose.strip(), text[:40]
    assert scene_text("<think>never closed " + prose) == ""


def test_a_refusal_is_no_passage() -> None:
    assert "no passage" in flaw_of(scene_text("I cannot help with that."))
    assert flaw_of(" ".join(["word"] * 60)) == ""


@given(st.text(max_size=500))
def test_any_answer_has_a_passage_or_none(text: str) -> None:
    assert isinstance(scene_text(text), str)
