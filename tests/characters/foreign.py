"""Foreign cards as tests make them: a ferrywoman of our own, in every version and container."""

from __future__ import annotations

import base64
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Mapping
from functools import partial
from typing import Any

from dramaturg.characters.fields import unreadable

refuse = partial(unreadable, "mara")

V1: dict[str, Any] = {
    "name": "Mara Voss",
    "description": "{{char}} keeps the ferry at Low Haven.",
    "personality": "Blunt and loyal.",
    "scenario": "The ferry house, after the last crossing.",
    "first_mes": '*She does not look up.* "We\'re closed, {{user}}."',
    "mes_example": "<START>\n{{char}}: The river does not care.\n<START>\n{{user}}: Angry?\n{{char}}: *shrugs* Once.",
}
BOOK: dict[str, Any] = {
    "name": "Low Haven",
    "extensions": {"other/app": 1},
    "entries": [
        {
            "keys": ["ferry"],
            "content": "The ferry runs until ten.",
            "extensions": {},
            "enabled": True,
            "insertion_order": 10,
            "odd": [None],
        }
    ],
}
V2: dict[str, Any] = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "x_top": {"kept": True},
    "data": {
        **V1,
        "creator_notes": "Best with patience.",
        "system_prompt": "Be {{char}}. {{original}}",
        "post_history_instructions": "",
        "alternate_greetings": ['"You again."'],
        "tags": ["drama"],
        "creator": "wren",
        "character_version": "1.2",
        "character_book": BOOK,
        "extensions": {
            "talkativeness": "0.3",
            "depth_prompt": {"prompt": "{{char}} never apologises first.", "depth": 4, "role": "system"},
            "other/app": {"list": [1, 2.5, None, 12345678901234567890123]},
        },
        "unknown": "kept",
    },
}
V3: dict[str, Any] = {
    "spec": "chara_card_v3",
    "spec_version": "3.0",
    "data": {
        **V2["data"],
        "nickname": "Mara",
        "group_only_greetings": ["Not you two."],
        "source": ["https://example.org/mara"],
        "creation_date": 1700000000,
        "assets": [{"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png", "x": 1}],
        "character_book": {
            **BOOK,
            "entries": [
                {
                    **BOOK["entries"][0],
                    "use_regex": False,
                    "content": "@@depth 2\n@@role user\nThe ferry runs until ten.",
                }
            ],
        },
    },
}
CARDS: Mapping[int, dict[str, Any]] = {1: V1, 2: V2, 3: V3}


def chunk(kind: bytes, data: bytes, *, crc: int | None = None) -> bytes:
    check = zlib.crc32(kind + data) if crc is None else crc
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)


def png(*texts: tuple[str, bytes], extra: bytes = b"", end: bool = True) -> bytes:
    """A picture of two by two pixels with these text chunks in it."""
    head = struct.pack(">IIBBBBB", 2, 2, 8, 0, 0, 0, 0)
    image = zlib.compress(b"\0\x10\x20\0\x30\x40")
    written = b"".join(chunk(b"tEXt", word.encode("latin-1") + b"\0" + text) for word, text in texts)
    pieces = chunk(b"IHDR", head) + written + extra + chunk(b"IDAT", image)
    return b"\x89PNG\r\n\x1a\n" + pieces + (chunk(b"IEND", b"") if end else b"")


def packed_json(value: object) -> bytes:
    return base64.b64encode(json.dumps(value).encode())


def card_png(value: object, word: str = "chara") -> bytes:
    return png((word, packed_json(value)))


def charx(value: object, *members: tuple[str, bytes], stored: bool = False) -> bytes:
    return zipped(("card.json", json.dumps(value).encode()), *members, stored=stored)


def zipped(*members: tuple[str | zipfile.ZipInfo, bytes], stored: bool = False) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()
