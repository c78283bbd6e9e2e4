"""Scaffolds as faces show them."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from dramaturg.kernel.values import WireValue


class ScaffoldRow(WireValue):
    """A planned scene. `problem` says why its scaffold cannot be read."""

    scaffold_id: str
    path: str
    title: str = ""
    beat_alignment: str = ""
    word_target: int | None = None
    is_drafted: bool = Field(description="whether the scene is written")
    open_fields: tuple[str, ...] = ()
    problem: str = ""


class ScaffoldList(WireValue):
    """The planned scenes, in reading order."""

    scaffolds: tuple[ScaffoldRow, ...]


class ScaffoldView(ScaffoldRow):
    """One scaffold: its fields as text, where each came from, the writer's own notes, and what the book does not
    know."""

    digest: str = Field(description="of the file as it was read")
    fields: Mapping[str, str]
    sources: Mapping[str, str]
    notes: Mapping[str, str] = Field(default_factory=dict)
    remarks: tuple[str, ...] = ()
