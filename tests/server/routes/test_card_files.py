"""A character's files over HTTP: another portrait, another name, deleted and brought back."""

import json
import struct
import zlib
from io import BytesIO
from pathlib import Path

import pytest

from tests.server.routes.test_cards import CARD, PNG, _chunk, _png, _portrait
from tests.server.visitor import Visitor


def _picture(width: int = 3, height: int = 2, *, rows: int = 2, extra: bytes = b"") -> bytes:
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = zlib.compress((b"\0" + b"\x40" * width) * rows)
    return PNG + _chunk(b"IHDR", head) + extra + _chunk(b"IDAT", body) + _chunk(b"IEND", b"")


def _bare(folder: Path, name: str = "dora") -> Path:
    path = folder / ".claude" / "agents" / f"{name}.md"
    path.write_text(f"# {name.title()} - Singer\n\nSings.\n", encoding="utf-8")
    return path


async def _send(visitor: Visitor, name: str, picture: bytes) -> int:
    return (await visitor.ask("PUT", f"/v1/characters/{name}/portrait", data=picture)).status


async def test_a_card_of_ours_is_given_a_portrait_and_keeps_its_text(visitor: Visitor, story: Path) -> None:
    card = (await visitor.get("/v1/characters/alice/card")).json
    private = _chunk(b"tEXt", b"Author\0somebody") + _chunk(b"eXIf", b"where it was taken")
    assert await _send(visitor, "alice", _picture(extra=private)) == 204
    shown = await _portrait(visitor, "alice")
    assert b"somebody" not in shown
    assert b"where it was taken" not in shown
    assert struct.unpack_from(">II", shown, 16) == (3, 2)
    assert (await visitor.get("/v1/characters/alice/card")).json == card
    assert (story / "characters" / "alice.png").is_file()


@pytest.mark.parametrize("form", ["json", "png"])
async def test_another_portrait_leaves_the_card_behind_it_as_it_was(form: str, visitor: Visitor, story: Path) -> None:
    data = _png(CARD) if form == "png" else json.dumps(CARD).encode()
    name = (await visitor.ask("POST", f"/v1/characters?file=mina.{form}", data=data)).json["name"]
    before = (await visitor.get(f"/v1/characters/{name}/lorebook")).json
    assert await _send(visitor, name, _picture(4, 2)) == 204
    assert struct.unpack_from(">II", await _portrait(visitor, name), 16) == (4, 2)
    after = (await visitor.get(f"/v1/characters/{name}/lorebook")).json
    assert after == {**before, "file": f"characters/{name}.png"}
    assert [path.name for path in (story / "characters").iterdir()] == [f"{name}.png"]


@pytest.mark.parametrize(
    ("picture", "said"),
    [
        (b"GIF89a", "not a PNG"),
        (PNG + b"junk", "cut off"),
        (_picture(rows=1), "pixels are missing"),
        (_picture(rows=9), "more pixels than its header says"),
        (_picture(0), "0 by 2 pixels"),
        (_picture(100_000, rows=1), "100000 by 2 pixels"),
        (_picture()[:-4] + b"\0\0\0\0", "checksum"),
    ],
)
async def test_a_picture_that_lies_is_refused_in_a_sentence(
    picture: bytes, said: str, visitor: Visitor, story: Path
) -> None:
    refused = await visitor.ask("PUT", "/v1/characters/alice/portrait", data=picture)
    assert refused.status == 422
    assert said in refused.json["error"]["message"]
    assert not (story / "characters").exists()


async def test_a_portrait_may_be_larger_than_other_requests_but_not_without_end(visitor: Visitor) -> None:
    for size, status in ((1_500_000, 422), (20_000_001, 413)):
        sent = await visitor.ask("PUT", "/v1/characters/alice/portrait", data=BytesIO(b"x" * size))
        assert sent.status == status
    assert (await visitor.ask("PUT", "/v1/characters/alice/card", data=BytesIO(b"x" * 1_500_000))).status == 413


async def test_a_deleted_card_waits_where_it_can_be_brought_back_from(visitor: Visitor, story: Path) -> None:
    path = _bare(story)
    text = path.read_bytes()
    assert await _send(visitor, "dora", _picture()) == 204
    found = (await visitor.get("/v1/characters/dora/files")).json
    assert found["files"] == [".claude/agents/dora.md", "characters/dora.png"]
    gone = await visitor.ask("DELETE", f"/v1/characters/dora?digest={found['digest']}")
    assert gone.status == 200, gone.text
    assert (await visitor.get("/v1/characters/dora")).status == 404
    assert (story / gone.json["folder"] / ".claude" / "agents" / "dora.md").read_bytes() == text
    assert [one["name"] for one in (await visitor.get("/v1/deleted-characters")).json["characters"]] == ["dora"]
    back = await visitor.post(f"/v1/deleted-characters/{gone.json['id']}/restore")
    assert (back.status, back.json) == (200, found)
    assert path.read_bytes() == text
    assert (await visitor.get("/v1/deleted-characters")).json["characters"] == []
    assert list((story / "data" / "deleted").iterdir()) == []


async def test_a_card_that_scenes_name_is_neither_deleted_nor_renamed(visitor: Visitor, story: Path) -> None:
    found = (await visitor.get("/v1/characters/alice/files")).json
    assert found["namedIn"] == [{"kind": "scene", "name": "argument"}]
    gone = await visitor.ask("DELETE", f"/v1/characters/alice?digest={found['digest']}")
    renamed = await visitor.post("/v1/characters/alice/rename", {"name": "alicia", "digest": found["digest"]})
    for refused in (gone, renamed):
        assert refused.status == 422
        assert "the scene 'argument'" in refused.json["error"]["message"]
    (story / "scenes" / "argument.json").write_text("{ 'Alice', torn", encoding="utf-8")
    assert (await visitor.ask("DELETE", f"/v1/characters/alice?digest={found['digest']}")).status == 422
    assert (story / ".claude" / "agents" / "alice.md").is_file()


@pytest.mark.parametrize("text", ["slots: [{slot: 1, agent: Dora}]", "slots: [ DORA, torn"])
async def test_a_card_that_sits_in_the_ensemble_is_neither_deleted_nor_renamed(
    visitor: Visitor, story: Path, text: str
) -> None:
    card = _bare(story)
    (story / "ensemble.yaml").write_text(text, encoding="utf-8")
    found = (await visitor.get("/v1/characters/dora/files")).json
    assert found["namedIn"] == [{"kind": "ensemble", "name": "ensemble.yaml"}]
    gone = await visitor.ask("DELETE", f"/v1/characters/dora?digest={found['digest']}")
    renamed = await visitor.post("/v1/characters/dora/rename", {"name": "theodora", "digest": found["digest"]})
    for refused in (gone, renamed):
        assert (refused.status, "the ensemble 'ensemble.yaml'" in refused.json["error"]["message"]) == (422, True)
    assert card.is_file()
    (story / "ensemble.yaml").write_text("slots: [{slot: 1, agent: The Optimist, persona: Hopes.}]", encoding="utf-8")
    assert (await visitor.get("/v1/characters/dora/files")).json["namedIn"] == []


async def test_a_card_that_was_changed_meanwhile_is_neither_deleted_nor_renamed(visitor: Visitor, story: Path) -> None:
    path = _bare(story)
    digest = (await visitor.get("/v1/characters/dora/files")).json["digest"]
    path.write_text("# Dora - Dancer\n\nDances.\n", encoding="utf-8")
    gone = await visitor.ask("DELETE", f"/v1/characters/dora?digest={digest}")
    renamed = await visitor.post("/v1/characters/dora/rename", {"name": "theodora", "digest": digest})
    assert [(one.status, one.code) for one in (gone, renamed)] == [(409, "ALREADY_USED")] * 2
    assert "Dances." in path.read_text(encoding="utf-8")


async def test_a_name_that_leads_out_is_refused_and_the_message_says_what_is_wrong(
    visitor: Visitor, story: Path
) -> None:
    _bare(story)
    digest = (await visitor.get("/v1/characters/dora/files")).json["digest"]
    refused = await visitor.post("/v1/characters/dora/rename", {"name": "../../etc/passwd", "digest": digest})
    assert refused.status == 422
    said = "'../../etc/passwd' cannot be the name of a character: it contains a slash."
    assert refused.json["error"]["message"].startswith(said)


async def test_all_files_of_a_character_are_renamed_and_back(visitor: Visitor, story: Path) -> None:
    _bare(story)
    assert await _send(visitor, "dora", _picture()) == 204
    digest = (await visitor.get("/v1/characters/dora/files")).json["digest"]
    renamed = await visitor.post("/v1/characters/dora/rename", {"name": "Theodora", "digest": digest})
    assert renamed.status == 200, renamed.text
    assert renamed.json["files"] == [".claude/agents/Theodora.md", "characters/Theodora.png"]
    assert (await visitor.get("/v1/characters/dora")).status == 404
    back = await visitor.post("/v1/characters/theodora/rename", {"name": "dora", "digest": renamed.json["digest"]})
    assert back.json["files"] == [".claude/agents/dora.md", "characters/dora.png"]


@pytest.mark.parametrize(("name", "said"), [("alice", "already has a character"), ("../x", "a slash"), (".", "punct")])
async def test_a_name_that_cannot_be_had_is_refused(name: str, said: str, visitor: Visitor, story: Path) -> None:
    path = _bare(story)
    digest = (await visitor.get("/v1/characters/dora/files")).json["digest"]
    refused = await visitor.post("/v1/characters/dora/rename", {"name": name, "digest": digest})
    assert refused.status == 422
    assert said in refused.json["error"]["message"]
    assert path.is_file()


async def test_a_deleted_card_is_not_brought_back_over_another(visitor: Visitor, story: Path) -> None:
    _bare(story)
    digest = (await visitor.get("/v1/characters/dora/files")).json["digest"]
    gone = (await visitor.ask("DELETE", f"/v1/characters/dora?digest={digest}")).json
    other = _bare(story, "Dora")
    refused = await visitor.post(f"/v1/deleted-characters/{gone['id']}/restore")
    assert refused.status == 422
    assert "already has a character 'Dora'" in refused.json["error"]["message"]
    assert other.is_file()
    lost = await visitor.post("/v1/deleted-characters/..%2F..%2Fscenes/restore")
    assert lost.status == 404
