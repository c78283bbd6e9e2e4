"""The series of a book over HTTP, on a real socket."""

from __future__ import annotations

from pathlib import Path

from dramaturg.kernel.settings import read_settings
from dramaturg.server.app import create_app
from tests.server.visitor import served
from tests.workshop.series.shelf import the_series

BOOK = "/v1/projects/main"


async def test_a_series_is_shown_and_compared(tmp_path: Path) -> None:
    project = the_series(tmp_path) / "second-wind"
    (project / "dramaturg.toml").write_text('[workshop]\nseries = "../series"\n', encoding="utf-8")
    async with served(create_app(read_settings(project, {}, trust=True))) as visitor:
        found = (await visitor.get(f"{BOOK}/series")).json
        assert [one["isOwn"] for one in found["books"]] == [False, True, False]
        assert (await visitor.get(f"{BOOK}/series/check")).json["contradictions"] == []
        known = (await visitor.get(f"{BOOK}/graph/who?name=Marcus")).json["facts"]
        assert {one["book"] for one in known} >= {"first-light"}


async def test_a_book_without_a_series_has_none(tmp_path: Path) -> None:
    async with served(create_app(read_settings(tmp_path, {}, trust=True))) as visitor:
        assert (await visitor.get(f"{BOOK}/series")).status == 404
        assert (await visitor.get(f"{BOOK}/series/check")).status == 404
