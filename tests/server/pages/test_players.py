"""The players' page: where it is served, and which sites may show it in a frame."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dramaturg.server.pages import studio
from tests.server.players import write_episode
from tests.server.visitor import Visitor, served

NAMED = '[players]\nembed_origins = ["https://blog.example.org", "http://localhost:4000"]\n'


@pytest.fixture
def _built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "pages"
    (folder / "studio").mkdir(parents=True)
    (folder / "studio" / "index.html").write_text("<!doctype html><title>the studio</title>", encoding="utf-8")
    (folder / "studio" / "play.html").write_text("<!doctype html><title>an evening</title>", encoding="utf-8")
    monkeypatch.setattr(studio, "files", lambda package: folder)
    monkeypatch.setattr(studio, "_built", studio._built.__wrapped__)


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[Visitor]:
    async with served(write_episode(tmp_path / "story", more=NAMED)) as visiting:
        yield visiting


@pytest.mark.usefixtures("_built")
@pytest.mark.parametrize("address", ["/play", "/play/1mkq8zt4c0v7hxw3rn", "/play/start/last-orders"])
async def test_every_address_of_players_opens_their_page_and_no_frame_does(host: Visitor, address: str) -> None:
    page = await host.get(address)
    assert page.status == 200
    assert "an evening" in page.text
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]


@pytest.mark.usefixtures("_built")
async def test_only_the_sites_that_the_host_names_may_show_an_episode_in_a_frame(host: Visitor) -> None:
    policy = (await host.get("/embed/last-orders")).headers["content-security-policy"]
    assert policy.endswith("; frame-ancestors https://blog.example.org http://localhost:4000")
    assert "'unsafe-inline'" not in policy


@pytest.mark.usefixtures("_built")
async def test_without_any_named_site_nobody_may_show_it(tmp_path: Path) -> None:
    async with served(write_episode(tmp_path / "story")) as host:
        assert "frame-ancestors 'none'" in (await host.get("/embed/last-orders")).headers["content-security-policy"]


async def test_the_script_for_other_sites_may_be_loaded_by_them(host: Visitor) -> None:
    script = await host.get("/embed.js")
    assert script.status == 200
    assert script.headers["content-type"].startswith("text/javascript")
    assert script.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "innerHTML" not in script.text
