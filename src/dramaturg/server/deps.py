"""What routes are given: the open studio, checked ids, runs."""

from __future__ import annotations

import re
from typing import Annotated

from fastapi import Depends, Path, Request
from pydantic import BeforeValidator

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


OneScene = Annotated[SceneRun, Depends(scene_run)]
