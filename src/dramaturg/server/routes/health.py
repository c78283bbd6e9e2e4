"""The health check."""

from __future__ import annotations

from fastapi import APIRouter

from dramaturg import __version__
from dramaturg.server.http.bodies import Health
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import operation_id

router = APIRouter(tags=["health"], generate_unique_id_function=operation_id)


@router.get("/healthz", summary="Check the server's health", responses=declared_errors(503))
async def get_health(studio: OpenStudio) -> Health:
    """200 when the server is up and its store can be written and read. Needs no token."""
    await studio.runs.check()
    return Health(version=__version__)


@router.head("/healthz", summary="Check the server's health, for its status alone", responses=declared_errors(503))
async def probe_health(studio: OpenStudio) -> Health:
    """The same as `GET` without its body, as load balancers and monitors ask for it."""
    return await get_health(studio)
