"""The page of the studio: where it is served, how it is kept apart, and what a server without it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dramaturg.server.pages import studio
from tests.server.visitor import Visitor

ROUTER = Path(__file__).parents[3] / "web" / "src" / "router.ts"
ADDRESSES = re.findall(r'^  "(/[^"]*)":', ROUTER.read_text(encoding="utf-8"), re.M)
PAGES = [re.sub(r":\w+", "1mkq8zt4c0v7hxw3rn", address) for address in ADDRESSES]


def test_the_router_of_the_studio_is_read() -> None:
    assert {"/", "/scenes/:run", "/workshop/book", "/characters/:name/talk/:session"} <= set(ADDRESSES)


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A studio of one page and one script, where the package would have its own."""
    folder = tmp_path / "pages"
    (folder / "studio" / "studio").mkdir(parents=True)
    (folder / "studio" / "index.html").write_text("<!doctype html><title>the studio</title>", encoding="utf-8")
    (folder / "studio" / "studio" / "main-1.js").write_text("let x = 1;", encoding="utf-8")
    (folder / "studio" / "studio" / "main-1.js.map").write_text("{}", encoding="utf-8")
    (folder / "secret.js").write_text("not for anybody", encoding="utf-8")
    _from(folder, monkeypatch)
    return folder


def _from(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    studio._built.cache_clear()
    monkeypatch.setattr(studio, "files", lambda package: folder)
    monkeypatch.setattr(studio, "_built", studio._built.__wrapped__)


@pytest.mark.parametrize("address", PAGES)
async def test_every_address_of_the_studio_opens_its_page(visitor: Visitor, built: Path, address: str) -> None:
    page = await visitor.get(address)
    assert page.status == 200
    assert "the studio" in page.text
    assert "'unsafe-inline'" not in page.headers["content-security-policy"]
    assert "script-src 'self'" in page.headers["content-security-policy"]


async def test_a_browser_at_an_address_that_leads_nowhere_gets_a_page_and_a_program_the_error(
    visitor: Visitor, built: Path
) -> None:
    page = await visitor.get("/nowhere/at-all", headers={"Accept": "text/html,*/*;q=0.8"})
    assert (page.status, "the studio" in page.text) == (404, True)
    program = await visitor.get("/nowhere/at-all")
    assert (program.status, program.json["error"]["code"]) == (404, "NOT_FOUND")
    for address in ("/v1/nothing", "/studio/none.js", "/r/none"):
        assert "the studio" not in (await visitor.get(address, headers={"Accept": "text/html"})).text


async def test_its_scripts_never_expire_and_nothing_else_is_served(visitor: Visitor, built: Path) -> None:
    script = await visitor.get("/studio/main-1.js")
    assert script.headers["content-type"].startswith("text/javascript")
    assert "immutable" in script.headers["cache-control"]
    for name in ("main-1.js.map", "..%2f..%2fsecret.js", "..%2findex.html", "main-2.js"):
        assert (await visitor.get(f"/studio/{name}")).status == 404


async def test_a_server_without_it_says_how_to_get_it(
    visitor: Visitor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _from(tmp_path, monkeypatch)
    page = await visitor.get("/")
    assert page.status == 503
    assert "make web" in page.text
