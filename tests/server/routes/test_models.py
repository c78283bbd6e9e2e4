"""Who can play here, over HTTP."""

from pathlib import Path

import pytest

from dramaturg.kernel.settings import read_settings
from dramaturg.server.app import create_app
from tests.model_server import ModelServer
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


async def test_a_key_is_given_for_this_process_alone_and_the_newest_is_used(story: Path, models: ModelServer) -> None:
    house = f'[providers.house]\nprotocol = "openai"\nbase_url = "{models.url}/v1"\nkey_env = "HOUSE_KEY"\n'
    (story / "dramaturg.toml").write_text(f'{house}[scenes]\nagent = "direct"\n', encoding="utf-8")
    settings = read_settings(story, {"DRAMATURG_TRUST": "1"})

    async def offer(insider: Insider) -> tuple[bool, bool]:
        offers = {one["provider"]: one for one in (await insider.get("/v1/models")).json["providers"]}
        return offers["house"]["usable"], offers["house"]["needsKey"]

    async with inside(create_app(settings)) as insider:
        assert await offer(insider) == (False, True)
        for key in ("the-first-key", " the-second-key\n"):
            answer = await insider.ask("PUT", "/v1/models/choice", json={"model": "house/character", "key": key})
            assert (answer.status, answer.json["choice"]) == (200, "house/character")
            run = await insider.play()
            await insider.get(f"/v1/runs/{run}/events")
        assert await offer(insider) == (True, False)
    sent = [received.headers["Authorization"] for received in models.requests]
    assert list(dict.fromkeys(sent)) == ["Bearer the-first-key", "Bearer the-second-key"]
    async with inside(create_app(settings)) as insider:
        assert await offer(insider) == (False, True)


@pytest.mark.parametrize(
    ("model", "key", "words"),
    [
        ("openai/gpt-4.1", "short", "8 to 500 characters"),
        ("openai/gpt-4.1", "two words of it", "no spaces"),
        ("openai/gpt-4.1", "schlüssel-schlüssel", "English keyboard"),
        ("openai/gpt-4.1", "k" * 501, "8 to 500 characters"),
        ("rehearsal", "sk-something-long", "needs no key"),
        ("ollama/qwen3:8b", "sk-something-long", "needs no key"),
        ("nobody/at-all", "sk-something-long", "nobody"),
        ("", "sk-something-long", ""),
    ],
)
async def test_a_key_that_cannot_be_one_is_refused_and_not_repeated(
    insider: Insider, model: str, key: str, words: str
) -> None:
    answer = await insider.ask("PUT", "/v1/models/choice", json={"model": model, "key": key})
    assert (answer.status, answer.json["success"]) == (422, False)
    assert words in answer.text
    assert key not in answer.text
    assert (await insider.get("/v1/models")).json["choice"] == "rehearsal"


async def test_a_server_that_is_well_says_so(insider: Insider) -> None:
    assert (await insider.get("/healthz")).json["status"] == "ok"
