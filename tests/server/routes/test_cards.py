"""Cards over HTTP: edited by their digest, imported from other programs, shown with a portrait, tried for lore."""

import base64
import json
import struct
import zlib
from io import BytesIO
from pathlib import Path

import pytest

from tests.server.visitor import Visitor

PNG = b"\x89PNG\r\n\x1a\n"
CARD = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Mina <script>",
        "description": "Keeps the lighthouse.",
        "personality": "Dry.",
        "scenario": "",
        "first_mes": "You are late.",
        "mes_example": "",
        "character_book": {
            "name": "The coast",
            "extensions": {},
            "entries": [
                {"keys": ["lighthouse"], "content": "It burned in 1903.", "enabled": True, "insertion_order": 1,
                 "extensions": {}},
                {"keys": ["harbour"], "content": "It froze.", "enabled": True, "insertion_order": 2, "extensions": {}},
            ],
        },
    },
}  # fmt: skip


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _png(card: object) -> bytes:
    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    text = b"chara\x00" + base64.b64encode(json.dumps(card).encode())
    body = _chunk(b"IDAT", zlib.compress(b"\x00\x00"))
    return PNG + _chunk(b"IHDR", head) + _chunk(b"tEXt", text) + body + _chunk(b"IEND", b"")


async def _portrait(visitor: Visitor, name: str) -> bytes:
    async with visitor.session.get(f"{visitor.url}/v1/characters/{name}/portrait") as picture:
        assert (picture.status, picture.content_type) == (200, "image/png")
        assert picture.headers["X-Content-Type-Options"] == "nosniff"
        data = await picture.read()
        known = {"If-None-Match": picture.headers["ETag"]}
    async with visitor.session.get(f"{visitor.url}/v1/characters/{name}/portrait", headers=known) as again:
        assert (again.status, await again.read()) == (304, b"")
    assert data.startswith(PNG)
    return data


async def test_a_card_is_edited_by_its_digest_and_never_over_a_change_of_others(visitor: Visitor, story: Path) -> None:
    file = story / ".claude" / "agents" / "alice.md"
    card = (await visitor.get("/v1/characters/alice/card")).json
    assert card["text"] == file.read_text(encoding="utf-8")
    edit = {"text": card["text"] + "\nShe hums.\n", "digest": card["digest"]}
    written = await visitor.ask("PUT", "/v1/characters/alice/card", json=edit)
    assert (written.status, written.json["text"]) == (200, edit["text"])
    assert file.read_text(encoding="utf-8") == edit["text"]
    late = await visitor.ask("PUT", "/v1/characters/alice/card", json={**edit, "text": "# Alice\nOther."})
    assert (late.status, late.code) == (409, "ALREADY_USED")
    assert "She hums." in file.read_text(encoding="utf-8")
    assert not list(file.parent.glob(".*"))


async def test_a_text_that_could_not_be_played_is_not_written(visitor: Visitor, story: Path) -> None:
    before = (story / ".claude" / "agents" / "alice.md").read_bytes()
    card = (await visitor.get("/v1/characters/alice/card")).json
    broken = {"text": "---\nname: [\n---\n# Alice", "digest": card["digest"]}
    assert (await visitor.ask("PUT", "/v1/characters/alice/card", json=broken)).status == 422
    assert (story / ".claude" / "agents" / "alice.md").read_bytes() == before


@pytest.mark.parametrize("form", ["png", "json"])
async def test_a_card_of_another_program_is_dropped_in_and_shown(form: str, visitor: Visitor) -> None:
    data = _png(CARD) if form == "png" else json.dumps(CARD).encode()
    sent = await visitor.ask("POST", f"/v1/characters?file=..%2Fmina.{form}", data=data)
    assert sent.status == 201, sent.text
    name = sent.json["name"]
    assert name == "mina-script"
    again = await visitor.ask("POST", f"/v1/characters?file=mina.{form}", data=data)
    assert (again.status, again.code) == (422, "CHARACTER_LOAD_ERROR")
    assert "lighthouse" in (await visitor.get(f"/v1/characters/{name}/card")).json["text"]
    assert (await _portrait(visitor, name) == data) is (form == "png")
    book = (await visitor.get(f"/v1/characters/{name}/lorebook")).json
    assert [entry["keys"] for entry in book["entries"]] == [["lighthouse"], ["harbour"]]
    tried = await visitor.post(f"/v1/characters/{name}/lorebook/try", {"text": "Do you see the lighthouse?"})
    assert [one["told"] for one in tried.json["outcomes"]] == [True]


async def test_another_name_for_a_card_is_a_parameter_and_a_path_is_told_as_what_it_is(visitor: Visitor) -> None:
    data = json.dumps(CARD).encode()
    taken = await visitor.ask("POST", "/v1/characters?file=mina.json&name=alice", data=data)
    assert "Choose another name with ?name=" in taken.json["error"]["message"]
    assert "--name" not in taken.text
    path = await visitor.ask("POST", "/v1/characters?file=mina.json&name=/abs", data=data)
    assert "it was given with a slash in front, like a path" in path.json["error"]["message"]
    unnamed = {**CARD, "data": {**CARD["data"], "name": "😀"}}
    for name in ("mina", "mina-2"):
        brought = await visitor.ask("POST", "/v1/characters?file=mina.json", data=json.dumps(unnamed).encode())
        assert (brought.status, brought.json["name"]) == (201, name)
        assert "with ?name=" in brought.json["remarks"][0]


async def test_a_card_without_a_picture_or_a_book_has_a_drawn_one_and_none(visitor: Visitor) -> None:
    assert await _portrait(visitor, "alice") == await _portrait(visitor, "alice")
    book = (await visitor.get("/v1/characters/alice/lorebook")).json
    assert (book["name"], book["entries"], book["digest"]) == ("", [], "")
    assert (await visitor.post("/v1/characters/alice/lorebook/try", {"text": "x"})).status == 404


@pytest.mark.parametrize("data", [b"", b"GIF89a", PNG + b"junk", b"{}", b"\x00" * 50_000, b"PK\x03\x04"])
async def test_junk_is_refused_and_nothing_is_written(data: bytes, visitor: Visitor, story: Path) -> None:
    before = sorted(path for path in story.rglob("*") if "data" not in path.parts)
    refused = await visitor.ask("POST", "/v1/characters?file=x.png", data=data)
    assert refused.status == 422
    assert sorted(path for path in story.rglob("*") if "data" not in path.parts) == before


async def test_a_card_may_be_larger_than_other_requests_but_not_without_end(visitor: Visitor) -> None:
    large = {**CARD, "data": {**CARD["data"], "creator_notes": "x" * 2_000_000}}
    assert (
        await visitor.ask("POST", "/v1/characters?file=m.json", data=BytesIO(json.dumps(large).encode()))
    ).status != 413
    assert (await visitor.ask("POST", "/v1/characters?file=m.json", data=BytesIO(b"x" * 20_000_001))).status == 413
    assert (await visitor.ask("POST", "/v1/scenes", data=BytesIO(b"x" * 1_000_001))).status == 413
