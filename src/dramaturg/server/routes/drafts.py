"""The drafts of a book: variants of a scene, the choice of one, hybrids, and scaffolds that go on stage.

A draft is started as any long work: `POST …/works/draft`.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from pydantic import Field

from dramaturg.kernel.values import WireValue
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.routes.workshop import TheForeman
from dramaturg.workshop.drafts.hybrid import MOST_PARTS
from dramaturg.workshop.drafts.variant import Variant
from dramaturg.workshop.drafts.wire import DraftSaved, DraftView, HybridView, Staging

router = api_router(prefix="/v1/projects/{project}", tags=["workshop"])
DraftId = Annotated[str, Path(max_length=80, description="the run of the draft; `last` is the newest")]
Letter = Annotated[str, Path(min_length=1, max_length=2, description="the variant", examples=["A"])]


class VariantChoice(WireValue):
    """The variant that the scene becomes."""

    letter: str = Field(min_length=1, max_length=2, examples=["B"])


class HybridRequest(WireValue):
    """The paragraphs of a hybrid, in their order."""

    parts: tuple[Annotated[str, Field(min_length=1, max_length=40)], ...] = Field(
        min_length=1, max_length=MOST_PARTS, examples=[["A1-3", "B4"]]
    )
    write: bool = Field(True, description="false to look at it, and write nothing")


class StagingRequest(WireValue):
    """A scaffold that is to be performed."""

    scaffold: str = Field(min_length=1, max_length=200, examples=["ch04-sc02"])
    cast: tuple[Annotated[str, Field(min_length=1, max_length=80)], ...] = Field(
        (), max_length=5, description="who plays; those in the scaffold if not set"
    )
    replace: bool = Field(False, description="whether a scene of this name with another text is replaced")


@router.get("/drafts/{draft_id}", summary="Get a draft", responses=declared_errors(404, 422))
async def get_draft(draft_id: DraftId, foreman: TheForeman) -> DraftView:
    """The variants of a scene with their texts, as far as they are written, and what is marked in each."""
    return await foreman.drafts.draft(draft_id)


@router.get("/drafts/{draft_id}/variants/{letter}", summary="Get a variant", responses=declared_errors(404, 422))
async def get_variant(draft_id: DraftId, letter: Letter, foreman: TheForeman) -> Variant:
    """One variant, paragraph by paragraph."""
    return await foreman.drafts.variant(draft_id, letter)


@router.post(
    "/drafts/{draft_id}/choice", summary="Choose a variant", responses=declared_errors(404, 409, 413, 422, 503)
)
async def choose_variant(draft_id: DraftId, wanted: VariantChoice, foreman: TheForeman) -> DraftSaved:
    """Write a variant as the scene; it can be undone. A scene that has prose gets patches instead."""
    return await foreman.drafts.choose(draft_id, wanted.letter)


@router.post("/drafts/{draft_id}/hybrid", summary="Make a hybrid", responses=declared_errors(404, 409, 413, 422, 503))
async def make_hybrid(draft_id: DraftId, wanted: HybridRequest, foreman: TheForeman) -> HybridView:
    """A scene of chosen paragraphs, each to the byte, with the seams between them."""
    return await foreman.drafts.hybrid(draft_id, wanted.parts, write=wanted.write)


@router.post(
    "/stagings", status_code=201, summary="Stage a scaffold", responses=declared_errors(404, 409, 413, 422, 503)
)
async def stage_scaffold(wanted: StagingRequest, foreman: TheForeman) -> Staging:
    """Write a scene to play and a card for whoever has none; the run of the scene can be the base of a draft."""
    return await foreman.drafts.perform(wanted.scaffold, wanted.cast, replace=wanted.replace)
