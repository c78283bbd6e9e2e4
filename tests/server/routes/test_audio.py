"""Recorded sound over HTTP: ranges, ETags, and nothing from outside its folder."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.server.visitor import Visitor, served

SOUND = bytes(range(256)) * 40
PATH = "tts/sessions/abc/turn_1/slot-1_reader_calm.wav"


@pytest.fixture
async def visitor(story: Path) -> AsyncIterator[Visitor]:
    file = story / "data" / "artifacts" / PATH
    file.parent.mkdir(parents=True)
    file.write_bytes(SOUND)
    (story / "data" / "artifacts" / ".hidden.wav").write_bytes(SOUND)
    (story / "data" / "secret.wav").write_bytes(SOUND)
    async with served(story) as visiting:
        yield visiting


async def fetch(visitor: Visitor, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    async with visitor.session.get(f"{visitor.url}/v1/audio/{path}", headers=headers) as response:
        return response.status, {k.lower(): v for k, v in response.headers.items()}, await response.read()


async def test_a_recorded_line_is_served_whole_with_its_hash(visitor: Visitor) -> None:
    status, headers, body = await fetch(visitor, PATH)
    assert (status, body) == (200, SOUND)
    assert headers["content-type"] == "audio/wav"
    assert headers["etag"] == f'"{hashlib.sha256(SOUND).hexdigest()}"'
    assert headers["accept-ranges"] == "bytes"


@pytest.mark.parametrize(
    ("asked", "given"), [("bytes=0-9", SOUND[:10]), ("bytes=100-", SOUND[100:]), ("bytes=-16", SOUND[-16:])]
)
async def test_a_player_may_ask_for_a_range(visitor: Visitor, asked: str, given: bytes) -> None:
    status, headers, body = await fetch(visitor, PATH, Range=asked)
    assert (status, body) == (206, given)
    assert headers["content-range"].endswith(f"/{len(SOUND)}")


async def test_a_range_beyond_the_end_is_416(visitor: Visitor) -> None:
    assert (await fetch(visitor, PATH, Range=f"bytes={len(SOUND) + 5}-"))[0] == 416


@pytest.mark.parametrize(
    "asked",
    ["bytes=a-b", "bytes=5-2", "items=0-1", "bytes=", "bytes=-", "bytes", "bytes=0-1,x", "bytes=0-1,9-3", "bytes=²-³"],
)
async def test_what_is_not_a_range_is_ignored(visitor: Visitor, asked: str) -> None:
    status, headers, body = await fetch(visitor, PATH, Range=asked)
    assert (status, body) == (200, SOUND)
    assert "content-range" not in headers


async def test_who_has_the_file_already_is_told_so(visitor: Visitor) -> None:
    _, headers, _ = await fetch(visitor, PATH)
    status, again, body = await fetch(visitor, PATH, **{"If-None-Match": headers["etag"]})
    assert (status, body) == (304, b"")
    assert again["etag"] == headers["etag"]
    assert (await fetch(visitor, PATH, **{"If-None-Match": '"other"'}))[0] == 200


async def test_a_file_that_was_replaced_has_another_etag(visitor: Visitor, story: Path) -> None:
    _, before, _ = await fetch(visitor, PATH)
    (story / "data" / "artifacts" / PATH).write_bytes(SOUND[::-1] + b"more")
    _, after, body = await fetch(visitor, PATH)
    assert after["etag"] != before["etag"]
    assert body == SOUND[::-1] + b"more"


@pytest.mark.parametrize(
    "path",
    [
        "tts/sessions/abc/turn_1/other.wav",
        "..%2fsecret.wav",
        "%2e%2e/secret.wav",
        "tts/..%2f..%2f..%2fdramaturg.toml",
        "..%5csecret.wav",
        "%2fetc%2fpasswd",
        ".hidden.wav",
        "tts/sessions/abc/turn_1",
        "tts%00.wav",
        "a" * 5000 + ".wav",
    ],
)
async def test_what_is_missing_hidden_or_outside_is_the_same_404(visitor: Visitor, path: str) -> None:
    from yarl import URL

    async with visitor.session.get(URL(f"{visitor.url}/v1/audio/{path}", encoded=True)) as response:
        assert response.status == 404
        assert (await response.json())["error"]["code"] == "NOT_FOUND"


async def test_a_link_that_leads_out_is_not_followed(visitor: Visitor, story: Path) -> None:
    (story / "data" / "artifacts" / "way-out.wav").symlink_to(story / "data" / "secret.wav")
    assert (await fetch(visitor, "way-out.wav"))[0] == 404
