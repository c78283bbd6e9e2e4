"""The page for asking the ensemble and watching it answer."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from dramaturg.kernel.errors import NotFound
from dramaturg.server.http.security_headers import PAGE_POLICY

router = APIRouter()
MEDIA_TYPES = {"ensemble.html": "text/html", "ensemble.js": "text/javascript", "ensemble.css": "text/css"}


@cache
def _page(name: str) -> str:
    return (files("dramaturg.server.pages") / "static" / name).read_text(encoding="utf-8")


def _served(name: str) -> HTMLResponse:
    headers = {"Content-Security-Policy": PAGE_POLICY, "Cache-Control": "no-cache"}
    return HTMLResponse(_page(name), headers=headers, media_type=f"{MEDIA_TYPES[name]}; charset=utf-8")


@router.get("/ensemble", include_in_schema=False)
def ensemble_page() -> HTMLResponse:
    """Ask the ensemble and watch it answer."""
    return _served("ensemble.html")


@router.get("/ensemble/{name}", include_in_schema=False)
def ensemble_asset(name: str) -> HTMLResponse:
    if name not in ("ensemble.js", "ensemble.css"):
        raise NotFound(f"There is no file '{name[:80]}'.", path=name[:80])
    return _served(name)
