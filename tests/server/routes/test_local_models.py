"""The models of this machine, over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dramaturg.kernel.settings import read_settings
from dramaturg.server.app import create_app
from tests.local_models.ollama_server import UNKNOWN, OllamaServer
from tests.server.visitor import Insider, inside


@pytest.fixture
async def server() -> AsyncIterator[OllamaServer]:
    async with OllamaServer("qwen3:4b") as serving:
        yield serving


@pytest.fixture
async def author(story: Path, server: OllamaServer) -> AsyncIterator[Insider]:
    with (story / "dramaturg.toml").open("a", encoding="utf-8") as file:
        file.write(f'[providers.ollama]\nbase_url = "{server.url}/v1"\n')
    async with inside(create_app(read_settings(story, {}))) as visiting:
        yield visiting


async def settled(author: Insider) -> dict[str, object]:
    while True:
        listed = (await author.get("/v1/local-models")).json
        if all(pull["status"] != "working" for pull in listed["pulls"]):
            return listed


async def test_nothing_is_got_unless_the_author_asks(author: Insider, server: OllamaServer) -> None:
    listed = (await author.get("/v1/local-models")).json
    assert (listed["answers"], listed["address"], listed["pulls"]) == (True, server.url, [])
    assert [model["name"] for model in listed["models"]] == ["ollama/qwen3:4b"]
    offered = [offer["model"] for offer in listed["offers"]]
    assert ("qwen2.5:1.5b" in offered, "qwen3:4b" in offered) == (True, False)
    await author.get("/v1/models")
    assert server.asked == []


async def test_a_model_is_got_found_again_and_can_play(author: Insider, server: OllamaServer) -> None:
    server.hold()
    begun = [await author.post("/v1/local-models/pulls", {"model": name}) for name in ("tiny", "tiny:latest")]
    assert [answer.status for answer in begun] == [202, 202]
    await server.begun.wait()
    (pull,) = (await author.get("/v1/local-models")).json["pulls"]
    assert (pull["model"], pull["name"], pull["status"]) == ("tiny:latest", "ollama/tiny:latest", "working")
    server.release()
    listed = await settled(author)
    assert listed["pulls"][0]["status"] == "done"  # type: ignore[index]
    assert len(server.asked) == 1
    chosen = await author.ask("PUT", "/v1/models/choice", json={"model": "ollama/tiny:latest"})
    assert chosen.json["choice"] == "ollama/tiny:latest"


async def test_a_download_is_stopped_and_taken_off_the_list(author: Insider, server: OllamaServer) -> None:
    server.hold()
    await author.post("/v1/local-models/pulls", {"model": "tiny:1b"})
    await server.begun.wait()
    for left in (["stopped"], []):
        assert (await author.ask("DELETE", "/v1/local-models/pulls/tiny:1b")).status == 204
        assert [pull["status"] for pull in (await author.get("/v1/local-models")).json["pulls"]] == left
    assert (await author.ask("DELETE", "/v1/local-models/pulls/tiny:1b")).status == 404


async def test_what_goes_wrong_is_said_with_the_download(author: Insider) -> None:
    await author.post("/v1/local-models/pulls", {"model": UNKNOWN})
    (pull,) = (await settled(author))["pulls"]  # type: ignore[misc]
    assert (pull["status"], pull["error"]["code"]) == ("failed", "MODEL_NOT_FOUND")


@pytest.mark.parametrize("model", ["two words", "../../etc", "http://somewhere/model", "", "x" * 201])
async def test_what_cannot_be_a_name_begins_nothing(author: Insider, server: OllamaServer, model: str) -> None:
    answer = await author.post("/v1/local-models/pulls", {"model": model})
    assert (answer.status, server.asked) == (422, [])


async def test_without_a_server_on_this_machine_the_list_says_so(story: Path) -> None:
    with (story / "dramaturg.toml").open("a", encoding="utf-8") as file:
        file.write('[providers.ollama]\nbase_url = "http://127.0.0.1:9/v1"\n')
    async with inside(create_app(read_settings(story, {}))) as insider:
        listed = (await insider.get("/v1/local-models")).json
    assert (listed["answers"], listed["models"], bool(listed["offers"])) == (False, [], True)


async def test_a_download_ends_with_the_server(story: Path, server: OllamaServer) -> None:
    with (story / "dramaturg.toml").open("a", encoding="utf-8") as file:
        file.write(f'[providers.ollama]\nbase_url = "{server.url}/v1"\n')
    server.hold()
    async with inside(create_app(read_settings(story, {}))) as insider:
        await insider.post("/v1/local-models/pulls", {"model": "tiny"})
        await server.begun.wait()
    await server.left.wait()
