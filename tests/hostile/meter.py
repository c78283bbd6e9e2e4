"""Counts the work of a reader: the lines it runs, and the characters it hands to regular expressions."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
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

    def tracer(self) -> Callable[[FrameType, str, object], object]:
        """For sys.settrace. It is called for every line, so it is as short as can be."""

        def trace(_frame: FrameType, event: str, _: object) -> object:
            if event == "line":
                self.work += 1
                if self.work > self.limit:
                    raise TooMuchWorkError
            return trace

        return trace


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
    patterns, caches = _found(sum(name.startswith("dramaturg.") for name in list(sys.modules)))
    for cache in caches:
        cache.cache_clear()
    functions = _functions(meter)
    for module, name, value in patterns:
        new: Any = functions if value is re else None
        if isinstance(value, re.Pattern):
            new = _Pattern(value, meter)
        elif isinstance(value, tuple):
            new = tuple(_Pattern(one, meter) for one in value)
        setattr(module, name, new)
    before = sys.gettrace()
    sys.settrace(meter.tracer())
    try:
        yield meter
    finally:
        sys.settrace(before)
        for module, name, value in patterns:
            setattr(module, name, value)


@lru_cache(maxsize=1)
def _found(_modules: int) -> tuple[list[tuple[Any, str, Any]], list[Any]]:
    """Where dramaturg names a pattern, or `re`; and what remembers texts: each is read as if for the first time.

    Looked for again when there are more modules than before.
    """
    patterns: list[tuple[Any, str, Any]] = []
    caches: list[Any] = []
    for module in [module for name, module in list(sys.modules.items()) if name.startswith("dramaturg.")]:
        for name, value in vars(module).items():
            if value is re or isinstance(value, re.Pattern) or _are_patterns(value):
                patterns.append((module, name, value))
            elif hasattr(value, "cache_parameters") and value.cache_parameters()["maxsize"] is not None:
                caches.append(value)
    return patterns, caches


def _are_patterns(value: object) -> bool:
    return isinstance(value, tuple) and bool(value) and all(isinstance(one, re.Pattern) for one in value)


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
