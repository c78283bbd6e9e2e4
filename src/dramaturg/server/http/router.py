"""Routers of the API."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from fastapi import APIRouter
from fastapi.params import Depends
from fastapi.routing import APIRoute

from dramaturg.server.http.bearer import BEARER
from dramaturg.server.http.body_limits import MOST_VALUES, limited_route
from dramaturg.server.http.errors import declared_errors


def operation_id(route: APIRoute) -> str:
    return route.name


def api_router(
    *, prefix: str, tags: Sequence[str], dependencies: Sequence[Depends] = (), most_values: int = MOST_VALUES
) -> APIRouter:
    """A router below /v1, whose routes may need the server's token, and take bodies of so many values.

    FastAPI works out the dependencies of a route where it is declared. Those that are added where a router is included
    make it do that a second time, for every route, when the server starts.
    """
    named: list[str | Enum] = [*tags]
    return APIRouter(
        prefix=prefix,
        tags=named,
        dependencies=[BEARER, *dependencies],
        responses=declared_errors(401, json=False),
        generate_unique_id_function=operation_id,
        route_class=limited_route(most_values),
    )
