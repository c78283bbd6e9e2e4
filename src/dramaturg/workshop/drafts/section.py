"""A section of a variant: the question for it, and what its answer is worth."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.model_notes.scene_text import scene_text
from dramaturg.workshop.book.scaffold import read_scaffold
from dramaturg.workshop.drafts.events import DraftBegan, PlannedVariant
from dramaturg.workshop.drafts.length import length_of, misses, section_count
from dramaturg.workshop.drafts.prompts import DraftPrompts
from dramaturg.workshop.drafts.transcript import share_of
from dramaturg.workshop.drafts.variant import NOTHING, length_mark, section_key
from dramaturg.workshop.rehearsal.draft_cue import SectionCue
from dramaturg.workshop.revision.measures import counted, rules_of
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.works.work import Cell

FEWEST_TOKENS = 1400
TOKENS_PER_WORD = 3
MOST_QUOTED = 3


@dataclass(frozen=True, slots=True)
class CheckedSection:
    """The prose of an answer, its length, and what is wrong with it."""

    text: str
    words: int
    marks: tuple[str, ...]

    def rank(self, target: int) -> tuple[bool, int, int]:
        """The less, the better: something before nothing, then fewer marks, then the nearer length."""
        return not self.text, len(self.marks), abs(self.words - target)


class SectionQuestions:
    """Asks for the sections of one draft, and checks them against the rules of the book."""

    def __init__(self, book: BookSources, began: DraftBegan) -> None:
        self.began = began
        self._prompts = DraftPrompts(book.project)
        self._rules = rules_of(book.project)
        self._told_by = _point_of_view(began) or began.book.get("protagonist", "")

    def first(self, variant: PlannedVariant, number: int, words: int, so_far: str) -> Cell:
        """The question for a section. `so_far` is what is written of the variant."""
        began, of = self.began, section_count(self.began.words)
        lines = share_of(began.base, number, of)
        return Cell(
            key=section_key(variant.letter, number),
            use="drafting",
            system=self._prompts.system(began, variant, self._rules.rules),
            text=self._prompts.section(began, number=number, of=of, words=words, lines=lines, so_far=so_far),
            max_tokens=max(FEWEST_TOKENS, words * TOKENS_PER_WORD),
            model=variant.model,
            who=variant.letter,
            cue=SectionCue(variant.letter, variant.strategy, self._told_by, began.path, number, words, lines),
        )

    def again(self, variant: PlannedVariant, number: int, asked: Cell, wrong: CheckedSection, words: int) -> Cell:
        """The same question, with what was wrong with the first answer."""
        text = self._prompts.again(asked.text, wrong.text, wrong.marks, words)
        return replace(asked, key=section_key(variant.letter, number, again=True), text=text)

    async def checked(self, answer: str, target: int) -> CheckedSection:
        """What an answer is worth."""
        return await to_thread(self._checked, answer, target)

    def _checked(self, answer: str, target: int) -> CheckedSection:
        text = scene_text(answer)
        words = length_of(text)
        if not words:
            return CheckedSection("", 0, (NOTHING,))
        marks = [length_mark(words, target)] if misses(words, target) else []
        return CheckedSection(text, words, (*marks, *self._untolerated(text)))

    def _untolerated(self, text: str) -> Iterator[str]:
        for one in counted(text, self._rules, self.began.path).broken:
            if one.severity == "zero_tolerance":
                quotes = "; ".join(f"“{hit.quote}”" for hit in one.quotes[:MOST_QUOTED])
                yield f"Not tolerated: {one.says}: {quotes}"


def _point_of_view(began: DraftBegan) -> str:
    """Through whose eyes the scaffold wants the scene; empty where it does not say."""
    if not began.scaffold:
        return ""
    with suppress(InvalidConfig):
        return read_scaffold(began.scaffold_path, began.scaffold).pov_character
    return ""


def unwritten(words: int) -> CheckedSection:
    """A stand-in for a section whose price is asked before it is written."""
    return CheckedSection(" ".join(["word"] * words), words, (length_mark(1, words),))


def best_of(sections: Sequence[CheckedSection], target: int) -> CheckedSection:
    """The better of the answers; of two that are equally good, the later one."""
    return min(reversed(sections), key=lambda one: one.rank(target))
