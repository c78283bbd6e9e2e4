"""A health check that asks a model, and a drill, killed at any write: both end the same, and nothing is asked twice."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from tests.workshop.health.shelf import BOOKS
from tests.workshop.works.cases import WorkCase
from tests.workshop.works.test_kill_works import played, taken_up, until_dead

CASES = (("pegelstand", WorkCase("health", {"extract": True})), ("salt-road", WorkCase("drill", {"seed": 3})))


def copied(folder: Path, name: str) -> Path:
    return Path(shutil.copytree(BOOKS / name, folder / "book"))


def digests(book: Path) -> dict[str, str]:
    texts = (path for folder in ("story-bible", "manuscript") for path in (book / folder).rglob("*.md"))
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in texts}


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize(("name", "case"), CASES, ids=lambda one: one if isinstance(one, str) else one.name)
async def test_whatever_write_it_dies_at_it_ends_the_same(
    tmp_path: Path, name: str, case: WorkCase, before: bool
) -> None:
    asked, whole, writes = await played(copied(tmp_path / "whole", name), case)
    assert len(asked) == (8 if case.name == "health" else 0)
    for at in range(1, writes + 1):
        book = copied(tmp_path / f"{at}", name)
        was = digests(book)
        first = await until_dead(book, case, at, before=before)
        second, status, found = await taken_up(book, case)
        assert (status, found) == ("ended", whole), f"write {at} of {writes}"
        assert set(first) | set(second) == set(asked)
        assert digests(book) == was
