"""Cards in pictures: PNG and APNG carry them as base64 in a text chunk, `chara` or `ccv3`.

Only chunks are copied and pixels are never decoded, so the image stays the same.
"""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from dramaturg.characters.tavern.jsontext import MAX_JSON, Refuse

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MAX_PICTURE = 64 * 1024 * 1024
MAX_CHUNKS = 100_000
ENCRYPTED = b"rcc||"

_KEYWORDS = ("ccv3", "chara")
_TEXTS = frozenset({b"tEXt", b"zTXt", b"iTXt"})
_METADATA = _TEXTS | {b"eXIf", b"tIME"}
_DAMAGED = "The file is damaged; download it again."


@dataclass(frozen=True, slots=True)
class PngChunk:
    """One chunk of a PNG file."""

    kind: bytes
    data: bytes


def read_chunks(data: bytes, refuse: Refuse) -> tuple[PngChunk, ...]:
    """The chunks of a picture, with their checksums verified. Bytes after the end are ignored."""
    if len(data) > MAX_PICTURE:
        raise refuse(f"the picture is over {MAX_PICTURE // 2**20} MB", "Use a smaller one.")
    if not data.startswith(SIGNATURE):
        raise refuse("it is not a PNG picture", "Save it as PNG.")
    chunks = tuple(_chunks(data, refuse))
    if not chunks or chunks[0].kind != b"IHDR" or not any(chunk.kind == b"IDAT" for chunk in chunks):
        raise refuse("the picture contains no image data", _DAMAGED)
    return chunks


def card_in(chunks: Iterable[PngChunk], refuse: Refuse) -> tuple[bytes, tuple[str, ...]]:
    """The JSON of the card in a picture, V3 before V2, and remarks."""
    found: dict[str, list[bytes]] = {"ccv3": [], "chara": []}
    for chunk in chunks:
        if chunk.kind == b"tEXt":
            keyword, _, text = chunk.data.partition(b"\0")
            found.get(keyword.decode("latin-1").lower(), []).append(text)
    texts = found["ccv3"] or found["chara"]
    if not texts:
        raise refuse(
            "there is no card in this picture", "Programs that resize or convert pictures remove it; get the original."
        )
    remarks = ("The picture contains more than one card; the first was read.",) if len(texts) > 1 else ()
    return _decoded(texts[0], refuse), remarks


def with_cards(chunks: Iterable[PngChunk], cards: Iterable[tuple[str, bytes]]) -> bytes:
    """The picture with these cards before its end chunk, and without other metadata."""
    written = [SIGNATURE]
    for chunk in chunks:
        if chunk.kind == b"IEND":
            written.extend(_packed(b"tEXt", word.encode() + b"\0" + base64.b64encode(json)) for word, json in cards)
        if chunk.kind not in _METADATA:
            written.append(_packed(chunk.kind, chunk.data))
    return b"".join(written)


def with_texts(data: bytes, replace: Callable[[bytes], bytes], refuse: Refuse) -> bytes:
    """The file with the JSON of each card in it replaced; its other chunks, and what follows its end, as they are."""
    chunks = read_chunks(data, refuse)
    size = len(SIGNATURE) + sum(len(chunk.data) + 12 for chunk in chunks)
    written = [SIGNATURE]
    for chunk in chunks:
        keyword, _, text = chunk.data.partition(b"\0")
        body = chunk.data
        if chunk.kind == b"tEXt" and keyword.decode("latin-1").lower() in _KEYWORDS:
            body = keyword + b"\0" + base64.b64encode(replace(_decoded(text, refuse)))
        written.append(_packed(chunk.kind, body))
    return b"".join((*written, data[size:]))


def with_picture_of(picture: Iterable[PngChunk], texts: Iterable[PngChunk]) -> bytes:
    """A picture without its own metadata, and with the texts of another."""
    kept = [_packed(chunk.kind, chunk.data) for chunk in texts if chunk.kind in _TEXTS]
    written = [SIGNATURE]
    for chunk in picture:
        if chunk.kind == b"IEND":
            written.extend(kept)
        if chunk.kind not in _METADATA:
            written.append(_packed(chunk.kind, chunk.data))
    return b"".join(written)


def picture(width: int, height: int, palette: bytes, rows: Iterable[bytes]) -> bytes:
    """A PNG with at most 256 colours, one byte per pixel."""
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    image = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    pieces = ((b"IHDR", head), (b"PLTE", palette), (b"IDAT", image), (b"IEND", b""))
    return SIGNATURE + b"".join(_packed(kind, data) for kind, data in pieces)


def _chunks(data: bytes, refuse: Refuse) -> Iterator[PngChunk]:
    place, size = len(SIGNATURE), len(data)
    for _ in range(MAX_CHUNKS):
        if place + 12 > size:
            raise refuse("the picture is cut off before its end", _DAMAGED)
        length, kind = struct.unpack_from(">I4s", data, place)
        end = place + 8 + length
        if end + 4 > size:
            raise refuse("the picture is cut off before its end", _DAMAGED)
        body = data[place + 8 : end]
        if zlib.crc32(kind + body) != struct.unpack_from(">I", data, end)[0]:
            name = kind.decode("ascii", "replace")
            raise refuse(f"the checksum of chunk {name!a} at offset {place} is wrong", _DAMAGED)
        yield PngChunk(kind, body)
        if kind == b"IEND":
            return
        place = end + 4
    raise refuse(f"the picture has over {MAX_CHUNKS:,} chunks", _DAMAGED)


def _decoded(text: bytes, refuse: Refuse) -> bytes:
    check_plain(text, refuse)
    if len(text) > MAX_JSON * 4 // 3 + 4:
        raise refuse(f"the card in the picture is over {MAX_JSON // 2**20} MB", "Ask its author for a smaller one.")
    packed = b"".join(text.split())
    try:
        decoded = base64.b64decode(packed + b"=" * (-len(packed) % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        raise refuse("the card in the picture is not base64", _DAMAGED) from error
    check_plain(decoded, refuse)
    return decoded


def check_plain(data: bytes, refuse: Refuse) -> None:
    """Raises the error `refuse` makes for an encrypted card."""
    if data.startswith(ENCRYPTED):
        raise refuse("it is encrypted, so only RisuAI can open it", "Ask its author for an unencrypted copy.")


def _packed(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
