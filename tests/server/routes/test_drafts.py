"""Drafts over HTTP, on a real socket: written, followed, read, chosen, mixed and staged."""

from __future__ import annotations

from pathlib import Path

from dramaturg.kernel.settings import read_settings
from dramaturg.server.app import create_app
from tests.server.visitor import served
from tests.workshop.drafts.cases import book

BOOK = "/v1/projects/main"
REQUEST = {"request": {"target": "ch04-sc02", "words": 120, "strategies": ["ACTION", "BALANCED"]}}


def story(folder: Path) -> Path:
    project = book(folder)
    (project / "dramaturg.toml").write_text('[models]\ndefault = "rehearsal"\n', encoding="utf-8")
    return project


async def test_a_scene_is_drafted_and_a_variant_chosen_over_http(tmp_path: Path) -> None:
    project = story(tmp_path)
    async with served(create_app(read_settings(project, {}, trust=True))) as visitor:
        assert (await visitor.get(f"{BOOK}/drafts/last")).status == 404
        priced = (await visitor.post(f"{BOOK}/works/draft/price", REQUEST)).json
        assert (priced["leastQuestions"], priced["mostQuestions"]) == (2, 4)
        run = (await visitor.post(f"{BOOK}/works/draft", REQUEST)).json["run"]
        sent = await visitor.to_the_end(run)
        assert [one.event for one in sent if one.event == "section.written"] == ["section.written"] * 2
        assert "draft.began" not in {one.event for one in sent}
        draft = (await visitor.get(f"{BOOK}/drafts/{run}")).json
        assert draft["file"] == "manuscript/ch04-sc02.md"
        one = (await visitor.get(f"{BOOK}/drafts/last/variants/b")).json
        assert one == draft["variants"][1]
        assert (await visitor.get(f"{BOOK}/drafts/{run}/variants/Z")).status == 404
        looked = (await visitor.post(f"{BOOK}/drafts/{run}/hybrid", {"parts": ["A1", "B2"], "write": False})).json
        assert [seam["left"] + seam["right"] for seam in looked["seams"]] == ["A1B2"]
        assert not (project / "manuscript" / "ch04-sc02.md").exists()
        chosen = (await visitor.post(f"{BOOK}/drafts/{run}/choice", {"letter": "A"})).json
        assert chosen["written"]
        mixed = (await visitor.post(f"{BOOK}/drafts/{run}/hybrid", {"parts": ["A1", "B2"]})).json
        assert mixed["saved"]["patches"]
        listed = (await visitor.get(f"{BOOK}/patches")).json["patches"]
        assert [one["number"] for one in listed] == mixed["saved"]["patches"]
        assert (await visitor.post(f"{BOOK}/drafts/{run}/hybrid", {"parts": ["A77"]})).status == 404
        assert (await visitor.post(f"{BOOK}/drafts/{run}/hybrid", {"parts": ["?"]})).status == 422
        assert (await visitor.post(f"{BOOK}/works/draft", {"request": {"target": "../x"}})).status == 422


async def test_a_scaffold_is_staged_over_http(tmp_path: Path) -> None:
    project = story(tmp_path)
    async with served(create_app(read_settings(project, {}, trust=True))) as visitor:
        staged = await visitor.post(f"{BOOK}/stagings", {"scaffold": "ch04-sc02"})
        assert staged.status == 201
        assert staged.json["cast"] == ["elena", "marcus"]
        assert (await visitor.post(f"{BOOK}/stagings", {"scaffold": "../../x"})).status == 422
        assert (await visitor.post(f"{BOOK}/stagings", {"scaffold": "ch09-sc09"})).status == 404
        played = await visitor.post("/v1/scenes", {"scene": "ch04-sc02", "model": "rehearsal"})
        assert played.status == 202
        await visitor.to_the_end(played.json["run"])
