"""The voice of an episode's session: on and off, and what was spoken, for its player only."""

from __future__ import annotations

from asyncio import to_thread
from dataclasses import replace
from typing import Annotated

from fastapi import Path, Request, Response
from fastapi.responses import FileResponse
from pydantic import Field

from dramaturg.episodes.views import SessionView
from dramaturg.kernel.values import Value
from dramaturg.server.http.callers import CountedCaller, OwnSession, QueryToken, owned_session
from dramaturg.server.http.deps import OpenStudio, RunId
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.file_responses import AUDIO, file_response
from dramaturg.server.http.router import api_router

router = api_router(prefix="/v1/sessions/{run_id}", tags=["sessions"])
AudioFile = Annotated[
    str, Path(max_length=80, description="the `file` of an `audio` event", examples=["m2-1-0f3a9c5d7b21.wav"])
]


class VoiceSwitch(Value):
    """Whether the character's messages are spoken."""

    on: bool = Field(examples=[True])


@router.put("/voice", summary="Turn voices on or off", responses=declared_errors(404, 409, 413, 422, 429, 503))
async def set_voice(switch: VoiceSwitch, session: OwnSession, caller: CountedCaller, studio: OpenStudio) -> SessionView:
    """Have the character's messages spoken from now on, or no longer. What was spoken stays."""
    if switch.on:
        caller.check_voice()
    return await studio.episodes.set_voice(session, on=switch.on)


@router.head("/audio/{file}", include_in_schema=False)
@router.get(
    "/audio/{file}",
    summary="Get a spoken line",
    response_class=FileResponse,
    responses={**AUDIO, **declared_errors(404, 422, 429, json=False)},
)
async def get_recording(
    run_id: RunId,
    file: AudioFile,
    request: Request,
    caller: CountedCaller,
    studio: OpenStudio,
    player_token: QueryToken = None,
) -> Response:
    """A part of a message, as WAV. Ranges are supported; the `ETag` is the SHA-256 of the file.

    Words that were edited or deleted can no longer be heard.
    """
    if caller.player is None and player_token:
        caller = replace(caller, claim=await caller.access.claim(player_token, studio))
    session = await owned_session(run_id, caller, studio)
    name = await to_thread(studio.episodes.recording, session, file)
    folder, _, last = name.rpartition("/")
    response = await to_thread(file_response, studio.artifacts, last, request, below=folder)
    response.headers["Cache-Control"] = "private, no-cache"
    return response
