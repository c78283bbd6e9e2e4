"""A voice that was chosen can be taken back, with everything that was decided by choosing it."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.workshop.front import Workshop
from dramaturg.workshop.voice.selection import Selection
from tests.workshop.calibration.test_bundle import chosen
from tests.workshop.workroom import at_work
from tests.workshop.works.cases import copy_book


async def decided(foreman: Workshop) -> dict[str, str]:
    return {one.key: one.value for one in await foreman.decisions()}


async def test_taking_a_choice_back_takes_its_decisions_back(tmp_path: Path) -> None:
    async with at_work(copy_book(tmp_path)) as foreman:
        before = await decided(foreman)
        await chosen(foreman, notes="The dry counting.", dislikes=("too many gulls",))
        assert {"voice_winner", "voice_notes", "voice_dislikes"} <= set(await decided(foreman))
        await foreman.undo()
        assert await decided(foreman) == before
        with pytest.raises(NotFound, match="No voice is chosen yet"):
            await foreman.voice.report()
        with pytest.raises(NotFound, match="No voice is chosen yet"):
            await foreman.voice.bundle()


async def test_the_choice_before_holds_again_with_its_words(tmp_path: Path) -> None:
    async with at_work(copy_book(tmp_path)) as foreman:
        await chosen(foreman, notes="The dry counting.")
        first, held = await foreman.voice.report(), await decided(foreman)
        await foreman.voice.select(Selection(letter="A", notes="The gulls."))
        assert (await decided(foreman))["voice_notes"] == "The gulls."
        rows = await foreman.undoable()
        assert [one.blocked for one in rows][:2] == ["", f"Another voice was chosen since; undo {rows[0].act} first."]
        with pytest.raises(InvalidConfig, match="Another voice was chosen since"):
            await foreman.undo(rows[1].act)
        await foreman.undo()
        assert (await foreman.voice.report(), await decided(foreman)) == (first, held)


async def test_choosing_again_after_taking_back_is_not_called_blind(tmp_path: Path) -> None:
    async with at_work(copy_book(tmp_path)) as foreman:
        await chosen(foreman)
        await foreman.undo()
        report = await foreman.voice.select(Selection(letter="A"))
        assert report.choosing is not None
        assert not report.choosing.blind


async def test_the_same_choice_twice_is_one_choice_to_take_back(tmp_path: Path) -> None:
    async with at_work(copy_book(tmp_path)) as foreman:
        await chosen(foreman, notes="Dry.")
        winner = (await foreman.voice.report()).winner
        again = Selection(agent=winner.agent, strategy=winner.strategy, notes="Dry.")
        await foreman.voice.select(again)
        await foreman.voice.select(again)
        while await foreman.undoable():
            await foreman.undo()
        assert "voice_winner" not in await decided(foreman)
        with pytest.raises(NotFound):
            await foreman.voice.report()
