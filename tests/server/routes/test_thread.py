"""Threads and retcons over HTTP, on a real socket."""

from __future__ import annotations

from pathlib import Path

from dramaturg.kernel.settings import read_settings
from dramaturg.server.app import create_app
from tests.server.visitor import served
from tests.workshop.thread.books import held, write_book

BOOK = "/v1/projects/main"
EYES = "Ruth eye colour green"


async def test_a_thread_is_pulled_and_a_retcon_becomes_one_set_of_patches(tmp_path: Path) -> None:
    (tmp_path / "dramaturg.toml").write_text('[models]\ndefault = "rehearsal"\n', encoding="utf-8")
    before = held(write_book(tmp_path))
    async with served(create_app(read_settings(tmp_path, {}, trust=True))) as visitor:
        found = (await visitor.get(f"{BOOK}/thread?fact=Ruth%20eye%20colour%20green")).json
        assert {one["kind"] for one in found["strands"]} >= {"sentence", "scaffold", "page"}
        assert (await visitor.get(f"{BOOK}/thread?fact=9999")).status == 404
        assert (await visitor.get(f"{BOOK}/thread?fact=")).status == 422
        assert len((await visitor.get(f"{BOOK}/thread?fact=Ruth")).json["choices"]) > 1
        started = await visitor.post(f"{BOOK}/thread/retcon", {"fact": EYES, "value": "grey"})
        assert started.status == 202
        await visitor.studio.workshop.works.wait(started.json["run"])
        patches = (await visitor.get(f"{BOOK}/patches")).json["patches"]
        assert {one["set"] for one in patches} == {1}
        assert (
            await visitor.post(f"{BOOK}/patches/accept", {"numbers": [one["number"] for one in patches]})
        ).status == 200
        assert held(tmp_path) != before
        assert (await visitor.post(f"{BOOK}/undo", {"act": "s1"})).status == 200
        assert held(tmp_path) == before
        refused = await visitor.post(f"{BOOK}/thread/retcon", {"fact": EYES, "value": ""})
        assert refused.status == 422
