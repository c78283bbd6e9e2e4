"""Scaffolds and promises over HTTP, on a real socket."""

from __future__ import annotations

from pathlib import Path

from dramaturg.kernel.settings import read_settings
from dramaturg.server.app import create_app
from tests.server.visitor import served
from tests.workshop.scaffold.books import thriller

BOOK = "/v1/projects/main"


async def test_a_scene_is_planned_and_its_promises_are_kept_over_http(tmp_path: Path) -> None:
    book = thriller(tmp_path, {"dramaturg.toml": '[models]\ndefault = "rehearsal"\n'})
    async with served(create_app(read_settings(book, {}, trust=True))) as visitor:
        started = await visitor.post(f"{BOOK}/scaffolds", {"scene": "ch04-sc01", "wordTarget": 900})
        assert started.status == 202
        await visitor.to_the_end(started.json["run"])
        listed = (await visitor.get(f"{BOOK}/scaffolds")).json["scaffolds"]
        assert [one["scaffoldId"] for one in listed] == ["ch04-sc01", "ch05-sc01"]
        found = (await visitor.get(f"{BOOK}/scaffolds/ch04-sc01")).json
        assert (found["wordTarget"], found["sources"]["word_target"]) == (900, "the request")
        assert found["fields"]["scene_goal"] == "Ines finds her own voice on the tape."
        paid = {"step": "pay", "name": "the wrong hook", "scene": "ch03-sc01", "quote": "Ines put it back."}
        assert (await visitor.post(f"{BOOK}/promises", paid)).json["promise"]["state"] == "paid"
        assert (await visitor.get(f"{BOOK}/promises?state=overdue")).json == {"promises": [], "problem": ""}
        false = await visitor.post(f"{BOOK}/promises", {**paid, "quote": "A wolf howled there."})
        assert false.status == 422
        assert (await visitor.post(f"{BOOK}/promises", {**paid, "name": "nobody"})).status == 404
        assert (await visitor.get(f"{BOOK}/scaffolds/ch09-sc09")).status == 404
        assert (await visitor.get(f"{BOOK}/promises?state=odd")).status == 422
        assert (await visitor.post(f"{BOOK}/scaffolds", {"scene": "ch04-sc01", "enrichment": 4})).status == 422
