"""Recorded audio and its companion files as responses: whole or by range, and only from below the artifacts folder."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from fastapi import Request, Response
from fastapi.responses import FileResponse
from starlette.datastructures import MutableHeaders
from starlette.types import Receive, Scope, Send

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.store import Artifacts

ROOT = "artifacts"
"""The folder below data/ whose files may be fetched; an `audioPath` is relative to it."""
MEDIA_TYPES = {
    ".wav": "audio/wav",
    ".json": "application/json",
    ".vtt": "text/vtt; charset=utf-8",
    ".srt": "application/x-subrip; charset=utf-8",
    ".flac": "audio/flac",
    ".mp3": "audio/mpeg",
    ".opus": "audio/ogg",
    ".m4b": "audio/mp4",
}
RANGES: dict[int | str, dict[str, Any]] = {
    206: {"description": "The requested range."},
    304: {"description": "The file still has this `ETag`."},
}
AUDIO: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file.", "content": {"audio/wav": {"schema": {"type": "string", "format": "binary"}}}},
    **RANGES,
}
CAPTIONS: dict[int | str, dict[str, Any]] = {
    200: {"description": "The captions.", "content": {"text/vtt": {"schema": {"type": "string"}}}},
    **RANGES,
}

_ONE = r"(?:\d{1,18}-\d{0,18}|-\d{1,18})"
_RANGE = re.compile(rf"bytes\s*=\s*({_ONE}(?:\s*,\s*{_ONE})*)", re.ASCII | re.IGNORECASE)


class RangedFile(FileResponse):
    """A file, or the range of it that is asked for. What is not a range is ignored, as RFC 9110 allows."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = MutableHeaders(raw=list(scope["headers"]))
        if not _is_range(headers.get("range", "")):
            del headers["range"]
            scope = {**scope, "headers": headers.raw}
        await super().__call__(scope, receive, send)


def _is_range(asked: str) -> bool:
    found = _RANGE.fullmatch(asked.strip())
    if found is None:
        return False
    pairs = (part.strip().partition("-") for part in found[1].split(","))
    return all(not (first and last) or int(first) <= int(last) for first, _, last in pairs)


def file_response(artifacts: Artifacts, name: str, request: Request, *, below: str = ROOT) -> Response:
    """A file below a folder of `data/`. Raises NotFound if it is missing, outside that folder, or of another type."""
    path = _found(artifacts, name, below)
    stat = path.stat()
    etag = f'"{_sha256(str(path), stat.st_mtime_ns, stat.st_size)}"'
    headers = {"ETag": etag, "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff"}
    if _matches(request.headers.get("if-none-match", ""), etag):
        return Response(status_code=304, headers=headers)
    return RangedFile(path, headers=headers, media_type=MEDIA_TYPES[path.suffix], stat_result=stat)


def _found(artifacts: Artifacts, name: str, below: str) -> Path:
    missing = NotFound(f"There is no audio at '{name[:200]}'.", path=name[:200])
    hidden = any(part.startswith(".") for part in Path(name).parts)
    try:
        path = Artifacts(artifacts.root / below).path(name)
        if not hidden and path.suffix in MEDIA_TYPES:
            path = artifacts.found(path.relative_to(artifacts.root))
            if path.is_file():
                return path
    except (InvalidConfig, OSError) as error:
        raise missing from error
    raise missing


def _matches(if_none_match: str, etag: str) -> bool:
    known = {one.strip().removeprefix("W/") for one in if_none_match.split(",")}
    return etag in known or if_none_match.strip() == "*"


@lru_cache(maxsize=4096)
def _sha256(path: str, changed_at: int, size: int) -> str:
    """The digest of a file's bytes, cached until its time or size changes."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
