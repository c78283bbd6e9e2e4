"""FastAPI dependencies of several routes: the open studio, validated run ids, keys, scene runs."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Header, Path, Request
from pydantic import BeforeValidator

from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.runs import Kind, Run
from dramaturg.kernel.runs.ids import ALPHABET, CHANCE_CHARS, TIME_CHARS
from dramaturg.scenes.events import SceneRun
from dramaturg.server.http.bodies import EXAMPLE_RUN
from dramaturg.studio import Studio
from dramaturg.voices.jobs import SpeechJobs

LENGTH = TIME_CHARS + CHANCE_CHARS
ID_PATTERN = f"^[{ALPHABET}]{{{LENGTH}}}$"
_ID = re.compile(f"[{ALPHABET}]{{{LENGTH}}}")


def _whole_id(typed: str) -> str:
    """Over HTTP an id must be complete: a prefix, which the command line accepts, could delete the wrong run."""
    if not _ID.fullmatch(typed):
        raise NotFound(f"'{typed[:LENGTH]}' is not a run id; run ids have {LENGTH} characters.", run=typed[:LENGTH])
    return typed


RunId = Annotated[
    str,
    BeforeValidator(_whole_id),
    Path(description="the complete id of a run", examples=[EXAMPLE_RUN], json_schema_extra={"pattern": ID_PATTERN}),
]

IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=200,
        pattern=r"^[\x21-\x7e]+$",
        description="a repeated request with the same key starts nothing and returns what the first one started",
    ),
]


def open_studio(request: Request) -> Studio:
    studio = request.app.state.studio
    assert isinstance(studio, Studio)
    return studio


OpenStudio = Annotated[Studio, Depends(open_studio)]


def jobs_of(request: Request) -> SpeechJobs:
    jobs = request.app.state.speech_jobs
    assert isinstance(jobs, SpeechJobs)
    return jobs


async def scene_run(run_id: RunId, studio: OpenStudio) -> SceneRun:
    """A scene's run with its log. Raises NotFound for a run of another kind."""
    return await studio.scenes.open_run(run_id)


async def no_private_run(request: Request, studio: OpenStudio) -> None:
    """Raises NotFound for a session of an episode, as if there were none: it belongs to its player."""
    run_id = str(request.path_params.get("run_id", ""))
    private = False
    if _ID.fullmatch(run_id):
        with suppress(NotFound):  # the operation itself reports that
            private = studio.runs.kind_of(await studio.runs.get(run_id)).private
    if private:
        raise await studio.runs.not_found(run_id)


@dataclass(frozen=True, slots=True)
class FoundRun:
    """A run with its log, and its kind."""

    run: Run[Any]
    kind: Kind[Any, Any]


async def shown_run(run_id: RunId, studio: OpenStudio) -> FoundRun:
    """A run that people read: a scene, an act, a session of the ensemble. Raises NotFound for any other."""
    record = await studio.runs.get(run_id)
    kind = studio.runs.kind_of(record)
    if kind.private:
        raise await studio.runs.not_found(run_id)
    if "transcript" not in kind.views:
        raise NotFound(f"Run {run_id} is {kind.noun}, which has no transcript.", run=run_id)
    return FoundRun(await studio.runs.open(run_id), kind)


ShownRun = Annotated[FoundRun, Depends(shown_run)]
OneScene = Annotated[SceneRun, Depends(scene_run)]
