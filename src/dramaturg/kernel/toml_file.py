"""TOML that people write by hand, as plain values; what is nested too deep is refused before it is parsed."""

from __future__ import annotations

import re
import tomllib

DEEPEST_FILE = 50
"""How many levels a file may have that people write by hand, whatever its format."""
LARGEST = 2**63 - 1
TOO_DEEP = f"more than {DEEPEST_FILE} levels inside one another"
_TOKEN = re.compile(
    # A long text may end with one or two quotation marks of its own.
    r'"""(?:[^\\]|\\.)*?(?:"{3,5}|\Z)'
    r"|'''.*?(?:'{3,5}|\Z)"
    r'|"(?:[^"\\\n]|\\.)*"?'
    r"|'[^'\n]*'?"
    r"|\#[^\n]*"
    r"|(?P<dot>\.)|(?P<opens>[\[{])|(?P<closes>[\]}])|(?P<next>[,\n])",
    re.S,
)


def parse_toml(text: str) -> dict[str, object]:
    """The tables of a TOML text. Raises ValueError, which says where.

    A parser's work for a key grows with the square of its parts, and nobody can walk through 1,000 levels.
    """
    _check_depth(text)
    tables = tomllib.loads(text)
    _check_numbers(tables)
    return tables


def _check_numbers(tables: dict[str, object]) -> None:
    """Raises ValueError for a number that TOML does not allow; Python's reader takes hexadecimal ones of any length."""
    waiting: list[tuple[str, object]] = list(tables.items())
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.items())
        elif isinstance(value, list):
            waiting.extend((name, one) for one in value)
        elif isinstance(value, int) and not -LARGEST - 1 <= value <= LARGEST:
            raise ValueError(f"the number of '{name[:40]}' is too large; TOML's numbers have 64 bits")


def _check_depth(text: str) -> None:
    parts, around = 0, list[int]()
    for token in _TOKEN.finditer(text):
        if token["dot"]:
            parts += 1
        elif token["next"]:
            parts = 0
        elif token["opens"]:
            around.append(parts + 1)
            parts = 0
        elif token["closes"]:
            parts = around.pop() - 1 if around else 0
        if parts + sum(around) > DEEPEST_FILE:
            line, column = text.count("\n", 0, token.start()) + 1, token.start() - text.rfind("\n", 0, token.start())
            raise ValueError(f"{TOO_DEEP} (at line {line}, column {column})")
