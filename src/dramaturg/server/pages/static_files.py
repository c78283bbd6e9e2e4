"""The files of the pages: read once, and sent with a policy that lets them load nothing from elsewhere."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from fastapi.responses import HTMLResponse

from dramaturg.kernel.errors import NotFound
from dramaturg.server.http.security_headers import PAGE_POLICY

_MEDIA_TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}


def static_page(name: str) -> HTMLResponse:
    """A file of `static/`."""
    headers = {"Content-Security-Policy": PAGE_POLICY, "Cache-Control": "no-cache"}
    media_type = _MEDIA_TYPES[name[name.rindex(".") :]]
    return HTMLResponse(_text(name), headers=headers, media_type=f"{media_type}; charset=utf-8")


def static_asset(name: str, page: str) -> HTMLResponse:
    """The script or the style sheet of a page. Raises NotFound for any other name."""
    if name not in (f"{page}.js", f"{page}.css"):
        raise NotFound(f"There is no file '{name[:80]}'.", path=name[:80])
    return static_page(name)


@cache
def _text(name: str) -> str:
    return (files("dramaturg.server.pages") / "static" / name).read_text(encoding="utf-8")
