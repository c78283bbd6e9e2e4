"""`models get`: what a person sees."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from dramaturg.cli.app import app
from dramaturg.kernel.models import gateway
from tests.kernel.models.gguf_file import write_gguf
from tests.kernel.models.hub_server import HubServer, hub_server
from tests.local_models.ollama_server import UNKNOWN, OllamaServer, ollama_in_a_thread

REPO, FILE = "nutshells/tiny-GGUF", "tiny-135M.gguf"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    weights = write_gguf(tmp_path / "source" / FILE, size=2_000_000).read_bytes()
    with hub_server(REPO, {FILE: weights}) as serving:
        monkeypatch.setenv("HF_ENDPOINT", serving.url)
        monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
        monkeypatch.setenv("DRAMATURG_MODELS", str(tmp_path / "models"))
        yield serving


def call(*words: object, typed: str = "") -> Result:
    return CliRunner().invoke(app, [str(word) for word in words], input=typed, catch_exceptions=False)


def test_without_a_name_the_list_says_size_and_licence() -> None:
    listed = call("models", "get").stdout
    for word in ("qwen2.5-1.5b", "1.1 GB", "Apache-2.0", "dramaturg models get qwen2.5-1.5b"):
        assert word in listed


def test_licence_and_size_are_shown_and_a_no_downloads_nothing(server: HubServer, tmp_path: Path) -> None:
    said = call("models", "get", f"{REPO}:{FILE}", "-p", tmp_path, typed="n\n")
    assert said.exit_code == 0
    assert "2.0 MB, licence: apache-2.0" in said.stderr
    assert server.ranges == []


def test_a_downloaded_model_is_listed_by_models(
    server: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = call("models", "get", f"{REPO}:{FILE}", "--yes", "-p", tmp_path)
    assert done.exit_code == 0, done.stderr
    assert f"--model local/{FILE}" in done.stdout
    monkeypatch.setattr(gateway, "_installed", lambda row: row.protocol in ("gguf", "openai", "anthropic"))
    assert FILE in call("models", "-p", tmp_path).stdout


@pytest.mark.parametrize(
    ("name", "code", "told"),
    [
        ("qwen", 2, "neither a model of the list"),
        ("nobody/nothing:x.gguf", 2, "has no nobody/nothing:x.gguf"),
        (f"{REPO}:other.gguf", 2, f"GGUF files there: {FILE}"),
    ],
)
def test_a_wrong_name_says_what_there_is(name: str, code: int, told: str, server: HubServer, tmp_path: Path) -> None:
    failed = call("models", "get", name, "--yes", "-p", tmp_path)
    assert (failed.exit_code, told in failed.stderr) == (code, True), failed.stderr


def test_a_hub_that_cannot_be_reached_is_an_error_of_the_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with hub_server(REPO, {}) as gone:
        monkeypatch.setenv("HF_ENDPOINT", gone.url)
    failed = call("models", "get", "qwen2.5-1.5b", "--yes", "-p", tmp_path)
    assert failed.exit_code == 3
    assert "127.0.0.1 cannot be reached" in failed.stderr


@pytest.fixture
def ollama(tmp_path: Path) -> Iterator[OllamaServer]:
    with ollama_in_a_thread("qwen3:4b") as serving:
        (tmp_path / "dramaturg.toml").write_text(
            f'[providers.ollama]\nbase_url = "{serving.url}/v1"\n', encoding="utf-8"
        )
        yield serving


def test_the_ollama_of_this_machine_gets_what_it_is_asked_for(ollama: OllamaServer, tmp_path: Path) -> None:
    declined = call("models", "get", "ollama/tiny", "-p", tmp_path, typed="n\n")
    assert (declined.exit_code, ollama.asked) == (0, [])
    assert ollama.url in declined.stderr
    done = call("models", "get", "ollama/tiny", "-p", tmp_path, "--yes")
    assert done.exit_code == 0, done.stderr
    assert "--model ollama/tiny:latest" in done.stdout
    assert [asked["model"] for asked in ollama.asked] == ["tiny:latest"]


@pytest.mark.parametrize(
    ("name", "told"), [("ollama/two words", "not the name of a model"), (f"ollama/{UNKNOWN}", "Ollama knows no")]
)
def test_a_name_that_ollama_does_not_know_is_an_error(
    ollama: OllamaServer, tmp_path: Path, name: str, told: str
) -> None:
    failed = call("models", "get", name, "--yes", "-p", tmp_path)
    assert failed.exit_code != 0
    assert told in failed.stderr


def test_without_an_ollama_the_message_says_where_it_was_looked_for(tmp_path: Path) -> None:
    (tmp_path / "dramaturg.toml").write_text(
        '[providers.ollama]\nbase_url = "http://127.0.0.1:9/v1"\n', encoding="utf-8"
    )
    failed = call("models", "get", "ollama/tiny", "--yes", "-p", tmp_path)
    assert failed.exit_code == 3
    assert "No Ollama answers at http://127.0.0.1:9" in failed.stderr
