"""A book's voice over HTTP, on a real socket: blind until the choice."""

from __future__ import annotations

from pathlib import Path

from dramaturg.kernel.settings import read_settings
from dramaturg.server.app import create_app
from tests.server.visitor import served
from tests.workshop.works.cases import copy_book

BOOK = "/v1/projects/main"
VOICE = f"{BOOK}/voice"


def story(folder: Path) -> Path:
    book = copy_book(folder)
    (book / "dramaturg.toml").write_text('[models]\ndefault = "rehearsal"\n', encoding="utf-8")
    (book / "page.md").write_text("The ferry left at six. Suddenly it rained.\n\nShe saw it.\n" * 12, encoding="utf-8")
    return book


async def test_a_voice_is_found_over_http_and_nothing_gives_it_away(tmp_path: Path) -> None:
    async with served(create_app(read_settings(story(tmp_path), {}, trust=True))) as visitor:
        started = await visitor.post(f"{BOOK}/works/tournament", {"request": {"strategies": ["ACTION", "DIALOGUE"]}})
        run = started.json["run"]
        sent = await visitor.to_the_end(run)
        assert [one.event for one in sent if one.event not in ("work.progressed", "work.remarked")] == ["work.ended"]
        drawn = await visitor.post(f"{VOICE}/lineup", {"way": "pairs", "own": "page.md", "seed": 5})
        assert drawn.status == 201
        assert drawn.json["hasOwn"]
        assert "rehearsal" not in drawn.text
        assert "DIALOGUE" not in drawn.text
        pair = drawn.json["pairs"][0]
        chosen = await visitor.post(f"{VOICE}/lineup/choices", {"pair": 1, "letter": pair["left"]})
        assert chosen.json["left"] == len(drawn.json["pairs"]) - 1
        assert (await visitor.get(f"{VOICE}/lineup")).json == chosen.json
        assert (await visitor.get(f"{VOICE}/report")).status == 404
        report = (await visitor.post(f"{VOICE}/winner", {"letter": "A", "own": "B", "notes": "Dry."})).json
        assert report["choosing"]["blind"]
        assert {one["agent"] for one in report["passages"]} == {"rehearsal", "the writer"}
        assert (await visitor.get(f"{VOICE}/report")).json == report
        assert (await visitor.post(f"{VOICE}/bundle", {"outputDir": "/etc"})).status == 422
        assert (await visitor.post(f"{VOICE}/bundle", {})).status == 201
        locked = await visitor.ask("PUT", f"{VOICE}/lock", json={"locked": True})
        assert locked.json["said"] == "The voice is locked."


async def test_rules_bans_and_measures_over_http(tmp_path: Path) -> None:
    async with served(create_app(read_settings(story(tmp_path), {}, trust=True))) as visitor:
        banned = await visitor.post(f"{VOICE}/bans", {"ban": "ferry", "scope": "narration"})
        assert banned.status == 201
        assert banned.json["rule"] == "ban-ferry"
        assert (await visitor.post(f"{VOICE}/bans", {"ban": "/(?=a)/"})).status == 422
        assert (await visitor.get(f"{VOICE}/rules")).json["rules"][0]["id"] == "ban-ferry"
        checked = (await visitor.post(f"{VOICE}/check", {"file": "page.md"})).json
        assert checked["report"]["counts"][0]["rule"] == "ban-ferry"
        assert (await visitor.post(f"{VOICE}/check", {"file": "../../etc/passwd"})).status == 422
        measured = (await visitor.post(f"{VOICE}/profile", {"file": "page.md"})).json
        assert measured["profile"]["sentenceLength"]["low"] <= measured["profile"]["sentenceLength"]["value"]
        assert (await visitor.post(f"{VOICE}/waivers", {"rule": "ban-ferry", "file": "page.md"})).status == 201
        assert (await visitor.get(f"{VOICE}/pages")).json["report"]["words"] == 13
        assert (await visitor.ask("DELETE", f"{VOICE}/bans/ban-ferry")).status == 200
        assert (await visitor.ask("DELETE", f"{VOICE}/bans/ban-ferry")).status == 404
