"""Counts the work of a reader: the lines it runs, and the characters it hands to regular expressions."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, SimpleNamespace
from typing import Any

UNSEEN = 64
"""What a match costs that begins amid a text and fails: how far it looked is not known, and bounded by the gate."""


class TooMuchWorkError(Exception):
    """A reader passed its limit."""


class Meter:
    def __init__(self, limit: int) -> None:
        self.work, self.limit = 0, limit

    def add(self, amount: int) -> None:
        self.work += amount
        if self.work > self.limit:
            raise TooMuchWorkError

    def trace(self, frame: FrameType, event: str, _: object) -> Callable[..., object]:
        if event == "line":
            self.add(1)
        return self.trace


class _Pattern:
    """A compiled pattern that reports to a meter."""

    def __init__(self, pattern: re.Pattern[str], meter: Meter) -> None:
        self._pattern, self._meter = pattern, meter

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pattern, name)

    def _one(self, name: str, text: str, *span: int) -> re.Match[str] | None:
        found: re.Match[str] | None = getattr(self._pattern, name)(text, *span)
        start, end = (*span, 0)[0], min((*span, 0, len(text))[1] or len(text), len(text))
        if found is not None:
            self._meter.add(found.end() - start + 1)
        else:
            self._meter.add(UNSEEN if start and name != "search" else max(end - start, 0) + 1)
        return found

    def match(self, text: str, *span: int) -> re.Match[str] | None:
        return self._one("match", text, *span)

    def fullmatch(self, text: str, *span: int) -> re.Match[str] | None:
        return self._one("fullmatch", text, *span)

    def search(self, text: str, *span: int) -> re.Match[str] | None:
        return self._one("search", text, *span)

    def finditer(self, text: str, *span: int) -> Iterator[re.Match[str]]:
        at = (*span, 0)[0]
        for found in self._pattern.finditer(text, *span):
            self._meter.add(found.end() - at + 1)
            at = found.end()
            yield found

    def findall(self, text: str, *span: int) -> list[Any]:
        self._meter.add(len(text) + 1)
        return self._pattern.findall(text, *span)

    def split(self, text: str, maxsplit: int = 0) -> list[str | Any]:
        self._meter.add(len(text) + 1)
        return self._pattern.split(text, maxsplit)

    def sub(self, new: Any, text: str, count: int = 0) -> str:
        self._meter.add(len(text) + 1)
        return self._pattern.sub(new, text, count)


@contextmanager
def metered(limit: int) -> Iterator[Meter]:
    """Everything of dramaturg that runs inside is counted; past the limit it raises."""
    meter = Meter(limit)
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("dramaturg.")]
    changed: list[tuple[Any, str, Any]] = []
    functions = _functions(meter)
    _forget(modules)
    for module in modules:
        for name, value in list(vars(module).items()):
            new: Any = None
            if isinstance(value, re.Pattern):
                new = _Pattern(value, meter)
            elif isinstance(value, tuple) and value and all(isinstance(one, re.Pattern) for one in value):
                new = tuple(_Pattern(one, meter) for one in value)
            elif value is re:
                new = functions
            if new is not None:
                changed.append((module, name, value))
                setattr(module, name, new)
    before = sys.gettrace()
    sys.settrace(meter.trace)
    try:
        yield meter
    finally:
        sys.settrace(before)
        for module, name, value in changed:
            setattr(module, name, value)


def _forget(modules: list[Any]) -> None:
    """Empties what remembers texts, so that each is read as if for the first time."""
    for module in modules:
        for value in vars(module).values():
            if hasattr(value, "cache_parameters") and value.cache_parameters()["maxsize"] is not None:
                value.cache_clear()


def _functions(meter: Meter) -> SimpleNamespace:
    """The module `re`, with its functions counted."""

    def counted(name: str) -> Callable[..., Any]:
        def call(pattern: str, *words: Any, flags: int = 0, **named: Any) -> Any:
            place = 2 if name in ("sub", "subn") else 1
            flags, words = (
                (words[place], words[:place])
                if name not in ("sub", "subn", "split") and len(words) > place
                else (flags, words)
            )
            return getattr(_Pattern(re.compile(pattern, flags), meter), name)(*words, **named)

        return call

    def compiled(pattern: str, flags: int = 0) -> Any:
        return _Pattern(re.compile(pattern, flags), meter)

    names = ("match", "fullmatch", "search", "finditer", "findall", "split", "sub")
    return SimpleNamespace(**{**vars(re), **{name: counted(name) for name in names}, "compile": compiled})
