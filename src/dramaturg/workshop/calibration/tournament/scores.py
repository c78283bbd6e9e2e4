"""Scores of a judge: what counts of its answer, and what two rounds of them come to. Unscored stays unscored."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

from pydantic import Field

from dramaturg.kernel.text.quotes import is_quoted
from dramaturg.kernel.values import Value, WireValue

DIMENSIONS: Mapping[str, str] = {
    "voice_authenticity": "voice authenticity: does somebody speak here whom one would know again?",
    "prose_quality": "prose quality: is every sentence needed, and says what it means?",
    "character_depth": "character depth: is there somebody in it who is more than their task?",
    "dialogue": "dialogue: do people say what only they would say, and keep something back?",
    "rhythm": "rhythm: do sentences and paragraphs move as the moment does?",
    "originality": "originality: is there anything in it that another would not have written?",
}
LOWEST, HIGHEST = 0.0, 10.0
FEWEST_QUOTED = 3
LONGEST_REASON = 400
_NUMBER = re.compile(r"\d{1,3}")


class ScoreClaim(Value):
    """What a judge says of one dimension."""

    dimension: str
    score: float = Field(allow_inf_nan=True)  # one score that is no number costs itself, not what is said of the rest
    reason: str = ""
    quote: str = Field("", description="the exact words of the passage that made the score")


class PassageClaims(Value):
    """What a judge says of one passage."""

    passage: str = Field(description="P1, P2 …")
    scores: tuple[ScoreClaim, ...]


class CompanyClaims(Value):
    """The form that a judge fills in."""

    passages: tuple[PassageClaims, ...]


class DimensionScore(Value):
    """A score that counts, with the words of the passage that it rests on."""

    dimension: str
    score: float
    reason: str
    quote: str


class RefusedScore(Value):
    """A score that does not count, and why."""

    dimension: str
    reason: str


class Scorecard(Value):
    """What one company's judge says of one passage, as far as it counts."""

    cell: int
    round: int
    scores: tuple[DimensionScore, ...] = ()
    refused: tuple[RefusedScore, ...] = ()


class JudgedDimension(WireValue):
    """One dimension of a passage over both rounds. `score` is null if it is unscored."""

    dimension: str
    score: float | None = None
    seen: int = Field(0, description="rounds whose score counts")
    apart: float | None = Field(None, description="how far the rounds are apart")
    reasons: tuple[str, ...] = ()
    quotes: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


class JudgedPassage(WireValue):
    """A passage as it was judged. `overall` is null unless all six dimensions are scored."""

    cell: int
    dimensions: tuple[JudgedDimension, ...]
    overall: float | None = None

    @property
    def is_scored(self) -> bool:
        return self.overall is not None


def check_claims(claims: CompanyClaims, cells: Sequence[int], texts: Mapping[int, str], round_: int) -> list[Scorecard]:
    """One card for each passage of a company, in its order. Never raises."""
    cards = []
    for place, cell in enumerate(cells, start=1):
        said = next((one for one in claims.passages if _place(one.passage) == place), None)
        cards.append(_card(said.scores if said else (), cell, texts.get(cell, ""), round_))
    return cards


def judged(cell: int, cards: Iterable[Scorecard]) -> JudgedPassage:
    """What the rounds come to for one passage."""
    own = [card for card in cards if card.cell == cell]
    dimensions = tuple(_joined(name, own) for name in DIMENSIONS)
    scores = [one.score for one in dimensions if one.score is not None]
    overall = round(sum(scores) / len(scores), 2) if len(scores) == len(DIMENSIONS) else None
    return JudgedPassage(cell=cell, dimensions=dimensions, overall=overall)


def _joined(name: str, cards: Sequence[Scorecard]) -> JudgedDimension:
    held = [one for card in cards for one in card.scores if one.dimension == name]
    refused = [one.reason for card in cards for one in card.refused if one.dimension == name]
    scores = [one.score for one in held]
    return JudgedDimension(
        dimension=name,
        score=round(sum(scores) / len(scores), 2) if scores else None,
        seen=len(scores),
        apart=round(max(scores) - min(scores), 2) if len(scores) > 1 else None,
        reasons=tuple(one.reason for one in held),
        quotes=tuple(one.quote for one in held),
        refused=tuple(refused),
    )


def _card(claims: Sequence[ScoreClaim], cell: int, text: str, round_: int) -> Scorecard:
    kept: dict[str, DimensionScore] = {}
    refused: list[RefusedScore] = []
    for claim in claims:
        name = _dimension(claim.dimension)
        if not name or name in kept:
            continue
        why_not = _why_not(claim, text)
        if why_not:
            refused.append(RefusedScore(dimension=name, reason=why_not))
        else:
            reason = " ".join(claim.reason.split())[:LONGEST_REASON]
            kept[name] = DimensionScore(dimension=name, score=claim.score, reason=reason, quote=claim.quote.strip())
    return Scorecard(cell=cell, round=round_, scores=tuple(kept.values()), refused=tuple(refused))


def _why_not(claim: ScoreClaim, text: str) -> str:
    if not math.isfinite(claim.score) or not LOWEST <= claim.score <= HIGHEST:
        return "the score is not one from 0 to 10"
    if not claim.quote.strip():
        return "no quote"
    if not is_quoted(claim.quote, text, fewest=FEWEST_QUOTED, elided=True):
        return "the quote is not in the passage"
    return ""


def _dimension(said: str) -> str:
    """'Voice authenticity' is `voice_authenticity`; empty for what is no dimension."""
    name = "_".join(re.findall(r"[a-z]+", said[:60].lower()))
    return name if name in DIMENSIONS else ""


def _place(said: str) -> int:
    """'P2', 'Passage 2' and '2' are the second."""
    found = _NUMBER.search(said[:40])
    return int(found[0]) if found else 0
