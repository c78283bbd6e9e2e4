"""Scenes over HTTP: list them, play one, read what came of it, fork it."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import PlainTextResponse
from pydantic import BeforeValidator, Discriminator, Field, Tag

from dramaturg.kernel.errors import AuthorError, InvalidConfig, NotFound
from dramaturg.kernel.runs.costs import CostTable, cost_table
from dramaturg.kernel.runs.ids import id_for
from dramaturg.kernel.store import RunRecord
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.scene import SceneConfig, known_scenes, named_scene, scene_from
from dramaturg.scenes.wire import SceneResult
from dramaturg.server.deps import OneScene, OpenStudio, RunId
from dramaturg.server.errors import Discretion, refusals
from dramaturg.server.wire import ForkRequest, StartedRun
from dramaturg.studio import SCENE, Studio

router = APIRouter(prefix="/v1", tags=["scenes"])
STARTED: dict[str, Any] = {"description": "The run has begun; `Location` is where it can be looked at."}


class NamedScene(WireValue):
    """A scene of this project, by its name in `scenes/`."""

    scene: str = Field(min_length=1, max_length=80, examples=["the-second-signature"])
    model: str | None = Field(None, description="who plays: provider/model, a provider, or 'rehearsal'")
    seed: int | None = Field(None, description="another seed, another performance by the company")


class WrittenScene(SceneConfig):
    """A scene written out in the request. Both spellings of a key are read."""

    model: str | None = Field(None, description="who plays: provider/model, a provider, or 'rehearsal'")

    @property
    def config(self) -> SceneConfig:
        return SceneConfig.model_validate(self.model_dump(exclude={"model"}))


class SceneListing(WireValue):
    """A scene file of this project. `problem` says why it cannot be played."""

    name: str
    title: str = ""
    setting: str | None = None
    characters: tuple[str, ...] = ()
    max_beats: int | None = None
    problem: str | None = None


class SceneList(WireValue):
    """The scene files of this project, by name."""

    scenes: tuple[SceneListing, ...]


def _read(raw: object) -> object:
    """Has a written scene refused in the words of scene files, with the nearest key and the way out."""
    if isinstance(raw, Mapping) and "scene" in raw:
        return raw
    if isinstance(raw, bytes):
        raise InvalidConfig("The request is not JSON. Send it with the header 'Content-Type: application/json'.")
    written = {key: value for key, value in raw.items() if key != "model"} if isinstance(raw, Mapping) else raw
    scene_from(written, where="the request")
    return raw


def _kind(raw: object) -> str:
    return "named" if isinstance(raw, NamedScene) or (isinstance(raw, Mapping) and "scene" in raw) else "written"


NewScene = Annotated[
    Annotated[NamedScene, Tag("named")] | Annotated[WrittenScene, Tag("written")],
    Discriminator(_kind),
    BeforeValidator(_read),
]
IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=200,
        pattern=r"^[\x21-\x7e]+$",
        description="a request with a key that was used before starts nothing and gives the run it started then",
    ),
]


@router.get("/scenes", summary="The scene files of this project")
def list_scenes(studio: OpenStudio) -> SceneList:
    """Every file of `scenes/`, those that cannot be played too, with the reason."""
    return SceneList(scenes=tuple(_listing(studio, name) for name in known_scenes(studio.settings.project)))


@router.post(
    "/scenes",
    status_code=202,
    summary="Play a scene",
    responses={202: STARTED, **refusals(404, 413, 422, 502, 503)},
)
async def play_scene(
    scene: NewScene, request: Request, response: Response, studio: OpenStudio, idempotency_key: IdempotencyKey = None
) -> StartedRun:
    """Start a scene of this project by name, or one written out in the request, and return at once.

    Nothing is started where the scene, its cards or its models are not sound. Follow the run by its links.
    """
    if idempotency_key is None:
        return _started(await _play(studio, scene), response)
    one_at_a_time: asyncio.Lock = request.app.state.keyed
    async with one_at_a_time:
        return _started(await _play_once(studio, scene, idempotency_key), response)


@router.get(
    "/runs/{run_id}/transcript",
    summary="The transcript",
    response_class=PlainTextResponse,
    responses=refusals(404, 422, json=False),
)
async def get_transcript(run: OneScene, studio: OpenStudio) -> str:
    """The scene as people read it, so far; the same events give the same bytes."""
    return studio.result(run).transcript


@router.get("/runs/{run_id}/result", summary="The result", responses=refusals(404, 422))
async def get_result(run: OneScene, studio: OpenStudio) -> SceneResult:
    """Transcript, metadata and where the files are. `success` is false until the scene has ended."""
    return studio.result(run)


@router.get("/runs/{run_id}/costs", summary="What it cost", responses=refusals(404, 422))
async def get_costs(run: OneScene) -> CostTable:
    """Tokens and money by character, beat and purpose, with the share that came from a cache."""
    return cost_table(run.entries)


@router.post(
    "/runs/{run_id}/fork",
    status_code=202,
    summary="Fork a run at a beat and play on",
    responses={202: STARTED, **refusals(404, 413, 422)},
)
async def fork_run(run_id: RunId, fork: ForkRequest, response: Response, studio: OpenStudio) -> StartedRun:
    """A new run that shares the log of another up to the end of a beat; it is started, with the note if there is one.

    The other run stays as it is. Nothing that was paid for is paid again.
    """
    run = await studio.fork_scene(run_id, fork.beat, note=fork.note, model=fork.model)
    studio.start(run)
    return _started(run.record, response)


def _listing(studio: Studio, name: str) -> SceneListing:
    try:
        config = named_scene(studio.settings.project, name)
    except AuthorError as error:
        return SceneListing(name=name, problem=Discretion(studio.settings).text(error.message))
    return SceneListing(
        name=name,
        title=config.title,
        setting=config.setting,
        characters=config.characters,
        max_beats=config.max_beats,
    )


async def _play(
    studio: Studio, scene: NamedScene | WrittenScene, run_id: str | None = None, about: str = "{}"
) -> RunRecord:
    config = scene.config if isinstance(scene, WrittenScene) else named_scene(studio.settings.project, scene.scene)
    opened = await studio.open_scene(config, model=scene.model, seed=scene.seed, run_id=run_id, about=about)
    studio.start(opened)
    return opened.record


async def _play_once(studio: Studio, scene: NamedScene | WrittenScene, key: str) -> RunRecord:
    """The run that was started under this key, or a new one; the id is made of the key, so it outlives the server."""
    run_id, about = id_for(SCENE, key), f'{{"asked": "{_fingerprint(scene)}"}}'
    try:
        known = await studio.runs.get(run_id)
    except NotFound:
        return await _play(studio, scene, run_id=run_id, about=about)
    if known.config != about:
        raise InvalidConfig(
            f"The Idempotency-Key was used for another request (run {known.id}). Use a new key.", run=known.id
        )
    return known


def _fingerprint(scene: WireValue) -> str:
    return hashlib.sha256(scene.model_dump_json().encode()).hexdigest()


def _started(record: RunRecord, response: Response) -> StartedRun:
    started = StartedRun.of(record)
    response.headers["Location"] = started.links.me
    return started
