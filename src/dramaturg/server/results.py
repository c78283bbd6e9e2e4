"""What came of an episode, over HTTP: evaluations, the director's cut, and what of it is shared."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response
from pydantic import Field, JsonValue

from dramaturg.episodes.cut import DirectorsCut
from dramaturg.episodes.events import Evaluated
from dramaturg.episodes.sharing import DEFAULT, Part, Share, Snapshot
from dramaturg.episodes.wire import EvaluationStatus
from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.values import Value
from dramaturg.server.deps import OpenStudio
from dramaturg.server.errors import refusals
from dramaturg.server.players import OwnSession, received

router = APIRouter(prefix="/v1", tags=["results"])
ShareId = Annotated[
    str, Path(max_length=64, description="the id of a share", examples=["9f86d081884c7d659a2feaa0c55ad015"])
]
Parts = Annotated[
    tuple[Part, ...], Field(DEFAULT, max_length=8, description="what is public; the transcript only if it is named")
]


class GivenEvaluation(Value):
    """An evaluation, or that it is not ready."""

    status: EvaluationStatus
    evaluation_type: str | None = None
    evaluation: JsonValue = None


class EvaluationList(Value):
    """Oldest first."""

    evaluations: tuple[GivenEvaluation, ...]


class WantedParts(Value):
    """What would be public."""

    parts: Parts = DEFAULT


class Preview(Value):
    """What others would see. Send `seen` back to share exactly this."""

    snapshot: Snapshot
    seen: str


class NewShare(WantedParts):
    """What is public, and for how long."""

    seen: str = Field(max_length=64, description="of the preview: that the player has seen what is shared")
    days: float | None = Field(None, gt=0, le=3650, description="for so many days; until it is revoked if not set")


class SharedLink(Value):
    """A share, for the player whose it is."""

    share_id: str
    url: str = Field(description="the page for people, relative to this server")
    snapshot: Snapshot
    created_at: float
    expires_at: float | None = None
    revoked: bool = False
    views: int = 0

    @classmethod
    def of(cls, share: Share) -> SharedLink:
        return cls(
            share_id=share.id,
            url=f"/r/{share.id}",
            snapshot=share.snapshot,
            created_at=share.created_at,
            expires_at=share.expires_at,
            revoked=share.revoked,
            views=share.views,
        )


class SharedLinks(Value):
    """Oldest first, revoked ones too."""

    shares: tuple[SharedLink, ...]


class SharedResult(Value):
    """A shared result, as anybody who has its id may see it."""

    share_id: str
    snapshot: Snapshot
    created_at: float
    expires_at: float | None = None


@router.get("/sessions/{run_id}/evaluations", summary="Its evaluations", responses=refusals(404, 422, 429))
async def list_evaluations(session: OwnSession, studio: OpenStudio) -> EvaluationList:
    """Every evaluation that was given, oldest first."""
    found = await studio.episodes.tables.evaluations(session)
    return EvaluationList.model_validate(
        {"evaluations": [{"status": "ready", "evaluation_type": kind, "evaluation": dict(one)} for kind, one in found]}
    )


@router.post(
    "/sessions/{run_id}/evaluations",
    status_code=201,
    summary="Evaluate again",
    responses=refusals(404, 409, 422, 429, 503),
)
async def evaluate_again(session: OwnSession, studio: OpenStudio) -> GivenEvaluation:
    """Another evaluation of a completed episode. One that cannot be given is `not_ready`; nothing is invented."""
    given = await studio.episodes.evaluate(session)
    if isinstance(given, Evaluated):
        return GivenEvaluation(status="ready", evaluation_type=given.evaluation_type, evaluation=dict(given.result))
    return GivenEvaluation(status="not_ready", evaluation_type=given.evaluation_type)


@router.get("/sessions/{run_id}/directors-cut", summary="The director's cut", responses=refusals(404, 422, 429))
async def get_directors_cut(session: OwnSession, studio: OpenStudio) -> DirectorsCut:
    """The hidden layer of a completed episode, where its author allows it. Branch from the turning point."""
    return await studio.episodes.directors_cut(session)


@router.post("/sessions/{run_id}/share/preview", summary="What would be shared", responses=refusals(404, 413, 422, 429))
async def preview_share(wanted: WantedParts, session: OwnSession, studio: OpenStudio) -> Preview:
    """What others would see of the result. Nothing is shared by looking."""
    snapshot = await studio.episodes.preview(session, wanted.parts)
    return Preview(snapshot=snapshot, seen=snapshot.digest)


@router.post(
    "/sessions/{run_id}/share",
    status_code=201,
    summary="Share a result",
    responses={201: {"description": "The share; `Location` is its page."}, **refusals(404, 413, 422, 429, 503)},
)
async def share_result(wanted: NewShare, session: OwnSession, response: Response, studio: OpenStudio) -> SharedLink:
    """A frozen snapshot under an id nobody can guess. It does not change when the session does."""
    share = await studio.episodes.share(session, wanted.parts, days=wanted.days, seen=wanted.seen)
    response.headers["Location"] = f"/r/{share.id}"
    return SharedLink.of(share)


@router.get("/sessions/{run_id}/shares", summary="What is shared of it", responses=refusals(404, 422, 429))
async def list_shares(session: OwnSession, studio: OpenStudio) -> SharedLinks:
    """The shares of a session, and how often they were looked at."""
    return SharedLinks(shares=tuple(SharedLink.of(one) for one in await studio.episodes.shares(session)))


@router.delete(
    "/sessions/{run_id}/shares/{share_id}", status_code=204, summary="Revoke a share", responses=refusals(404, 422, 429)
)
async def revoke_share(share_id: ShareId, session: OwnSession, studio: OpenStudio) -> None:
    """From now on there is nothing under its id."""
    if share_id not in {one.id for one in await studio.episodes.shares(session)}:
        raise NotFound("There is nothing here.")
    await studio.episodes.revoke(share_id)


@router.get(
    "/results/{share_id}",
    summary="A shared result",
    responses=refusals(404, 422, 429),
    dependencies=[Depends(received)],
)
async def get_shared_result(share_id: ShareId, studio: OpenStudio) -> SharedResult:
    """What its player chose to show. Unknown, revoked, expired and private are the same 404."""
    share = await studio.episodes.shared(share_id)
    return SharedResult(
        share_id=share.id, snapshot=share.snapshot, created_at=share.created_at, expires_at=share.expires_at
    )


@router.post(
    "/results/{share_id}/views",
    status_code=204,
    summary="Count a view",
    responses=refusals(404, 422, 429),
    dependencies=[Depends(received)],
)
async def count_view(share_id: ShareId, studio: OpenStudio) -> None:
    """Somebody has looked. Programs that only fetch pages are not counted."""
    await studio.episodes.count_view(share_id)
