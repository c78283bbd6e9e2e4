"""The studio in the browser: one page and its files, built from `web/` and sent as they are."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, Response
from starlette.exceptions import HTTPException

from dramaturg.kernel.errors import NotFound
from dramaturg.server.http.errors import http_error
from dramaturg.server.http.security_headers import PAGE_POLICY

router = APIRouter()
NOT_BUILT = (
    "This installation has no studio for the browser. In a clone, 'make web' builds it; the HTTP API is at /docs."
)
NO_PAGES = ("/v1/", "/studio/", "/play", "/embed", "/r/")
"""Where an address that leads nowhere is not one of the studio's."""
FOREVER = "public, max-age=31536000, immutable"
_MEDIA_TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
}


@router.get("/", include_in_schema=False)
@router.get("/scenes", include_in_schema=False)
@router.get("/scenes/{run}", include_in_schema=False)
@router.get("/scenes/{run}/seat/{part}", include_in_schema=False)
@router.get("/characters", include_in_schema=False)
@router.get("/characters/{name}", include_in_schema=False)
@router.get("/characters/{name}/talk/{session}", include_in_schema=False)
@router.get("/lorebooks/{book}", include_in_schema=False)
@router.get("/takes/{takes}", include_in_schema=False)
@router.get("/acts", include_in_schema=False)
@router.get("/acts/{run}", include_in_schema=False)
@router.get("/workshop", include_in_schema=False)
@router.get("/workshop/{page}", include_in_schema=False)
@router.get("/costs", include_in_schema=False)
@router.get("/compose", include_in_schema=False)
@router.get("/runs", include_in_schema=False)
@router.get("/episodes", include_in_schema=False)
@router.get("/episodes/{name}", include_in_schema=False)
@router.get("/episodes/rehearsals/{run}", include_in_schema=False)
@router.get("/ensemble", include_in_schema=False)
@router.get("/ensemble/{run}", include_in_schema=False)
@router.get("/ensemble/{run}/stage", include_in_schema=False)
@router.get("/listen/{run}", include_in_schema=False)
@router.get("/listen/{run}/{programme}", include_in_schema=False)
def studio_page() -> HTMLResponse:
    """The page. What it shows is decided by its address, in the browser."""
    return built_page("index.html")


def install_lost_page(app: FastAPI) -> None:
    """Answer a browser at an address that leads nowhere with a page that says so; a program gets the error itself."""

    async def lost(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        asks_for_page = request.method == "GET" and "text/html" in request.headers.get("accept", "")
        if error.status_code != 404 or not asks_for_page or request.url.path.startswith(NO_PAGES):
            return await http_error(request, error)
        page = built_page("index.html")
        page.status_code = max(page.status_code, 404)
        return page

    app.add_exception_handler(HTTPException, lost)


def built_page(name: str, policy: str = PAGE_POLICY) -> HTMLResponse:
    """A page that was built from `web/`, or the one line that says how to get it."""
    page = _built(name)
    headers = {"Content-Security-Policy": policy, "Cache-Control": "no-cache"}
    if page is None:
        return HTMLResponse(f"<!doctype html><title>dramaturg</title><p>{NOT_BUILT}</p>", 503, headers)
    return HTMLResponse(page, headers=headers)


@router.get("/studio/{name}", include_in_schema=False)
def studio_file(name: str) -> Response:
    """A script or style sheet. Its name changes with its content, so it never expires."""
    media_type = _MEDIA_TYPES.get(f".{name.rpartition('.')[2]}")
    content = _built(f"studio/{name}") if media_type and "/" not in name else None
    if content is None:
        raise NotFound(f"There is no file '{name[:80]}'.", path=name[:80])
    return Response(content, media_type=media_type, headers={"Cache-Control": FOREVER})


@cache
def _built(name: str) -> bytes | None:
    place: Traversable = files("dramaturg.server.pages") / "studio" / name
    return place.read_bytes() if place.is_file() else None
