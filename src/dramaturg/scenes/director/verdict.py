"""A judge's answer, accepted only as far as its quotes are in the transcript."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from pydantic import Field

from dramaturg.kernel.text.quotes import is_quoted
from dramaturg.kernel.text.words import words
from dramaturg.kernel.values import Value
from dramaturg.scenes.director.denial import why_undone
from dramaturg.scenes.director.evidence import (
    QuotableLine,
    find_evidence,
    fitting_speakers,
    is_about,
    is_clause,
    missing_substance,
    repeats,
    sentences_of,
)
from dramaturg.scenes.director.goals import Goal, is_lasting
from dramaturg.scenes.director.keeping import NO_SECRETS, Confidence, told_in
from dramaturg.scenes.director.mention import only_speaks_of
from dramaturg.scenes.director.names import CastNames


class GoalClaim(Value):
    """What the judge says of one sub-goal."""

    id: int = Field(description="number of the sub-goal")
    met: bool = Field(description="true only if a line in the transcript shows it; of what must not happen: it has not")
    quote: str = Field("", description="the exact words that show it, copied from one line")
    speaker: str = Field("", description="who says these words")


class Judgement(Value):
    """The form a judge fills in."""

    goals: tuple[GoalClaim, ...] = Field(description="one entry for every sub-goal")
    confidence: float = Field(0.0, ge=0, le=1, description="how sure you are, 0 to 1")
    natural_end: bool = Field(False, description="the talk has come to rest and nothing is left to say")


class Evidence(Value):
    """A sub-goal that is met, and the words that met it. `line` is the entry they stand in; null in old logs."""

    goal: int
    quote: str
    speaker: str
    line: int | None = Field(None, exclude_if=lambda line: line is None)


class RefusedClaim(Value):
    """A claim that does not count, and why."""

    goal: int
    quote: str
    reason: str


class Verdict(Value):
    """The result after the quotes were checked. `met` includes the results of earlier verdicts.

    `held` are the sub-goals that say what must not happen, as far as it has not; they count once all others are met.
    """

    met: tuple[Evidence, ...] = ()
    held: tuple[int, ...] = Field((), exclude_if=lambda held: not held)
    refused: tuple[RefusedClaim, ...] = ()
    progress: float = 0.0
    confidence: float = 0.0
    natural_end: bool = False

    @property
    def complete(self) -> bool:
        return self.progress >= 1.0


def check_judgement(
    judgement: Judgement,
    goals: Sequence[Goal],
    lines: Sequence[QuotableLine],
    before: Iterable[Evidence] = (),
    cast: Sequence[str] = (),
    *,
    literally: bool = False,
    confidence: Confidence = NO_SECRETS,
) -> Verdict:
    """Keep the claims whose quotes show what they claim; refuse the rest, with a reason.

    `literally` is for a judge that follows poorly: its quotes must touch on the sub-goal by a word.
    A goal once met stays met: its words were said. One that says what must not happen is never met by words; the
    judge's latest answer tells whether it has held. A secret of the scene that a line has told is not kept, whatever
    the judge says.
    """
    names = CastNames(tuple(cast) or tuple(dict.fromkeys(line.speaker for line in lines)))
    checked = _Checked(goals, lines, names, literally, confidence)
    checked.met.update({evidence.goal: evidence for evidence in before})
    for claim in judgement.goals:
        if claim.met:
            checked.take(claim)
    lasting = sum(is_lasting(goal) for goal in goals)
    others = len(goals) - lasting
    share = len(checked.met) + (len(checked.held) if others and len(checked.met) == others else 0)
    return Verdict(
        met=tuple(checked.met[number] for number in sorted(checked.met)),
        held=tuple(sorted(checked.held)),
        refused=tuple(checked.refused),
        progress=share / len(goals) if goals else 0.0,
        confidence=judgement.confidence,
        natural_end=judgement.natural_end,
    )


def without_unsaid(verdict: Verdict, cut: Mapping[int, str], goals: Sequence[Goal]) -> Verdict:
    """The verdict without what rested on words that were cut off; `cut` is what such lines still say, by number."""
    met = tuple(one for one in verdict.met if one.line is None or is_quoted(one.quote, cut.get(one.line, one.quote)))
    if len(met) == len(verdict.met):
        return verdict
    return verdict.model_copy(update={"met": met, "progress": len(met) / len(goals), "natural_end": False})


def rechecked(
    verdict: Verdict,
    goals: Sequence[Goal],
    lines: Sequence[QuotableLine],
    changed: Collection[int],
    cast: Sequence[str] = (),
) -> Verdict:
    """The verdict after some lines were changed or removed: what rested on their words is checked again."""
    firm = tuple(one for one in verdict.met if not _rests_on(one, lines, changed))
    if len(firm) == len(verdict.met):
        return verdict
    loose = (one for one in verdict.met if one not in firm)
    claims = (GoalClaim(id=one.goal, met=True, quote=one.quote, speaker=one.speaker) for one in loose)
    held = (GoalClaim(id=number, met=True) for number in verdict.held)
    asked = Judgement(goals=(*claims, *held), confidence=verdict.confidence)
    found = check_judgement(asked, goals, lines, before=firm, cast=cast)
    if len(found.met) < len(verdict.met):
        return found
    return found.model_copy(update={"natural_end": verdict.natural_end, "refused": verdict.refused})


def _rests_on(evidence: Evidence, lines: Sequence[QuotableLine], changed: Collection[int]) -> bool:
    """Whether the words are those of a changed line; old logs do not say whose, so it is where no other has them."""
    if evidence.line is not None:
        return evidence.line in changed
    return all(line.number in changed for line in find_evidence(evidence.quote, lines))


def for_goals(verdict: Verdict, before: Sequence[Goal], now: Sequence[Goal]) -> Verdict:
    """The verdict once the sub-goals are others: those that stay, by their words, keep what met them."""
    stays = numbers_of(before, now)
    met = [one.model_copy(update={"goal": stays[one.goal]}) for one in verdict.met if one.goal in stays]
    return Verdict(
        met=tuple(sorted(met, key=lambda one: one.goal)),
        held=tuple(sorted(stays[goal] for goal in verdict.held if goal in stays)),
        progress=len(met) / len(now) if now else 0.0,
        confidence=verdict.confidence,
    )


def numbers_of(before: Sequence[Goal], now: Sequence[Goal]) -> dict[int, int]:
    """The new numbers of the sub-goals that stay, by their old ones; punctuation and case make no other goal."""
    numbers = {_wording(goal): goal.id for goal in now}
    return {goal.id: numbers[_wording(goal)] for goal in before if _wording(goal) in numbers}


def _wording(goal: Goal) -> tuple[str, ...]:
    return tuple(words(goal.text))


class _Checked:
    """The claims of one judgement, checked one after the other."""

    def __init__(
        self,
        goals: Sequence[Goal],
        lines: Sequence[QuotableLine],
        cast: CastNames,
        literally: bool,
        confidence: Confidence,
    ) -> None:
        self._goals = {goal.id: goal for goal in goals}
        self._lines, self._cast, self._literally, self._confidence = lines, cast, literally, confidence
        self.met: dict[int, Evidence] = {}
        self.held: set[int] = set()
        self.refused: list[RefusedClaim] = []

    def take(self, claim: GoalClaim) -> None:
        goal = self._goals.get(claim.id)
        if claim.id in self.met:
            return
        if goal is None:
            self._refuse(claim, "no such sub-goal")
        elif is_lasting(goal):
            self._keep(goal, claim)
        else:
            self._weigh(goal, claim)

    def _keep(self, goal: Goal, claim: GoalClaim) -> None:
        told = told_in(goal, self._lines, self._confidence, self._cast)
        if told is None:
            self.held.add(goal.id)
        else:
            self._refuse(claim, f"{told.speaker} tells the secret in line {told.number}")

    def _weigh(self, goal: Goal, claim: GoalClaim) -> None:
        found = find_evidence(claim.quote, self._lines) if words(claim.quote) else ()
        reasons = [self._why_not(goal, claim, line) for line in found]
        good = [line for line, reason in zip(found, reasons, strict=True) if reason is None]
        if good:
            line = good[0]
            evidence = Evidence(goal=goal.id, quote=claim.quote, speaker=line.speaker, line=line.number or None)
            self.met[goal.id] = evidence
        elif not words(claim.quote):
            self._refuse(claim, "no quote")
        else:
            self._refuse(claim, next((reason for reason in reasons if reason), "the quote is not in the transcript"))

    def _why_not(self, goal: Goal, claim: GoalClaim, line: QuotableLine) -> str | None:
        if not is_clause(claim.quote, line.text):
            return "the quote is less than a clause"
        if claim.speaker and not self._cast.may_mean(claim.speaker, line.speaker):
            return f"the words are {line.speaker}'s, not {claim.speaker}'s"
        fitting = fitting_speakers(goal, self._cast)
        if line.speaker not in fitting:
            return f"the words are {line.speaker}'s, and {' or '.join(fitting)} must say them"
        if repeats(goal, line, claim.quote, self._cast):
            return "the words only repeat the goal"
        if (other := self._used(claim.quote, line)) is not None:
            return f"the words are the evidence for sub-goal {other} already"
        around = sentences_of(claim.quote, line.text)
        if (undone := why_undone(goal, around, self._cast)) is not None:
            return undone
        if not line.deed and only_speaks_of(goal, around, self._cast):
            return "the words only speak of what the sub-goal asks for"
        if self._literally and not is_about(goal, line.text, self._cast):
            return "the words do not touch on the sub-goal, and this judge is not taken at its word"
        return missing_substance(goal, line, self._cast)

    def _used(self, quote: str, line: QuotableLine) -> int | None:
        """The sub-goal that these words, or words around them or in them, have met already."""
        for number, evidence in self.met.items():
            same_line = evidence.line is None or not line.number or evidence.line == line.number
            if same_line and (is_quoted(quote, evidence.quote) or is_quoted(evidence.quote, quote)):
                return number
        return None

    def _refuse(self, claim: GoalClaim, reason: str) -> None:
        self.refused.append(RefusedClaim(goal=claim.id, quote=claim.quote, reason=reason))


def unmet(goals: Sequence[Goal], verdict: Verdict) -> tuple[Goal, ...]:
    """The sub-goals still open; what must not happen is open only if it did happen after all else was reached."""
    met = {evidence.goal for evidence in verdict.met}
    open_goals = tuple(goal for goal in goals if goal.id not in met and not is_lasting(goal))
    broken = tuple(goal for goal in goals if is_lasting(goal) and goal.id not in verdict.held)
    return open_goals or broken
