"""A scene that a test steers: a scripted cast in a real studio, paused before its first beat."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.runs import Performance
from dramaturg.kernel.settings import Settings, StoreSettings, read_settings
from dramaturg.scenes.directions.direction import DIRECTIONS
from dramaturg.scenes.events import SceneEvent, SceneRun
from dramaturg.scenes.scene import scene_from
from dramaturg.scenes.state import SceneState
from dramaturg.studio import Studio
from tests.stage import write_cards

SCENE: dict[str, object] = {
    "name": "supper",
    "prompt": "A supper. Scene goal: Bob apologizes, Alice accepts.",
    "characters": ["alice", "bob", "carol"],
    "maxBeats": 6,
}


def settings_of(project: Path, store: StoreSettings | None = None) -> Settings:
    write_cards(project, ("alice", "bob", "carol"))
    settings = read_settings(project, {})
    return settings.model_copy(update={"store": store}) if store else settings


@dataclass
class SteeredScene:
    """A scene in a studio, and its author."""

    studio: Studio
    run: SceneRun
    performance: Performance
    playing: asyncio.Task[None] | None = None

    @property
    def state(self) -> SceneState:
        return self.performance.state

    async def ask(self, do: str, **fields: object) -> None:
        await self.studio.scenes.steer(self.run.id, DIRECTIONS.validate_python({"do": do, **fields}), author="Ann")

    def play(self) -> None:
        self.playing = self.studio.start(self.performance)

    async def until(self, reached: Callable[[SceneState], bool]) -> None:
        """Returns when the scene is so far, or raises what broke it."""
        async with asyncio.timeout(240):
            while not reached(self.state):
                if self.playing is not None and self.playing.done():
                    self.playing.result()
                    assert reached(self.state), "the scene ended before"
                await asyncio.sleep(0.001)

    async def waits_before(self, beat: int) -> None:
        await self.until(lambda state: state.beat == beat and not state.played and state.steering.waiting)

    async def to_the_end(self) -> None:
        assert self.playing is not None
        async with asyncio.timeout(240):
            await self.playing

    def events(self, kind: type[SceneEvent]) -> list[SceneEvent]:
        return [entry.event for entry in self.run.entries if isinstance(entry.event, kind)]

    @property
    def page(self) -> list[str]:
        return [line.rendered() for line in self.state.lines]


@asynccontextmanager
async def steered(
    project: Path, store: StoreSettings | None = None, *, model: str = "rehearsal", **changes: object
) -> AsyncIterator[SteeredScene]:
    """A scene that waits before its first beat, once it is played."""
    async with Studio.open(settings_of(project, store), StillClock(), trust=True) as studio:
        run = await studio.scenes.open(scene_from({**SCENE, **changes}), model=model)
        scene = SteeredScene(studio, run, studio.runs.perform(run))
        await scene.ask("pause")
        yield scene
