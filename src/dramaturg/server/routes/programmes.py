"""Runs made into programmes, and scenes and acts voiced, in the background: begun here, followed here, fetched here."""

from __future__ import annotations

from asyncio import to_thread
from pathlib import Path as FilePath
from typing import Annotated, Self
from urllib.parse import quote

from fastapi import Depends, Path, Request, Response
from fastapi.responses import FileResponse
from pydantic import Field, field_validator, model_validator

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.store import Artifacts
from dramaturg.kernel.values import WireValue
from dramaturg.server.http.bodies import ErrorDetail
from dramaturg.server.http.deps import OpenStudio, RunId, jobs_of, no_private_run
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.file_responses import MEDIA_TYPES, RANGES, file_response
from dramaturg.server.http.redaction import error_detail
from dramaturg.server.http.router import api_router
from dramaturg.server.push.websocket import relay_of
from dramaturg.studio import Studio
from dramaturg.voices.jobs import JobKey, JobStatus, SpeechJob
from dramaturg.voices.listen import ListenRequest, chosen_backdrop, listenable
from dramaturg.voices.programme import Backdrop, MissingPassage
from dramaturg.voices.providers.media import MediaFormat, require_codecs
from dramaturg.voices.publication import (
    LONGEST_TITLE,
    Publication,
    PublishRequest,
    checked_name,
    default_name,
    publications,
    publish,
    read_publication,
)
from dramaturg.voices.voicing import VoicedLines, VoicingRequest, voiceable
from dramaturg.voices.word_times import ProgrammeWords

router = api_router(prefix="/v1/runs/{run_id}", tags=["runs"], dependencies=[Depends(no_private_run)])
FOLDER = "programmes"
"""Below the data folder."""
VOICING = "/voicing"
"""The name of a voicing among the jobs of a run: no file has it."""
EXAMPLE = "what-is-courage-hxw3rn"
ProgrammeName = Annotated[
    str, Path(max_length=LONGEST_TITLE, description="the name of a programme", examples=[EXAMPLE])
]
FileName = Annotated[str, Path(max_length=200, description="a file of the programme", examples=[f"{EXAMPLE}.m4b"])]


class ProgrammeRequest(WireValue):
    """What is made of a run: in which formats, with what heard, and under which name."""

    formats: tuple[MediaFormat, ...] = Field(("m4b",), min_length=1, max_length=5)
    name: str = Field("", max_length=LONGEST_TITLE, description="of the files; made of the run's name if empty")
    kbps: int | None = Field(None, ge=16, le=320, description="the bit rate of m4b, mp3 and opus")
    engine: str | None = Field(None, max_length=40, description="speaks what is not spoken yet")
    question: bool = Field(True, description="have the question, or the opening of a scene, spoken first")
    question_voice: str | None = Field(None, max_length=200, description="one that nobody else has if not set")
    narrator: bool = Field(True, description="have a narrator tell what happens in a scene")
    music: str = Field("", max_length=1000, description="a sound file of the project, as a path below its folder")
    music_db: float = Field(-12.0, ge=-40, le=0, description="where nobody speaks")
    duck_db: float = Field(-24.0, ge=-60, le=0, description="under a line")
    room_tone: bool = True

    @field_validator("music")
    @classmethod
    def _of_the_project(cls, music: str) -> str:
        if music and not Artifacts.stays_inside(music):
            raise ValueError(f"'{music}' is not inside the project; give a path below its folder, without '..'")
        return music

    @model_validator(mode="after")
    def _music_gives_way(self) -> Self:
        if self.music and self.duck_db > self.music_db:
            raise ValueError("duckDb must not be above musicDb: music gives way to whoever speaks")
        return self


class ProgrammeFile(WireValue):
    """A file of a programme, and where to fetch it."""

    file: str
    type: str
    href: str


class SpeechProgress(WireValue):
    """How far something is that is made in the background: lines that are spoken, of how many."""

    run: str
    status: JobStatus
    lines_done: int = 0
    lines_total: int = 0
    error: ErrorDetail | None = None
    remarks: tuple[str, ...] = ()
    missing: tuple[MissingPassage, ...] = Field((), description="lines that could not be spoken, and why")


class MadeProgramme(SpeechProgress):
    """A programme, or how far it is."""

    name: str
    publication: Publication | None = None
    files: tuple[ProgrammeFile, ...] = ()


class ProgrammeList(WireValue):
    """The programmes of a run: those that are being made first."""

    programmes: tuple[MadeProgramme, ...]


class RunVoicing(SpeechProgress):
    """Lines of a run that are being spoken. `events` is where those of a session are followed."""

    engine: str = ""
    spoken: tuple[str, ...] = Field((), description="the ids of the lines that were spoken")
    events: str | None = None


@router.post(
    "/programmes",
    status_code=202,
    summary="Make a programme",
    responses={
        202: {"description": "It is being made; `Location` says how far it is."},
        **declared_errors(404, 409, 413, 422, 502, 503),
    },
)
async def make_programme(
    run_id: RunId, request: Request, response: Response, studio: OpenStudio, wanted: ProgrammeRequest | None = None
) -> MadeProgramme:
    """Make a programme of a scene, an act or a session: sound with chapters, captions (VTT, SRT) and word times.

    It is made in the background. The same request while it is being made begins nothing. A server that stops gives it
    up; asked again, it goes on with the lines that are spoken.
    """
    wanted = wanted or ProgrammeRequest()
    run = await studio.runs.open(run_id)
    listenable(studio.runs.kind_of(run.record), run)
    name = checked_name(wanted.name) or default_name(run.record.name, run.id)
    if wanted.formats != ("wav",):
        require_codecs()
    backdrop = await to_thread(_backdrop, studio, wanted)
    folder = studio.artifacts.path(FOLDER)

    async def work(job: SpeechJob) -> object:
        asked = ListenRequest(
            narrator=wanted.narrator,
            question=wanted.question,
            question_voice=wanted.question_voice,
            backdrop=backdrop,
            engine=wanted.engine,
            on_line=job.on_line,
        )
        export = await studio.listen(run.id, asked)
        told = PublishRequest(folder, studio.resources.clock.now(), wanted.formats, name, wanted.kbps, private=True)
        await to_thread(publish, export, told)
        return export.told, export.manifest.missing

    job = jobs_of(request).start(JobKey(run.id, name), work)
    response.headers["Location"] = f"/v1/runs/{run.id}/programmes/{quote(name, safe='')}"
    return _programme(studio, run.id, name, job)


@router.get("/programmes", summary="List the programmes of a run", responses=declared_errors(404, 422))
async def list_programmes(run_id: RunId, request: Request, studio: OpenStudio) -> ProgrammeList:
    """What was made of a run, and what is being made."""
    run = await studio.runs.get(run_id)
    found = await to_thread(publications, studio.artifacts.path(FOLDER))
    jobs = {job.key.name: job for job in jobs_of(request).of(run.id) if not job.key.name.startswith("/")}
    names = dict.fromkeys([*jobs, *(name for name, one in found if one.run == run.id)])
    return ProgrammeList(programmes=tuple([_programme(studio, run.id, name, jobs.get(name)) for name in names]))


@router.get("/programmes/{name}", summary="Get a programme", responses=declared_errors(404, 422))
async def get_run_programme_files(
    run_id: RunId, name: ProgrammeName, request: Request, studio: OpenStudio
) -> MadeProgramme:
    """How far a programme is, and its files once it is made."""
    run = await studio.runs.get(run_id)
    job = jobs_of(request).get(JobKey(run.id, name))
    if job is None and await to_thread(_published, studio, run.id, name) is None:
        raise NotFound(f"There is no programme '{name[:80]}' of run {run.id}.", name=name[:80])
    return _programme(studio, run.id, name, job)


@router.head("/programmes/{name}/{file}", include_in_schema=False)
@router.get(
    "/programmes/{name}/{file}",
    summary="Get a file of a programme",
    response_class=FileResponse,
    responses={
        **RANGES,
        200: {
            "model": ProgrammeWords,
            "description": "The file; its word times are JSON.",
            "content": {
                kind: {"schema": {"type": "string", "format": "binary"}}
                for kind in MEDIA_TYPES.values()
                if kind != MEDIA_TYPES[".json"]
            },
        },
        **declared_errors(404, 422, json=False),
    },
)
async def get_programme_file(
    run_id: RunId, name: ProgrammeName, file: FileName, request: Request, studio: OpenStudio
) -> Response:
    """The sound, its captions, chapters or word times. Ranges are supported."""
    run = await studio.runs.get(run_id)
    published = await to_thread(_published, studio, run.id, name)
    if published is None or file not in _names(published):
        raise NotFound(f"There is no file '{file[:80]}' in programme '{name[:80]}'.", file=file[:80])
    return await to_thread(file_response, studio.artifacts, file, request, below=FOLDER)


@router.post(
    "/voice",
    status_code=202,
    summary="Have a run spoken",
    responses={
        202: {"description": "It is being spoken; `Location` says how far it is."},
        **declared_errors(404, 409, 413, 422, 502, 503),
    },
)
async def voice_run(
    run_id: RunId, request: Request, response: Response, studio: OpenStudio, wanted: VoicingRequest | None = None
) -> RunVoicing:
    """Give a scene, an act or a session its sound, or some of its lines anew: with another engine, or another voice."""
    asked = wanted or VoicingRequest()
    run, kind = await studio.runs.open_with_kind(run_id)
    if kind is studio.ensemble.kind:
        told = await studio.ensemble.voice(run.id, asked)
        relay_of(request).follow(run.id, run.entries)
        events = response.headers["Location"] = f"/v1/sessions/{run.id}/events"
        return RunVoicing(run=run.id, status="working", lines_total=len(told.lines), engine=told.engine, events=events)
    able = voiceable(kind, run)
    job = jobs_of(request).start(JobKey(run.id, VOICING), lambda job: able.voice(run, asked, job.on_line))
    response.headers["Location"] = f"/v1/runs/{run.id}/voice"
    return _voicing(studio, job)


@router.get("/voice", summary="Get how far a voicing is", responses=declared_errors(404, 422))
async def get_voicing(run_id: RunId, request: Request, studio: OpenStudio) -> RunVoicing:
    """How far the last voicing of a scene or an act is. That of a session is told by its events."""
    run = await studio.runs.get(run_id)
    job = jobs_of(request).get(JobKey(run.id, VOICING))
    if job is None:
        raise NotFound(f"No lines of run {run.id} are being spoken. POST to this address to begin.", run=run.id)
    return _voicing(studio, job)


def _backdrop(studio: Studio, wanted: ProgrammeRequest) -> Backdrop | None:
    try:
        music = Artifacts(studio.settings.project).path(wanted.music) if wanted.music else None
    except InvalidConfig as error:
        raise InvalidConfig(f"music: {error.message}", **error.context) from error
    return chosen_backdrop(music, music_db=wanted.music_db, duck_db=wanted.duck_db, room_tone=wanted.room_tone)


def _published(studio: Studio, run_id: str, name: str) -> Publication | None:
    if checked_name(name) == "":
        return None
    found = read_publication(studio.artifacts.path(FOLDER), name)
    return found if found is not None and found.run == run_id else None


def _programme(studio: Studio, run_id: str, name: str, job: SpeechJob | None) -> MadeProgramme:
    published = _published(studio, run_id, name) if job is None or job.status == "done" else None
    base = f"/v1/runs/{run_id}/programmes/{name}"
    files = tuple(
        ProgrammeFile(file=file, type=MEDIA_TYPES[FilePath(file).suffix], href=f"{base}/{file}")
        for file in (_names(published) if published else ())
    )
    if job is None:
        return MadeProgramme(run=run_id, name=name, status="done", publication=published, files=files)
    remarks, missing = job.result if isinstance(job.result, tuple) else ((), ())
    return MadeProgramme(
        run=run_id,
        name=name,
        status=job.status,
        lines_done=job.done,
        lines_total=job.total,
        error=error_detail(studio, job.error),
        remarks=remarks,
        missing=missing,
        publication=published,
        files=files,
    )


def _voicing(studio: Studio, job: SpeechJob) -> RunVoicing:
    made = job.result if isinstance(job.result, VoicedLines) else None
    return RunVoicing(
        run=job.key.run,
        status=job.status,
        lines_done=job.done,
        lines_total=job.total,
        error=error_detail(studio, job.error),
        remarks=made.remarks if made else (),
        missing=made.spoken.missing if made else (),
        engine=made.engine if made else "",
        spoken=tuple(one.id for one in made.spoken.passages) if made else (),
    )


def _names(published: Publication) -> list[str]:
    beside = (published.captions, published.subtitles, published.chapters_file, published.words)
    return [*(one.file for one in published.files), *beside]
