"""The ids of runs: eighteen characters that sort by time, cannot be guessed and can be read aloud."""

from __future__ import annotations

import hashlib
import secrets

from dramaturg.kernel.text.control import plain

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's base 32: no i, l, o or u to mistake."""
TIME_CHARS = 7
CHANCE_CHARS = 11
_HEARD_AS = str.maketrans({"i": "1", "l": "1", "o": "0", "-": None, " ": None})


def new_id(now: float) -> str:
    """Seven characters of time in seconds, then eleven of chance: a few of those tell runs apart."""
    return _digits(int(now), TIME_CHARS) + _digits(secrets.randbits(5 * CHANCE_CHARS), CHANCE_CHARS)


def id_for(kind: str, key: str) -> str:
    """The id of the run that somebody asks for under a key of their own: the same for the same key."""
    digest = hashlib.sha256(f"{kind}\0{key}".encode()).digest()
    return _digits(int.from_bytes(digest), TIME_CHARS + CHANCE_CHARS)


def is_id(text: str) -> bool:
    """Whether a text has the form of an id."""
    return len(text) == TIME_CHARS + CHANCE_CHARS and set(text) <= set(ALPHABET)


def normal(typed: str) -> str:
    """An id, or the beginning of one, as it was meant."""
    return plain(typed).strip().lower().translate(_HEARD_AS)


def _digits(number: int, length: int) -> str:
    return "".join(ALPHABET[number >> 5 * place & 31] for place in reversed(range(length)))
