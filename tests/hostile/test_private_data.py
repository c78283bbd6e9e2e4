"""Secrets in addresses and settings stay where they were written, and the project's data is its owner's alone."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import DramaturgError, InvalidSettings
from dramaturg.kernel.models.gateway import Gateway
from dramaturg.kernel.models.port import Message, ModelRequest
from dramaturg.kernel.redaction import without_secrets
from dramaturg.kernel.settings import ModelSettings, ProviderSettings, Settings, read_settings
from dramaturg.kernel.store import Artifacts, open_store
from dramaturg.studio import Studio
from tests.cli.story import SCENE, new_story, rehearsed, typed

CANARY = "hunter2-canary"


@pytest.fixture(params=[0o000, 0o022])
def _umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    found = {str(path.relative_to(folder.parent)): path for path in (folder, *folder.rglob("*"))}
    return {name: stat.S_IMODE(path.lstat().st_mode) for name, path in found.items() if not path.is_symlink()}


def assert_private(folder: Path) -> None:
    for name, mode in modes(folder).items():
        assert mode & 0o077 == 0, (name, oct(mode))


@pytest.mark.usefixtures("_umask")
def test_everything_in_data_is_its_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    story = new_story(tmp_path / "story")
    run = rehearsed(story)
    typed(story, "scene", "run", SCENE, "--model", "rehearsal", "--also", "md,html", "--quiet")
    typed(story, "foreman", "chat", "Hello.", "--model", "rehearsal")
    typed(story, "runs", "show", run)
    (story / "notebooks" / "rim").mkdir(parents=True)
    (story / "notebooks" / "rim" / "a.md").write_text("A jump costs a navigator.", encoding="utf-8")
    typed(story, "foreman", "notebooks", "--ask", "jump")
    assert len(modes(story / "data")) > 8
    assert modes(story / "data")["data"] == 0o700
    assert modes(story / "data")["data/dramaturg.db"] == 0o600
    assert_private(story / "data")


@pytest.mark.usefixtures("_umask")
async def test_the_files_that_sqlite_adds_while_it_is_open_are_private_too(tmp_path: Path) -> None:
    async with Studio.open(Settings(project=tmp_path)) as studio:
        await studio.runs.find(limit=1)
        assert {"data/dramaturg.db-wal", "data/dramaturg.db-shm"} <= modes(tmp_path / "data").keys()
        assert_private(tmp_path / "data")


async def test_a_data_folder_of_an_earlier_version_is_made_private_and_links_in_it_are_left_alone(
    tmp_path: Path,
) -> None:
    outside = tmp_path / "public.txt"
    outside.write_text("for all", encoding="utf-8")
    outside.chmod(0o644)
    old = tmp_path / "story" / "data" / "scenes" / "x"
    old.mkdir(parents=True)
    (old / "debug.log").write_text("old", encoding="utf-8")
    (old / "link.txt").symlink_to(outside)
    for path in (old.parent.parent, old.parent, old):
        path.chmod(0o755)
    (old / "debug.log").chmod(0o644)
    await (await open_store(Settings(project=tmp_path / "story"))).close()
    assert_private(tmp_path / "story" / "data")
    assert stat.S_IMODE(outside.stat().st_mode) == 0o644


def test_files_outside_data_stay_as_the_umask_makes_them(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        written = Artifacts(tmp_path / "out").write_text("page.html", "for all")
    finally:
        os.umask(before)
    assert stat.S_IMODE(written.stat().st_mode) == 0o644


async def test_a_database_that_is_a_link_out_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "cookies.db"
    other.write_bytes(b"")
    (tmp_path / "story" / "data").mkdir(parents=True)
    (tmp_path / "story" / "data" / "dramaturg.db").symlink_to(other)
    with pytest.raises(InvalidSettings, match="link out"):
        await open_store(Settings(project=tmp_path / "story"))
    assert other.read_bytes() == b""


WRONG = (
    f'seed = "{CANARY}"\n',
    f'[models]\ndefault = ["{CANARY}"]\n',
    f'[providers.openai]\nconcurrency = "{CANARY}"\n',
    f'[providers.openai]\nprotocol = "{CANARY}"\n',
    f'[providers.openai]\napi_key = "{CANARY}"\n',
    f'[server]\ntoken_env = ["{CANARY}"]\n',
    f'[store]\nurl = {{ password = "{CANARY}" }}\n',
    f'[voices]\nengine = "{CANARY}"\n',
    f'[providers]\nopenai = "{CANARY}"\n',
    f"key = {CANARY}\n",
    f'key = "{CANARY}\n',
)


@pytest.mark.parametrize("text", WRONG)
def test_settings_that_are_wrong_are_not_quoted(text: str, tmp_path: Path) -> None:
    (tmp_path / "dramaturg.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidSettings) as refused:
        read_settings(tmp_path, {})
    said = f"{refused.value.message}{refused.value.context}{refused.value.__cause__}"
    assert CANARY not in said
    assert "dramaturg.toml" in said


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://u:{CANARY}@127.0.0.1:1/x",
        f"postgresql://127.0.0.1:1/x?password={CANARY}",
        f"postgresql://u@127.0.0.1:1/x?sslpassword={CANARY}&user=a",
        f"postgresql://u:{CANARY}@127.0.0.1:port/x",
        f"postgres://u:{CANARY}/x@127.0.0.1:1/x",
        f"mysql://u:{CANARY}@127.0.0.1/x",
        f"u:{CANARY}@127.0.0.1/x",
        f"postgresql://u:{CANARY}@127.0.0.1:1/x?unknown={CANARY}",
    ],
)
async def test_a_password_in_the_address_of_a_database_is_not_told(url: str, tmp_path: Path) -> None:
    settings = read_settings(tmp_path, {"DRAMATURG_STORE_URL": url})
    with pytest.raises(DramaturgError) as refused:
        await open_store(settings)
    assert CANARY not in f"{refused.value.message}{refused.value.context}"
    assert CANARY not in repr(settings)


@pytest.mark.parametrize("reply", [b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", b"", b"nonsense\r\n\r\n"])
async def test_a_password_in_the_address_of_a_proxy_is_not_told(reply: bytes) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(4096)
        writer.write(reply)
        writer.close()

    proxy = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = proxy.sockets[0].getsockname()[1]
    address = f"http://user:{CANARY}@127.0.0.1:{port}"
    settings = Settings(
        models=ModelSettings(retries=0),
        providers={"openai": ProviderSettings(base_url="https://model.example/v1")},
        env={"OPENAI_API_KEY": "k", "HTTPS_PROXY": address, "HTTP_PROXY": address},
    )
    said = (Message(role="user", text="Hello."),)
    request = ModelRequest(key="x", purpose="character", system="", messages=said, max_tokens=16)
    async with proxy, Gateway(settings, StillClock()) as gateway:
        with pytest.raises(DramaturgError) as refused:
            await gateway.open("openai/x").complete(request)
    assert CANARY not in f"{refused.value.message}{refused.value.context}"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"https://u:{CANARY}@host/x", "https://***@host/x"),
        (f"see https://{CANARY}@host, please", "see https://***@host, please"),
        (f"postgres://u:a@{CANARY}@host", "postgres://***@host"),
        (f"https://host/x?a=1&api_key={CANARY}&b=2", "https://host/x?a=1&api_key=***&b=2"),
        ("https://host:8080/a?b=c", "https://host:8080/a?b=c"),
        ("write to me@host", "write to me@host"),
    ],
)
def test_addresses_are_shown_without_what_is_secret_in_them(text: str, shown: str) -> None:
    assert without_secrets(text) == shown
