"""Lorebooks that a stranger wrote to keep a program busy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LETTERS = "".join(f"{chr(0x400 + 3 * place)}-{chr(0x401 + 3 * place)}" for place in range(600))


def book(entries: int, keys: list[str], **fields: Any) -> dict[str, Any]:
    """World Info with so many entries, all with the same keys."""
    return {"entries": {str(place): {"key": keys, "content": "x", **fields} for place in range(entries)}}


def differing(entries: int, key: str) -> dict[str, Any]:
    """World Info whose keys all differ, so that nothing can be compiled once for many."""
    return {
        "entries": {str(place): {"key": [key.replace("N", str(place))], "content": "x"} for place in range(entries)}
    }


HOSTILE_BOOKS: Mapping[str, dict[str, Any]] = {
    "a set of 600 ranges": book(1, [f"/[{LETTERS}]/"]),
    "600 ranges, repeated, 200 times": book(200, [f"/[{LETTERS}]+$/i"]),
    "5,000 entries with 200 patterns each": book(5000, [f"/x{place}y[a-z]+z/" for place in range(200)]),
    "5,000 patterns that all differ": differing(5000, "/(?:\\W|\\S|[^x]){20}N/i"),
    "nested quantifiers": book(500, ["/((a+)+)+$/", "/(a|aa)*b/", "/(.*)*x/", "/(\\w+\\s?)*$/"]),
    "a huge alternation": book(300, [f"/{'|'.join(f'w{place}' for place in range(380))}/i"]),
    "huge counted repeats": book(300, ["/(a{1,1000}){1,1000}/", "/((a{90}){90}){90}/", "/(a{1,199}){1,25}b/"]),
    "Unicode classes": book(300, ["/(\\W\\S[^é]\\D.){40}$/i", "/\\p{L}+/u", "/[\\u0100-\\uffff]{60}$/"]),
    "keys of 400 kB": book(60, ["k" * 400_000, f"/{'a|' * 200_000}b/", "{{" * 200_000]),
    "whole words that overlap": book(300, ["a" * 20_000, ". " * 15_000 + "x"], matchWholeWords=True),
    "plain keys that nearly match": book(5000, ["a" * 100 + "b"], caseSensitive=False),
    "a text of its own for every entry": {
        "entries": {str(place): {"key": ["/ж$/"], "content": "x", "scanDepth": place + 1} for place in range(3000)}
    },
    "one id for all": book(20_000, ["never"], uid=1),
    "a group for every entry": {
        "entries": {str(place): {"constant": True, "content": "x", "group": f"g{place}"} for place in range(10_000)}
    },
    "sticky, all of them": book(10_000, [], constant=True, sticky=5, cooldown=5),
    "twelve passes": book(3000, ["/a+b$/"], delayUntilRecursion=3),
}
