"""What a model's server can do wrong, byte by byte, and what must become of it.

Each row is one misbehaviour; the tests play all of them to both HTTP clients, for complete answers and for streams.
"""

from __future__ import annotations

import asyncio
import gzip
import socket
import zlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from dramaturg.kernel.errors import ModelError, ModelRejected, ModelUnavailable, ModelUnreadable
from dramaturg.kernel.models.providers.http_body import ResponseLimits

SMALL = ResponseLimits(headers=4 * 1024, body=64 * 1024)
"""Limits that a test reaches at once."""
UNREAD = 16 * 1024 * 1024
"""More than the kernel's buffers hold of a connection that nobody reads."""

OWL = b"data: owl\n\n"
OK = b"HTTP/1.1 200 OK\r\n"
GOOD = OK + b"content-length: %d\r\n\r\n%b" % (len(OWL), OWL)
CHUNKED = OK + b"transfer-encoding: chunked\r\n\r\n"
CLOSES = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Misbehaviour:
    """A server sends `first`, then `endless` until it is stopped (or `slowly`), and hangs up if it `closes`.

    The outcome is an error of type `becomes` that says `words`, or (None) the answer, which is `OWL`.
    """

    name: str
    first: bytes = b""
    endless: bytes = b""
    closes: bool = False
    slowly: bool = False
    becomes: type[ModelError] | None = ModelUnreadable
    words: str = ""


def packed(encoding: bytes, body: bytes) -> bytes:
    return OK + b"content-encoding: %b\r\ncontent-length: %d\r\n\r\n%b" % (encoding, len(body), body)


def bare_deflate(body: bytes) -> bytes:
    return zlib.compress(body, wbits=-zlib.MAX_WBITS)


def chunk(body: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(body), body)


PIECES = "it consists of too many small pieces"
BOMB = bytes(8 * 1024 * 1024)
HEADERS, BODY, UNPACKED = (
    f"its {what} larger than the limit of {size} kB"
    for what, size in (("headers are", 4), ("body is", 64), ("unpacked body is", 64))
)

TOO_MUCH = (
    Misbehaviour("a header without an end", OK + b"x-owl: ", b"o" * 1000, words=HEADERS),
    Misbehaviour("a header's name without an end", OK, b"o" * 1000, words=HEADERS),
    Misbehaviour("headers without an end", OK, b"x-owl: hoot\r\n" * 50, words=HEADERS),
    Misbehaviour("the same header again and again", OK, b"a: b\r\n" * 200, words=HEADERS),
    Misbehaviour("a status line without an end", b"HTTP/1.1 200 ", b"O" * 1000, words=HEADERS),
    Misbehaviour("a header of 1 MB", OK + b"x-owl: " + b"o" * 1_000_000 + b"\r\n\r\n", words=HEADERS),
    Misbehaviour("headers of 6 kB in one packet", OK + b"x-a: 1\r\nx-%b: 1\r\n\r\n" % (b"o" * 6000), words=HEADERS),
    Misbehaviour("interim responses without an end", endless=b"HTTP/1.1 102 Processing\r\n\r\n" * 50, words=HEADERS),
    Misbehaviour("early hints without an end", endless=b"HTTP/1.1 103 Early\r\nlink: </x>\r\n\r\n", words=HEADERS),
    Misbehaviour("a body without an end", CLOSES, b"data: hoot\n\n" * 100, words=f"{BODY}|{PIECES}"),
    Misbehaviour("a body without a line", CLOSES, b"o" * 1000, words=BODY),
    Misbehaviour("chunks without an end", CHUNKED, chunk(b"o" * 1000), words=BODY),
    Misbehaviour("chunks of one byte", CHUNKED, chunk(b"o") * 100, words=PIECES),
    Misbehaviour("empty lines in chunks", CHUNKED, chunk(b"\n"), words=PIECES),
    Misbehaviour("nothing but empty lines", CHUNKED, chunk(b"\n" * 1000), words=PIECES),
    Misbehaviour("nothing but empty comments", CHUNKED, chunk(b":\n" * 500), words=PIECES),
    Misbehaviour("nothing but empty events", CHUNKED, chunk(b"data:\n\n" * 200), words=PIECES),
    Misbehaviour("packed empty lines", packed(b"gzip", gzip.compress(b"\n" * 60_000)), words=PIECES),
    Misbehaviour("comments that keep a stream alive", CHUNKED, chunk(b": hoot\n\n"), words=PIECES),
    Misbehaviour("one event without an end", CHUNKED, chunk(b"data: hoot\n" * 50), words=f"{BODY}|{PIECES}"),
    Misbehaviour("a chunk's extension without an end", CHUNKED + b"3;x=", b"o" * 1000, words=f"{HEADERS}|{PIECES}"),
    Misbehaviour("chunks with long extensions", CHUNKED, b"1;x=%b\r\no\r\n" % (b"o" * 500), words=PIECES),
    Misbehaviour(
        "trailers without an end", CHUNKED + chunk(OWL) + b"0\r\n", b"x: y\r\n" * 99, words=f"{HEADERS}|{PIECES}"
    ),
    Misbehaviour(
        "a trailer without an end", CHUNKED + chunk(OWL) + b"0\r\nx: ", b"o" * 1000, words=f"{HEADERS}|{PIECES}"
    ),
    Misbehaviour("a length of a terabyte, and silence", OK + b"content-length: %d\r\n\r\n" % 10**12, words=BODY),
    Misbehaviour("an error without an end", b"HTTP/1.1 500 No\r\n\r\n", b"o" * 1000, words=BODY),
    Misbehaviour("a chunk of 4 GB", CHUNKED + b"ffffffff\r\n", b"o" * 1000, words=BODY),
    Misbehaviour("empty lines without an end", endless=b"\r\n" * 500, words=HEADERS),
    Misbehaviour("JSON without an end", OK + b"content-type: application/json\r\n\r\n", b"[" * 1000, words=BODY),
    Misbehaviour("a page without an end", OK + b"content-type: text/html\r\n\r\n", b"<b>" * 300, words=BODY),
    Misbehaviour("a redirect without an end", b"HTTP/1.1 301 Go\r\nlocation: /\r\n\r\n", b"o" * 100, words=BODY),
    Misbehaviour(
        "empty blocks without an end",
        OK + b"content-encoding: deflate\r\ntransfer-encoding: chunked\r\n\r\n" + chunk(b"\x78\x9c"),
        chunk(b"\0\0\0\xff\xff" * 100),
        words=BODY,
    ),
    Misbehaviour("a gzip bomb", packed(b"gzip", gzip.compress(BOMB)), words=UNPACKED),
    Misbehaviour("a zlib bomb", packed(b"deflate", zlib.compress(BOMB)), words=UNPACKED),
    Misbehaviour("a bomb of bare deflate", packed(b"deflate", bare_deflate(BOMB)), words=UNPACKED),
    Misbehaviour("a bomb in an error", packed(b"gzip", gzip.compress(BOMB)).replace(b"200", b"401"), words=UNPACKED),
    Misbehaviour(
        "a bomb in chunks",
        OK + b"content-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n",
        chunk(gzip.compress(BOMB)[:4000]),
        words="its unpacked body is larger|damaged",
    ),
)

UNREADABLE = (
    Misbehaviour("an unknown encoding", packed(b"owls", OWL), words="encoded as 'owls'"),
    Misbehaviour("brotli, which nobody asked for", packed(b"br", OWL), words="encoded as 'br'"),
    Misbehaviour("packed twice", packed(b"gzip, gzip", gzip.compress(gzip.compress(OWL))), words="'gzip, gzip'"),
    Misbehaviour("gzip that is none", packed(b"gzip", OWL), words="encoded as gzip, is damaged"),
    Misbehaviour("half of a gzip", packed(b"gzip", gzip.compress(OWL)[:-9]), words="ends in the middle"),
    Misbehaviour("one byte of zlib", packed(b"deflate", b"\x78"), words="ends in the middle"),
    Misbehaviour(
        "gzip that is all name", packed(b"gzip", b"\x1f\x8b\x08\x08" + b"n" * 9999), words="ends in the middle"
    ),
    Misbehaviour("700 encodings", packed(b"gzip," * 700, OWL), words="encoded as 'gzip,gzip"),
    Misbehaviour("gzip and more", packed(b"gzip", gzip.compress(OWL) + b"more"), words="goes on after its end"),
    Misbehaviour("gzip twice", packed(b"gzip", gzip.compress(OWL) * 2), words="goes on after its end"),
    Misbehaviour(
        "another address",
        b"HTTP/1.1 307 Go\r\nlocation: ELSEWHERE\r\ncontent-length: 0\r\n\r\n",
        becomes=ModelRejected,
        words="307",
    ),
    Misbehaviour("a status of zero", GOOD.replace(b"200", b"000"), becomes=ModelRejected, words="answered 0"),
)

BROKEN = tuple(
    Misbehaviour(name, first, closes=closes, becomes=ModelUnavailable, words="no connection|closed")
    for name, first, closes in (
        ("no answer at all", b"", True),
        ("half a status line", b"HTTP/1.1 2", True),
        ("half the headers", OK + b"content-le", True),
        ("a length that is too long", OK + b"content-length: 900\r\n\r\n" + OWL, True),
        ("half a chunk", CHUNKED + b"ff\r\n" + OWL, True),
        ("chunks without the last", CHUNKED + chunk(OWL), True),
        ("a chunk's size that overflows", CHUNKED + b"f" * 17 + b"\r\n" + OWL, False),
        ("a chunk's size that is no number", CHUNKED + b"owl\r\n" + OWL, False),
        ("a negative chunk", CHUNKED + b"-3\r\n" + OWL, False),
        ("a negative length", OK + b"content-length: -11\r\n\r\n" + OWL, False),
        ("a length that overflows", OK + b"content-length: %d\r\n\r\n" % 10**30 + OWL, False),
        ("a length that is no number", OK + b"content-length: owl\r\n\r\n" + OWL, False),
        ("two lengths", OK + b"content-length: 11\r\ncontent-length: 3\r\n\r\n" + OWL, False),
        ("a length and chunks", OK + b"content-length: 11\r\ntransfer-encoding: chunked\r\n\r\n" + chunk(OWL), False),
        ("a length with a sign", OK + b"content-length: +11\r\n\r\n" + OWL, False),
        ("a chunk's size as programmers write it", CHUNKED + b"0xb\r\n" + OWL + b"\r\n0\r\n\r\n", False),
        ("a chunk's size with an underscore", CHUNKED + b"1_1\r\n" + OWL + b"\r\n0\r\n\r\n", False),
        ("a chunk that does not end", CHUNKED + b"b\r\n" + OWL + b"0\r\n\r\n", False),
        ("a body and no head", OWL, True),
        ("a frame of HTTP/2", b"\0\0\0\x04\0\0\0\0\0", False),
        ("mail", b"220 mail.example.org ESMTP\r\n", False),
        ("a TLS alert", b"\x15\x03\x01\x00\x02\x02\x46", False),
        ("zeros", bytes(100), False),
        ("a status of four digits", b"HTTP/1.1 2000 OK\r\n\r\n", False),
        ("a version of the future", b"HTTP/7.3 200 OK\r\n\r\n", False),
        ("a header without a name", OK + b": owl\r\n\r\n", False),
        ("a zero in a header", OK + b"x-owl: a\0b\r\ncontent-length: 11\r\n\r\n" + OWL, False),
    )
)

TOLERATED = tuple(
    Misbehaviour(name, first, closes=closes, becomes=None)
    for name, first, closes in (
        ("a good answer", GOOD, False),
        ("GZIP in capitals", packed(b"GZip", gzip.compress(OWL)), False),
        ("x-gzip", packed(b"X-GZIP", gzip.compress(OWL)), False),
        ("deflate in capitals", packed(b"DEFLATE", zlib.compress(OWL)), False),
        ("bare deflate", packed(b"deflate", bare_deflate(OWL)), False),
        ("identity in capitals", packed(b"Identity", OWL), False),
        ("an interim response", b"HTTP/1.1 100 Continue\r\n\r\n" + GOOD, False),
        ("a trailer that lies", CHUNKED + chunk(OWL) + b"0\r\ncontent-encoding: gzip\r\n\r\n", False),
        ("a length with zeros in front", OK + b"content-length: %020d\r\n\r\n%b" % (len(OWL), OWL), False),
        ("150 cookies", OK + b"set-cookie: a=b\r\n" * 150 + GOOD.removeprefix(OK), False),
        ("a content type of nonsense", OK + b"content-type: ;;;\xff/\xff\r\n" + GOOD.removeprefix(OK), False),
        ("an escape sequence as reason", GOOD.replace(b"OK", b"\x1b[2J"), False),
        ("the end is the end", CLOSES + OWL, True),
    )
)

LEFT_OVER = tuple(
    Misbehaviour(name, first, becomes=None)
    for name, first in (
        ("two answers at once", GOOD + GOOD),
        ("two answers at once, of which the second is a lie", GOOD + GOOD.replace(b"owl", b"bat")),
        ("half an answer more", GOOD + b"HTTP/1.1 200 OK\r\ncontent-le"),
        ("an interim response after the answer", GOOD + b"HTTP/1.1 100 Continue\r\n\r\n"),
        ("a letter too many", GOOD + b"H"),
        ("a line too many", GOOD + b"\r\n"),
        ("a length that is too short", GOOD + b"and more"),
        ("a chunk after the last", CHUNKED + chunk(OWL) + b"0\r\n\r\n" + chunk(b"more")),
        ("a line after the last chunk", CHUNKED + chunk(OWL) + b"0\r\n\r\n\r\n"),
    )
)

ALL = TOO_MUCH + UNREADABLE + BROKEN + TOLERATED + LEFT_OVER


@dataclass
class HostileProvider:
    """Plays one misbehaviour for each request, in order; None hangs up. Counts what it could send."""

    plays: list[Misbehaviour]
    sent: int = 0
    connections: int = 0
    requests: list[bytes] = field(default_factory=list)
    writers: list[asyncio.StreamWriter] = field(default_factory=list)
    closed: asyncio.Event = field(default_factory=asyncio.Event)
    url: str = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.writers.append(writer)
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
                self.requests.append(head + await reader.readexactly(length))
                if not await self._play(self.plays.pop(0), writer):
                    break
        self.closed.set()
        writer.close()

    async def _play(self, play: Misbehaviour, writer: asyncio.StreamWriter) -> bool:
        await self._send(play.first, writer)
        while play.endless and self.sent < UNREAD:
            await self._send(play.endless * (1 if play.slowly else max(1, 8000 // len(play.endless))), writer)
            await asyncio.sleep(0.001 if play.slowly else 0)
        return not (play.closes or play.endless)

    async def _send(self, data: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()
        self.sent += len(data)


@asynccontextmanager
async def serving(*plays: Misbehaviour) -> AsyncIterator[HostileProvider]:
    """A server on this machine with small buffers, so that what it could send is about what was read."""
    provider = HostileProvider(list(plays))
    listening = socket.create_server(("127.0.0.1", 0))
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16 * 1024)
    server = await asyncio.start_server(provider.serve, sock=listening)
    provider.url = f"http://127.0.0.1:{listening.getsockname()[1]}/v1"
    yield provider
    server.close()
    for writer in provider.writers:
        writer.transport.abort()
    await server.wait_closed()
