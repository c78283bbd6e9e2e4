"""What a judge claims of a scene, and what is kept of it: only what the scene's own words bear out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from dramaturg.kernel.text.quotes import find_quote
from dramaturg.kernel.values import Value

Dimension = Literal[
    "voice_authenticity", "prose_quality", "beat_compliance", "character_consistency", "continuity"
]  # fmt: skip
QUESTIONS: Mapping[Dimension, str] = {
    "voice_authenticity": "Is this the narrator of this book, as the gold standard sounds?",
    "prose_quality": "Is the prose clear, particular and free of the book's anti-patterns?",
    "beat_compliance": "Does the scene do what its beat asks of it?",
    "character_consistency": "Do the characters act and speak as the people that the book says they are?",
    "continuity": "Does the scene agree with the facts, and keep the promises it should keep?",
}
Band = Literal["strong", "sound", "uneven", "weak"]
FEWEST_WORDS = 3
"""A quotation of fewer words proves nothing."""
MOST_EVIDENCE = 6
MOST_ISSUES = 12
LONGEST = 400


def _lower(value: object) -> object:
    return value.strip().strip("`*\"'.").lower() if isinstance(value, str) else value


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


class _Claim(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", str_strip_whitespace=True)


class IssueClaim(_Claim):
    quote: str = ""
    issue: str = ""


class DimensionClaim(_Claim):
    """A judge's answer about one dimension."""

    band: Annotated[Literal["strong", "sound", "uneven", "weak", "abstain"], BeforeValidator(_lower)]
    because: str = ""
    evidence: Annotated[tuple[str, ...], BeforeValidator(_listed)] = ()
    issues: tuple[IssueClaim, ...] = ()


class Evidence(Value):
    """Words of the scene, and the paragraph they stand in, from 1."""

    paragraph: int
    quote: str


class SceneIssue(Value):
    """Something that could be mended, with the words it is about."""

    dimension: str
    quote: str
    what: str


class DimensionScore(Value):
    """One dimension of a scene: a band with its evidence, or the reason why there is none."""

    dimension: Dimension
    state: Literal["scored", "abstained", "unscored"]
    band: Band | None = None
    because: str = ""
    evidence: tuple[Evidence, ...] = ()
    issues: tuple[SceneIssue, ...] = ()
    doubted: int = Field(0, description="quotations that stand nowhere in the scene")


def check_claim(dimension: Dimension, claim: DimensionClaim, paragraphs: Sequence[str]) -> DimensionScore:
    """What holds of a claim. A band without a quotation that stands in the scene is no band."""
    quotes = [one for one in claim.evidence[:MOST_EVIDENCE] if one]
    evidence = [found for quote in quotes if (found := _evidence(quote, paragraphs)) is not None]
    named = [one for one in claim.issues[:MOST_ISSUES] if one.quote and one.issue]
    issues = [
        SceneIssue(dimension=dimension, quote=one.quote[:LONGEST], what=one.issue[:LONGEST])
        for one in named
        if _evidence(one.quote, paragraphs) is not None
    ]
    doubted = len(quotes) - len(evidence) + len(named) - len(issues)
    because = claim.because[:LONGEST]
    if claim.band == "abstain":
        return DimensionScore(dimension=dimension, state="abstained", because=because, doubted=doubted)
    if not evidence:
        why = "None of the judge's quotations stands in the scene." if quotes else "The judge quoted nothing."
        return unscored(dimension, why).model_copy(update={"doubted": doubted})
    return DimensionScore(
        dimension=dimension,
        state="scored",
        band=claim.band,
        because=because,
        evidence=tuple(evidence),
        issues=tuple(issues),
        doubted=doubted,
    )


def unscored(dimension: Dimension, why: str) -> DimensionScore:
    return DimensionScore(dimension=dimension, state="unscored", because=why[:LONGEST])


def abstained(dimension: Dimension, why: str) -> DimensionScore:
    return DimensionScore(dimension=dimension, state="abstained", because=why)


def _evidence(quote: str, paragraphs: Sequence[str]) -> Evidence | None:
    found = find_quote(quote[:LONGEST], paragraphs, fewest=FEWEST_WORDS)
    return Evidence(paragraph=found[0] + 1, quote=" ".join(quote[:LONGEST].split())) if found else None
