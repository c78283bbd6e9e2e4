"""Pages of the story bible and scenes of the manuscript over HTTP, on a real socket."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from dramaturg.kernel.settings import read_settings
from dramaturg.server.app import create_app
from tests.server.visitor import Answer, Client, served

BOOK = "/v1/projects/main"
PAGE = "---\nname: Elena\nstatus: in_progress\n---\n\n# Protagonist\n\n## Fatal flaw\n\nShe trusts nobody.\n"
SCENE = "---\ntitle: The Docks\nchapter: 1\n---\n\nElena counted the lamps. /var/lamps was what she called it.\n"


@asynccontextmanager
async def a_book(folder: Path) -> AsyncIterator[Client]:
    (folder / "dramaturg.toml").write_text('[models]\ndefault = "rehearsal"\n', encoding="utf-8")
    for path, text in (("story-bible/protagonist.md", PAGE), ("manuscript/ch01-sc01.md", SCENE)):
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_bytes(text.encode())
    async with served(create_app(read_settings(folder, {}, trust=True))) as visitor:
        yield visitor


async def put(visitor: Client, path: str, text: Any, digest: str = "") -> Answer:
    return await visitor.ask("PUT", f"{BOOK}/{path}", json={"text": text, "digest": digest})


def digest_of(place: Path) -> str:
    return hashlib.sha256(place.read_bytes()).hexdigest()


async def test_pages_are_listed_with_the_templates_that_do_not_exist_yet(tmp_path: Path) -> None:
    async with a_book(tmp_path) as visitor:
        (tmp_path / "story-bible" / "people").mkdir()
        (tmp_path / "story-bible" / "people" / "marcus.md").write_text(
            "---\nkind: character\nname: Marcus\n---\nHe lies.\n"
        )
        (tmp_path / "story-bible" / "old.md").write_bytes(b"caf\xe9")
        pages = (await visitor.get(f"{BOOK}/bible")).json["pages"]
        assert [(one["name"], one["title"], one["words"], one["status"]) for one in pages] == [
            ("protagonist", "Protagonist", 6, "in_progress"),
            ("beat_sheet", "Beat Sheet", 0, "not_started"),
            ("theme", "Theme", 0, "not_started"),
            ("world_rules", "World Rules", 0, "not_started"),
            ("old", "", 0, ""),
            ("people/marcus", "Marcus", 2, ""),
        ]
        assert pages[0]["digest"] == digest_of(tmp_path / "story-bible/protagonist.md")
        assert pages[1]["digest"] == ""
        assert "not UTF-8" in pages[4]["problem"]
        for one in (pages[0], pages[1], pages[5]):
            assert (await visitor.get(f"{BOOK}/bible/{one['name']}")).json["path"] == one["path"]


async def test_a_page_is_read_written_and_taken_back_to_the_byte(tmp_path: Path) -> None:
    place = tmp_path / "story-bible" / "protagonist.md"
    async with a_book(tmp_path) as visitor:
        found = (await visitor.get(f"{BOOK}/bible/protagonist")).json
        assert (found["text"], found["words"], found["problem"]) == (PAGE, 6, None)
        new = PAGE.replace("nobody", "no one but Marcus")
        saved = await put(visitor, "bible/protagonist", new, found["digest"])
        assert saved.status == 200, saved.text
        assert place.read_bytes() == new.encode()
        assert saved.json["digest"] == digest_of(place)
        assert saved.json["said"] == "Changed story-bible/protagonist.md."
        listed = (await visitor.get(f"{BOOK}/undo")).json["actions"]
        assert [(one["act"], one["action"], one["by"]) for one in listed] == [
            (saved.json["act"], "write_page", "writer")
        ]
        assert (await visitor.post(f"{BOOK}/undo", {"act": saved.json["act"]})).status == 200
        assert place.read_bytes() == PAGE.encode()


async def test_what_a_page_says_is_in_the_next_prompt(tmp_path: Path) -> None:
    async with a_book(tmp_path) as visitor:
        digest = (await visitor.get(f"{BOOK}/bible/protagonist")).json["digest"]
        await put(visitor, "bible/protagonist", PAGE.replace("trusts nobody", "counts the lamps"), digest)
        prompt = (await visitor.post(f"{BOOK}/prompt", {"message": "What is her flaw?"})).json
        assert "She counts the lamps." in prompt["system"] + "".join(one["text"] for one in prompt["messages"])


async def test_a_text_that_changed_meanwhile_stays_and_comes_back_word_for_word(tmp_path: Path) -> None:
    place = tmp_path / "manuscript" / "ch01-sc01.md"
    async with a_book(tmp_path) as visitor:
        digest = (await visitor.get(f"{BOOK}/manuscript/scenes/ch01-sc01")).json["digest"]
        by_hand = SCENE.replace("lamps", "ropes")
        place.write_text(by_hand, encoding="utf-8")
        refused = await put(visitor, "manuscript/scenes/ch01-sc01", "Gone.\n", digest)
        assert (refused.status, refused.code) == (409, "FILE_CHANGED")
        context = refused.json["error"]["context"]
        assert context == {"path": "manuscript/ch01-sc01.md", "digest": digest_of(place), "text": by_hand}
        assert "/var/ropes" in context["text"]
        assert place.read_text(encoding="utf-8") == by_hand
        assert (await put(visitor, "manuscript/scenes/ch01-sc01", "Gone.\n", context["digest"])).status == 200


async def test_a_file_is_never_overwritten_by_one_who_believes_there_is_none(tmp_path: Path) -> None:
    async with a_book(tmp_path) as visitor:
        assert (await put(visitor, "bible/protagonist", "Mine.\n")).status == 409
        new = await put(visitor, "manuscript/scenes/Chapter 2, Scene 1", "Marcus waited.\n")
        assert (new.status, new.json["path"]) == (200, "manuscript/ch02-sc01.md")
        (tmp_path / "manuscript" / "ch02-sc01.md").unlink()
        gone = await put(visitor, "manuscript/scenes/ch02-sc01", "Marcus waited longer.\n", new.json["digest"])
        assert gone.code == "FILE_CHANGED"
        assert gone.json["error"]["context"]["digest"] == ""
        assert not (tmp_path / "manuscript" / "ch02-sc01.md").exists()


async def test_of_two_editors_who_save_at_once_one_is_told_of_the_other(tmp_path: Path) -> None:
    async with a_book(tmp_path) as visitor:
        digest = (await visitor.get(f"{BOOK}/bible/protagonist")).json["digest"]
        texts = [f"Version {number}.\n" for number in range(6)]
        answers = await asyncio.gather(*(put(visitor, "bible/protagonist", text, digest) for text in texts))
        assert sorted(one.status for one in answers) == [200, 409, 409, 409, 409, 409]
        (kept,) = [one.json["text"] for one in answers if one.status == 200]
        assert {one.json["error"]["context"]["text"] for one in answers if one.status == 409} == {kept}
        assert (tmp_path / "story-bible" / "protagonist.md").read_text(encoding="utf-8") == kept


async def test_line_breaks_and_the_byte_order_mark_stay_where_nothing_was_edited(tmp_path: Path) -> None:
    mixed = b"\xef\xbb\xbfOne lamp.\r\n\r\nTwo lamps.\nThree lamps.\r\n"
    async with a_book(tmp_path) as visitor:
        place = tmp_path / "manuscript" / "ch01-sc01.md"
        place.write_bytes(mixed)
        found = (await visitor.get(f"{BOOK}/manuscript/scenes/ch01-sc01")).json
        assert found["text"] == "One lamp.\n\nTwo lamps.\nThree lamps.\n"
        same = await put(visitor, "manuscript/scenes/ch01-sc01", found["text"], found["digest"])
        assert (same.json["act"], place.read_bytes()) == ("", mixed)
        new = found["text"].replace("Three lamps.", "Three lamps\nand a rope.")
        saved = (await put(visitor, "manuscript/scenes/ch01-sc01", new, found["digest"])).json
        assert place.read_bytes() == mixed.replace(b"Three lamps.", b"Three lamps\r\nand a rope.")
        await visitor.post(f"{BOOK}/undo", {"act": saved["act"]})
        assert place.read_bytes() == mixed


async def test_scenes_are_listed_in_order_and_each_text_before_is_a_version(tmp_path: Path) -> None:
    async with a_book(tmp_path) as visitor:
        await put(visitor, "manuscript/scenes/ch01-sc02", "")
        await put(visitor, "manuscript/scenes/part two/ch03-sc01", "Marcus lied.\n")
        scenes = (await visitor.get(f"{BOOK}/manuscript/scenes")).json["scenes"]
        assert [(one["name"], one["title"], one["words"], one["isDrafted"]) for one in scenes] == [
            ("ch01-sc01", "The Docks", 10, True), ("ch01-sc02", "", 0, False), ("part two/ch03-sc01", "", 2, True),
        ]  # fmt: skip
        assert scenes[0]["chapter"] == "1"
        await put(visitor, "manuscript/scenes/ch01-sc01", "All new.\n", scenes[0]["digest"])
        versions = (await visitor.get(f"{BOOK}/versions?scene=ch01-sc01")).json
        assert (await visitor.get(f"{BOOK}/versions/1?scene=ch01-sc01")).json["text"] == SCENE
        assert versions["edited"]
        assert versions["versions"][0]["said"] == "The text before the writer changed it."


@pytest.mark.parametrize(
    "name",
    ["..%2F..%2Fetc%2Fpasswd", "%2Fetc%2Fpasswd", "a%2F..%2F..%2Fb", ".hidden", "a%2F.git%2Fconfig", "C:%5Cboot",
     "a%00b", "x" * 130, "a%2F%2Fb"],
)  # fmt: skip
async def test_nothing_outside_its_folder_is_read_or_written(tmp_path: Path, name: str) -> None:
    async with a_book(tmp_path) as visitor:
        before = sorted(place for place in tmp_path.rglob("*") if "data" not in place.parts)
        for where in ("bible", "manuscript/scenes"):
            read, written = (
                await visitor.get(f"{BOOK}/{where}/{name}"),
                await put(visitor, f"{where}/{name}", "Mine.\n"),
            )
            assert read.status in (404, 422), read.text
            assert (written.status, written.code) == (422, "INVALID_CONFIG"), written.text
        assert sorted(place for place in tmp_path.rglob("*") if "data" not in place.parts) == before


async def test_a_link_that_leads_out_of_the_project_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("A secret.", encoding="utf-8")
    folder = tmp_path / "book"
    folder.mkdir()
    async with a_book(folder) as visitor:
        (folder / "manuscript" / "ch09-sc01.md").symlink_to(tmp_path / "secret")
        assert (await visitor.get(f"{BOOK}/manuscript/scenes/ch09-sc01")).status == 422
        assert (await put(visitor, "manuscript/scenes/ch09-sc01", "Mine.\n")).status == 422
        listed = await visitor.get(f"{BOOK}/manuscript/scenes")
        assert "secret" not in listed.text.replace("A secret", "secret")
        assert (tmp_path / "secret").read_text(encoding="utf-8") == "A secret."


async def test_texts_that_are_no_texts_are_refused_with_a_reason(tmp_path: Path) -> None:
    async with a_book(tmp_path) as visitor:
        for text in ("A\0B", 7, None, "\ud800"):
            answer = await put(visitor, "bible/theme", text)
            assert (answer.status, answer.code) == (422, "INVALID_CONFIG"), answer.text
        assert (await put(visitor, "bible/theme", "x" * 1_010_000)).status == 413
        assert (await visitor.ask("PUT", f"{BOOK}/bible/theme", json={})).status == 422
        assert (await visitor.get(f"{BOOK}/manuscript/scenes/ch07-sc07")).status == 404
        assert (await visitor.get("/v1/projects/other/bible")).status == 404
        assert not (tmp_path / "story-bible" / "theme.md").exists()


async def test_broken_front_matter_is_saved_and_named(tmp_path: Path) -> None:
    async with a_book(tmp_path) as visitor:
        saved = await put(visitor, "bible/theme", "---\ncentral: [\n---\nTrust.\n")
        assert saved.status == 200
        assert "front matter cannot be read in line" in saved.json["problem"]


async def test_consultations_are_listed_page_by_page_newest_first(tmp_path: Path) -> None:
    async with a_book(tmp_path) as visitor:
        assert (await visitor.get(f"{BOOK}/consultations")).json == {
            "consultations": [], "page": 1, "limit": 20, "total": 0,
        }  # fmt: skip
        for number in range(1, 6):
            said = f"Message {number}. " + "She counts. " * (300 if number == 5 else 1)
            assert (await visitor.post(f"{BOOK}/consult", {"message": said})).status == 200
        first = (await visitor.get(f"{BOOK}/consultations?limit=2")).json
        assert [one["turn"] for one in first["consultations"]] == [5, 4]
        assert (first["total"], first["page"], first["limit"]) == (5, 1, 2)
        assert len(first["consultations"][0]["said"]) <= 2000
        assert first["consultations"][0]["said"].endswith("…")
        assert first["consultations"][1]["message"]
        third = (await visitor.get(f"{BOOK}/consultations?limit=2&page=3")).json
        assert [one["turn"] for one in third["consultations"]] == [1]
        assert (await visitor.get(f"{BOOK}/consultations?limit=2&page=4")).json["consultations"] == []
        for wrong in ("limit=0", "limit=101", "page=0", "page=x", "page=99999999999999999999"):
            assert (await visitor.get(f"{BOOK}/consultations?{wrong}")).status == 422
