"""Scenes: list them, play one, read its result, fork it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Depends, Request, Response
from fastapi.responses import PlainTextResponse
from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from dramaturg.kernel.errors import AuthorError, InvalidConfig
from dramaturg.kernel.runs.costs import CostTable, cost_table
from dramaturg.kernel.store import RunRecord
from dramaturg.kernel.text.yaml_json import HALF_CHARACTER, has_half_character
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.check import cast_problem
from dramaturg.scenes.scene import PersonsPart, SceneConfig, known_scenes, named_scene, scene_from
from dramaturg.scenes.wire import SceneResult
from dramaturg.server.http.bodies import ForkRequest, RunReference
from dramaturg.server.http.deps import IdempotencyKey, OneScene, OpenStudio, RunId, ShownRun, no_private_run
from dramaturg.server.http.errors import NOT_JSON, declared_errors
from dramaturg.server.http.idempotency import started_once
from dramaturg.server.http.redaction import redactor_of
from dramaturg.server.http.router import api_router
from dramaturg.studio import Studio

router = api_router(prefix="/v1", tags=["scenes"])
STARTED: dict[str, Any] = {"description": "The run has started; `Location` is its address."}


class SceneByName(WireValue):
    """A scene of this project, named after its file in `scenes/`."""

    scene: str = Field(min_length=1, max_length=80, examples=["the-second-signature"])
    model: str | None = Field(None, description="the model that plays: provider/model, a provider, or 'rehearsal'")
    seed: int | None = Field(None, description="another seed gives another performance by the rehearsal company")
    person: str | None = Field(
        None, max_length=120, description="a part that a person plays", exclude_if=lambda name: name is None
    )
    wait: bool = Field(False, description="wait for people as long as it takes", exclude_if=lambda waits: not waits)


def _of_whole_characters(given: object) -> object:
    if has_half_character(given):
        raise ValueError(f"{HALF_CHARACTER}; type that text again")
    return given


class InlineScene(SceneConfig):
    """A scene given in full in the request. Keys may be camelCase or snake_case."""

    model: str | None = Field(None, description="the model that plays: provider/model, a provider, or 'rehearsal'")

    @model_validator(mode="before")
    @classmethod
    def _is_text(cls, given: object) -> object:
        return _of_whole_characters(given)

    @property
    def config(self) -> SceneConfig:
        return SceneConfig.model_validate(self.model_dump(exclude={"model"}))


class SceneListing(WireValue):
    """A scene file of this project. `problem` says why it cannot be played, if it cannot."""

    name: str
    title: str = ""
    setting: str | None = None
    characters: tuple[str, ...] = ()
    max_beats: int | None = None
    problem: str | None = None


class SceneList(WireValue):
    """The scene files of this project, sorted by name."""

    project: str = Field(description="the title of its book, or the name of its folder", examples=["the-apology"])
    scenes: tuple[SceneListing, ...]


def _checked(raw: object) -> object:
    """Validates an inline scene like a scene file, so that its errors suggest the nearest key and a fix."""
    if isinstance(raw, Mapping) and "scene" in raw:
        return raw
    if isinstance(raw, bytes):
        raise InvalidConfig(NOT_JSON)
    inline = {key: value for key, value in raw.items() if key != "model"} if isinstance(raw, Mapping) else raw
    scene_from(_of_whole_characters(inline), where="the request")
    return raw


def _form(raw: object) -> str:
    return "named" if isinstance(raw, SceneByName) or (isinstance(raw, Mapping) and "scene" in raw) else "inline"


NewScene = Annotated[
    Annotated[SceneByName, Tag("named")] | Annotated[InlineScene, Tag("inline")],
    Discriminator(_form),
    BeforeValidator(_checked),
]


@router.get("/scenes", summary="List the scenes")
def list_scenes(studio: OpenStudio) -> SceneList:
    """Every file in `scenes/`, including those that cannot be played, with the reason."""
    settings = studio.settings
    return SceneList(
        project=settings.workshop.title or settings.project.resolve().name,
        scenes=tuple(_listing(studio, name) for name in known_scenes(settings.project)),
    )


@router.post(
    "/scenes",
    status_code=202,
    summary="Play a scene",
    responses={202: STARTED, **declared_errors(404, 413, 422, 502, 503)},
)
async def play_scene(
    scene: NewScene, request: Request, response: Response, studio: OpenStudio, idempotency_key: IdempotencyKey = None
) -> RunReference:
    """Start a scene of this project by name, or one given in full in the request, and return at once.

    The scene, its cards and its models are checked first; if any of them is invalid, nothing is started. Follow the run
    by its links.
    """

    async def start(run_id: str | None, about: str) -> RunRecord:
        return await _play(studio, scene, run_id, about)

    record = await started_once(request, studio, studio.scenes.kind, scene, idempotency_key, start)
    return _started(record, response, studio)


@router.get(
    "/runs/{run_id}/transcript",
    summary="Get the transcript",
    response_class=PlainTextResponse,
    responses=declared_errors(404, 422, json=False),
)
async def get_transcript(found: ShownRun) -> str:
    """A scene, an act or a session so far, as people read it. The same events always give the same bytes."""
    return found.kind.show(found.run)


@router.get("/runs/{run_id}/result", summary="Get the result", responses=declared_errors(404, 422))
async def get_result(run: OneScene, studio: OpenStudio) -> SceneResult:
    """Transcript, metadata and the paths of the files. `success` is false until the scene has ended."""
    return studio.scenes.result(run)


@router.get(
    "/runs/{run_id}/costs",
    summary="Get the costs",
    dependencies=[Depends(no_private_run)],
    responses=declared_errors(404, 422),
)
async def get_costs(run_id: RunId, studio: OpenStudio) -> CostTable:
    """Tokens and money by character, beat and purpose, and the share served from a cache; of any kind of run."""
    run, kind = await studio.runs.open_with_kind(run_id)
    return cost_table(await kind.paid_entries(run), kind.step_of)


@router.post(
    "/runs/{run_id}/fork",
    status_code=202,
    summary="Fork a run at a beat",
    responses={202: STARTED, **declared_errors(404, 413, 422)},
)
async def fork_run(run_id: RunId, fork: ForkRequest, response: Response, studio: OpenStudio) -> RunReference:
    """Start a new run that shares the log of this one up to the end of a beat.

    The original run does not change, and nothing is paid for twice.
    """
    run = await studio.scenes.fork(
        run_id,
        fork.beat,
        note=fork.note,
        model=fork.model,
        goal=fork.goal,
        cards=fork.cards,
        cast=fork.cast,
    )
    studio.start(run)
    return _started(run.record, response, studio)


def _listing(studio: Studio, name: str) -> SceneListing:
    project, redact = studio.settings.project, redactor_of(studio).text
    try:
        config = named_scene(project, name)
    except AuthorError as error:
        return SceneListing(name=name, problem=redact(error.message))
    problem = cast_problem(project, config.characters)
    return SceneListing(
        name=name,
        title=config.title,
        setting=config.setting,
        characters=config.characters,
        max_beats=config.max_beats,
        problem=redact(problem) if problem else None,
    )


async def _play(
    studio: Studio, scene: SceneByName | InlineScene, run_id: str | None = None, about: str = "{}"
) -> RunRecord:
    person, wait = None, False
    if isinstance(scene, InlineScene):
        config = scene.config
    else:
        config, person, wait = named_scene(studio.settings.project, scene.scene), scene.person, scene.wait
    opened = await studio.scenes.open(
        config, model=scene.model, seed=scene.seed, person=PersonsPart(person, wait), run_id=run_id, about=about
    )
    studio.start(opened)
    return opened.record


def _started(record: RunRecord, response: Response, studio: Studio) -> RunReference:
    started = RunReference.of(record, studio.scenes.kind)
    response.headers["Location"] = started.links.me
    return started
