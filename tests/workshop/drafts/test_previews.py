"""Variants while they are written: shown to whoever watches, and stored nowhere."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from dramaturg.cli.foreman_work import preview_row
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.workshop.drafts.previews import VariantPreview
from tests.workshop.drafts.cases import book, written
from tests.workshop.workroom import at_work


class SlowModel(ScriptedModel):
    """Lets everybody else have a turn between two words; the first section waits until somebody watches."""

    def __init__(self) -> None:
        super().__init__(self._written)
        self.watched: Callable[[], bool] = lambda: False

    async def _written(self, request: ModelRequest) -> str:
        while not self.watched():
            await asyncio.sleep(0)
        return f"<think>Slowly.</think>Sure, here is the scene:\n\n{written(request)}"

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        async for piece in super().stream(request):
            yield piece
            await asyncio.sleep(0)


async def test_variants_are_shown_while_they_are_written_and_without_their_wrapping(tmp_path: Path) -> None:
    model = SlowModel()
    async with at_work(book(tmp_path), model) as foreman:
        wanted = {"target": "ch04-sc02", "strategies": ["ACTION", "BALANCED"], "words": 1600}
        run = await foreman.works.start("draft", foreman.works.read("draft", wanted))
        model.watched = lambda: run.answers.are_shown(model.name)
        seen = [shown async for shown in foreman.works.follow(run.id) if isinstance(shown, VariantPreview)]
        stored = (await foreman._resources.runs.open(run.id)).entries
        draft = await foreman.drafts.draft(run.id)
    assert {one.letter for one in seen} == {"A", "B"}
    assert {one.section for one in seen} >= {2}
    whole = {one.letter: one.text for one in draft.variants}
    assert all(one.text in whole[one.letter] for one in seen)
    assert not any("Slowly" in one.text or "Sure" in one.text for one in seen)
    assert all("preview" not in entry.event.type for entry in stored)


def test_a_variant_on_its_way_is_one_line() -> None:
    row = preview_row(VariantPreview(letter="A", section=1, words=1200, text="one\n\ntwo " * 20))
    assert row.plain.startswith("A  1,200 words  … ")
    assert "\n" not in row.plain
