"""The variants of a draft, read from its log: what was written of each, and what is marked in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from dramaturg.kernel.models.port import ModelAnswer
from dramaturg.kernel.runs import answers as answered
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.values import WireValue
from dramaturg.model_notes.scene_text import paragraphs_in, scene_text
from dramaturg.workshop.drafts.events import DraftBegan, PlannedVariant, SectionWritten
from dramaturg.workshop.drafts.length import length_of, misses, section_count
from dramaturg.workshop.works.events import CellFailed

NOTHING = "It wrote nothing that can be used."


class Variant(WireValue):
    """One version of a scene. `marks` say what is wrong with it, `failed` why there is none."""

    letter: str
    model: str
    strategy: str
    words: int = 0
    target: int
    paragraphs: tuple[str, ...] = Field((), description="as they stand; a hybrid names them by letter and number")
    marks: tuple[str, ...] = ()
    failed: str = ""

    @property
    def text(self) -> str:
        return "\n\n".join(self.paragraphs)


@dataclass(frozen=True, slots=True)
class DraftState:
    """A draft as its log has it."""

    began: DraftBegan
    sections: Mapping[str, Sequence[SectionWritten]]
    answers: Mapping[str, ModelAnswer]
    failed: Mapping[str, str]

    @property
    def variants(self) -> tuple[Variant, ...]:
        return tuple(self.variant(one) for one in self.began.variants)

    def variant(self, planned: PlannedVariant) -> Variant:
        """A variant as far as it was written; what is answered and not checked yet is shown too."""
        sections = self.sections.get(planned.letter, ())
        of, texts = section_count(self.began.words), [one.text for one in sections]
        why = next((why for key, why in self.failed.items() if key.startswith(f"{planned.letter} ")), "")
        unread = self.answers.get(section_key(planned.letter, len(sections) + 1))
        if len(sections) < of and unread is not None:
            texts.append(scene_text(unread.text))
        paragraphs = tuple(part for text in texts for part in paragraphs_in(text))
        words = sum(map(length_of, paragraphs))
        marks = [mark for one in sections for mark in one.marks if not mark.startswith(LENGTH)]
        if paragraphs and len(texts) < of:
            marks.insert(0, f"It stops after section {len(texts)} of {of}. {why}".strip())
        elif paragraphs and misses(words, self.began.words):
            marks.insert(0, length_mark(words, self.began.words))
        return Variant(
            letter=planned.letter,
            model=planned.model,
            strategy=planned.strategy,
            words=words,
            target=self.began.words,
            paragraphs=paragraphs,
            marks=tuple(dict.fromkeys(marks)),
            failed="" if paragraphs else why or NOTHING,
        )


LENGTH = "Its length: "


def length_mark(words: int, target: int) -> str:
    """What is wrong with the length of a text."""
    off = round(100 * abs(words - target) / target)
    return f"{LENGTH}{words:,} words for {target:,} asked for, {off}% too {'long' if words > target else 'short'}."


def section_key(letter: str, number: int, *, again: bool = False) -> str:
    """The key of a question: the section of a variant, for the first or for the second time."""
    return f"{letter} section-{number}{' again' if again else ''}"


def draft_of(
    began: DraftBegan, own: Iterable[Event], answers: Mapping[str, ModelAnswer], failed: Mapping[str, str]
) -> DraftState:
    """A draft from the events of its own; `failed` says why by the key of the question."""
    sections: dict[str, list[SectionWritten]] = {}
    for one in own:
        if isinstance(one, SectionWritten):
            sections.setdefault(one.letter, []).append(one)
    return DraftState(began, sections, answers, failed)


def draft_in(entries: Sequence[Entry[Any]]) -> DraftState | None:
    """A draft from its log; None if it has not begun."""
    events = [entry.event for entry in entries]
    began = next((one for one in events if isinstance(one, DraftBegan)), None)
    if began is None:
        return None
    failed = {one.key: one.error for one in events if isinstance(one, CellFailed)}
    return draft_of(began, events, {one.key: one.answer for one in answered(entries)}, failed)
