"""What a provider may send, and the unpacking that counts it. Both HTTP clients read bodies through this."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

STEP = 16 * 1024
"""How many bytes are read, or unpacked, in one go; then the event loop gets its turn."""


@dataclass(frozen=True, slots=True)
class ResponseLimits:
    """The most bytes that one response may have: its headers, and its body both as sent and unpacked."""

    headers: int = 64 * 1024
    body: int = 32 * 1024 * 1024

    @property
    def total(self) -> int:
        """Everything on the wire, with the framing of chunks."""
        return self.headers + self.body

    @property
    def overhead(self) -> int:
        """How many lines a body may have, and how many bytes may frame its chunks (at most seven for an honest one)."""
        return self.body // 16

    def headers_too_large(self) -> ResponseTooLarge:
        return ResponseTooLarge("headers are", self.headers)

    def body_too_large(self) -> ResponseTooLarge:
        return ResponseTooLarge("body is", self.body)

    def too_many_pieces(self) -> UnusableResponse:
        return UnusableResponse("it consists of too many small pieces")


class UnusableResponse(ConnectionError):
    """A response that arrived but cannot be read; asking again will not help."""


class ResponseTooLarge(UnusableResponse):
    """A response that exceeds a limit; the rest was not read."""

    def __init__(self, what: str, limit: int) -> None:
        super().__init__(f"its {what} larger than the limit of {_size(limit)}")


class SmallReads(asyncio.BufferedProtocol):
    """Gets no more than `STEP` bytes in one step of the event loop, however many have arrived."""

    def get_buffer(self, _sizehint: int) -> memoryview:
        self._arrived = memoryview(bytearray(STEP))
        return self._arrived


def is_left_over(received: bytes, last_piece: bytes, *, chunked: bool) -> bool:
    """Whether a connection has more than a complete response.

    `received` is what was read from it last, `last_piece` the end of the body as sent.
    """
    if last_piece and not chunked:
        return not received.endswith(last_piece)
    return not received.endswith(b"\r\n\r\n") or received.endswith(b"\r\n\r\n\r\n")


class Unpacker:
    """Unpacks one body piece by piece, and never more of it than the limit.

    No compression is requested, but some servers use it anyway. Codings are compared without case.
    """

    def __init__(self, encoding: str, limits: ResponseLimits) -> None:
        codings = [name for one in encoding.lower().split(",") if (name := one.strip()) not in ("", "identity")]
        if len(codings) > 1 or (codings and codings[0] not in ("gzip", "x-gzip", "deflate")):
            said = "".join(letter if letter.isprintable() else "?" for letter in encoding[:60])
            raise UnusableResponse(f"the response is encoded as '{said}', which was not requested")
        self._coding = codings[0] if codings else ""
        self._limits = limits
        self._unpacked = self._lines = 0
        self._zlib: zlib._Decompress | None = None

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """The next parts of the unpacked body, of at most `STEP` bytes if it was packed. Raises UnusableResponse."""
        if not self._coding or not piece:
            yield self._counted(piece, "body is")
            return
        if self._zlib is None:
            self._zlib = zlib.decompressobj(_window(self._coding, piece[0]))
        elif self._zlib.eof:
            raise self._broken("goes on after its end")
        part = bytes(STEP)
        while piece or len(part) == STEP:  # zlib may hold back a part of what it has read
            try:
                part = self._zlib.decompress(piece, STEP)
            except zlib.error as error:
                raise self._broken(f"is damaged: {error}") from error
            self._counted(part, "unpacked body is")
            if self._zlib.unused_data:
                raise self._broken("goes on after its end")
            yield part
            piece = self._zlib.unconsumed_tail

    def finish(self) -> None:
        """Raises UnusableResponse if the packed body ended early."""
        if self._zlib is not None and not self._zlib.eof:
            raise self._broken("ends in the middle")

    def _counted(self, part: bytes, what: str) -> bytes:
        self._unpacked += len(part)
        if self._unpacked > self._limits.body:
            raise ResponseTooLarge(what, self._limits.body)
        self._lines += part.count(b"\n")
        if self._lines > self._limits.overhead:
            raise self._limits.too_many_pieces()
        return part

    def _broken(self, how: str) -> UnusableResponse:
        return UnusableResponse(f"its body, encoded as {self._coding}, {how}")


def _window(coding: str, first: int) -> int:
    """zlib's window for a coding. `deflate` means zlib's format, but some servers send the bare data."""
    if coding != "deflate":
        return zlib.MAX_WBITS | 16
    return zlib.MAX_WBITS if first & 0x0F == zlib.DEFLATED else -zlib.MAX_WBITS


def _size(count: int) -> str:
    for unit, name in ((1 << 20, "MB"), (1 << 10, "kB")):
        if count >= unit and count % unit == 0:
            return f"{count // unit} {name}"
    return f"{count} bytes"
