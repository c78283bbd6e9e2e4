"""The reader of a model's answer about a scene. It takes what can be proved by words of the text, and nothing raises.

JSON is read wherever it stands in the answer; where there is none, lines such as `tension: 7 "He ran."` are read too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar, cast, get_args

from dramaturg.kernel.text.words import words
from dramaturg.model_notes.structured import json_values
from dramaturg.workshop.graph.front_matter import LONGEST_NAME
from dramaturg.workshop.graph.scene_facts import beat_named
from dramaturg.workshop.health.record_matter import is_so, level
from dramaturg.workshop.health.records import ExtractedRecord
from dramaturg.workshop.health.values import Evidence, SceneKind, Told

T = TypeVar("T")
FEWEST_WORDS = 3
LONGEST_QUOTE = 400
MOST_NAMES = 40
MOST_LINES = 400
_GAP = re.compile(r"\n[ \t]*\n")
_FIELDS: Mapping[str, str] = {
    "kind": "kind",
    "tension": "tension",
    "beat": "beat",
    "cast": "cast",
    "characters": "cast",
    "place": "place",
    "location": "place",
    "time": "time",
    "flaw_challenged": "flaw_challenged",
    "flaw": "flaw_challenged",
    "symbols": "symbols",
    "symbol": "symbols",
    "theme": "theme",
    "resonance": "theme",
}
_OPEN, _CLOSE = '"“„«', '"”“»'


@dataclass(frozen=True, slots=True)
class QuotableText:
    """A scene whose words can be looked up: each paragraph with its words, made once."""

    path: str
    paragraphs: tuple[str, ...]
    spoken: tuple[str, ...]

    @classmethod
    def of(cls, path: str, body: str) -> QuotableText:
        paragraphs = tuple(part for part in _GAP.split(body) if part.strip())
        return cls(path, paragraphs, tuple(f" {' '.join(words(part))} " for part in paragraphs))

    def find(self, quote: object) -> Evidence | None:
        """Where words stand, as evidence; None if they do not, or are too few to prove anything."""
        if not isinstance(quote, str) or not quote.strip() or len(quote) > LONGEST_QUOTE:
            return None
        wanted = words(quote)
        if len(wanted) < FEWEST_WORDS:
            return None
        sought = f" {' '.join(wanted)} "
        for number, text in enumerate(self.spoken, start=1):
            if sought in text:
                return Evidence(file=self.path, paragraph=number, quote=" ".join(quote.split()), origin="extracted")
        return None


def read_record(answer: str, text: QuotableText) -> ExtractedRecord:
    """What an answer says of a scene, so far as its quotations stand in the text. Anything may be asked of it."""
    said = _said(answer)
    reader = _Reader(text)
    kind = _plain(_value(said.get("kind"))).casefold()
    return ExtractedRecord(
        kind=cast("SceneKind", kind) if kind in get_args(SceneKind) else None,
        tension=reader.level(said.get("tension")),
        beat=reader.beat(said.get("beat")),
        cast=reader.names(said.get("cast")),
        place=reader.text(said.get("place")),
        time=reader.text(said.get("time")),
        challenge=reader.challenge(said.get("flaw_challenged")),
        symbols=reader.names(said.get("symbols")),
        resonance=reader.level(said.get("theme")),
        refused=reader.refused,
    )


def has_record(answer: str) -> bool:
    """Whether an answer says anything of a scene, true or not: without that, the question is still open."""
    return next(json_values(answer), None) is not None or bool(_said(answer))


class _Reader:
    """Takes values with their quotations, and counts those it refuses."""

    def __init__(self, text: QuotableText) -> None:
        self._text = text
        self.refused = 0

    def level(self, said: object) -> Told[float] | None:
        found = level(_value(said))
        return None if found is None else self._told(found, said)

    def beat(self, said: object) -> Told[str] | None:
        found = beat_named(_plain(_value(said)))
        return self._told(found, said) if found else None

    def text(self, said: object) -> Told[str] | None:
        found = _plain(_value(said))
        if not found or len(found) > LONGEST_NAME or found.casefold() in ("none", "null", "unknown", "n/a", "-"):
            return None
        return self._told(found, said)

    def challenge(self, said: object) -> Told[bool] | None:
        """A no needs no words; a yes does."""
        found = is_so(_value(said))
        if found is None:
            return None
        if not found:
            return Told(False, Evidence(file=self._text.path, origin="extracted"))
        return self._told(True, said)

    def names(self, said: object) -> tuple[Told[str], ...]:
        found: dict[str, Told[str]] = {}
        entries: Sequence[object] = said if isinstance(said, list) else () if said is None else (said,)
        for entry in entries[:MOST_NAMES]:
            name = _plain(_value(entry))
            if not name or len(name) > LONGEST_NAME:
                continue
            told = self._told(name, entry)
            if told is not None:
                found.setdefault(name, told)
        return tuple(found.values())

    def _told(self, value: T, said: object) -> Told[T] | None:
        evidence = self._text.find(_quote(said))
        if evidence is None:
            self.refused += 1
            return None
        return Told(value, evidence)


def _said(answer: str) -> Mapping[str, object]:
    """The fields of an answer, under the names that we know."""
    for value in json_values(answer):
        fields = value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else value
        if isinstance(fields, dict):
            known = {_FIELDS[name]: held for key, held in fields.items() if (name := _name(key)) in _FIELDS}
            if known:
                return known
    return _by_line(answer.splitlines()[:MOST_LINES])


def _by_line(lines: Iterable[str]) -> Mapping[str, object]:
    found: dict[str, object] = {}
    for line in lines:
        name, colon, rest = line.partition(":")
        field = _FIELDS.get(_name(name.strip(" \t-*•#>"))) if colon and len(name) < 60 else None
        if field is None or not rest.strip():
            continue
        value = _with_quote(rest.strip())
        if field in ("cast", "symbols"):
            listed = found.setdefault(field, [])
            if isinstance(listed, list):
                listed.append(value)
        else:
            found.setdefault(field, value)
    return found


def _with_quote(rest: str) -> Mapping[str, object]:
    """A value and its quotation on one line: `7, "He ran."`."""
    starts = [at for mark in _OPEN if (at := rest.find(mark)) >= 0]
    if not starts:
        return {"value": rest.strip(" *|,;-–—")}
    start = min(starts)
    end = max(rest.rfind(mark) for mark in _CLOSE)
    return {"value": rest[:start].strip(" *|,;-–—("), "quote": rest[start + 1 : end if end > start else None]}


def _name(key: object) -> str:
    return str(key)[:60].strip().casefold().replace(" ", "_").replace("-", "_")


def _value(said: object) -> object:
    if isinstance(said, Mapping):
        for name in ("value", "name", "is", "level", "score"):
            if name in said:
                held = said[name]
                return held if isinstance(held, str | int | float | bool) else None
        return None
    return said if isinstance(said, str | int | float | bool) else None


def _quote(said: object) -> object:
    if isinstance(said, Mapping):
        return next((said[name] for name in ("quote", "evidence", "words") if name in said), None)
    return None


def _plain(value: object) -> str:
    return "" if value is None or isinstance(value, bool) else " ".join(str(value)[:1000].split()).strip("\"'*_")
