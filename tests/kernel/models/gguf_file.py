"""A GGUF file with a head and nothing else, for tests that read only that."""

from __future__ import annotations

import struct
from pathlib import Path

LLAMA = {
    "general.architecture": "llama",
    "general.name": "Nutshell",
    "llama.context_length": 4096,
    "llama.block_count": 2,
    "llama.embedding_length": 64,
    "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2,
}


def write_gguf(path: Path, facts: dict[str, object] | None = None, *, version: int = 3, size: int = 0) -> Path:
    """Such a file at `path`, as long as `size` bytes on paper."""
    known = LLAMA | {"general.tags": ["a", "b"], "llama.rope.sizes": [1, 2]} | (facts or {})
    known["tokenizer.ggml.tokens"] = ["<s>"]
    raw = b"GGUF" + struct.pack("<IQQ", version, 0, len(known))
    for name, value in known.items():
        raw += _text(name) + _value(value)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw)
    if size:
        with path.open("r+b") as file:
            file.truncate(size)
    return path


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _value(value: object) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    assert isinstance(value, list)
    of_texts = isinstance(value[0], str)
    head = struct.pack("<IIQ", 9, 8 if of_texts else 4, len(value))
    return head + b"".join(_text(one) if of_texts else struct.pack("<I", one) for one in value)
