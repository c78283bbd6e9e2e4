"""A goal in prose, split once into sub-goals that can each be shown to be met."""

from __future__ import annotations

import re
from collections.abc import Sequence

from dramaturg.kernel.values import Value

_MARK = re.compile(r"\b(?:scene\s+)?goals?\s*:\s*", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bMs\.)(?<!\bSt\.)\s+")
_PRONOUNS = r"they|both|everyone|everybody|all(?:\s+\w+)?|he|she|we|nobody|the\s+(?:two|three|four|five|others)"
MOST_GOALS = 8


class Goal(Value):
    """One sub-goal, numbered from 1."""

    id: int
    text: str


def goal_text(prompt: str, goal: str | None = None) -> str:
    """The goal as one line: the one given, else what follows "Scene goal:", else the whole prompt."""
    source = goal if goal and goal.strip() else _MARK.split(prompt)[-1]
    return " ".join(source.split()).strip()


def situation(prompt: str) -> str:
    """The prompt without its goal: the situation at the start of the scene."""
    before = _MARK.split(prompt)[0].strip()
    return before or prompt.strip()


def split_goal(text: str, cast: Sequence[str]) -> tuple[Goal, ...]:
    """The sub-goals in order.

    Sentences and semicolons always divide; a comma, "and" or "then" divides only where a new subject
    follows (a name of the cast, or a pronoun), so that "the map and the ring" stays whole.
    """
    names = "|".join(re.escape(name) for name in sorted(cast, key=len, reverse=True))
    subject = rf"(?:{names}|{_PRONOUNS})\b" if names else rf"(?:{_PRONOUNS})\b"
    divide = re.compile(rf"\s*(?:,\s*(?:and\s+)?(?:then\s+)?|\s+and\s+(?:then\s+)?|\s+then\s+)(?={subject})", re.I)
    parts: list[str] = []
    for sentence in _SENTENCE.split(text):
        for clause in sentence.split(";"):
            parts.extend(_with_verbs(divide.split(clause), subject))
    cleaned = (part.strip(" \t\n,;.") for part in parts)
    wanted = [part for part in cleaned if part]
    head, tail = wanted[: MOST_GOALS - 1], wanted[MOST_GOALS - 1 :]
    if tail:
        head.append("; ".join(tail))
    return tuple(Goal(id=number, text=part) for number, part in enumerate(head, start=1))


def _with_verbs(clauses: Sequence[str], subject: str) -> Sequence[str]:
    """Complete clauses: in "Emil and Vera part", "Emil" alone is not one."""
    whole: list[str] = []
    waiting = ""
    for clause in clauses:
        text = f"{waiting} and {clause.strip()}" if waiting else clause
        bare = re.fullmatch(rf"\W*(?:and\s+)?(?:{subject})\W*", clause.strip(), re.IGNORECASE)
        waiting = text.strip() if bare else ""
        if not bare:
            whole.append(text)
    return [*whole, waiting] if waiting else whole
