"""The page for asking the ensemble and watching it answer."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from dramaturg.server.pages.static_files import static_asset, static_page

router = APIRouter()


@router.get("/ensemble", include_in_schema=False)
def ensemble_page() -> HTMLResponse:
    """Ask the ensemble and watch it answer."""
    return static_page("ensemble.html")


@router.get("/ensemble/{name}", include_in_schema=False)
def ensemble_asset(name: str) -> HTMLResponse:
    return static_asset(name, "ensemble")
