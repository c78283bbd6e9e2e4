"""Patches and versions over HTTP, on a real socket."""

from __future__ import annotations

from pathlib import Path

from dramaturg.kernel.settings import read_settings
from dramaturg.server.app import create_app
from dramaturg.studio import Studio
from dramaturg.workshop.patches.patch import PatchSource
from tests.server.visitor import served
from tests.workshop.patches.test_review import SCENE, quoted, text_of, write

BOOK = "/v1/projects/main"


async def test_patches_are_listed_accepted_rejected_and_undone(tmp_path: Path) -> None:
    (tmp_path / "dramaturg.toml").write_text('[models]\ndefault = "rehearsal"\n', encoding="utf-8")
    place = write(tmp_path)
    settings = read_settings(tmp_path, {}, trust=True)
    async with Studio.open(settings) as studio:
        patches = (quoted("Ruth put", "She put"), quoted("began again", "fell"), quoted("harbour was", "sea was"))
        await studio.workshop.patches.propose("t1", "Prose pass", PatchSource(name="m", purpose="prose"), patches)
    async with served(create_app(settings)) as visitor:
        listed = (await visitor.get(f"{BOOK}/patches")).json["patches"]
        assert [(one["number"], one["state"], one["issue"]) for one in listed] == [
            (1, "waiting", "flat"), (2, "waiting", "flat"), (3, "waiting", "flat"),
        ]  # fmt: skip
        assert listed[0]["words"] == [{"kind": "old", "text": "Ruth"}, {"kind": "new", "text": "She"}]
        assert listed[2]["problem"].startswith("Its words stand there 2 times")
        done = (await visitor.post(f"{BOOK}/patches/accept", {"numbers": [1, 2, 3]})).json
        assert done["accepted"] == [1, 2]
        assert [one["number"] for one in done["waiting"]] == [3]
        assert (await visitor.post(f"{BOOK}/patches/reject", {"numbers": [3], "reason": "no"})).json["rejected"] == [3]
        assert (await visitor.get(f"{BOOK}/patches")).json["patches"] == []
        assert len((await visitor.get(f"{BOOK}/patches?all=true")).json["patches"]) == 3
        assert (await visitor.post(f"{BOOK}/undo", {"act": "p1"})).status == 200
        assert text_of(place) == SCENE.replace("began again", "fell")
        versions = (await visitor.get(f"{BOOK}/versions?scene=ch01-sc01")).json
        assert [one["isCurrent"] for one in versions["versions"]] == [False, False, True]
        found = (await visitor.get(f"{BOOK}/versions/1/comparison?scene=ch01-sc01&second=3")).json
        assert (found["added"], found["removed"]) == (1, 2)
        assert (await visitor.get(f"{BOOK}/versions/1?scene=ch01-sc01")).json["text"] == SCENE
        back = await visitor.post(f"{BOOK}/versions/restore", {"scene": "ch01-sc01", "version": 1})
        assert back.json["version"] == 4
        assert text_of(place) == SCENE


async def test_what_is_not_there_or_makes_no_sense_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dramaturg.toml").write_text('[models]\ndefault = "rehearsal"\n', encoding="utf-8")
    async with served(create_app(read_settings(tmp_path, {}, trust=True))) as visitor:
        assert (await visitor.post(f"{BOOK}/patches/accept", {"numbers": [1]})).status == 404
        assert (await visitor.post(f"{BOOK}/patches/accept", {"numbers": []})).status == 422
        assert (await visitor.post(f"{BOOK}/patches/accept", {"numbers": ["x"]})).status == 422
        assert (await visitor.post(f"{BOOK}/patches/reject", {"numbers": [10**20]})).status == 422
        assert (await visitor.get(f"{BOOK}/versions?scene=ch01-sc01")).status == 404
        assert (await visitor.get(f"{BOOK}/versions?scene=../../etc/passwd")).status == 422
        assert (await visitor.get("/v1/projects/other/patches")).status == 404
