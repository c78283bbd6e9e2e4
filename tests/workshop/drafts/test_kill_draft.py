"""A draft in sections, all of them asked for twice, is finished whenever its process dies, and asks nothing again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.workshop.drafts.cases import book
from tests.workshop.works.cases import WorkCase
from tests.workshop.works.test_kill_works import played, taken_up, until_dead

CASE = WorkCase("draft", {"target": "ch04-sc02", "words": 1600, "strategies": ["ACTION", "BALANCED"]})


def strict_book(folder: Path) -> Path:
    """A book that does not tolerate the name of its heroine, so that every section is asked for again."""
    project = book(folder)
    (project / "voice").mkdir(exist_ok=True)
    (project / "voice" / "rules.yaml").write_text("bans:\n  - ban: Elena\n", encoding="utf-8")
    return project


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
async def test_a_draft_that_dies_at_any_write_asks_no_recorded_question_again(tmp_path: Path, before: bool) -> None:
    asked, whole, writes = await played(strict_book(tmp_path / "whole"), CASE)
    assert len(asked) == 8, "two variants, two sections, each asked for twice"
    for at in range(1, writes + 1):
        folder = strict_book(tmp_path / f"{at}")
        first = await until_dead(folder, CASE, at, before=before)
        second, status, found = await taken_up(folder, CASE)
        assert (status, found) == ("ended", whole), f"write {at} of {writes}"
        assert set(first) | set(second) == set(asked)
        assert len(second) == len(set(second))
