"""The page of a shared result: escaped, closed, with a picture; and nothing where nothing is to be seen."""

from __future__ import annotations

import io
import re
from collections.abc import AsyncIterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image

from dramaturg.episodes.packs import named_pack
from dramaturg.episodes.result_card import result_card
from dramaturg.server.pages.og_image import OgImage, render_png
from tests.episodes.staging import FLIRT
from tests.server.players import Guest, begin, write_episode
from tests.server.visitor import Visitor, served

HOSTILE = '<script>alert("x")</script>\'"><img src=x onerror=alert(1)>{{ 7*7 }}'


@pytest.fixture
async def visitor(tmp_path: Path) -> AsyncIterator[Visitor]:
    async with served(write_episode(tmp_path / "story", {**FLIRT, "title": f"Last {HOSTILE}"})) as visiting:
        yield visiting


async def share(guest: Guest, *parts: str, **more: object) -> str:
    wanted = {"parts": list(parts)} if parts else {}
    seen = (await guest.ask("POST", "/share/preview", wanted)).json["seen"]
    return (await guest.ask("POST", "/share", {**wanted, "seen": seen, **more})).json["share_id"]


@pytest.fixture
async def anna(visitor: Visitor) -> Guest:
    guest = await begin(visitor, name=HOSTILE[:80])
    for text in ("I dare you", f"Say {HOSTILE}", "Good night"):
        await guest.say(text)
    return guest


class Tags(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


async def test_the_page_shows_what_was_chosen_and_runs_nothing_of_it(anna: Guest) -> None:
    chosen = await anna.visitor.get(f"/r/{await share(anna, 'result', 'quotes', 'player_name', 'transcript')}")
    assert chosen.status == 200
    tags = Tags(chosen.text)
    assert [attrs["src"] for tag, attrs in tags.found if tag == "script"] == ["/r/static/result.js"]
    assert [attrs["src"] for tag, attrs in tags.found if tag == "img"] == [
        next(attrs["content"] for _, attrs in tags.found if attrs.get("property") == "og:image").removeprefix(
            anna.visitor.url
        )
    ]
    assert not [attrs for _, attrs in tags.found if any(name.startswith("on") for name in attrs)]
    assert "{{ 7*7 }}" in chosen.text
    assert "I dare you" in chosen.text
    plain = await anna.visitor.get(f"/r/{await share(anna)}")
    assert "I dare you" not in plain.text
    assert "<h2>Transcript</h2>" not in plain.text
    assert "Played by" not in plain.text


async def test_a_line_that_was_edited_is_marked_on_the_page(anna: Guest) -> None:
    last = (await anna.now())["messages"][-1]["id"]
    assert "(edited)" not in (await anna.visitor.get(f"/r/{await share(anna, 'result', 'transcript')}")).text
    await anna.ask("PATCH", f"/messages/{last}", {"text": "I adore you"})
    page = (await anna.visitor.get(f"/r/{await share(anna, 'result', 'transcript')}")).text
    assert re.search(r"I adore you <small[^>]*>\(edited\)</small>", page)


async def test_the_page_is_closed_to_search_engines_and_tells_no_other_site(anna: Guest) -> None:
    page = await anna.visitor.get(f"/r/{await share(anna)}")
    assert page.headers["x-robots-tag"] == "noindex, nofollow"
    assert page.headers["referrer-policy"] == "no-referrer"
    assert "default-src 'none'" in page.headers["content-security-policy"]
    assert 'name="robots" content="noindex, nofollow"' in page.text
    for part in re.findall(r'(?:src|href)="(/r/static/[^"]+)"', page.text):
        assert (await anna.visitor.get(part)).status == 200


async def test_unknown_revoked_expired_and_private_are_the_same_page(anna: Guest) -> None:
    visitor = anna.visitor
    revoked, expired = await share(anna), await share(anna, days=1e-9)
    await anna.ask("DELETE", f"/shares/{revoked}")
    unknown = await visitor.get(f"/r/{'0' * 32}")
    assert unknown.status == 404
    for name in (revoked, expired, anna.session, "x" * 300, "a%22b"):
        answer = await visitor.get(f"/r/{name}")
        assert (answer.status, answer.text) == (404, unknown.text)
        assert (await visitor.get(f"/r/{name}/card.png")).text == unknown.text
        assert (await visitor.post(f"/r/{name}/views")).text == unknown.text


async def test_only_a_page_that_is_looked_at_is_counted(anna: Guest) -> None:
    share_id = await share(anna)
    await anna.visitor.get(f"/r/{share_id}")
    await anna.visitor.ask("HEAD", f"/r/{share_id}")
    assert (await anna.ask("GET", "/shares")).json["shares"][0]["views"] == 0
    assert (await anna.visitor.post(f"/r/{share_id}/views")).status == 204
    assert (await anna.ask("GET", "/shares")).json["shares"][0]["views"] == 1


async def test_the_picture_is_what_previews_want(anna: Guest) -> None:
    async with anna.visitor.session.get(f"{anna.visitor.url}/r/{await share(anna)}/card.png") as response:
        assert response.content_type == "image/png"
        picture = Image.open(io.BytesIO(await response.read()))
    assert (picture.size, picture.format) == ((1200, 630), "PNG")


def test_every_archetype_has_a_picture_of_its_own_and_always_the_same(tmp_path: Path) -> None:
    pack = named_pack(tmp_path, "flirt_archetype")
    cards = [
        OgImage(kicker="The flirt test", headline="A result", text="", foot="", key=one.key) for one in pack.archetypes
    ]
    pictures = [render_png(card) for card in cards]
    assert len(set(pictures)) == 5
    render_png.cache_clear()
    assert render_png(cards[0]) == pictures[0]


@pytest.mark.parametrize("text", ["", "x" * 500, "日本語のとても長い題名", "🎭" * 50, "a " * 400, "\u202e\u0000"])
def test_no_words_break_the_picture(text: str) -> None:
    assert render_png(OgImage(kicker=text, headline=text, text=text, foot=text, key=text)).startswith(b"\x89PNG")


def test_results_of_every_kind_have_a_card() -> None:
    mystery = {
        "clues_found": [{"id": "a", "text": "A key", "quote": "key"}],
        "clues_total": 3,
        "suspects_cleared": ["Teo"],
    }
    assert result_card("mystery_progress", mystery).headline == "1 of 3 clues"
    assert result_card("mystery_progress", {}).text == "You have not named anybody yet."
    assert result_card("episode_summary", {"summary": "They met."}).text == "They met."
    assert (
        result_card("house_pack", {"archetype": "owl", "primary_signals": "none", "confidence": "high"}).headline
        == "owl"
    )
