"""The health of a book over HTTP, on a real socket."""

from __future__ import annotations

import shutil
from pathlib import Path

from dramaturg.kernel.settings import read_settings
from dramaturg.server.app import create_app
from tests.server.visitor import served
from tests.workshop.health.shelf import BOOKS

BOOK = "/v1/projects/main"


async def test_a_book_is_checked_and_drilled_and_the_reports_are_read(tmp_path: Path) -> None:
    book = Path(shutil.copytree(BOOKS / "salt-road", tmp_path / "book"))
    async with served(create_app(read_settings(book, {}, trust=True))) as visitor:
        assert (await visitor.get(f"{BOOK}/health")).status == 404
        assert (await visitor.get(f"{BOOK}/drill")).status == 404
        for path, body in (("health", {"scope": "all"}), ("drill", {"seed": 2})):
            started = await visitor.post(f"{BOOK}/{path}", body)
            assert started.status == 202
            sent = await visitor.to_the_end(started.json["run"])
            assert sent[-1].event == "work.ended"
        report = (await visitor.get(f"{BOOK}/health")).json
        assert [one["check"] for one in report["checks"]][:2] == ["A1_pacing_plateau", "A2_beat_progress"]
        drill = (await visitor.get(f"{BOOK}/drill")).json
        assert drill["seed"] == 2
        page = await visitor.get(f"{BOOK}/health/page")
        assert page.headers["content-type"].startswith("text/html")
        assert (await visitor.post(f"{BOOK}/health", {"scope": "x" * 300})).status == 422
        assert (await visitor.post(f"{BOOK}/drill", {"seed": -1})).status == 422


async def test_a_check_is_waived_listed_withdrawn_and_undone(tmp_path: Path) -> None:
    book = Path(shutil.copytree(BOOKS / "salt-road", tmp_path / "book"))
    waivers = f"{BOOK}/health/waivers"
    async with served(create_app(read_settings(book, {}, trust=True))) as visitor:
        assert (await visitor.get(waivers)).json == {"waivers": [], "problems": []}
        made = await visitor.post(waivers, {"check": "A3", "place": "ch02-sc01", "reason": "The train is that fast."})
        assert (made.status, made.json["said"]) == (201, "Waived A3 at ch02-sc01: The train is that fast.")
        listed = (await visitor.get(waivers)).json["waivers"]
        assert listed == [{"check": "A3_timeline", "place": "ch02-sc01", "reason": "The train is that fast."}]
        assert (await visitor.ask("DELETE", f"{waivers}?check=A3&place=ch09-sc01")).status == 404
        assert (await visitor.ask("DELETE", f"{waivers}?check=A3&place=ch02-sc01")).status == 200
        assert (await visitor.get(waivers)).json["waivers"] == []
        assert (await visitor.post(f"{BOOK}/undo")).status == 200
        assert (await visitor.get(waivers)).json["waivers"] == listed
        for wrong in ({"check": "A3"}, {"check": "Z9", "reason": "because"}, {"check": "A3", "reason": "x"}):
            assert (await visitor.post(waivers, wrong)).status == 422
