"""Manuscripts over HTTP, on a real socket: preview, import, export, and an edited document back."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import aiohttp
import pytest

from dramaturg.workshop.manuscripts.intake.preview import MOST_CUTS
from tests.server.visitor import served
from tests.workshop.manuscripts.word_editor import WordEditor

MANUSCRIPT = "/v1/projects/main/manuscript"
NOVEL = "# Chapter 1\n\n“Four,” said Ruth.\n\n* * *\n\nNobody had opened the letter.\n"


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[aiohttp.ClientSession]:
    (tmp_path / "dramaturg.toml").write_text('[models]\ndefault = "rehearsal"\n', encoding="utf-8")
    async with served(tmp_path) as visitor, aiohttp.ClientSession(visitor.url) as session:
        yield session


async def post(desk: aiohttp.ClientSession, path: str, status: int = 200, **body: object) -> Any:
    async with desk.post(f"{MANUSCRIPT}{path}", json=body) as answer:
        assert answer.status == status, await answer.text()
        return await answer.json()


def sent(name: str, data: bytes) -> dict[str, object]:
    return {"name": name, "content": base64.b64encode(data).decode()}


NO_BASE64 = {
    "!!!": "has no '!' (at offset 0)",
    "SGVsbG8g@@@@dGhlcmUu$$$$": "has no '@' (at offset 8)",
    "data:text/plain;base64,SGVsbG8=": "leave out what stands before the comma",
    "_-_-": "the form for URLs",
    "SGVsbG8": "is cut",
    "SGVsbG8=SGVsbG8=": "something behind its end",
    "é": "has no",
}


@pytest.mark.parametrize("path", ["/import/preview", "/import", "/review", "/review/accept"])
async def test_what_is_no_base64_is_refused_with_what_is_wrong(desk: aiohttp.ClientSession, path: str) -> None:
    for content, said in NO_BASE64.items():
        refused = await post(desk, path, 422, name="a.txt", content=content)
        [problem] = refused["error"]["context"]["problems"]
        assert problem["where"] == "body.content", content
        assert said in problem["problem"], content


async def test_base64_may_have_line_breaks(desk: aiohttp.ClientSession) -> None:
    lines = base64.encodebytes(NOVEL.encode()).decode().replace("\n", "\r\n")
    assert len((await post(desk, "/import/preview", name="novel.md", content=lines))["cuts"]) == 2


async def test_a_manuscript_of_too_many_cuts_is_the_authors_to_divide(desk: aiohttp.ClientSession) -> None:
    refused = await post(desk, "/import/preview", 422, **sent("novel.md", b"# C0\n\nw\n\n" * (MOST_CUTS + 1)))
    assert refused["error"]["code"] == "INVALID_CONFIG"
    assert "novel.md would be cut into more than 20,000 chapters and scenes" in refused["error"]["message"]
    assert "Import it in parts" in refused["error"]["message"]


async def test_a_manuscript_goes_in_and_out_and_comes_back_edited(desk: aiohttp.ClientSession, tmp_path: Path) -> None:
    novel = sent("novel.md", NOVEL.encode())
    preview = await post(desk, "/import/preview", **novel)
    assert [one["cut"] for one in preview["cuts"]] == ["chapter", "scene"]
    assert not (await post(desk, "/import", **novel, dryRun=True))["written"]
    assert not (tmp_path / "manuscript").exists()
    done = await post(desk, "/import", **novel, preview=preview)
    assert [(one["path"], one["kind"]) for one in done["files"]] == [
        ("manuscript/ch01-sc01.md", "new"),
        ("manuscript/ch01-sc02.md", "new"),
    ]
    async with desk.get(f"{MANUSCRIPT}/speakers", params={"scene": "ch01-sc01"}) as answer:
        assert [one["speaker"] for one in (await answer.json())["lines"]] == ["Ruth"]
    async with desk.get(f"{MANUSCRIPT}/exports/docx", params={"author": "Ann Author"}) as answer:
        assert answer.headers["Content-Disposition"] == 'attachment; filename="manuscript.docx"'
        data = await answer.read()
    assert (await post(desk, "/review", **sent("out.docx", data)))["review"]["patches"] == []
    editor = WordEditor(data)
    editor.replace("letter", "door")
    edited = sent("out.docx", editor.saved())
    read = await post(desk, "/review", **edited)
    assert read["review"]["patches"][0]["patch"]["new"] == "door"
    shown = [{"kind": "old", "text": "letter"}, {"kind": "new", "text": "door"}]
    assert read["words"] == [{"number": 1, "words": shown}]
    made = await post(desk, "/review/accept", **edited, numbers=[1])
    assert made["changed"] == ["manuscript/ch01-sc02.md"]
    assert "the door." in (tmp_path / "manuscript/ch01-sc02.md").read_text(encoding="utf-8")
    assert (await post(desk, "/review", **edited))["review"]["patches"][0]["state"] == "made"
    async with desk.post("/v1/projects/main/undo", json={"act": made["acts"][0]}) as answer:
        assert answer.status == 200
    assert "the letter." in (tmp_path / "manuscript/ch01-sc02.md").read_text(encoding="utf-8")


async def test_an_export_says_in_a_header_that_two_files_have_one_number(
    desk: aiohttp.ClientSession, tmp_path: Path
) -> None:
    (tmp_path / "manuscript").mkdir()
    for name in ("ch01-sc01", "CH1-SC1 später"):
        (tmp_path / "manuscript" / f"{name}.md").write_text("Rain.\n", encoding="utf-8")
    async with desk.get(f"{MANUSCRIPT}/exports/txt") as answer:
        assert answer.status == 200
        told = unquote(answer.headers["X-Dramaturg-Remarks"])
    assert told.startswith("2 files are chapter 1, scene 1: ")
    assert "später.md" in told


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/import", {"name": "novel.pdf", "content": "AAAA"}),
        ("/import", {"name": "novel.docx", "content": "AAAA"}),
        ("/import/preview", {"name": "novel.md", "content": "not base 64!"}),
        ("/review", {"name": "novel.docx", "content": "AAAA"}),
        ("/review/accept", {"name": "../x.docx", "content": "AAAA", "numbers": [1]}),
    ],
)
async def test_what_cannot_be_read_is_refused(desk: aiohttp.ClientSession, path: str, body: dict[str, object]) -> None:
    assert "message" in (await post(desk, path, 422, **body))["error"]
