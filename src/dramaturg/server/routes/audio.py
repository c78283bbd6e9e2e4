"""Recorded audio."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Request, Response
from fastapi.responses import FileResponse

from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.file_responses import AUDIO, file_response
from dramaturg.server.http.router import api_router

router = api_router(prefix="/v1/audio", tags=["ensemble"])

EXAMPLE = "tts/sessions/1mkq8zt4c0v7hxw3rn/turn_1/slot-1_the-archivist_calm_precise.wav"
AudioPath = Annotated[str, Path(description="an `audioPath` from an event", examples=[EXAMPLE])]


@router.head("/{audio_path:path}", include_in_schema=False)
@router.get(
    "/{audio_path:path}",
    summary="Get a recorded line",
    response_class=FileResponse,
    responses={**AUDIO, **declared_errors(404, 422, json=False)},
)
def get_audio(audio_path: AudioPath, request: Request, studio: OpenStudio) -> Response:
    """The file at an `audioPath`. Ranges are supported; the `ETag` is the SHA-256 of the file."""
    return file_response(studio.artifacts, audio_path, request)
