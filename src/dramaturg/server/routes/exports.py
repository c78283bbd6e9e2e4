"""Scenes exported to formats that other programs read."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path
from fastapi.responses import Response

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.scenes.exports import FORMATS, Format, export_run, read_formats
from dramaturg.scenes.state import scene_state
from dramaturg.scenes.wire import SceneDocument
from dramaturg.server.http.deps import OneScene
from dramaturg.server.http.errors import declared_errors

router = APIRouter(prefix="/v1", tags=["scenes"])
MEDIA: dict[Format, str] = {
    "fountain": "text/plain",
    "vtt": "text/vtt",
    "md": "text/markdown",
    "html": "text/html",
    "json": "application/json",
    "txt": "text/plain",
}
_LONG_NAMES = {"markdown": "md", "text": "txt"}
# A page that contains text written by models must not be able to run anything, wherever it is opened.
_SANDBOX = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "sandbox; default-src 'none'; style-src 'unsafe-inline'",
}
_TEXT = {"schema": {"type": "string"}}
EXPORTED: dict[int | str, dict[str, Any]] = {
    200: {
        "model": SceneDocument,
        "description": "The scene as a file; `Content-Disposition` names it.",
        "content": dict.fromkeys(("text/plain", "text/vtt", "text/markdown", "text/html"), _TEXT),
    }
}


@router.get(
    "/runs/{run_id}/exports/{form}",
    summary="Export a scene",
    response_class=Response,
    responses={**EXPORTED, **declared_errors(404, 422, json=False)},
)
async def export_scene(
    run: OneScene,
    form: Annotated[
        str, Path(max_length=20, description="fountain, vtt, markdown, html, json or txt", examples=["fountain"])
    ],
) -> Response:
    """The scene so far as a screenplay, subtitles, Markdown, HTML, JSON or plain text."""
    chosen = _format(_LONG_NAMES.get(form.lower(), form))
    text = export_run(run.id, run.entries, chosen)
    name = scene_state(run.entries).scene.folder.rpartition("/")[2]
    plain = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "-_.") else "_" for letter in name)
    charset = "" if chosen == "json" else "; charset=utf-8"
    headers = {"Content-Disposition": f'attachment; filename="{plain or "scene"}.{chosen}"', **_SANDBOX}
    return Response(text.encode(), media_type=f"{MEDIA[chosen]}{charset}", headers=headers)


def _format(form: str) -> Format:
    match read_formats(form):
        case (one,):
            return one
    raise InvalidConfig(f"One format at a time: {', '.join(FORMATS)}.", provided=form)
