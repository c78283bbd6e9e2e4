"""The draft of a scene as a long work: every model writes it with every strategy, section by section.

All variants of a section are asked for at once. One that misses its length, or uses a phrase that the book does not
tolerate, is asked for once more; the better of the two is kept, with what is still wrong with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field, JsonValue

from dramaturg.kernel.errors import ModelError
from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.runs import Performance
from dramaturg.kernel.values import Value
from dramaturg.workshop.book.knowledge import KnowledgeEntry
from dramaturg.workshop.book.manuscript import Manuscript
from dramaturg.workshop.drafts.events import DraftBegan, SectionWritten
from dramaturg.workshop.drafts.length import length_of, section_count, section_target
from dramaturg.workshop.drafts.material import has_changed, read_material, scene_path
from dramaturg.workshop.drafts.previews import VariantPreviews
from dramaturg.workshop.drafts.request import NAME, DraftRequest
from dramaturg.workshop.drafts.section import CheckedSection, SectionQuestions, best_of, unwritten
from dramaturg.workshop.drafts.variant import Variant, draft_of
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.thread.told_facts import facts_told
from dramaturg.workshop.works.context import WorkContext
from dramaturg.workshop.works.work import Cell, LongWork, WorkPlan, WorkResult


class VariantRow(Value):
    """A variant in a list."""

    letter: str
    model: str
    strategy: str
    words: int
    marks: tuple[str, ...] = ()
    failed: str = ""


class DraftResult(WorkResult):
    """What was written, without the texts."""

    path: str
    words: int = Field(description="the target")
    variants: tuple[VariantRow, ...]
    scaffold: str = Field("", description="the file of the scaffold; empty without one")
    scaffold_changed: bool = Field(False, description="whether it was edited while the scene was written from it")
    base: str = Field("", description="the run of the performance that it tells")


class Draft(LongWork[DraftRequest, DraftResult]):
    """One scene in several variants."""

    name = NAME
    noun = "a draft of a scene"
    request = DraftRequest
    result = DraftResult
    events = (DraftBegan, SectionWritten)
    alone = False

    async def plan(self, book: BookSources, request: DraftRequest) -> WorkPlan:
        began = await read_material(book, request)
        for model in dict.fromkeys(one.model for one in began.variants):
            book.resources.gateway.open(model)  # a model that cannot be opened is refused before anything is paid
        questions, of = SectionQuestions(book, began), section_count(began.words)
        words = round(began.words / of)
        text = unwritten(words)
        cells, later = [], []
        for one in began.variants:
            for number in range(1, of + 1):
                cell = questions.first(one, number, words, text.text if number > 1 else "")
                cells.append(cell)
                later.append(questions.again(one, number, cell, text, words))
        return WorkPlan(cells=tuple(cells), later=tuple(later), blind_spots=_unseen(began))

    async def play(self, context: WorkContext[DraftRequest]) -> DraftResult:
        known = next((one for one in context.own if isinstance(one, DraftBegan)), None)
        began = known or await read_material(context.book, context.request)
        if known is None:
            await context.tell(began)
        await context.tell_facts(await _facts(context.book, began), began.path)
        questions = SectionQuestions(context.book, began)
        of, many = section_count(began.words), len(began.variants)
        for number in range(1, of + 1):
            await self._section(context, questions, number)
            context.progress(number * many, of * many, "sections")
        variants = draft_of(began, context.own, {}, context.failed).variants
        changed = has_changed(context.book, began)
        return DraftResult(
            said=_said(began, variants, changed),
            path=began.path,
            words=began.words,
            variants=tuple(_row(one) for one in variants),
            scaffold=began.scaffold_path,
            scaffold_changed=changed,
            base=began.base_run,
        )

    def read(self, given: Mapping[str, JsonValue]) -> DraftRequest:
        """The request from JSON. Raises InvalidConfig, also for a target that is no scene of the manuscript."""
        request = super().read(given)
        if request.target.strip():
            scene_path(Manuscript(Path()), request.target)
        return request

    def show(self, result: DraftResult) -> str:
        rows = [result.said, ""]
        for one in result.variants:
            told = f"no text. {one.failed}" if one.failed else f"{one.words:,} words"
            rows.append(f"{one.letter}  {one.strategy}, {one.model}: {told}")
            rows += [f"   ! {mark}" for mark in one.marks]
        return "\n".join(rows) + "\n"

    def previews(self, performance: Performance[Any, Any]) -> VariantPreviews:
        return VariantPreviews(performance)

    async def _section(self, context: WorkContext[DraftRequest], questions: SectionQuestions, number: int) -> None:
        """One section of every variant that has all those before it; kept in the log as it will stand."""
        began, written = questions.began, _written(context)
        asked = {one.letter: one for one in began.variants if len(written.get(one.letter, ())) == number - 1}
        if not asked:
            return
        targets: dict[str, int] = {}
        cells: dict[str, Cell] = {}
        for letter, one in asked.items():
            so_far = "\n\n".join(written.get(letter, ()))
            targets[letter] = section_target(began.words, length_of(so_far), number)
            cells[letter] = questions.first(one, number, targets[letter], so_far)
        found = await context.ask(list(cells.values()))
        answers = {
            letter: [await questions.checked(found.answers[cell.key].text, targets[letter])]
            for letter, cell in cells.items()
            if cell.key in found.answers
        }
        wrong = {
            letter: questions.again(asked[letter], number, cells[letter], checked[0], targets[letter])
            for letter, checked in answers.items()
            if checked[0].marks
        }
        for letter, text in (await _asked_again(context, wrong)).items():
            answers[letter].append(await questions.checked(text, targets[letter]))
        new = [_kept(letter, number, questions, targets[letter], checked) for letter, checked in answers.items()]
        await context.tell(*(one for one in new if one.text))


WORK = Draft()


async def _facts(book: BookSources, began: DraftBegan) -> tuple[KnowledgeEntry, ...]:
    """The facts in what a draft is written from."""
    graph = (await book.graph.read()).graph
    text = "\n\n".join(filter(None, (began.scaffold, began.brief, began.bible, *began.base, began.before)))
    return await asyncio.to_thread(facts_told, graph, text)


def _written(context: WorkContext[DraftRequest]) -> dict[str, list[str]]:
    """The sections by letter, as the log has them."""
    written: dict[str, list[str]] = {}
    for one in context.own:
        if isinstance(one, SectionWritten):
            written.setdefault(one.letter, []).append(one.text)
    return written


async def _asked_again(context: WorkContext[DraftRequest], wrong: Mapping[str, Cell]) -> dict[str, str]:
    """The second answers. A model that fails now costs only these."""
    if not wrong:
        return {}
    try:
        found = await context.ask(list(wrong.values()))
    except ModelError:
        return {}
    return {letter: found.answers[cell.key].text for letter, cell in wrong.items() if cell.key in found.answers}


def _kept(
    letter: str, number: int, questions: SectionQuestions, target: int, checked: Sequence[CheckedSection]
) -> SectionWritten:
    best = best_of(checked, target)
    return SectionWritten(
        letter=letter,
        number=number,
        of=section_count(questions.began.words),
        target=target,
        words=best.words,
        text=best.text,
        marks=best.marks,
        asked=len(checked),
    )


def _unseen(began: DraftBegan) -> tuple[str, ...]:
    told = []
    if not began.scaffold:
        from_ = "what you said" if began.brief else "the story bible"
        told.append(f"a scaffold: there is none for {began.path}; it is written from {from_}")
    if not began.voice:
        told.append("the voice of your book: it has not been found yet")
    return tuple(told)


def _row(one: Variant) -> VariantRow:
    return VariantRow(
        letter=one.letter,
        model=one.model,
        strategy=one.strategy,
        words=one.words,
        marks=one.marks,
        failed=one.failed,
    )


def _said(began: DraftBegan, variants: Sequence[Variant], changed: bool) -> str:
    there = [one for one in variants if not one.failed]
    lengths = ", ".join(f"{one.letter} {one.words:,}" for one in there)
    count = "1 variant" if len(there) == 1 else f"{len(there)} variants"
    told = [f"{began.path}: {count} for {began.words:,} words ({lengths or 'none'})."]
    if marked := [one.letter for one in there if one.marks]:
        told.append(f"Marked: {', '.join(marked)}.")
    if failed := [one.letter for one in variants if one.failed]:
        told.append(f"Without a text: {', '.join(failed)}.")
    if changed:
        told.append("The scaffold has changed since; they are written from the one it began with.")
    if any(is_stand_in(one.model) for one in began.variants):
        told.append("The rehearsal company wrote: stand-ins of the right length, not a scene.")
    told.append("Side by side: dramaturg foreman variants last")
    return " ".join(told)
