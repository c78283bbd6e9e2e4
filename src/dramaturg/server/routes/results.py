"""The results of an episode: evaluations, the director's cut, and shares."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Path, Response
from pydantic import Field, JsonValue

from dramaturg.episodes.cut import DirectorsCut
from dramaturg.episodes.events import EvaluationGiven
from dramaturg.episodes.result_card import ResultCard, result_card
from dramaturg.episodes.share import DEFAULT, Share, SharedPart, Snapshot
from dramaturg.episodes.wire import EvaluationStatus
from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.values import Value
from dramaturg.server.http.callers import OwnSession, PaidSession, limit_address
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router

router = api_router(prefix="/v1", tags=["results"])
ShareId = Annotated[
    str, Path(max_length=64, description="the id of a share", examples=["9f86d081884c7d659a2feaa0c55ad015"])
]
Parts = Annotated[
    tuple[SharedPart, ...],
    Field(DEFAULT, max_length=8, description="what is made public; the transcript only if listed"),
]


class EvaluationResult(Value):
    """An evaluation, or the status `not_ready`."""

    status: EvaluationStatus
    evaluation_type: str | None = None
    evaluation: JsonValue = None


class EvaluationList(Value):
    """Evaluations, oldest first."""

    evaluations: tuple[EvaluationResult, ...]


class ShareSelection(Value):
    """Which parts of a result to share."""

    parts: Parts = DEFAULT


class SharePreview(Value):
    """What others would see. Send `seen` back to share exactly this."""

    snapshot: Snapshot
    card: ResultCard = Field(description="the result as the page of the share shows it")
    seen: str


class NewShare(ShareSelection):
    """Which parts of a result to share, and for how long."""

    seen: str = Field(
        max_length=64, description="`seen` of the preview: confirms that the player has seen what is shared"
    )
    days: float | None = Field(None, gt=0, le=3650, description="expires after this many days; never if not set")


class ShareLink(Value):
    """A share, as its owner sees it."""

    share_id: str
    url: str = Field(description="the page of the share, relative to this server")
    snapshot: Snapshot
    created_at: float
    expires_at: float | None = None
    revoked: bool = False
    views: int = 0

    @classmethod
    def of(cls, share: Share) -> ShareLink:
        return cls(
            share_id=share.id,
            url=f"/r/{share.id}",
            snapshot=share.snapshot,
            created_at=share.created_at,
            expires_at=share.expires_at,
            revoked=share.revoked,
            views=share.views,
        )


class ShareLinkList(Value):
    """Shares, oldest first, including revoked ones."""

    shares: tuple[ShareLink, ...]


class SharedResult(Value):
    """A shared result, as anyone with its id may see it."""

    share_id: str
    snapshot: Snapshot
    created_at: float
    expires_at: float | None = None


@router.get("/sessions/{run_id}/evaluations", summary="List the evaluations", responses=declared_errors(404, 422, 429))
async def list_evaluations(session: OwnSession, studio: OpenStudio) -> EvaluationList:
    """Every evaluation of the session, oldest first."""
    found = await studio.episodes.tables.evaluations(session)
    return EvaluationList.model_validate(
        {"evaluations": [{"status": "ready", "evaluation_type": kind, "evaluation": dict(one)} for kind, one in found]}
    )


@router.post(
    "/sessions/{run_id}/evaluations",
    status_code=201,
    summary="Evaluate again",
    responses=declared_errors(404, 409, 422, 429, 503),
)
async def evaluate_again(session: PaidSession, studio: OpenStudio) -> EvaluationResult:
    """Evaluate a completed episode again. If that fails, the status is `not_ready`; nothing is made up."""
    given = await studio.episodes.evaluate(session)
    if isinstance(given, EvaluationGiven):
        return EvaluationResult(status="ready", evaluation_type=given.evaluation_type, evaluation=dict(given.result))
    return EvaluationResult(status="not_ready", evaluation_type=given.evaluation_type)


@router.get(
    "/sessions/{run_id}/directors-cut", summary="Get the director's cut", responses=declared_errors(404, 422, 429)
)
async def get_directors_cut(session: OwnSession, studio: OpenStudio) -> DirectorsCut:
    """The hidden layer of a completed episode, if its author allows it, with the turning point to branch from."""
    return await studio.episodes.directors_cut(session)


@router.post(
    "/sessions/{run_id}/share/preview", summary="Preview a share", responses=declared_errors(404, 413, 422, 429)
)
async def preview_share(wanted: ShareSelection, session: OwnSession, studio: OpenStudio) -> SharePreview:
    """What others would see of the result. A preview shares nothing."""
    snapshot = await studio.episodes.shares.preview(session, wanted.parts)
    card = result_card(snapshot.evaluation_type, snapshot.result)
    return SharePreview(snapshot=snapshot, card=card, seen=snapshot.digest)


@router.post(
    "/sessions/{run_id}/share",
    status_code=201,
    summary="Share a result",
    responses={201: {"description": "The share; `Location` is its page."}, **declared_errors(404, 413, 422, 429, 503)},
)
async def share_result(wanted: NewShare, session: OwnSession, response: Response, studio: OpenStudio) -> ShareLink:
    """Publish a snapshot under an unguessable id. It does not change when the session does."""
    share = await studio.episodes.shares.create(session, wanted.parts, days=wanted.days, seen=wanted.seen)
    response.headers["Location"] = f"/r/{share.id}"
    return ShareLink.of(share)


@router.get("/sessions/{run_id}/shares", summary="List the shares", responses=declared_errors(404, 422, 429))
async def list_shares(session: OwnSession, studio: OpenStudio) -> ShareLinkList:
    """The shares of a session and their view counts."""
    return ShareLinkList(shares=tuple(ShareLink.of(one) for one in await studio.episodes.shares.of(session)))


@router.delete(
    "/sessions/{run_id}/shares/{share_id}",
    status_code=204,
    summary="Revoke a share",
    responses=declared_errors(404, 422, 429),
)
async def revoke_share(share_id: ShareId, session: OwnSession, studio: OpenStudio) -> None:
    """Revoke a share. From now on its id is not found."""
    if share_id not in {one.id for one in await studio.episodes.shares.of(session)}:
        raise NotFound("There is no such share.")
    await studio.episodes.shares.revoke(share_id)


@router.get(
    "/results/{share_id}",
    summary="Get a shared result",
    responses=declared_errors(404, 422, 429),
    dependencies=[Depends(limit_address)],
)
async def get_shared_result(share_id: ShareId, studio: OpenStudio) -> SharedResult:
    """What the player chose to share. Unknown, revoked, expired and private shares all give the same 404."""
    share = await studio.episodes.shares.get(share_id)
    return SharedResult(
        share_id=share.id, snapshot=share.snapshot, created_at=share.created_at, expires_at=share.expires_at
    )


@router.post(
    "/results/{share_id}/views",
    status_code=204,
    summary="Count a view",
    responses=declared_errors(404, 422, 429),
    dependencies=[Depends(limit_address)],
)
async def count_view(share_id: ShareId, studio: OpenStudio) -> None:
    """Count one view of a share. Called by the page itself, so crawlers are not counted."""
    await studio.episodes.shares.count_view(share_id)
