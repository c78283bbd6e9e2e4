"""A studio in which one model of ours plays everybody, and scenes in the words of the rehearsals."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.models.port import Model, ModelAnswer, ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.settings import read_settings
from dramaturg.kernel.store import open_store
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.scene import SceneConfig, scene_from
from dramaturg.studio import Studio
from tests.one_model import OneModel
from tests.rehearsals.script import read_rehearsal
from tests.stage import write_cards

THE_LETTER = """
scene: the-letter        cast: alice, bob, cora
prompt: Bob opened a letter that was Alice's. Scene goal: Bob admits it, Alice forgives him.
max beats: 6
event: 2: A gust slams the window
beat 0
  alice  @0  [TO: Bob, TONE: cold] "The seal on this letter is broken. You lied to me."
beat 1
  bob    @1  [TO: Alice, TONE: airy] "Wax is fragile, and the post is rough with such things"
  alice  @2  [INTERRUPT after "the post", TONE: furious] "The post does not read!"
beat 2
  bob    @1  [ASIDE TO: Cora, TONE: anxious] "The letter says that the mill is sold."
beat 3
  bob    @1  [TO: Alice, TONE: ashamed] "I read it. I am sorry, Alice."
beat 4
  alice  @1  [TO: Bob, TONE: warm] "I forgive you."
  bob    @2  [TO: Alice, TONE: earnest] "I promise I will never open your post again."
"""
THE_MILL = """
scene: the-mill        cast: alice, bob, cora
prompt: Alice, Bob and Cora meet at the mill by the river. Scene goal: They decide whether to buy it.
max beats: 2
beat 0
  alice  @0  [TO: Bob, TONE: even] "Here we are again."
"""


@asynccontextmanager
async def studio_of(project: Path, model: Model, clock: StillClock | None = None) -> AsyncIterator[Studio]:
    settings = read_settings(project, {})
    store = await open_store(settings)
    studio = Studio(settings, clock or StillClock(), store, OneModel(model))
    try:
        yield studio
    finally:
        await studio.engine.close()
        await store.close()


def script(text: str, memories: str | Exception = "") -> ScriptedModel:
    """A model that plays the scene and, asked what a character will remember, gives one answer to all."""
    rehearsal = read_rehearsal(text)

    def answer(request: ModelRequest) -> str | ModelAnswer | Exception:
        return memories if request.key.startswith("memory/") else rehearsal.answer(request)

    return ScriptedModel(answer)


def scene(text: str, **changes: object) -> SceneConfig:
    return scene_from(read_rehearsal(text).config() | {"remembers": True} | changes)


async def play(studio: Studio, config: SceneConfig, model: str = "rehearsal") -> SceneRun:
    """A whole scene. Under the name of the rehearsal company nobody is asked for memories."""
    write_cards(studio.settings.project, config.characters)
    run = await studio.scenes.open(config, model=model)
    await studio.start(run)
    return run
