"""A judge's answer, accepted only as far as its quotes are in the transcript."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pydantic import Field

from dramaturg.kernel.text.quotes import find_quote
from dramaturg.kernel.text.words import words
from dramaturg.kernel.values import Value
from dramaturg.scenes.director.goals import Goal


class GoalClaim(Value):
    """What the judge says of one sub-goal."""

    id: int = Field(description="number of the sub-goal")
    met: bool = Field(description="true only if a line in the transcript shows it")
    quote: str = Field("", description="the exact words that show it, copied from one line")
    speaker: str = Field("", description="who says these words")


class Judgement(Value):
    """The form a judge fills in."""

    goals: tuple[GoalClaim, ...] = Field(description="one entry for every sub-goal")
    confidence: float = Field(0.0, ge=0, le=1, description="how sure you are, 0 to 1")
    natural_end: bool = Field(False, description="the talk has come to rest and nothing is left to say")


class Evidence(Value):
    """A sub-goal that is met, and the words that met it."""

    goal: int
    quote: str
    speaker: str


class RefusedClaim(Value):
    """A claim that does not count, and why."""

    goal: int
    quote: str
    reason: str


class Verdict(Value):
    """The result after the quotes were checked. `met` includes the results of earlier verdicts."""

    met: tuple[Evidence, ...] = ()
    refused: tuple[RefusedClaim, ...] = ()
    progress: float = 0.0
    confidence: float = 0.0
    natural_end: bool = False

    @property
    def complete(self) -> bool:
        return self.progress >= 1.0


class QuotableLine(NamedTuple):
    """A line as the judge may quote it."""

    speaker: str
    text: str


def check_judgement(
    judgement: Judgement, goals: Sequence[Goal], lines: Sequence[QuotableLine], before: Iterable[Evidence] = ()
) -> Verdict:
    """Keep the claims whose quote is in a line of the speaker it names; refuse the rest, with a reason.

    A goal once met stays met: its words were said.
    """
    met: dict[int, Evidence] = {evidence.goal: evidence for evidence in before}
    refused: list[RefusedClaim] = []
    known = {goal.id for goal in goals}
    for claim in judgement.goals:
        if not claim.met or claim.id in met:
            continue
        reason = "no such sub-goal" if claim.id not in known else _why_not(claim, lines)
        if reason:
            refused.append(RefusedClaim(goal=claim.id, quote=claim.quote, reason=reason))
        else:
            met[claim.id] = Evidence(goal=claim.id, quote=claim.quote, speaker=claim.speaker)
    return Verdict(
        met=tuple(met[number] for number in sorted(met)),
        refused=tuple(refused),
        progress=len(met) / len(goals) if goals else 0.0,
        confidence=judgement.confidence,
        natural_end=judgement.natural_end,
    )


def _why_not(claim: GoalClaim, lines: Sequence[QuotableLine]) -> str | None:
    if not words(claim.quote):
        return "no quote"
    speakers = [lines[at].speaker for at in find_quote(claim.quote, (line.text for line in lines))]
    if not speakers:
        return "the quote is not in the transcript"
    if claim.speaker and words(claim.speaker) not in {words(speaker) for speaker in speakers}:
        return f"the words are {speakers[0]}'s, not {claim.speaker}'s"
    return None


def unmet(goals: Sequence[Goal], verdict: Verdict) -> tuple[Goal, ...]:
    """The sub-goals still open."""
    met: Mapping[int, Evidence] = {evidence.goal: evidence for evidence in verdict.met}
    return tuple(goal for goal in goals if goal.id not in met)
