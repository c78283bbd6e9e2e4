"""Scenes, acts and sessions exported to formats that other programs read."""

from __future__ import annotations

from asyncio import to_thread
from typing import Annotated, Any

from fastapi import Path
from fastapi.responses import Response

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.scenes.exports import FORMATS, Format, export_run, read_formats
from dramaturg.scenes.state import scene_state
from dramaturg.scenes.wire import SceneDocument
from dramaturg.server.http.deps import FoundRun, OpenStudio, ShownRun
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.studio import Studio

router = api_router(prefix="/v1", tags=["scenes"])
MEDIA: dict[str, str] = {
    "fountain": "text/plain",
    "vtt": "text/vtt",
    "srt": "application/x-subrip",
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
        "description": "The run as a file; `Content-Disposition` names it.",
        "content": dict.fromkeys(
            ("text/plain", "text/vtt", "application/x-subrip", "text/markdown", "text/html"), _TEXT
        ),
    }
}


@router.get(
    "/runs/{run_id}/exports/{form}",
    summary="Export a run",
    response_class=Response,
    responses={**EXPORTED, **declared_errors(404, 422, json=False)},
)
async def export_scene(
    found: ShownRun,
    studio: OpenStudio,
    form: Annotated[
        str,
        Path(
            max_length=20,
            description="fountain, vtt, markdown, html, json or txt; of a session markdown, txt, json, vtt or srt",
            examples=["fountain"],
        ),
    ],
) -> Response:
    """A scene or an act so far as a screenplay, subtitles, Markdown, HTML, JSON or plain text; or a session."""
    form = _LONG_NAMES.get(form.lower(), form.lower())
    text = await _text(found, studio, form)
    plain = "".join(
        letter if letter.isascii() and (letter.isalnum() or letter in "-_.") else "_" for letter in _name(found, studio)
    )
    charset = "" if form == "json" else "; charset=utf-8"
    headers = {"Content-Disposition": f'attachment; filename="{plain or "scene"}.{form}"', **_SANDBOX}
    return Response(text.encode(), media_type=f"{MEDIA[form]}{charset}", headers=headers)


async def _text(found: FoundRun, studio: Studio, form: str) -> str:
    if found.kind is studio.ensemble.kind:
        return await to_thread(studio.ensemble.export, found.run, form)
    if found.kind is studio.acts.kind:
        return await studio.acts.export(found.run, _format(form))
    return await to_thread(export_run, found.run.id, found.run.entries, _format(form))


def _name(found: FoundRun, studio: Studio) -> str:
    if found.kind is studio.scenes.kind:
        return scene_state(found.run.entries).scene.folder.rpartition("/")[2]
    return found.run.record.name if found.kind is studio.acts.kind else f"session-{found.run.id}"


def _format(form: str) -> Format:
    match read_formats(form):
        case (one,):
            return one
    raise InvalidConfig(f"One format at a time: {', '.join(FORMATS)}.", provided=form)
