"""What a provider may send, and the unpacking that counts it. Both HTTP clients read bodies through this."""

from __future__ import annotations

import zlib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ResponseLimits:
    """The most bytes that one response may have: its headers, and its body both as sent and unpacked."""

    headers: int = 64 * 1024
    body: int = 32 * 1024 * 1024

    @property
    def total(self) -> int:
        """Everything on the wire, with the framing of chunks."""
        return self.headers + self.body


class UnusableResponse(ConnectionError):
    """A response that arrived but cannot be read; asking again will not help."""


class ResponseTooLarge(UnusableResponse):
    """A response that exceeds a limit; the rest was not read."""

    def __init__(self, what: str, limit: int) -> None:
        super().__init__(f"its {what} larger than the limit of {_size(limit)}")


def is_left_over(received: bytes, last_piece: bytes, *, chunked: bool) -> bool:
    """Whether a connection has more than a complete response.

    `received` is what was read from it last, `last_piece` the end of the body as sent.
    """
    if last_piece and not chunked:
        return not received.endswith(last_piece)
    return not received.endswith(b"\r\n\r\n") or received.endswith(b"\r\n\r\n\r\n")


def headers_too_large(limits: ResponseLimits) -> ResponseTooLarge:
    return ResponseTooLarge("headers are", limits.headers)


def body_too_large(limits: ResponseLimits) -> ResponseTooLarge:
    return ResponseTooLarge("body is", limits.body)


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
        self._limit = limits.body
        self._unpacked = 0
        self._zlib: zlib._Decompress | None = None

    def feed(self, piece: bytes) -> bytes:
        """The next part of the unpacked body. Raises UnusableResponse."""
        if not self._coding:
            return self._counted(piece, "body is")
        if not piece:
            return b""
        if self._zlib is None:
            self._zlib = zlib.decompressobj(_window(self._coding, piece[0]))
        elif self._zlib.eof:
            raise self._broken("goes on after its end")
        try:
            part = self._zlib.decompress(piece, self._limit - self._unpacked + 1)
        except zlib.error as error:
            raise self._broken(f"is damaged: {error}") from error
        self._counted(part, "unpacked body is")
        if self._zlib.unused_data:
            raise self._broken("goes on after its end")
        return part

    def finish(self) -> None:
        """Raises UnusableResponse if the packed body ended early."""
        if self._zlib is not None and not self._zlib.eof:
            raise self._broken("ends in the middle")

    def _counted(self, part: bytes, what: str) -> bytes:
        self._unpacked += len(part)
        if self._unpacked > self._limit:
            raise ResponseTooLarge(what, self._limit)
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
