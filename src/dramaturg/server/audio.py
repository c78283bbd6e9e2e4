"""Recorded sound over HTTP: whole or in ranges, and never a file that lies elsewhere."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from fastapi import Path as PathParameter
from fastapi.responses import FileResponse

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.store import Artifacts
from dramaturg.server.deps import OpenStudio
from dramaturg.server.errors import refusals

router = APIRouter(prefix="/v1/audio", tags=["ensemble"])

ROOT = "artifacts"
"""The folder below the data whose files may be fetched; an `audioPath` is relative to it."""
KINDS = {".wav": "audio/wav", ".json": "application/json", ".vtt": "text/vtt; charset=utf-8"}
EXAMPLE = "tts/sessions/1mkq8zt4c0v7hxw3rn/turn_1/slot-1_the-archivist_calm_precise.wav"
SOUND: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file.", "content": {"audio/wav": {"schema": {"type": "string", "format": "binary"}}}},
    206: {"description": "The range that was asked for."},
    304: {"description": "It is still the file with that `ETag`."},
}

AudioPath = Annotated[str, PathParameter(description="an `audioPath` as the events give it", examples=[EXAMPLE])]


@router.get(
    "/{audio_path:path}",
    summary="A recorded line",
    response_class=FileResponse,
    responses={**SOUND, **refusals(404, 422, json=False)},
)
def get_audio(audio_path: AudioPath, request: Request, studio: OpenStudio) -> Response:
    """The file at an `audioPath`, with ranges. Its `ETag` is the SHA-256 of its bytes."""
    return sound_file(studio.artifacts, audio_path, request)


def sound_file(artifacts: Artifacts, name: str, request: Request) -> Response:
    """A file below `artifacts/` as an answer. NotFound for what is not there, not sound, or outside."""
    path = _found(artifacts, name)
    stat = path.stat()
    etag = f'"{_sha256(str(path), stat.st_mtime_ns, stat.st_size)}"'
    headers = {"ETag": etag, "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff"}
    if _is_known(request.headers.get("if-none-match", ""), etag):
        return Response(status_code=304, headers=headers)
    return FileResponse(path, headers=headers, media_type=KINDS[path.suffix], stat_result=stat)


def _found(artifacts: Artifacts, name: str) -> Path:
    missing = NotFound(f"There is no sound at '{name[:200]}'.", path=name[:200])
    hidden = any(part.startswith(".") for part in Path(name).parts)
    try:
        path = Artifacts(artifacts.root / ROOT).path(name)
        if not hidden and path.suffix in KINDS and path.is_file():
            return path
    except (InvalidConfig, OSError) as error:
        raise missing from error
    raise missing


def _is_known(named: str, etag: str) -> bool:
    return etag in {one.strip().removeprefix("W/") for one in named.split(",")} or named.strip() == "*"


@lru_cache(maxsize=4096)
def _sha256(path: str, changed_at: int, size: int) -> str:
    """Of a file's bytes; kept as long as its time and size say that it is the same."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
