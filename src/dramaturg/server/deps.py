"""What routes are given: the open studio, checked ids, runs."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Annotated

from fastapi import Depends, Path, Request
from pydantic import BeforeValidator

from dramaturg.episodes.parlour import EPISODE
from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.runs.ids import ALPHABET, CHANCE_CHARS, TIME_CHARS
from dramaturg.scenes.events import SceneRun
from dramaturg.server.wire import EXAMPLE_RUN
from dramaturg.studio import SCENE, Studio

LENGTH = TIME_CHARS + CHANCE_CHARS
_ID = re.compile(f"[{ALPHABET}]{{{LENGTH}}}")


def _whole_id(typed: str) -> str:
    """People may type the beginning of an id; programs that can delete give all of it."""
    if not _ID.fullmatch(typed):
        raise NotFound(
            f"'{typed[:LENGTH]}' is not the id of a run; those have {LENGTH} characters.", run=typed[:LENGTH]
        )
    return typed


RunId = Annotated[
    str,
    BeforeValidator(_whole_id),
    Path(
        description="the id of a run, whole",
        examples=[EXAMPLE_RUN],
        json_schema_extra={"pattern": f"^{_ID.pattern}$"},
    ),
]


def open_studio(request: Request) -> Studio:
    studio = request.app.state.studio
    assert isinstance(studio, Studio)
    return studio


OpenStudio = Annotated[Studio, Depends(open_studio)]


async def scene_run(run_id: RunId, studio: OpenStudio) -> SceneRun:
    """A scene's run with its log. NotFound for a run of another kind."""
    record = await studio.runs.get(run_id)
    if record.kind != SCENE:
        raise NotFound(f"Run {record.id} is of kind '{record.kind}' and has no such view.", run=record.id)
    return await studio.runs.open(record.id)


async def no_private_run(request: Request, studio: OpenStudio) -> None:
    """NotFound for a session of an episode: it is its player's, and stands under /v1/sessions."""
    run_id = str(request.path_params.get("run_id", ""))
    kind = None
    if _ID.fullmatch(run_id):
        with suppress(NotFound):  # the operation itself says so
            kind = (await studio.runs.get(run_id)).kind
    if kind == EPISODE:
        raise NotFound(f"Run {run_id} is a session and belongs to its player.", run=run_id)


OneScene = Annotated[SceneRun, Depends(scene_run)]
