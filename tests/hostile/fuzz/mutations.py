"""What is done to an input: to its bytes, to its words, and to its structure where it has one."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from random import Random

LONGEST = 6_000
"""Longest input, in bytes: long enough to tell a quadratic reader from a linear one, short enough to try thousands."""

TOKENS = (
    *"{ } [ ] ( ) < > \" ' ` , : ; . - _ * # @ & % \\ / | ~ ! ? = +".split(),
    *(
        "\n",
        "\r\n",
        "\t",
        " ",
        "\0",
        "\x1b[2J",
        "\u202e",
        "\ufeff",
        "—",
        "…",
        "“",
        "”",
        "é",
        "ﬃ",
        "\u0130",
        "😀",
        "²",
        "٣",
    ),
    *("```", "```json\n", "---\n", "...\n", "null", "true", "NaN", "Infinity", "-0", "1e999", "9" * 30, "9" * 5000),
    *(
        "2024-13-45",
        "0x7fffffffffffffff",
        "!!python/object:os.system",
        "!!binary x",
        "&a [*a]",
        "<<: *a",
        "\\ud800",
        "\\u0000",
    ),
    *(
        "<think>",
        "</think>",
        "<!--",
        "-->",
        "<![CDATA[",
        "<!DOCTYPE a [<!ENTITY b 'c'>]>",
        "&lt;",
        "{{user}}",
        "${x}",
        "%s",
        "../",
    ),
)
NUMBERS = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
NUMERIC = (0, -1, 1.5, 2**31, 2**53 + 1, 2**63, 2**64, -(2**63) - 1, 10**40, 1e308, -1e308)
VALUES: tuple[object, ...] = (
    *(None, True, False, *NUMERIC),
    *("", " ", "x" * 2000, "\0", "\ud800", "é\u202e", "null", "-1", "²", "2024-13-45", "<b>", "{{char}}"),
    *([], {}, [[]], [None], {"": None}, [1, "a", {}], {"type": "x"}, {"text": 5}, [{"type": "text"}]),
)

Mutation = Callable[[Random, bytes, Sequence[bytes]], bytes]


def mutated(random: Random, data: bytes, others: Sequence[bytes], tokens: Sequence[bytes]) -> bytes:
    """An input with one to six changes. JSON stays JSON half of the time."""
    changes = random.choice((1, 1, 1, 2, 3, 6))
    if random.random() < 0.5 and (found := _of_structure(random, data, changes)) is not None and len(found) <= LONGEST:
        return found
    for _ in range(changes):
        known: Sequence[bytes] = tokens if tokens and random.random() < 0.6 else _ENCODED
        mutation = random.choice(_OF_TOKENS) if random.random() < 0.55 else random.choice(_OF_BYTES)
        data = mutation(random, data, known if mutation in _OF_TOKENS else others)[:LONGEST]
    return data


def _place(random: Random, data: bytes) -> int:
    return random.randint(0, len(data))


def _span(random: Random, data: bytes) -> tuple[int, int]:
    start = _place(random, data)
    return start, min(len(data), start + random.choice((1, 2, 4, 16, 64, 400)))


def _flipped(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    if not data:
        return data
    at = random.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]


def _cut(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    start, end = _span(random, data)
    return data[:start] + data[end:]


def _ended(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return data[: _place(random, data)]


def _doubled(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    start, end = _span(random, data)
    return data[:end] + data[start:end] * random.choice((1, 2, 30, 1000)) + data[end:]


def _moved(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    start, end = _span(random, data)
    rest = data[:start] + data[end:]
    at = _place(random, rest)
    return rest[:at] + data[start:end] + rest[at:]


def _spliced(random: Random, data: bytes, others: Sequence[bytes]) -> bytes:
    other = random.choice(others) if others else b""
    return data[: _place(random, data)] + other[_place(random, other) :]


def _numbered(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """A number of one, two, four or eight bytes over what was there."""
    size = random.choice((1, 2, 4, 8))
    number = (random.choice(NUMBERS) % 256**size).to_bytes(size, random.choice(("little", "big")))
    at = _place(random, data)
    return data[:at] + number + data[at + size :]


def _with_token(random: Random, data: bytes, tokens: Sequence[bytes]) -> bytes:
    at = _place(random, data)
    return data[:at] + random.choice(tokens) + data[at:]


def _over_token(random: Random, data: bytes, tokens: Sequence[bytes]) -> bytes:
    start, end = _span(random, data)
    return data[:start] + random.choice(tokens) + data[end:]


def _repeated_token(random: Random, data: bytes, tokens: Sequence[bytes]) -> bytes:
    at = _place(random, data)
    return data[:at] + random.choice(tokens) * random.choice((2, 10, 100, 3000)) + data[at:]


def _nested_tokens(random: Random, data: bytes, tokens: Sequence[bytes]) -> bytes:
    opening, closing, times = random.choice(tokens), random.choice(tokens), random.choice((2, 50, 1200))
    at = _place(random, data)
    return data[:at] + opening * times + data[at : at + 20] + closing * times + data[at:]


def _alternating_tokens(random: Random, data: bytes, tokens: Sequence[bytes]) -> bytes:
    at = _place(random, data)
    return data[:at] + (random.choice(tokens) + random.choice(tokens)) * random.choice((10, 400, 1500)) + data[at:]


_OF_BYTES: tuple[Mutation, ...] = (_flipped, _cut, _ended, _doubled, _moved, _spliced, _numbered)
_OF_TOKENS: tuple[Mutation, ...] = (_with_token, _over_token, _repeated_token, _nested_tokens, _alternating_tokens)
_ENCODED = tuple(token.encode("utf-8", "surrogatepass") for token in TOKENS)


def _of_structure(random: Random, data: bytes, changes: int) -> bytes | None:
    """The same JSON, or one line of it, with some values, keys or lists changed; None if there is no JSON."""
    lines = data.split(b"\n")
    holding = [at for at, line in enumerate(lines) if line[:1] in (b"{", b"[")] or [0]
    chosen = random.choice(holding)
    try:
        value = json.loads(lines[chosen])
        for _ in range(changes):
            value = _changed(random, value, "a")
        lines[chosen] = json.dumps(value, ensure_ascii=random.random() < 0.5).encode()
    except (ValueError, RecursionError):
        return None
    return b"\n".join(lines)


def _changed(random: Random, value: object, under: str) -> object:
    if isinstance(value, dict) and value and random.random() < 0.85:
        key = random.choice(list(value))
        act = random.random()
        if act < 0.12:
            return {name: one for name, one in value.items() if name != key}
        if act < 0.2:
            return {(f"{name}{random.choice('xé ')}" if name == key else name): one for name, one in value.items()}
        return {**value, key: _changed(random, value[key], key)}
    if isinstance(value, list) and value and random.random() < 0.85:
        at = random.randrange(len(value))
        act = random.random()
        if act < 0.12:
            return value[:at] + value[at + 1 :]
        if act < 0.25:
            return value[:at] + [value[at]] * random.choice((2, 5, 50)) + value[at:]
        return [*value[:at], _changed(random, value[at], under), *value[at + 1 :]]
    if random.random() < 0.08:
        return _deep(value, random.choice((3, 70, 400, 900)), "" if random.random() < 0.4 else under)
    return random.choice(NUMERIC) if isinstance(value, int | float) and random.random() < 0.5 else random.choice(VALUES)


def _deep(value: object, levels: int, key: str) -> object:
    """The value inside lists, or inside objects under one key."""
    for _ in range(levels):
        value = {key: value} if key else [value]
    return value
