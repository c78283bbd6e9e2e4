"""What a target is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from dramaturg.kernel.errors import DramaturgError

DICTIONARIES = Path(__file__).parent / "dictionaries"


@dataclass(frozen=True, slots=True)
class Target:
    """A reader to be fuzzed. `read` takes any bytes, checks what comes back, and raises nothing but `allowed`.

    An input may cost `lines_per_byte` executed lines for each of its bytes, after `base_bytes` that are free.
    `short` and `long` are the iterations of `.ci/run` and of `make test-hostile`.
    """

    name: str
    read: Callable[[bytes], object]
    tokens: tuple[bytes, ...] = ()
    allowed: tuple[type[Exception], ...] = (DramaturgError,)
    lines_per_byte: int = 60
    base_bytes: int = 400
    short: int = 25
    long: int = 1500


def tokens(*dictionaries: str) -> tuple[bytes, ...]:
    """What a format is made of: the lines of these dictionaries, with escapes as in a bytes literal."""
    lines = [line for name in dictionaries for line in (DICTIONARIES / f"{name}.txt").read_text("utf-8").splitlines()]
    return tuple(line.encode().decode("unicode_escape").encode("latin-1") for line in lines)


def text_of(data: bytes) -> str:
    """Bytes as the text of a file or a request: what is not UTF-8 was replaced or refused before."""
    return data.decode("utf-8", "replace")


def answer_of(data: bytes) -> str:
    """Bytes as a model's text. Half characters pass: JSON can escape them, and not every client objects."""
    return data.decode("utf-8", "surrogateescape")
