"""A scene that a test steers: a scripted cast in a real studio, paused before its first beat."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs import Performance
from dramaturg.kernel.settings import Settings, StoreSettings, read_settings
from dramaturg.kernel.store import InboxMessage
from dramaturg.scenes.directions.direction import DIRECTIONS, TOPIC
from dramaturg.scenes.directions.events import DirectionTaken
from dramaturg.scenes.events import SceneEvent, SceneRun
from dramaturg.scenes.scene import SceneConfig, scene_from
from dramaturg.scenes.state import SceneState, scene_state
from dramaturg.studio import Studio
from tests.scenes.memory.staging import studio_of
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


WORDS = "harbour ledger window garden bridge letter winter engine candle market orchard kitchen station mirror".split()


def said_by(request: ModelRequest) -> str:
    """A line that no other request gets, so that nobody talks in circles, and a judge who sees no goal reached."""
    if request.purpose == "judging":
        return '{"goals": [], "confidence": 0.1}'
    words = " ".join(random.Random(request.key).sample(WORDS, 6))
    return f'[TONE: calm] "{words.capitalize()}."'


Asked = dict[str, object]
Answer = Callable[[ModelRequest], str | ModelAnswer]


@dataclass
class Scripted:
    """A scene of a scripted cast, and what its author asks for while a request of a key is answered."""

    project: Path
    asks: dict[str, list[Asked]]
    answer: Answer = said_by
    scene: dict[str, object] = field(default_factory=dict)
    late: list[Asked] = field(default_factory=list)
    model: ScriptedModel = field(init=False)

    def __post_init__(self) -> None:
        write_cards(self.project, ("alice", "bob", "carol"))
        self.model = ScriptedModel(self._answer, name="able")

    @property
    def config(self) -> SceneConfig:
        return scene_from({**SCENE, **self.scene})

    async def messages(self) -> list[InboxMessage]:
        """What the author sent, and `late` what nobody has taken yet."""
        sent = await self._sent()
        late = [DIRECTIONS.validate_python(asked).model_dump_json() for asked in self.late]
        return [*sent, *(InboxMessage(0, 0.0, TOPIC, "Ann", f"late-{n}", body) for n, body in enumerate(late))]

    async def _sent(self) -> list[InboxMessage]:
        async with studio_of(self.project, self.model) as studio:
            return await studio.runs.inboxes.read(self.run.id, TOPIC)

    async def play(self) -> SceneState:
        """The state at the end."""
        async with studio_of(self.project, self.model) as self.studio:
            self.run = await self.studio.scenes.open(self.config, model="able")
            for asked in self.asks.get("before", []):
                await self.ask(asked)
            await self.studio.start(self.run)
            return scene_state(self.run.entries)

    async def ask(self, asked: Asked) -> None:
        await self.studio.scenes.steer(self.run.id, DIRECTIONS.validate_python(asked), author="Ann")

    async def _answer(self, request: ModelRequest) -> str | ModelAnswer:
        for asked in self.asks.pop(request.key, []):
            await self.ask(asked)
        return self.answer(request)

    def asked_at(self, beat: int) -> list[str]:
        """Who was asked at a beat."""
        keys = [request.key for request in self.model.requests if request.purpose == "acting"]
        return sorted(key.partition("/")[2] for key in keys if key.startswith(f"beat-{beat}/"))

    def prompt(self, key: str) -> str:
        """What a request said: its system prompt and its newest message."""
        request = next(request for request in self.model.requests if request.key == key)
        return f"{request.system}\n{request.messages[-1].text}"

    @property
    def page(self) -> list[str]:
        return [line.rendered() for line in scene_state(self.run.entries).lines]

    @property
    def taken(self) -> list[DirectionTaken]:
        return [entry.event for entry in self.run.entries if isinstance(entry.event, DirectionTaken)]


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
