"""The part of an exported DOCX that says which scenes it contains, and which words each had when it went out.

It holds no more than the document shows, and not the front matter of the scenes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dramaturg.kernel.errors import AuthorError, InvalidConfig
from dramaturg.kernel.text.escape import escaped, escaped_attribute, xml_characters
from dramaturg.workshop.manuscripts.styled import Styled, joined, styled
from dramaturg.workshop.manuscripts.word.names import BOOKMARK, DIGEST, OWN, OWN_URI
from dramaturg.workshop.manuscripts.xml_parts import Element, parse_part


@dataclass(frozen=True, slots=True)
class OpenPatch:
    """A tracked change that we wrote: the words shown from `start` to `end`, and the new ones."""

    start: int
    end: int
    new: str


@dataclass(frozen=True, slots=True)
class CarriedScene:
    """A scene as it went out: its file, its digest, its words as shown, the changes and notes over it."""

    number: int
    path: str
    digest: str
    shown: Styled
    patches: tuple[OpenPatch, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def bookmark(self) -> str:
        return f"{BOOKMARK}{self.number:04}_{self.digest[:DIGEST]}"


def carried_part(scenes: Sequence[CarriedScene]) -> bytes:
    rows = [f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n<manuscript xmlns="{OWN_URI}">']
    for scene in scenes:
        path = escaped_attribute(scene.path)
        rows.append(f'<scene n="{scene.number}" path="{path}" digest="{scene.digest}">')
        rows += (f'<t m="{run.marks[0]}">{escaped(run.text)}</t>' for run in scene.shown.runs())
        rows += (f'<patch start="{one.start}" end="{one.end}">{escaped(one.new)}</patch>' for one in scene.patches)
        rows += (f"<note>{escaped(xml_characters(one))}</note>" for one in scene.notes)
        rows.append("</scene>")
    return "".join((*rows, "</manuscript>")).encode()


def read_carried(name: str, data: bytes) -> tuple[CarriedScene, ...]:
    """The scenes of the part; none if there is no such part or another program has damaged it."""

    def refuse(reason: str, advice: str) -> AuthorError:
        return InvalidConfig(f"{name}: {reason}. {advice}")

    if not data:
        return ()
    try:
        root = parse_part("customXml", data, refuse)
        return tuple(_scene(node) for node in root.iter(f"{OWN}scene"))
    except (InvalidConfig, ValueError):
        return ()


def _scene(node: Element) -> CarriedScene:
    runs = (styled(one.text or "", _mark(one)) for one in node.iter(f"{OWN}t"))
    patches = tuple(
        OpenPatch(int(one.get("start", "")), int(one.get("end", "")), one.text or "")
        for one in node.iter(f"{OWN}patch")
    )
    notes = tuple(one.text or "" for one in node.iter(f"{OWN}note"))
    number, path, digest = int(node.get("n", "")), node.get("path", ""), node.get("digest", "")
    return CarriedScene(number, path, digest, joined(runs), patches, notes)


def _mark(node: Element) -> str:
    mark = node.get("m", "0")
    return mark if mark in ("0", "1", "2", "3") else "0"
