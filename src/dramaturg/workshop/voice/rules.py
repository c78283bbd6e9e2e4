"""Anti-patterns: what the prose of a book must not do, or not so often. One form for ours and for the writer's."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from dramaturg.characters.lorebook.pattern import UnusablePatternError, compiled, pattern_of
from dramaturg.kernel.text.words import words
from dramaturg.kernel.values import Value
from dramaturg.workshop.voice.predicates import PREDICATES

Severity = Literal["zero_tolerance", "deduction"]
Scope = Literal["anywhere", "narration", "dialogue"]
MOST_PHRASES = 40


def _searchable(pattern: str) -> str:
    """A pattern that RE2 can search, in time that grows with the text alone."""
    if not pattern:
        return pattern
    found = pattern_of(pattern)
    if found is None:
        raise ValueError("a pattern is written /between slashes/, with flags such as i behind")
    try:
        compiled(*found)
    except UnusablePatternError as error:
        raise ValueError(f"it cannot be searched: {error}") from error
    return pattern


def _worded(phrases: tuple[str, ...]) -> tuple[str, ...]:
    if empty := [phrase for phrase in phrases if not words(phrase)]:
        raise ValueError(f"{empty[0]!r} has no words")
    return phrases


def _known(predicate: str) -> str:
    if predicate and predicate not in PREDICATES:
        raise ValueError(f"there is no predicate {predicate!r} (known: {', '.join(PREDICATES)})")
    return predicate


class Rule(Value):
    """One anti-pattern: phrases, a pattern, or a predicate that code knows; where it counts, and how much.

    A rule of severity `zero_tolerance` has no allowance. With an allowance, a single place is never too much.
    """

    id: str = Field(min_length=1, max_length=80)
    says: str = Field(min_length=1, max_length=300, description="what to avoid, in a line")
    severity: Severity = "deduction"
    scope: Scope = "anywhere"
    speaker: str = Field("", max_length=80, description="only what this character says")
    language: str = Field("", max_length=8, description="only texts in this language")
    per_1000: float = Field(0.0, ge=0, le=100, description="how many are allowed in 1,000 words")
    phrases: Annotated[tuple[str, ...], AfterValidator(_worded)] = Field((), max_length=MOST_PHRASES)
    pattern: Annotated[str, AfterValidator(_searchable)] = Field("", max_length=500)
    predicate: Annotated[str, AfterValidator(_known)] = ""
    by_writer: bool = Field(False, exclude=True)

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if sum(map(bool, (self.phrases, self.pattern, self.predicate))) != 1:
            raise ValueError("a rule has either phrases, a pattern or a predicate")
        if self.severity == "zero_tolerance" and self.per_1000:
            raise ValueError("zero tolerance has no allowance; take per_1000 out, or make it a deduction")
        if self.speaker and self.scope == "narration":
            raise ValueError("what a character says is dialogue, not narration")
        return self

    @property
    def where(self) -> str:
        """The scope in words; empty if it counts anywhere."""
        if self.speaker:
            return f"in what {self.speaker} says"
        return {"anywhere": "", "narration": "in narration", "dialogue": "in dialogue"}[self.scope]

    def allowed(self, words_in_scope: int) -> int:
        """How many places are allowed in so many words."""
        return max(1, int(self.per_1000 * words_in_scope / 1000)) if self.per_1000 else 0


class Waiver(Value):
    """A rule that does not hold in this book, in one file, or for one sentence; with the writer's reason."""

    rule: str = Field(min_length=1, max_length=80)
    file: str = Field("", max_length=400)
    quote: str = Field("", max_length=400)
    reason: str = Field("", max_length=400)
