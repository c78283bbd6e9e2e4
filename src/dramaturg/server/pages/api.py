"""The page that shows the API. It loads nothing from elsewhere."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from dramaturg.server.pages.static_files import static_asset, static_page

router = APIRouter(include_in_schema=False)


@router.get("/docs")
def api_page() -> HTMLResponse:
    """The operations of the API, from `/openapi.json`."""
    return static_page("api.html")


@router.get("/docs/{name}")
def api_asset(name: str) -> HTMLResponse:
    return static_asset(name, "api")
