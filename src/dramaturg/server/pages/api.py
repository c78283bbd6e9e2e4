"""The page that shows the API. It loads nothing from elsewhere."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from dramaturg.kernel.errors import NotFound
from dramaturg.server.http.security_headers import PAGE_POLICY

router = APIRouter(include_in_schema=False)
MEDIA_TYPES = {"api.html": "text/html", "api.js": "text/javascript", "api.css": "text/css"}


@cache
def _page(name: str) -> str:
    return (files("dramaturg.server.pages") / "static" / name).read_text(encoding="utf-8")


def _served(name: str) -> HTMLResponse:
    headers = {"Content-Security-Policy": PAGE_POLICY, "Cache-Control": "no-cache"}
    return HTMLResponse(_page(name), headers=headers, media_type=f"{MEDIA_TYPES[name]}; charset=utf-8")


@router.get("/docs")
def api_page() -> HTMLResponse:
    """The operations of the API, from `/openapi.json`."""
    return _served("api.html")


@router.get("/docs/{name}")
def api_asset(name: str) -> HTMLResponse:
    if name not in ("api.js", "api.css"):
        raise NotFound(f"There is no file '{name[:80]}'.", path=name[:80])
    return _served(name)
