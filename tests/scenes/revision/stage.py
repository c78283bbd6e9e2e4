"""A scene that was played with scripted answers, and a studio in which its lines can be changed."""

from __future__ import annotations

import re
from asyncio import Future
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest, Usage
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.settings import read_settings
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.line import Line
from dramaturg.scenes.scene import scene_from
from dramaturg.scenes.state import SceneState, scene_state
from dramaturg.studio import Studio
from tests.one_model import OneModel
from tests.rehearsals.script import Rehearsal, read_rehearsal
from tests.stage import write_cards

THE_CUP = """
scene: the-cup        cast: alice, bob, carol
prompt: Bob broke a cup. Scene goal: Bob admits that he broke the cup, Alice forgives Bob.
max beats: 9
beat 0
  alice  @1  [TO: Bob, TONE: even] "Where is the blue cup?"
beat 1
  carol  @1  [ASIDE TO: Alice, TONE: low] "I heard it fall."
  bob    @2  [TONE: airy] "Cups come and cups go, and who counts them any more"
  alice  @3  [INTERRUPT after "cups go", TONE: cold] "I do, Bob."
beat 2
  bob    @1  [TO: Alice, TONE: small] "All right, I broke the cup myself."
  judge  1 met by Bob: "I broke the cup myself"
beat 3
  alice  @1  [TO: Bob, TONE: warm] "Then I forgive you, Bob."
  judge  1 met by Bob: "I broke the cup myself"
  judge  2 met by Alice: "I forgive you, Bob"
  judge  natural end
"""
Answer = Callable[[ModelRequest], "ModelAnswer | Exception | str | None"]


class Again:
    """The script once more: what was asked again, for a take or after a change, is answered by `more` or as before."""

    def __init__(self, script: Rehearsal, more: Mapping[str, str | Exception | Future[str]] | None = None) -> None:
        self._script, self.more = script, dict(more or {})

    def __call__(self, request: ModelRequest) -> ModelAnswer | Exception | Future[str]:
        wanted = self.more.get(request.key)
        if isinstance(wanted, Exception | Future):
            return wanted
        if wanted is not None:
            usage = Usage(input_tokens=100, output_tokens=10)
            return ModelAnswer(text=wanted, model="scripted", usage=usage, cost_usd=0.002, arrived_at=9.0)
        plain = re.sub(r"#(?:take|revision)-\d+", "", request.key)
        return self._script.answer(ModelRequest(plain, request.purpose, "", (), 1))


@asynccontextmanager
async def played(
    project: Path, text: str = THE_CUP, more: Mapping[str, str | Exception] | None = None, **config: object
) -> AsyncIterator[tuple[Studio, SceneRun, ScriptedModel]]:
    """A studio with a scene that was played to its end, and the model that played it."""
    script = read_rehearsal(text)
    write_cards(project, script.cast)
    model = ScriptedModel(Again(script, more))
    async with Studio.open(read_settings(project, {}), StillClock()) as studio:
        studio.resources.gateway = OneModel(model)
        run = await studio.scenes.open(scene_from({**script.config(), **config}), model="scripted", agent="direct")
        await studio.start(run)
        yield studio, run, model


async def state_of(studio: Studio, run: str) -> SceneState:
    return scene_state((await studio.scenes.open_run(run)).entries)


def line(state: SceneState, number: int) -> Line:
    return next(one for one in state.lines if one.number == number)


def page(state: SceneState) -> list[str]:
    return [f"{one.number}. {one.rendered()}" for one in state.lines]
