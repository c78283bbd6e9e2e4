"""A shared result in a real browser: what it shows, and that it tells nobody anything else."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from tests.episodes.staging import FLIRT
from tests.server.pages.test_shared_results import share
from tests.server.players import Guest, begin, write_episode
from tests.server.visitor import Visitor, served

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no browser here")
SECRET = "I keep my mother's ring in the freezer"


class Seen(NamedTuple):
    """The document after its scripts have run, and the addresses that it asked for."""

    document: str
    asked: tuple[str, ...]


async def opened(url: str, folder: Path) -> Seen:
    log = folder / "net.json"
    process = await asyncio.create_subprocess_exec(
        *(BROWSER or "", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
        *("--disable-component-update", "--no-first-run", f"--user-data-dir={folder / 'profile'}"),
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # what a browser asks for itself does not get out
        *(f"--log-net-log={log}", "--virtual-time-budget=3000", "--dump-dom", url),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, "HOME": str(folder)},
    )
    document, _ = await process.communicate()
    events = json.loads(log.read_text(encoding="utf-8"))["events"]
    begun = [event["params"] for event in events if "initiator" in event.get("params", {}) and "url" in event["params"]]
    page = "{0.scheme}://{0.netloc}".format(urlsplit(url))
    return Seen(document.decode(), tuple(one["url"] for one in begun if one["initiator"] == page))


@pytest.fixture
async def visitor(tmp_path: Path) -> AsyncIterator[Visitor]:
    async with served(write_episode(tmp_path / "story", FLIRT)) as visiting:
        yield visiting


@pytest.fixture
async def anna(visitor: Visitor) -> Guest:
    guest = await begin(visitor, name="Annabel Quist")
    for text in ("I dare you", SECRET, "Good night"):
        await guest.say(text)
    return guest


@pytest.mark.timeout(240)
async def test_a_browser_shows_what_was_chosen_and_asks_only_this_host(anna: Guest, tmp_path: Path) -> None:
    plain = f"{anna.visitor.url}/r/{await share(anna)}"
    seen = await opened(plain, tmp_path)
    assert "</html>" in seen.document
    assert not [word for word in (SECRET, "freezer", "Annabel", "Quist") if word in seen.document]
    assert any(url.endswith("/views") for url in seen.asked)
    assert {urlsplit(url).netloc for url in seen.asked} == {urlsplit(plain).netloc}
    assert not [url for url in seen.asked if urlsplit(url).query or "Quist" in url]

    chosen = f"{anna.visitor.url}/r/{await share(anna, 'result', 'transcript', 'player_name', 'quotes')}"
    (tmp_path / "second").mkdir()
    whole = await opened(chosen, tmp_path / "second")
    assert "freezer" in whole.document
    assert "Annabel Quist" in whole.document
