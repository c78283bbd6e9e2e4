"""A small reader of Fountain 1.1, written from its syntax page: what a screenwriting program would see."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["heading", "action", "dialogue", "transition", "section", "synopsis", "lyric", "centered"]

_NOTE = re.compile(r"\[\[(?:(?!\n[ ]?\n).)*?\]\]", re.DOTALL)
_BONEYARD = re.compile(r"(?<!\\)/\*.*?\*/", re.DOTALL)
_HEADING = re.compile(r"(?:int|ext|est|i/e|int\./ext|int/ext)[. ]", re.IGNORECASE)
_EMPHASIS = re.compile(r"(?<!\\)([*_]).+?(?<!\\)\1")


@dataclass
class Element:
    kind: Kind
    text: str = ""
    speaker: str = ""
    dual: bool = False
    parentheticals: list[str] = field(default_factory=list)


@dataclass
class Screenplay:
    title_page: dict[str, str]
    elements: list[Element]
    notes: list[str]

    @property
    def dialogue(self) -> list[tuple[str, str]]:
        return [(element.speaker, element.text) for element in self.elements if element.kind == "dialogue"]


def read_fountain(text: str) -> Screenplay:
    head, _, body = text.partition("\n\n")
    title_page = dict(row.split(": ", 1) for row in head.split("\n"))
    assert "/*" not in body, "something opens a boneyard"
    notes = [found[2:-2] for found in _NOTE.findall(body)]
    blocks = [block.strip("\n") for block in re.split(r"\n(?:[ \t]*\n)+", _NOTE.sub("", body))]
    elements = [_element(block) for block in blocks if block.strip()]
    return Screenplay({key: _literal(value) for key, value in title_page.items()}, elements, notes)


def _element(block: str) -> Element:
    first, *rest = block.split("\n")
    if first.startswith("!"):
        return Element("action", _literal(block[1:]))
    if first.startswith(".") and not first.startswith("..") and not rest:
        return Element("heading", _literal(first[1:]))
    if _HEADING.match(first) and not rest:
        return Element("heading", _literal(first))
    if first.startswith(">"):
        return Element("centered" if first.endswith("<") else "transition", first)
    for sign, kind in (("#", "section"), ("=", "synopsis"), ("~", "lyric")):
        if first.startswith(sign):
            return Element(kind, first)
    if rest and (first.startswith("@") or _is_name(first)):
        return _dialogue(first, rest)
    if not rest and first == first.upper() and first.endswith("TO:"):
        return Element("transition", first)
    return Element("action", _literal(block))


def _is_name(line: str) -> bool:
    return line == line.upper() and any(char.isalpha() for char in line)


def _dialogue(cue: str, rows: list[str]) -> Element:
    name = cue.removeprefix("@")
    element = Element("dialogue", dual=name.endswith("^"))
    element.speaker = _literal(name.removesuffix("^").strip())
    words: list[str] = []
    for row in rows:
        assert not row.startswith(("~", "!", "@", "#", "=", ">")), f"read as markup: {row}"
        if row.startswith("(") and row.endswith(")"):
            element.parentheticals.append(_literal(row[1:-1]))
        else:
            words.append(_literal(row))
    element.text = " ".join(words)
    return element


def _literal(text: str) -> str:
    """The text as printed. Emphasis would be a fault: nothing we write is meant as such."""
    assert not _EMPHASIS.search(text), f"read as emphasis: {text}"
    return re.sub(r"\\([*_])", r"\1", text).replace("\N{WORD JOINER}", "").strip()
