"""Drafts as faces show them."""

from __future__ import annotations

from pydantic import Field

from dramaturg.kernel.store import Status
from dramaturg.kernel.values import WireValue
from dramaturg.workshop.drafts.hybrid import Seam
from dramaturg.workshop.drafts.variant import Variant


class DraftView(WireValue):
    """A draft with the texts of its variants, as far as they are written."""

    run: str
    status: Status
    file: str = Field(description="the scene, below the project")
    words: int = Field(description="the target")
    variants: tuple[Variant, ...]
    scaffold: str = Field("", description="the file of the scaffold; empty without one")
    scaffold_changed: bool = Field(False, description="whether it is another one now than the draft is written from")
    base: str = Field("", description="the run of the performance that it tells")


class DraftSaved(WireValue):
    """What became of a variant or a hybrid: a new scene, or patches for the one that is there."""

    run: str
    file: str
    written: bool = Field(description="whether the file was written; a scene that has prose is never overwritten")
    patches: tuple[int, ...] = Field((), description="the patches that wait for the writer instead")
    said: str


class HybridParagraph(WireValue):
    """A paragraph of a hybrid, and where it is from."""

    label: str
    text: str


class HybridView(WireValue):
    """A hybrid with its seams; `saved` is null if it was only looked at."""

    run: str
    file: str
    paragraphs: tuple[HybridParagraph, ...]
    seams: tuple[Seam, ...]
    words: int
    saved: DraftSaved | None = None


class Staging(WireValue):
    """A scaffold that was handed to the stage: the scene and the cards that were written, and who plays."""

    scene: str = Field(description="its name; `dramaturg scene run` plays it")
    file: str
    cast: tuple[str, ...]
    cards: tuple[str, ...] = Field((), description="the cards that did not exist and were written")
    said: str
