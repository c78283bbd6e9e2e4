"""One POST and its answer over kept connections, against servers that answer byte for byte as told."""

from __future__ import annotations

import asyncio
import gzip
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from dramaturg.kernel.models.providers.http_client import Address, HttpClient, address_of

OWL = b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nowl"


class Parrot:
    """Answers each request with the next of its lines; None hangs up, "" says nothing."""

    def __init__(self, *lines: bytes | None) -> None:
        self.lines = list(lines)
        self.connections = 0
        self.serving: list[asyncio.StreamWriter] = []
        self.requests: list[bytes] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.serving.append(writer)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                self.requests.append(head + await reader.readexactly(length))
                line = self.lines.pop(0)
                writer.write((line or b"").removesuffix(b"<hang up>"))
                if line is None or line.endswith(b"<hang up>"):
                    break
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        writer.close()


@asynccontextmanager
async def house(parrot: Parrot, idle_seconds: float = 30) -> AsyncIterator[tuple[HttpClient, Address]]:
    server = await asyncio.start_server(parrot.serve, "127.0.0.1", 0)
    client = HttpClient(connect_seconds=5, idle_seconds=idle_seconds)
    address = address_of(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1/chat?x=1")
    assert address is not None
    yield client, address
    await client.aclose()
    server.close()
    for writer in parrot.serving:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def test_what_goes_out_is_one_request_with_its_own_headers() -> None:
    parrot = Parrot(OWL)
    async with house(parrot) as (client, address):
        response = await client.post(address, {"authorization": "Bearer k", "content-type": "application/json"}, b"{}")
    assert (response.status, response.headers, response.body) == (200, {"content-length": "3"}, b"owl")
    (request,) = parrot.requests
    assert request.startswith(b"POST /v1/chat?x=1 HTTP/1.1\r\nhost: 127.0.0.1:")
    assert b"\r\nauthorization: Bearer k\r\n" in request
    assert request.endswith(b"\r\ncontent-length: 2\r\n\r\n{}")


@pytest.mark.parametrize(
    ("answer", "body"),
    [
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\now\r\n1\r\nl\r\n0\r\n\r\n", b"owl"),
        (b"HTTP/1.1 100 Continue\r\n\r\n" + OWL, b"owl"),
        (b"HTTP/1.0 200 OK\r\n\r\nowl<hang up>", b"owl"),
        (b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nowl<hang up>", b"owl"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", b""),
    ],
)
async def test_an_answer_ends_where_the_protocol_says(answer: bytes, body: bytes) -> None:
    async with house(Parrot(answer)) as (client, address):
        assert (await client.post(address, {}, b"{}")).body == body


async def test_what_comes_after_the_body_changes_no_header() -> None:
    head = b"HTTP/1.1 200 OK\r\nretry-after: 1\r\ntransfer-encoding: chunked\r\n\r\n"
    async with house(Parrot(head + b"3\r\nowl\r\n0\r\nretry-after: 99\r\nx: y\r\n\r\n")) as (client, address):
        response = await client.post(address, {}, b"{}")
    assert response.headers == {"retry-after": "1", "transfer-encoding": "chunked"}


async def test_an_answer_that_was_packed_unasked_is_unpacked() -> None:
    packed = gzip.compress(b"owl" * 100)
    head = b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n" % len(packed)
    async with house(Parrot(head + packed, head.replace(b"gzip", b"owls") + packed)) as (client, address):
        assert (await client.post(address, {}, b"{}")).body == b"owl" * 100
        with pytest.raises(OSError, match="encoded as 'owls'"):
            await client.post(address, {}, b"{}")


async def test_a_connection_is_kept_for_the_next_question() -> None:
    parrot = Parrot(OWL, OWL, OWL)
    async with house(parrot) as (client, address):
        for _ in range(3):
            await client.post(address, {}, b"{}")
    assert parrot.connections == 1


async def test_a_connection_that_nobody_uses_is_closed_by_us() -> None:
    closed = asyncio.Event()

    class Patient(Parrot):
        async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await super().serve(reader, writer)  # until the other side hangs up
            closed.set()

    parrot = Patient(OWL, OWL, OWL)
    async with house(parrot, idle_seconds=0.01) as (client, address):
        await asyncio.gather(client.post(address, {}, b"{}"), client.post(address, {}, b"{}"))
        await closed.wait()
        assert (await client.post(address, {}, b"{}")).body == b"owl"
    assert parrot.connections == 3


async def test_questions_at_once_have_a_connection_each() -> None:
    parrot = Parrot(OWL, OWL, OWL)
    async with house(parrot) as (client, address):
        replies = await asyncio.gather(*(client.post(address, {}, b"{}") for _ in range(3)))
    assert [response.body for response in replies] == [b"owl"] * 3
    assert parrot.connections == 3


async def test_a_server_that_closes_is_not_asked_on_the_same_connection() -> None:
    parrot = Parrot(OWL.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n"), OWL)
    async with house(parrot) as (client, address):
        await client.post(address, {}, b"{}")
        await client.post(address, {}, b"{}")
    assert parrot.connections == 2


@pytest.mark.parametrize(
    "answer",
    [None, b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nowl<hang up>", b"220 mail.example.org ESMTP\r\n"],
)
async def test_half_an_answer_and_none_are_faults_of_the_network(answer: bytes | None) -> None:
    async with house(Parrot(answer, OWL)) as (client, address):
        with pytest.raises(OSError, match=r"closed the connection|not an HTTP response"):
            await client.post(address, {}, b"{}")
        assert (await client.post(address, {}, b"{}")).body == b"owl"


async def test_the_late_answer_to_a_question_nobody_waits_for_is_not_the_next_ones() -> None:
    parrot = Parrot(b"", OWL)
    async with house(parrot) as (client, address):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await client.post(address, {}, b"{}")
        assert (await client.post(address, {}, b"{}")).body == b"owl"
    assert parrot.connections == 2


async def test_a_header_cannot_smuggle_in_another() -> None:
    async with house(Parrot(OWL)) as (client, address):
        with pytest.raises(ValueError, match="line break"):
            await client.post(address, {"authorization": "Bearer k\r\nx-evil: 1"}, b"{}")


@pytest.mark.parametrize("url", ["ftp://house/v1", "http://me:secret@house/v1", "house/v1", "http://", "http://[::1/"])
def test_odd_addresses_are_left_to_others(url: str) -> None:
    assert address_of(url) is None


def test_an_address_has_what_a_request_needs() -> None:
    assert address_of("https://api.example.org/v1/é?q=ü") == Address(
        "api.example.org", 443, True, "api.example.org", "/v1/%C3%A9?q=%C3%BC"
    )
    assert address_of("http://[::1]:8080/v1") == Address("::1", 8080, False, "[::1]:8080", "/v1")


CERTIFICATE = Path(__file__).parents[2] / "model_server" / "certificate"


@asynccontextmanager
async def secure_house(parrot: Parrot) -> AsyncIterator[tuple[HttpClient, Address]]:
    """A server with a certificate that nobody but `SSL_CERT_FILE` vouches for."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE / "cert.pem", CERTIFICATE / "key.pem")
    server = await asyncio.start_server(parrot.serve, "127.0.0.1", 0, ssl=context)
    client = HttpClient(connect_seconds=5)
    address = address_of(f"https://localhost:{server.sockets[0].getsockname()[1]}/v1/chat")
    assert address is not None
    yield client, address
    await client.aclose()
    server.close()


async def test_a_secure_server_is_asked_over_one_kept_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE / "cert.pem"))
    parrot = Parrot(OWL, OWL)
    async with secure_house(parrot) as (client, address):
        assert [(await client.post(address, {}, b"who?")).body for _ in range(2)] == [b"owl", b"owl"]
    assert parrot.connections == 1


async def test_a_server_with_a_certificate_of_its_own_making_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    parrot = Parrot(OWL)
    async with secure_house(parrot) as (client, address):
        with pytest.raises(ssl.SSLCertVerificationError):
            await client.post(address, {"authorization": "Bearer key"}, b"who?")
    assert not parrot.requests


async def test_a_certificate_for_another_name_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE / "cert.pem"))
    async with secure_house(Parrot(OWL)) as (client, address):
        other = replace(address, host="127.0.0.2", authority="127.0.0.2")
        with pytest.raises((ssl.SSLCertVerificationError, OSError)):
            await client.post(other, {}, b"who?")
