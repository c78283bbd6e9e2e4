"""Runs as audio plays: what is heard when, the sound itself, and its captions."""

from __future__ import annotations

from asyncio import to_thread
from dataclasses import replace

from fastapi import Depends, Request, Response
from fastapi.responses import FileResponse
from pydantic import Field

from dramaturg.kernel.errors import VoiceError
from dramaturg.kernel.values import WireValue
from dramaturg.server.http.deps import OpenStudio, RunId, jobs_of, no_private_run
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.file_responses import AUDIO, CAPTIONS, file_response
from dramaturg.server.http.router import api_router
from dramaturg.server.routes.lines import LineNumber
from dramaturg.studio import Studio
from dramaturg.voices.export import ProgrammeExport
from dramaturg.voices.jobs import JobKey, SpeechJob
from dramaturg.voices.listen import ListenRequest
from dramaturg.voices.programme import ProgrammeManifest
from dramaturg.voices.voicing import VoicingRequest, voiceable
from dramaturg.voices.wav import read_wav, write_wav

router = api_router(prefix="/v1/runs/{run_id}", tags=["runs"], dependencies=[Depends(no_private_run)])
LISTENING = "/listening"
"""The name of a recording among the jobs of a run: no file has it."""


class RecordingProgress(WireValue):
    """How far the recording of a run is."""

    recording: bool = Field(description="whether it is being recorded now")
    done: int = Field(description="how many lines are spoken")
    total: int = Field(description="of how many; 0 until that is known")


@router.get("/programme/progress", summary="Get how far a recording is", responses=declared_errors(404, 422))
async def get_recording_progress(run_id: RunId, request: Request, studio: OpenStudio) -> RecordingProgress:
    """How many lines of a run are spoken while its programme is recorded, for whoever waits or comes back."""
    job = jobs_of(request).get(JobKey((await studio.runs.get(run_id)).id, LISTENING))
    if job is None or job.status != "working":
        return RecordingProgress(recording=False, done=0, total=0)
    return RecordingProgress(recording=True, done=job.done, total=job.total)


@router.get("/programme", summary="Get what is heard of a run", responses=declared_errors(404, 409, 422, 502, 503))
async def get_run_programme(run_id: RunId, request: Request, studio: OpenStudio) -> ProgrammeManifest:
    """Who is heard when, for a scene or an ensemble. The lines are spoken and mixed on the first request.

    The recording goes on if the client leaves; `GET /v1/runs/{run_id}/programme/progress` says how far it is.
    """
    return (await _recorded(run_id, request, studio)).manifest


@router.head("/programme.wav", include_in_schema=False)
@router.get(
    "/programme.wav",
    summary="Listen to a run",
    response_class=FileResponse,
    responses={**AUDIO, **declared_errors(404, 409, 422, 502, 503, json=False)},
)
async def listen_to_run(run_id: RunId, request: Request, studio: OpenStudio) -> Response:
    """A scene or an ensemble as one audio file. It is spoken and mixed on the first request; ranges are supported."""
    return await programme_sound(run_id, request, studio)


@router.head("/programme.vtt", include_in_schema=False)
@router.get(
    "/programme.vtt",
    summary="Get the captions of a run",
    response_class=FileResponse,
    responses={**CAPTIONS, **declared_errors(404, 409, 422, 502, 503, json=False)},
)
async def get_run_captions(run_id: RunId, request: Request, studio: OpenStudio) -> Response:
    """What is heard in `programme.wav`, as WebVTT captions with their speakers. Made with the sound."""
    return await _programme_file(run_id, ".vtt", request, studio)


@router.get(
    "/lines/{line}/sound",
    summary="Listen to a line",
    response_class=Response,
    responses={
        200: AUDIO[200],
        204: {"description": "No voice that can be heard speaks here."},
        **declared_errors(404, 422, 502, 503, json=False),
    },
)
async def listen_to_line(run_id: RunId, line: LineNumber, studio: OpenStudio) -> Response:
    """One line of a scene or an act, also while it is played. It is spoken on the first request, and the audio play has
    it too. Of a line that was cut, only what was said is heard."""
    run, kind = await studio.runs.open_with_kind(run_id)
    spoken = (await voiceable(kind, run).voice(run, VoicingRequest(line=line), lambda done, total: None)).spoken
    if spoken.missing:
        raise VoiceError(spoken.missing[0].reason, run=run_id, line=line)
    (passage,) = spoken.passages
    if passage.recording.silent:
        return Response(status_code=204)
    data = await to_thread(studio.artifacts.path(passage.recording.path).read_bytes)
    return Response(up_to(data, passage.ends_at_ms), media_type="audio/wav")


def up_to(data: bytes, ends_at_ms: int | None) -> bytes:
    """A recording without what comes after a cut."""
    if ends_at_ms is None:
        return data
    wav = read_wav(data)
    frames = round(wav.sample_rate * ends_at_ms / 1000)
    return write_wav(replace(wav, pcm=wav.pcm[: frames * 2 * wav.channels]))


async def programme_sound(run_id: str, request: Request, studio: Studio) -> Response:
    """The mix of a run, made if it is not there yet."""
    return await _programme_file(run_id, ".wav", request, studio)


async def _programme_file(run_id: str, ending: str, request: Request, studio: Studio) -> Response:
    export = await _recorded(run_id, request, studio)
    name = export.wav.with_suffix(ending).relative_to(studio.artifacts.root).as_posix()
    return await to_thread(file_response, studio.artifacts, name, request, below=".")


async def _recorded(run_id: str, request: Request, studio: Studio) -> ProgrammeExport:
    """One recording for all who ask for it at once."""

    async def record(job: SpeechJob) -> ProgrammeExport:
        return await studio.listen(run_id, ListenRequest(on_line=job.on_line))

    export = await jobs_of(request).result(JobKey(run_id, LISTENING), record)
    assert isinstance(export, ProgrammeExport)
    return export
