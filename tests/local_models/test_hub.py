"""Getting a model: against a hub on this machine, through the client that real downloads use."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from huggingface_hub import file_download

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import InvalidConfig, ModelRejected, ModelUnavailable, NotFound, StoreUnavailable
from dramaturg.kernel.models import gateway as gateway_module
from dramaturg.kernel.models.gateway import Gateway
from dramaturg.kernel.models.gguf import known_weights
from dramaturg.kernel.settings import Settings, read_settings
from dramaturg.local_models.providers import hub as hub_module
from dramaturg.local_models.providers.hub import Hub, HubModel, find_model, small_models
from tests.kernel.models.gguf_file import write_gguf
from tests.kernel.models.hub_server import HubServer, hub_server

REPO, FILE = "nutshells/tiny-GGUF", "tiny-135M.gguf"
ASKED = f"{REPO}:{FILE}"


@pytest.fixture(autouse=True)
def _no_cache_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[HubServer]:
    weights = write_gguf(tmp_path / "source" / FILE, size=300_000).read_bytes()
    with hub_server(REPO, {FILE: weights, "README.md": b"# Tiny"}) as serving:
        yield serving


def settings_at(tmp_path: Path, url: str) -> Settings:
    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    return read_settings(project, {"HF_ENDPOINT": url, "DRAMATURG_MODELS": str(tmp_path / "models")})


def test_size_licence_and_hash_are_known_before_anything_is_downloaded(server: HubServer, tmp_path: Path) -> None:
    model = Hub(settings_at(tmp_path, server.url)).look_up(find_model(ASKED))
    assert (model.size, model.licence, len(model.sha256)) == (300_000, "apache-2.0", 64)
    assert server.ranges == []
    assert not (tmp_path / "models").exists()


async def test_a_downloaded_model_is_listed_chosen_and_found_by_name(
    server: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_at(tmp_path, server.url)
    hub = Hub(settings)
    told: list[tuple[int, int]] = []
    path = hub.download(hub.look_up(find_model(ASKED)), lambda done, total: told.append((done, total)))
    assert path.read_bytes() == server.files[FILE]
    assert told[-1] == (300_000, 300_000)
    assert known_weights(settings) == (FILE,)
    monkeypatch.setattr(gateway_module, "_installed", lambda row: True)
    monkeypatch.setattr(gateway_module, "BY_PORT", ())
    async with Gateway(settings, Clock()) as gateway:
        assert (await gateway.choose()).name == f"local/{FILE}"


def test_what_is_here_already_is_not_downloaded_again(server: HubServer, tmp_path: Path) -> None:
    hub = Hub(settings_at(tmp_path, server.url))
    model = hub.look_up(find_model(ASKED))
    assert hub.download(model) == hub.download(model)
    assert len(server.ranges) == 1


def test_a_download_that_broke_off_goes_on_where_it_stopped(
    server: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_download.constants, "DOWNLOAD_CHUNK_SIZE", 50_000)
    monkeypatch.setattr(file_download, "time", SimpleNamespace(sleep=lambda seconds: None))
    hub = Hub(settings_at(tmp_path, server.url))
    model = hub.look_up(find_model(ASKED))
    server.faults = ["cut", 400]
    with pytest.raises(ModelUnavailable):
        hub.download(model)
    assert known_weights(settings_at(tmp_path, server.url)) == (), "half a file is not a model"
    assert hub.download(model).read_bytes() == server.files[FILE]
    assert server.ranges[-1] == "bytes=150000-"


def test_a_damaged_file_is_removed_and_never_listed(server: HubServer, tmp_path: Path) -> None:
    settings = settings_at(tmp_path, server.url)
    hub = Hub(settings)
    model = hub.look_up(find_model(ASKED))
    server.faults = ["damaged"]
    with pytest.raises(ModelUnavailable, match="arrived damaged"):
        hub.download(model)
    assert known_weights(settings) == ()
    assert hub.download(model).read_bytes() == server.files[FILE]


def test_a_repository_that_does_not_exist_is_named(server: HubServer, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="nobody/nothing"):
        Hub(settings_at(tmp_path, server.url)).look_up(find_model("nobody/nothing:x.gguf"))


def test_a_file_that_does_not_exist_is_answered_with_those_that_do(server: HubServer, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=f"no file other.gguf .*{FILE}"):
        Hub(settings_at(tmp_path, server.url)).look_up(find_model(f"{REPO}:other.gguf"))


def test_a_licence_that_must_be_accepted_says_where(server: HubServer, tmp_path: Path) -> None:
    hub = Hub(settings_at(tmp_path, server.url))
    model = hub.look_up(find_model(ASKED))
    server.faults = [403]
    with pytest.raises(ModelRejected, match="accept its licence"):
        hub.download(model)


def test_without_a_network_it_says_what_to_do(tmp_path: Path) -> None:
    with hub_server(REPO, {}) as gone:
        url = gone.url
    with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1 cannot be reached.*by hand"):
        Hub(settings_at(tmp_path, url)).look_up(find_model(ASKED))


def test_no_room_on_the_disk_is_said_before_the_download(
    server: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub = Hub(settings_at(tmp_path, server.url))
    model = hub.look_up(find_model(ASKED))
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(hub_module.shutil, "disk_usage", lambda path: usage._replace(free=200_000))
    with pytest.raises(StoreUnavailable, match="DRAMATURG_MODELS"):
        hub.download(model)
    assert server.ranges == []


def test_a_folder_that_cannot_be_written_is_named(server: HubServer, tmp_path: Path) -> None:
    (tmp_path / "models").write_text("a file where the folder should be", encoding="utf-8")
    hub = Hub(settings_at(tmp_path, server.url))
    with pytest.raises(StoreUnavailable, match="models cannot be written"):
        hub.download(hub.look_up(find_model(ASKED)))


@pytest.mark.parametrize("name", ["", "qwen", "owner/repo", "owner/repo:../../x.gguf", "owner/repo:model.safetensors"])
def test_a_name_that_means_nothing_is_answered_with_the_list(name: str) -> None:
    with pytest.raises(NotFound, match=r"qwen2\.5-1\.5b.*OWNER/REPO:FILE"):
        find_model(name)


def test_the_list_is_of_single_gguf_files_with_a_licence_smallest_first() -> None:
    models = small_models()
    assert [one.gigabytes for one in models] == sorted(one.gigabytes for one in models)
    for one in models:
        assert isinstance(one, HubModel)
        assert find_model(f"{one.repo}:{one.file}").file_name == one.file_name
        assert one.licence
        assert one.about


def test_without_the_extra_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "find_spec", lambda name: None)
    with pytest.raises(InvalidConfig, match=r"\.\[local\]"):
        Hub(settings_at(tmp_path, ""))
