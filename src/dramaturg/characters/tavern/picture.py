"""Whether a file that says it is a PNG picture is one: its header is possible, and its pixels are all there."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Sequence

from dramaturg.characters.tavern.jsontext import Refuse
from dramaturg.characters.tavern.png import PngChunk, read_chunks

MAX_SIDE = 8192
MAX_PIXELS = 64 * 1024 * 1024
"""Bytes of pixels that are unpacked to be counted, and thrown away."""

_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_DEPTHS = {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}
# Where each pass of an interlaced picture begins, and its steps: x, y, step in x, step in y.
_PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
_REMEDY = "Save it as PNG again in a program that shows it."


def check_picture(data: bytes, refuse: Refuse) -> None:
    """Raises the error `refuse` makes for a file that no program could show."""
    chunks = read_chunks(data, refuse)
    expected = _pixel_bytes(chunks[0].data, refuse)
    if chunks[0].data[9] == 3 and not any(chunk.kind == b"PLTE" for chunk in chunks):
        raise refuse("the picture has no palette for its colours", _REMEDY)
    found = _unpacked_size(chunks, expected, refuse)
    if found != expected:
        reason = "some of its pixels are missing" if found < expected else "it has more pixels than its header says"
        raise refuse(f"the picture is not what it says: {reason}", _REMEDY)


def _pixel_bytes(header: bytes, refuse: Refuse) -> int:
    if len(header) != 13:
        raise refuse("the header of the picture is broken", _REMEDY)
    width, height, depth, colour, compression, method, interlaced = struct.unpack(">IIBBBBB", header)
    if depth not in _DEPTHS.get(colour, ()) or compression or method or interlaced > 1:
        raise refuse("the header of the picture makes no sense", _REMEDY)
    if not width or not height or max(width, height) > MAX_SIDE:
        raise refuse(f"the picture has {width} by {height} pixels", f"Use one of at most {MAX_SIDE} by {MAX_SIDE}.")
    bits = depth * _CHANNELS[colour]
    size: int = sum(high * (1 + (wide * bits + 7) // 8) for wide, high in _sizes(width, height, bool(interlaced)))
    if size > MAX_PIXELS:
        raise refuse(f"the pixels of the picture have over {MAX_PIXELS // 2**20} MB", "Use a smaller one.")
    return size


def _sizes(width: int, height: int, interlaced: bool) -> Iterator[tuple[int, int]]:
    """Columns and rows of each pass over the picture; one that is not interlaced has one."""
    if not interlaced:
        yield width, height
        return
    for left, top, across, down in _PASSES:
        wide, high = (width - left + across - 1) // across, (height - top + down - 1) // down
        if wide > 0 and high > 0:
            yield wide, high


def _unpacked_size(chunks: Sequence[PngChunk], expected: int, refuse: Refuse) -> int:
    packed = b"".join(chunk.data for chunk in chunks if chunk.kind == b"IDAT")
    reader = zlib.decompressobj()
    try:
        return len(reader.decompress(packed, expected + 1))
    except zlib.error as error:
        raise refuse("the pixels of the picture cannot be unpacked", _REMEDY) from error
