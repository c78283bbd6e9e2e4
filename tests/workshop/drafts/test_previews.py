"""Variants while they are written: shown to whoever watches, and stored nowhere."""

from __future__ import annotations

import asyncio
from pathlib import Path

from dramaturg.cli.foreman_work import preview_row
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.workshop.drafts.previews import VariantPreview
from tests.workshop.drafts.cases import book, written
from tests.workshop.workroom import at_work


async def test_variants_are_shown_while_they_are_written_and_without_their_wrapping(tmp_path: Path) -> None:
    watched = asyncio.Event()

    async def script(request: ModelRequest) -> str:
        await watched.wait()
        return f"<think>Slowly.</think>Sure, here is the scene:\n\n{written(request)}"

    model = ScriptedModel(script)
    async with at_work(book(tmp_path), model) as foreman:
        wanted = {"target": "ch04-sc02", "strategies": ["ACTION", "BALANCED"], "words": 2000}
        run = await foreman.works.start("draft", foreman.works.read("draft", wanted))
        seen: list[VariantPreview] = []
        async for shown in foreman.works.follow(run.id):
            watched.set()
            if isinstance(shown, VariantPreview):
                seen.append(shown)
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
