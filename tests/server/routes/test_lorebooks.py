"""Lorebooks over HTTP: edited by their digest, with what is wrong at its field, and tried before they are written."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.server.routes.test_cards import CARD
from tests.server.visitor import Visitor

LORE = "/v1/characters/mina/lorebook"


@pytest.fixture
def card(story: Path) -> Path:
    path = story / "characters" / "mina.json"
    path.parent.mkdir()
    path.write_text(json.dumps(CARD), encoding="utf-8")
    return path


def _entries(path: Path) -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads(path.read_bytes())["data"]["character_book"]["entries"]
    return entries


async def test_entries_are_changed_added_deleted_and_put_in_another_order_at_once(visitor: Visitor, card: Path) -> None:
    book = (await visitor.get(LORE)).json
    assert (book["file"], book["form"], len(book["entries"])) == ("characters/mina.json", "card", 2)
    bell = {"fields": {"keys": ["bell"], "content": "It is cracked.", "caseSensitive": True}}
    edit = {"digest": book["digest"], "entries": [bell, {"at": 1, "fields": {"enabled": False}}]}
    written = await visitor.ask("PUT", LORE, json=edit)
    assert written.status == 200, written.text
    assert [one["label"] for one in written.json["entries"]] == ["bell", "harbour"]
    first, second = _entries(card)
    assert (first["keys"], first["case_sensitive"]) == (["bell"], True)
    assert second == {**CARD["data"]["character_book"]["entries"][1], "enabled": False}  # type: ignore[index]
    late = await visitor.ask("PUT", LORE, json=edit)
    assert (late.status, late.code) == (409, "ALREADY_USED")


async def test_a_line_is_tried_on_what_is_not_written_yet(visitor: Visitor, card: Path) -> None:
    before = card.read_bytes()
    digest = (await visitor.get(LORE)).json["digest"]
    draft = {"digest": digest, "entries": [{"at": 1}, {"fields": {"keys": ["/bells?/i"], "content": "Cracked."}}]}
    tried = await visitor.post(f"{LORE}/try", {"text": "The BELL above the harbour!", "draft": draft})
    told = {one["entry"]: one["reason"] for one in tried.json["outcomes"] if one["told"]}
    assert told.keys() == {0, 1}
    assert "harbour" in told[0]
    assert card.read_bytes() == before


async def test_what_is_wrong_is_said_at_its_field_and_nothing_is_written(visitor: Visitor, card: Path) -> None:
    before = card.read_bytes()
    digest = (await visitor.get(LORE)).json["digest"]
    draft = {"digest": digest, "entries": [{"at": 0}, {"at": 1, "fields": {"keys": ["/(/"]}}]}
    refused = await visitor.ask("PUT", LORE, json=draft)
    assert refused.status == 422
    problem = refused.json["error"]["context"]["problems"][0]
    assert (problem["entry"], problem["field"]) == (1, "keys")
    assert problem["problem"] == "the pattern '(' cannot be used: a group is never closed"
    tried = await visitor.post(f"{LORE}/try", {"text": "the lighthouse", "draft": draft})
    assert tried.json["problems"] == [problem]
    assert [one["entry"] for one in tried.json["outcomes"] if one["told"]] == [0]
    assert card.read_bytes() == before


@pytest.mark.parametrize(
    "entries",
    [
        [{"at": 2}],
        [{"at": 0}, {"at": 0}],
        [{"at": -1}],
        [{"at": 0, "fields": {"kyes": ["x"]}}],
        [{"at": 0, "fields": {"order": "first"}}],
        [{"at": 0, "fields": {"position": "personality"}}],
        [{"fields": {"keys": [], "content": "Never told."}}],
        [{"fields": {"keys": ["a"] * 1001, "content": "Too often."}}],
        [{}] * 20_001,
    ],
)
async def test_an_edit_that_makes_no_sense_is_refused(
    visitor: Visitor, card: Path, entries: list[dict[str, Any]]
) -> None:
    before = card.read_bytes()
    digest = (await visitor.get(LORE)).json["digest"]
    assert (await visitor.ask("PUT", LORE, json={"digest": digest, "entries": entries})).status == 422
    assert card.read_bytes() == before


async def test_a_card_of_ours_gets_a_book_and_the_stage_uses_it(visitor: Visitor, story: Path) -> None:
    entry = {"fields": {"keys": ["lighthouse"], "content": "It burned in 1903."}}
    written = await visitor.ask("PUT", "/v1/characters/alice/lorebook", json={"digest": "", "entries": [entry]})
    assert written.status == 200, written.text
    assert written.json["file"] == "characters/alice.json"
    assert (story / "characters" / "alice.json").is_file()
    tried = await visitor.post("/v1/characters/alice/lorebook/try", {"text": "the lighthouse"})
    assert [one["told"] for one in tried.json["outcomes"]] == [True]
    assert (await visitor.get("/v1/characters/alice")).json["card"]["displayName"] == "Alice"


async def test_the_books_of_the_project_are_listed_and_edited_too(visitor: Visitor, story: Path) -> None:
    world = {"entries": {"0": {"uid": 0, "key": ["coast"], "content": "Chalk.", "stranger": [1]}}}
    (story / "lorebooks").mkdir()
    (story / "lorebooks" / "coast.json").write_text(json.dumps(world), encoding="utf-8")
    (story / "lorebooks" / "torn.json").write_text("{", encoding="utf-8")
    coast, torn = (await visitor.get("/v1/lorebooks")).json["lorebooks"]
    assert (coast["name"], coast["entries"], coast["problem"]) == ("coast", 1, None)
    assert "not JSON" in torn["problem"]
    book = (await visitor.get("/v1/lorebooks/coast")).json
    edit = {"digest": book["digest"], "entries": [{"at": 0, "fields": {"content": "Chalk and flint."}}]}
    tried = await visitor.post("/v1/lorebooks/coast/try", {"text": "the coast", "draft": edit})
    assert [one["told"] for one in tried.json["outcomes"]] == [True]
    assert (await visitor.ask("PUT", "/v1/lorebooks/coast", json=edit)).status == 200
    world["entries"]["0"]["content"] = "Chalk and flint."
    assert json.loads((story / "lorebooks" / "coast.json").read_bytes()) == world
    assert (await visitor.ask("PUT", "/v1/lorebooks/coast", json=edit)).status == 409
    lost = await visitor.get("/v1/lorebooks/cost")
    assert (lost.status, "coast" in lost.text) == (404, True)


async def test_a_book_is_begun_named_and_filled_and_the_characters_know_it(visitor: Visitor, story: Path) -> None:
    begun = await visitor.post("/v1/lorebooks", {"name": "low-haven", "title": "Low Haven"})
    assert (begun.status, begun.json["name"], begun.json["form"]) == (201, "Low Haven", "standalone")
    assert begun.json["file"] == "lorebooks/low-haven.json"
    entry = {"fields": {"keys": ["ferry"], "content": "It runs until nine."}}
    edit = {"digest": begun.json["digest"], "name": "The haven", "entries": [entry]}
    assert (await visitor.ask("PUT", "/v1/lorebooks/low-haven", json=edit)).json["name"] == "The haven"
    listed = (await visitor.get("/v1/lorebooks")).json["lorebooks"]
    assert [(one["name"], one["title"], one["entries"]) for one in listed] == [("low-haven", "The haven", 1)]
    tried = await visitor.post("/v1/lorebooks/low-haven/try", {"text": "the ferry"})
    assert [one["told"] for one in tried.json["outcomes"]] == [True]
    written = json.loads((story / "lorebooks" / "low-haven.json").read_bytes())
    assert (written["spec"], written["data"]["name"]) == ("lorebook_v3", "The haven")


@pytest.mark.parametrize(
    ("name", "status", "said"),
    [
        ("coast", 409, "There is a lorebook 'coast' already"),
        ("COAST.json", 409, "There is a lorebook"),
        ("../coast", 422, "cannot name a lorebook: it contains a slash"),
        ("..\\coast", 422, "it contains a backslash"),
        ("..", 422, "it begins or ends with punctuation"),
        ("  ", 422, "it is empty"),
        ("con", 422, "some systems reserve that file name"),
        ("x" * 65, 422, "it is over 64 characters"),
    ],
)
async def test_a_new_book_overwrites_nothing_and_lies_where_books_lie(
    visitor: Visitor, story: Path, name: str, status: int, said: str
) -> None:
    (story / "lorebooks").mkdir()
    (story / "lorebooks" / "coast.json").write_text('{"entries": {}}', encoding="utf-8")
    before = {path: path.read_bytes() for path in story.rglob("*.json")}
    refused = await visitor.post("/v1/lorebooks", {"name": name})
    assert (refused.status, said in refused.json["error"]["message"]) == (status, True), refused.text
    assert {path: path.read_bytes() for path in story.rglob("*.json")} == before
    assert not (story.parent / "coast.json").exists()


async def test_a_new_book_does_not_go_through_a_link_out_of_the_project(visitor: Visitor, story: Path) -> None:
    outside = story.parent / "outside"
    outside.mkdir()
    (story / "lorebooks").symlink_to(outside)
    refused = await visitor.post("/v1/lorebooks", {"name": "coast"})
    assert (refused.status, "link out of the project" in refused.text) == (422, True)
    assert list(outside.iterdir()) == []
