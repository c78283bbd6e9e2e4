"""The composition root: settings in, a wired studio out. The only place that picks implementations."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from dramaturg.kernel.characters import Card, load_cast
from dramaturg.kernel.clock import Clock
from dramaturg.kernel.models.budget import Budget, Budgeted
from dramaturg.kernel.models.gateway import Choice, Gateway
from dramaturg.kernel.models.port import Model
from dramaturg.kernel.runs import LocalEngine, Recorded, RunLibrary
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Artifacts, Store, open_store
from dramaturg.scenes.events import SCENE_EVENTS, SceneRun
from dramaturg.scenes.outputs import write_outputs
from dramaturg.scenes.play import play_scene
from dramaturg.scenes.scene import SceneConfig
from dramaturg.scenes.stage import Casting, OpenModel, open_scene, stage_scene
from dramaturg.scenes.state import answers
from dramaturg.scenes.wire import SceneResult, result_of

if TYPE_CHECKING:
    import asyncio

SCENE = "scene"


class Studio:
    """One story project, open: its runs, its models, its folder of results."""

    def __init__(self, settings: Settings, clock: Clock, store: Store, gateway: Gateway) -> None:
        self.settings = settings
        self.gateway = gateway
        self.artifacts = Artifacts(settings.data)
        self.runs = RunLibrary(store, clock, {SCENE: SCENE_EVENTS})
        self.engine = LocalEngine(self.runs, on_stop=self._write)
        self._choice: Choice | None = None

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: Settings, clock: Clock | None = None) -> AsyncIterator[Studio]:
        """The studio for the time of a block; what still plays at its end is cancelled and can be resumed."""
        clock = clock or Clock()
        store = await open_store(settings)
        gateway = Gateway(settings, clock)
        studio = cls(settings, clock, store, gateway)
        try:
            yield studio
        finally:
            await studio.engine.close()
            await gateway.aclose()
            await store.close()

    async def choose(self) -> Choice:
        """Which model plays where nothing else is said, and why; looked for once."""
        if self._choice is None:
            self._choice = await self.gateway.choose()
        return self._choice

    async def open_scene(self, config: SceneConfig, *, model: str | None = None, seed: int | None = None) -> SceneRun:
        """A new run, ready to play. Nothing is written before the scene, its cards and models are sound."""
        cards = load_cast(self.settings.project, config.characters)
        casting = await self._cast(cards, model)
        for name in dict.fromkeys([*casting.characters.values(), casting.director]):
            self.gateway.open(name)
        chosen = next(s for s in (seed, config.seed, self.settings.seed, 1) if s is not None)
        folder = self.artifacts.numbered(f"scenes/{config.name}").relative_to(self.artifacts.root).as_posix()
        run = await self.runs.create(SCENE, config.name, seed=chosen)
        await run.append(*open_scene(config, cards, casting, seed=chosen, folder=folder))
        return run

    def start(self, run: SceneRun) -> asyncio.Task[None]:
        """Play a run in the background, from where its log stands."""
        return self.engine.start(run, self.play)

    async def adopt(self, run_id: str) -> SceneRun:
        """Take up a run that was stopped, failed or killed; `start` plays it on."""
        return await self.engine.adopt(run_id)

    def result(self, run: SceneRun) -> SceneResult:
        """What a run has come to, ended or not."""
        return result_of(run.id, run.entries)

    async def play(self, run: SceneRun) -> None:
        """Play a scene to its end and write its files. The engine has them written too where a run is stopped."""
        await play_scene(run, stage_scene(run, self.settings, self._models(run)))
        self._write(run)

    def _write(self, run: SceneRun) -> None:
        write_outputs(self.artifacts, run)

    async def _cast(self, cards: tuple[Card, ...], model: str | None) -> Casting:
        """Who plays whom: the command's model, else the settings', the card's, the default."""
        models = self.settings.models
        default = model or (await self.choose()).name

        def plays(card: Card) -> str:
            own: Mapping[str, str] = {} if model else models.characters
            return own.get(card.name) or (None if model else card.model) or default

        return Casting({card.name: plays(card) for card in cards}, (None if model else models.director) or default)

    def _models(self, run: SceneRun) -> OpenModel:
        """Models that spend this run's budget and record into its log."""
        limits = self.settings.budget
        budget = Budget(tokens=limits.tokens, usd=limits.usd)
        for answered in answers(run.entries):
            budget.charge(answered.answer)

        def open_model(name: str, who: str) -> Model:
            return Recorded(Budgeted(self.gateway.open(name), budget), run, who)

        return open_model
