"""How much a JSON body may hold, counted before anything is made of it: each wrong value is a problem of its own."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import cache
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException

from dramaturg.kernel.values import DEEPEST_DATA

MOST_VALUES = 10_000


def check_size(value: object, most: int) -> None:
    """Raises HTTPException for a value with more than so many entries in its lists and objects, or too many levels."""
    level, count = [value], 0
    for _ in range(DEEPEST_DATA):
        inner = list[object]()
        for one in level:
            held = one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
            count += len(held)
            if count > most:
                raise HTTPException(413, f"A request may have at most {most:,} values")
            inner += [each for each in held if isinstance(each, dict | list)]
        if not inner:
            return
        level = inner
    raise HTTPException(400, f"The JSON of a request may be nested at most {DEEPEST_DATA} levels deep")


@cache
def limited_route(most: int) -> type[APIRoute]:
    """The class of the routes whose JSON bodies have at most so many values."""

    class LimitedRequest(Request):
        async def json(self) -> Any:
            value = await super().json()
            check_size(value, most)
            return value

    class LimitedRoute(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            handle = super().get_route_handler()

            async def limited(request: Request) -> Response:
                return await handle(LimitedRequest(request.scope, request.receive))

            return limited

    return LimitedRoute
