"""The patches and versions of a book: reviewed one by one, compared and restored."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query
from pydantic import Field

from dramaturg.kernel.values import WireValue
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.routes.workshop import TheForeman
from dramaturg.workshop.patches.wire import (
    PatchesAcceptedView,
    PatchesRejectedView,
    PatchList,
    VersionComparison,
    VersionList,
    VersionRestored,
    VersionText,
)

router = api_router(prefix="/v1/projects/{project}", tags=["workshop"])
MOST_NUMBERS = 1000
LARGEST = 1_000_000_000
PatchNumbers = Annotated[
    tuple[Annotated[int, Field(ge=1, le=LARGEST)], ...], Field(min_length=1, max_length=MOST_NUMBERS)
]
SceneName = Annotated[str, Query(min_length=1, max_length=200, description="ch04-sc02, or a path below manuscript/")]
VersionNumber = Annotated[int, Path(ge=1, le=LARGEST, description="as the list numbers it")]


class AcceptRequest(WireValue):
    """The patches to accept."""

    numbers: PatchNumbers
    place: int | None = Field(
        None, ge=1, le=LARGEST, description="which place is meant, for one patch whose words stand several times"
    )


class RejectRequest(WireValue):
    """The patches to reject, and why."""

    numbers: PatchNumbers
    reason: str = Field("", max_length=400)


class RestoreRequest(WireValue):
    """The version that a scene gets back."""

    scene: str = Field(min_length=1, max_length=200)
    version: int = Field(ge=1, le=LARGEST)


@router.get("/patches", summary="List the patches", responses=declared_errors(404, 422))
async def list_patches(
    foreman: TheForeman,
    every: Annotated[bool, Query(alias="all", description="also those that do not wait any more")] = False,
    set_number: Annotated[int | None, Query(alias="set", ge=1, le=LARGEST, description="only those of a set")] = None,
) -> PatchList:
    """The patches that wait for the writer, word by word, each with what stands in its way."""
    return await foreman.patches.patches(every=every, set_number=set_number)


@router.post("/patches/accept", summary="Accept patches", responses=declared_errors(404, 409, 413, 422))
async def accept_patches(wanted: AcceptRequest, foreman: TheForeman) -> PatchesAcceptedView:
    """Make the changes of these patches. One without a place waits, with the reason; the others are made.

    Each can be undone alone: `undo` with `p3` undoes patch 3.
    """
    return await foreman.patches.accept(wanted.numbers, nth=wanted.place)


@router.post("/patches/reject", summary="Reject patches", responses=declared_errors(404, 409, 413, 422))
async def reject_patches(wanted: RejectRequest, foreman: TheForeman) -> PatchesRejectedView:
    """Set patches aside. They can still be accepted later."""
    return await foreman.patches.reject(wanted.numbers, wanted.reason)


@router.get("/versions", summary="List the versions of a scene", responses=declared_errors(404, 422))
async def list_versions(foreman: TheForeman, scene: SceneName) -> VersionList:
    """Every text that the log has of a scene, oldest first."""
    return await foreman.versions.versions(scene)


@router.get("/versions/{version}", summary="Get a version of a scene", responses=declared_errors(404, 422))
async def get_version(foreman: TheForeman, version: VersionNumber, scene: SceneName) -> VersionText:
    """The whole text of a version."""
    return await foreman.versions.text(scene, version)


@router.get("/versions/{version}/comparison", summary="Compare two versions", responses=declared_errors(404, 422))
async def compare_versions(
    foreman: TheForeman,
    version: VersionNumber,
    scene: SceneName,
    second: Annotated[int, Query(ge=0, le=LARGEST, description="another version; 0 for the file as it is now")] = 0,
) -> VersionComparison:
    """What has changed from one version to another, word by word."""
    return await foreman.versions.compare(scene, version, second)


@router.post("/versions/restore", summary="Restore a version", responses=declared_errors(404, 409, 413, 422))
async def restore_version(wanted: RestoreRequest, foreman: TheForeman) -> VersionRestored:
    """Make a version the text of its scene again; the text before it is kept as a version."""
    return await foreman.versions.restore(wanted.scene, wanted.version)
