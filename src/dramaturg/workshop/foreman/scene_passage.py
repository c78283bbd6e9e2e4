"""The prose a prompt shows: a scene whole if it fits, else the passage spoken of, with its neighbours in brief.

Paragraphs are numbered, so that a model can ask for others with `read_scene`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.kernel.text.bm25 import bm25
from dramaturg.kernel.text.escape import escaped, escaped_attribute
from dramaturg.kernel.text.words import content
from dramaturg.workshop.foreman.shortened import shortened

BRIEF_TOKENS = 24
"""How much of a paragraph is told where it is only mentioned."""
BRIEF_SHARE = 0.2
"""The share of a budget that the paragraphs around the passage may take in brief."""
_GAP = re.compile(r"\n[ \t]*\n\s*")


@dataclass(frozen=True, slots=True)
class ScenePassage:
    """Some paragraphs of a scene, from `first` to `last` of `of`, and the lines that stand for the others."""

    file: str
    paragraphs: Sequence[str]
    first: int
    of: int
    before: str = ""
    after: str = ""

    @property
    def last(self) -> int:
        return self.first + len(self.paragraphs) - 1

    @property
    def is_whole(self) -> bool:
        return len(self.paragraphs) == self.of

    @property
    def span(self) -> str:
        return f"{self.first}-{self.last} of {self.of}"

    def xml(self) -> str:
        """The passage as a prompt shows it. The words stand there as they stand in the file."""
        parts = [f'<manuscript file="{escaped_attribute(self.file)}" paragraphs="{self.span}">']
        parts += [f"<before>{escaped(self.before)}</before>"] if self.before else []
        parts += [escaped("\n\n".join(self.paragraphs))]
        parts += [f"<after>{escaped(self.after)}</after>"] if self.after else []
        return "\n".join([*parts, "</manuscript>"])


def paragraphs_of(prose: str) -> list[str]:
    """The paragraphs of a text, without the blank lines around them."""
    return [part for part in _GAP.split(prose.strip()) if part.strip()]


def paragraphs_from(paragraphs: Sequence[str], first: int, last: int | None, budget: int) -> list[str]:
    """Paragraphs from one number to another that fit a budget; at least a part of the first."""
    wanted = paragraphs[first - 1 : last]
    kept = [shortened(one, budget) for one in wanted[:1]]
    budget -= sum(map(estimate_tokens, kept))
    for one in wanted[1:]:
        budget -= estimate_tokens(one) + 1
        if budget < 0:
            break
        kept.append(one)
    return kept


def scene_passage(file: str, prose: str, about: str, budget: int) -> ScenePassage | None:
    """The part of a scene for a prompt within a token budget, chosen by the words that are spoken of it.

    Without any such words it is the end of the scene, where the writing goes on.
    """
    paragraphs = paragraphs_of(prose)
    if not paragraphs or budget <= 0:
        return None
    weights = [estimate_tokens(one) + 1 for one in paragraphs]
    if sum(weights) <= budget:
        return ScenePassage(file, paragraphs, 1, len(paragraphs))
    scores = bm25([content(one) for one in paragraphs], content(about))
    best = max(range(len(paragraphs)), key=lambda place: (scores[place], place))
    room = round(budget * (1 - BRIEF_SHARE))
    if weights[best] > room:
        cut = _around(paragraphs[best], about, room)
        low, high, chosen = best, best + 1, [cut]
    else:
        low, high = _grown(weights, best, room)
        chosen = paragraphs[low:high]
    brief = round(budget * BRIEF_SHARE / 2)
    return ScenePassage(
        file,
        chosen,
        low + 1,
        len(paragraphs),
        before=_in_brief(paragraphs[:low][::-1], brief, reverse=True),
        after=_in_brief(paragraphs[high:], brief),
    )


def _grown(weights: Sequence[int], best: int, room: int) -> tuple[int, int]:
    """The paragraphs around one, taken before and after it by turns while they fit."""
    low, high, room = best, best + 1, room - weights[best]
    while True:
        grew = False
        for place in (low - 1, high):
            if 0 <= place < len(weights) and weights[place] <= room:
                low, high, room, grew = min(low, place), max(high, place + 1), room - weights[place], True
        if not grew:
            return low, high


def _around(paragraph: str, about: str, room: int) -> str:
    """The sentences of an overlong paragraph from the first that was spoken of, as many as fit."""
    sentences = re.split(r"(?<=[.!?。！？”\"])\s+", paragraph)
    wanted = set(content(about))
    start = next((place for place, one in enumerate(sentences) if wanted & set(content(one))), 0)
    text = " ".join(sentences[start:])
    return shortened(text, room) if start == 0 else shortened(f"… {text}", room)


def _in_brief(paragraphs: Sequence[str], room: int, *, reverse: bool = False) -> str:
    """The beginnings of the nearest paragraphs, and how many words there are in all."""
    if not paragraphs:
        return ""
    words = sum(len(one.split()) for one in paragraphs)
    told: list[str] = []
    room -= 12
    for one in paragraphs:
        line = shortened(" ".join(one.split()), BRIEF_TOKENS)
        room -= estimate_tokens(line) + 1
        if room < 0:
            break
        told.append(line)
    lines = told[::-1] if reverse else told
    return " / ".join([f"({len(paragraphs)} paragraphs, {words} words)", *lines])
