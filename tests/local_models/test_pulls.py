"""Getting a model through the Ollama on this machine: against a double of its API."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.settings import Settings, read_settings
from dramaturg.local_models.ollama import LocalModel, Ollama, offered_models, whole_name
from dramaturg.local_models.pulls import Pulls
from tests.local_models.ollama_server import LAYERS, UNKNOWN, OllamaServer

ALL = sum(total for _, total in LAYERS)


def settings_at(project: Path, url: str) -> Settings:
    (project / "dramaturg.toml").write_text(f'[providers.ollama]\nbase_url = "{url}/v1"\n', encoding="utf-8")
    return read_settings(project, {})


@pytest.fixture
async def server() -> AsyncIterator[OllamaServer]:
    async with OllamaServer("qwen3:4b") as serving:
        yield serving


@pytest.fixture
async def pulls(server: OllamaServer, tmp_path: Path) -> AsyncIterator[Pulls]:
    found = Pulls(Ollama(settings_at(tmp_path, server.url), Clock()))
    yield found
    await found.close()


async def test_what_the_server_has_is_listed_with_its_size(pulls: Pulls) -> None:
    assert await pulls.server.models() == (LocalModel("ollama/qwen3:4b", 2_500_000_000, "4.0B", "Q4_K_M"),)


async def test_a_model_that_the_server_has_twice_is_listed_once(pulls: Pulls, server: OllamaServer) -> None:
    server.models = ["qwen3:4b", "tiny:latest", "qwen3:4b"]
    names = [model.name for model in await pulls.server.models() or ()]
    assert names == ["ollama/qwen3:4b", "ollama/tiny:latest"]


async def test_a_model_is_got_once_however_often_it_is_asked_for(pulls: Pulls, server: OllamaServer) -> None:
    server.hold()
    first = pulls.start("tiny")
    await server.begun.wait()
    assert pulls.start(" ollama/tiny:latest ") is first
    server.release()
    await pulls.join()
    assert (first.status, first.completed, first.total) == ("done", ALL, ALL)
    assert server.asked == [{"model": "tiny:latest", "stream": True}]
    assert "tiny:latest" in server.models


async def test_progress_is_that_of_all_files_known_so_far(pulls: Pulls, server: OllamaServer) -> None:
    server.hold()
    pull = pulls.start("tiny")
    await server.begun.wait()
    while not pull.completed:
        await asyncio.sleep(0)
    assert (pull.status, pull.step) == ("working", "downloading")
    assert (pull.completed, pull.total) == (LAYERS[0][1] // 2, LAYERS[0][1])


async def test_whoever_stops_a_download_leaves_the_server_and_can_begin_it_again(
    pulls: Pulls, server: OllamaServer
) -> None:
    server.hold()
    pull = pulls.start("tiny")
    await server.begun.wait()
    await pulls.remove("tiny")
    await server.left.wait()
    assert [(one.model, one.status) for one in pulls.listed()] == [("tiny:latest", "stopped")]
    server.release()
    again = pulls.start("tiny")
    await pulls.join()
    assert (again is pull, again.status, pulls.listed()) == (False, "done", [again])
    await pulls.remove("tiny")
    assert pulls.listed() == []
    with pytest.raises(NotFound):
        await pulls.remove("tiny")


async def test_one_download_waits_for_the_other(pulls: Pulls, server: OllamaServer) -> None:
    server.hold()
    pulls.start("first")
    second = pulls.start("second")
    await server.begun.wait()
    assert (second.status, second.step, len(server.asked)) == ("working", "waiting", 1)
    server.release()
    await pulls.join()
    assert [asked["model"] for asked in server.asked] == ["first:latest", "second:latest"]


async def test_a_model_that_there_is_not_is_said_to_be_unknown(pulls: Pulls) -> None:
    pull = pulls.start(UNKNOWN)
    await pulls.join()
    assert pull.status == "failed"
    assert pull.error
    assert pull.error.code == "MODEL_NOT_FOUND"
    assert f"Ollama knows no {UNKNOWN}:latest" in pull.error.message


@pytest.mark.parametrize(
    ("instead", "words"),
    [
        (b'{"error": "max retries exceeded: no space left on device"}\n', "no space left on device"),
        (b"", "stopped before tiny:latest was complete"),
        (b"<html>Welcome to the hotel</html>\n", "is not a model's answer"),
        (b'{"status": "pulling x", "digest": "sha256:x", "total": -1}\n', "is not a model's answer"),
        (b"x" * 100_000, "is not a model's answer"),
    ],
)
async def test_a_download_that_breaks_says_why(pulls: Pulls, server: OllamaServer, instead: bytes, words: str) -> None:
    server.instead = instead
    pull = pulls.start("tiny")
    await pulls.join()
    assert (pull.status, bool(pull.error)) == ("failed", True)
    assert words in str(pull.error)


async def test_a_server_that_says_nothing_any_more_is_left(server: OllamaServer, tmp_path: Path) -> None:
    server.hold()
    pulls = Pulls(Ollama(settings_at(tmp_path, server.url), Clock(), silence=0.0))
    pull = pulls.start("tiny")
    await pulls.join()
    await pulls.close()
    assert pull.status == "failed"
    assert "said nothing" in str(pull.error)


async def test_where_nobody_answers_nothing_is_listed_and_nothing_can_be_got(tmp_path: Path) -> None:
    pulls = Pulls(Ollama(settings_at(tmp_path, "http://127.0.0.1:9"), Clock()))
    assert await pulls.server.models() is None
    pull = pulls.start("tiny")
    await pulls.join()
    assert "no connection to http://127.0.0.1:9" in str(pull.error)
    await pulls.close()


@pytest.mark.parametrize("typed", ["", " ", "two words", "../x", "a/../b", "-x", "x:", "http://x/y", "x" * 300, "x\ny"])
def test_what_cannot_be_a_name_is_refused(typed: str) -> None:
    with pytest.raises(InvalidConfig):
        whole_name(typed)


@pytest.mark.parametrize(
    ("typed", "whole"),
    [
        ("qwen3", "qwen3:latest"),
        ("ollama/qwen3:4b", "qwen3:4b"),
        ("hf.co/owner/repo-GGUF:Q4_K_M", "hf.co/owner/repo-GGUF:Q4_K_M"),
        ("localhost:5000/own/model", "localhost:5000/own/model:latest"),
    ],
)
def test_a_name_is_completed_as_ollama_does(typed: str, whole: str) -> None:
    assert whole_name(typed) == whole


def test_every_offer_has_its_whole_name() -> None:
    assert offered_models()
    assert all(whole_name(offer.name) == offer.name for offer in offered_models())
