"""What a server does before it serves: it listens, and says what keeps players from playing."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidSettings
from dramaturg.kernel.settings import read_settings
from dramaturg.server.uvicorn_server import listen, serve
from tests.server.players import write_episode


def test_what_a_connection_is_sent_does_not_wait_for_the_client_to_acknowledge_what_came_before() -> None:
    with listen("127.0.0.1", 0) as door, socket.create_connection(door.getsockname()):
        accepted, _ = door.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


class ReadyToServe(Exception):
    """Raised where a server would begin."""


def begin(address: str) -> None:
    raise ReadyToServe(address)


async def told_before_serving(story: Path) -> list[str]:
    said: list[str] = []
    with pytest.raises(ReadyToServe):
        await serve(read_settings(story, {}, trust=True), "127.0.0.1", 0, begin, tell=said.append)
    return said


async def test_an_open_episode_that_is_not_there_is_named_with_the_nearest(tmp_path: Path) -> None:
    story = write_episode(tmp_path / "story", more='[players]\nopen = ["last-ordrs", "last-orders"]\n')
    assert await told_before_serving(story) == [
        "Nobody can play this: Episode 'last-ordrs' not found. Did you mean 'last-orders'?"
    ]


async def test_an_episode_that_cannot_be_read_is_named_and_the_others_are_served(tmp_path: Path) -> None:
    story = write_episode(tmp_path / "story", more='[players]\nopen = ["*"]\n')
    (story / "episodes" / "torn.yaml").write_text("character: [", encoding="utf-8")
    (said,) = await told_before_serving(story)
    assert said.startswith("Nobody can play this: episodes/torn.yaml, line 1")


@pytest.mark.parametrize(
    "address", ["play.example.org", "play.example.org:8443", "https://", "ftp://play.example.org", ""]
)
async def test_a_public_address_that_names_no_host_keeps_the_server_from_starting(tmp_path: Path, address: str) -> None:
    story = write_episode(tmp_path / "story", more=f'[players]\npublic_url = "{address}"\n')
    with pytest.raises(InvalidSettings, match=r"public_url .*Write it as https://play\.example\.org"):
        await serve(read_settings(story, {}, trust=True), "127.0.0.1", 0, begin)


async def test_a_public_address_may_have_a_port_and_a_path(tmp_path: Path) -> None:
    story = write_episode(tmp_path / "story", more='[players]\npublic_url = "https://play.example.org:8443/games"\n')
    assert await told_before_serving(story) == []


async def test_no_address_is_told_of_a_server_that_cannot_open(tmp_path: Path) -> None:
    story = write_episode(tmp_path / "story", more='[players]\nsecret_env = "NOT_SET"\n')
    with pytest.raises(InvalidSettings, match="NOT_SET"):
        await serve(read_settings(story, {}, trust=True), "127.0.0.1", 0, begin)
