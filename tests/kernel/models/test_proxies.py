"""The proxy that an environment names, and the servers it excepts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import ModelError, ModelRejected
from dramaturg.kernel.models.providers.faults import Source
from dramaturg.kernel.models.providers.http_pool import HttpPool
from dramaturg.kernel.models.providers.proxies import Proxies, Proxy, UnusableProxy

HOME = "https://api.example.org/v1"
SECRET = "pr0xy-passw0rd"
SOURCE = Source("attic", "owl", "http://attic")


@pytest.mark.parametrize(
    ("url", "env", "proxy"),
    [
        (HOME, {"ALL_PROXY": "http://all:1"}, "http://all:1"),
        (HOME, {"all_proxy": "http://all:1"}, "http://all:1"),
        (HOME, {"ALL_PROXY": "http://all:1", "HTTPS_PROXY": "http://secure:2"}, "http://secure:2"),
        (HOME, {"ALL_PROXY": "http://all:1", "HTTP_PROXY": "http://plain:2"}, "http://all:1"),
        ("http://api.example.org/v1", {"http_proxy": "http://plain:2"}, "http://plain:2"),
        (HOME, {"HTTPS_PROXY": "proxy.example.org:3128"}, "http://proxy.example.org:3128"),
        (HOME, {"HTTPS_PROXY": "http://[fd00::1]:3128/"}, "http://[fd00::1]:3128"),
        (HOME, {"HTTPS_PROXY": " "}, None),
        ("http://127.8.8.8:11434/v1", {"ALL_PROXY": "http://all:1"}, None),
        ("http://[::1]:11434/v1", {"ALL_PROXY": "http://all:1"}, None),
        ("http://studio.localhost/v1", {"ALL_PROXY": "http://all:1"}, None),
        ("http://[::1/", {"ALL_PROXY": "http://all:1"}, None),
    ],
)
def test_the_most_specific_variable_names_the_proxy(url: str, env: dict[str, str], proxy: str | None) -> None:
    found = Proxies(env).for_url(url)
    assert (found.url if found else None) == proxy


@pytest.mark.parametrize(
    ("excepted", "urls"),
    [
        ("*", HOME),
        ("example.org", HOME),
        (".example.org", "https://api.example.org https://example.org"),
        ("*.example.org", HOME),
        ("EXAMPLE.org.", "https://API.Example.ORG./v1"),
        ("a b,api.example.org", HOME),
        ("example.org:443", HOME),
        ("example.org:8443", "https://api.example.org:8443/v1"),
        ("10.0.0.0/8", "http://10.1.2.3/v1"),
        ("10.1.2.3", "http://10.1.2.3:8000/v1 http://[::ffff:10.1.2.3]/"),
        ("10.1.2.3:8000", "http://10.1.2.3:8000/v1"),
        ("::ffff:10.0.0.0/104", "http://10.1.2.3/"),
        ("fd00::/8", "http://[fd12::7]:8000/v1"),
        ("fd12::7", "http://[FD12:0::7]/v1"),
        ("[fd12::7]", "http://[fd12::7]/v1"),
        ("[fd12::7]:8000", "http://[fd12::7]:8000/v1"),
        ("bücher.example", "https://xn--bcher-kva.example/ https://bücher.example/"),
    ],
)
def test_what_no_proxy_excepts_is_reached_directly(excepted: str, urls: str) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        proxies = Proxies({"ALL_PROXY": "http://all:1", name: excepted})
        assert [proxies.for_url(url) for url in urls.split()] == [None] * len(urls.split())


@pytest.mark.parametrize(
    ("excepted", "url"),
    [
        ("example.com", HOME),
        ("ample.org", HOME),
        ("example.org:8443", HOME),
        ("10.0.0.0/8", "http://11.1.2.3/v1"),
        ("10.0.0.0/99", "http://10.1.2.3/v1"),
        ("10.1.2.3:8000", "http://10.1.2.3/v1"),
        ("10.0.0.0/8", "http://10.example.org/v1"),
        ("[fd12::7]:8000", "http://[fd12::7]/v1"),
        ("fd00::/8", "http://10.1.2.3/v1"),
        (", . ,", HOME),
        ("", HOME),
    ],
)
def test_what_it_does_not_except_is_not(excepted: str, url: str) -> None:
    assert Proxies({"ALL_PROXY": "http://all:1", "NO_PROXY": excepted}).for_url(url) == Proxy("http://all:1")


@pytest.mark.parametrize(
    "value",
    [f"socks5://me:{SECRET}@proxy:1080", f"http://me:{SECRET}@", f"http://me:{SECRET}@[::1", f"http://:{SECRET}@h:x"],
)
async def test_a_proxy_that_cannot_be_used_is_said_so_without_its_password(value: str) -> None:
    with pytest.raises(UnusableProxy, match="ALL_PROXY") as caught:
        Proxies({"ALL_PROXY": value}).for_url(HOME)
    assert SECRET not in str(caught.value)
    pool = HttpPool(StillClock(), {"all_proxy": value})
    with pytest.raises(ModelRejected, match="ALL_PROXY") as refused:
        await pool.post(HOME, {}, b"{}", SOURCE)
    with pytest.raises(ModelRejected, match="ALL_PROXY"):
        [data async for data in pool.events(HOME, {}, b"{}", SOURCE)]
    assert SECRET not in str(refused.value)
    assert await pool.models_at(HOME, None, 5) is None
    await pool.aclose()


@asynccontextmanager
async def proxy(answer: bytes) -> AsyncIterator[tuple[str, list[bytes]]]:
    heads: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield f"http://me:{SECRET}@127.0.0.1:{server.sockets[0].getsockname()[1]}", heads
    server.close()


@pytest.mark.parametrize(
    ("url", "line"), [(HOME, b"CONNECT api.example.org:443 "), ("http://x.example/v1", b"POST http://x.example/v1 ")]
)
@pytest.mark.parametrize("answer", [b"HTTP/1.1 407 Who?\r\ncontent-length: 0\r\n\r\n", b"", b"220 mail\r\n"])
async def test_the_password_of_a_proxy_goes_to_the_proxy_and_into_no_error(
    url: str, line: bytes, answer: bytes
) -> None:
    async with proxy(answer) as (address, heads):
        pool = HttpPool(StillClock(), {"ALL_PROXY": address})
        with pytest.raises(ModelError) as caught:
            await pool.post(url, {"authorization": "Bearer key"}, b"{}", SOURCE)
        await pool.aclose()
    (head,) = heads
    assert head.startswith(line)
    assert b"proxy-authorization: basic bwu6" in head.lower()
    assert (b"Bearer key" in head) == url.startswith("http:")
    error: BaseException | None = caught.value
    while error is not None:
        assert SECRET not in f"{error} {error!r}"
        error = error.__cause__ or error.__context__


def test_a_proxys_credentials_are_not_shown() -> None:
    found = Proxies({"ALL_PROXY": f"http://me:{SECRET}%40@proxy:1"}).for_url(HOME)
    assert found is not None
    assert repr(found) == "Proxy(url='http://proxy:1')"
