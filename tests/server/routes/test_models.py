"""Who can play here, over HTTP."""

from pathlib import Path

from dramaturg.kernel.settings import read_settings
from dramaturg.server.app import create_app
from tests.server.visitor import Insider, inside


async def test_models_are_listed_with_who_would_play_and_no_key(story: Path) -> None:
    settings = read_settings(story, {"OPENAI_API_KEY": "sk-not-to-be-sent"})
    async with inside(create_app(settings)) as insider:
        answer = await insider.get("/v1/models")
    assert answer.status == 200
    assert answer.json["choice"] == "rehearsal"
    offers = {offer["provider"]: offer for offer in answer.json["providers"]}
    assert offers["openai"]["usable"] is True
    assert offers["anthropic"]["reason"] == "ANTHROPIC_API_KEY is not set"
    assert {"name", "profile", "price"} == set(offers["openai"]["models"][0])
    assert "sk-not" not in answer.text


async def test_the_author_chooses_who_plays_until_the_server_stops(story: Path) -> None:
    settings = read_settings(story, {"OPENAI_API_KEY": "sk-not-to-be-sent"})
    async with inside(create_app(settings)) as insider:
        chosen = await insider.ask("PUT", "/v1/models/choice", json={"model": "openai/gpt-4.1-mini"})
        assert (chosen.status, chosen.json["choice"]) == (200, "openai/gpt-4.1-mini")
        for refused in ("anthropic/claude-sonnet-4-5", "nobody/at-all", "nonsense"):
            answer = await insider.ask("PUT", "/v1/models/choice", json={"model": refused})
            assert (answer.status >= 400, answer.json["success"], "sk-not" in answer.text) == (True, False, False)
        assert (await insider.get("/v1/models")).json["choice"] == "openai/gpt-4.1-mini"
        assert (await insider.ask("PUT", "/v1/models/choice", json={"model": ""})).json["choice"] == "rehearsal"


async def test_a_server_that_is_well_says_so(insider: Insider) -> None:
    assert (await insider.get("/healthz")).json["status"] == "ok"
