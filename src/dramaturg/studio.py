"""The composition root: settings in, a wired studio out. The only place that picks implementations."""

from __future__ import annotations

from asyncio import Lock, to_thread
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from dramaturg.kernel.characters import Card, load_cast
from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import Fenced, InvalidConfig
from dramaturg.kernel.models.budget import Budget, Budgeted
from dramaturg.kernel.models.catalogue import REHEARSAL, asked
from dramaturg.kernel.models.gateway import Choice, Gateway
from dramaturg.kernel.models.port import Model
from dramaturg.kernel.models.prices import Price, price_of
from dramaturg.kernel.runs import LocalEngine, Recorded, RunLibrary
from dramaturg.kernel.runs.heap import settle_heap
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Artifacts, RunRecord, Store, open_store
from dramaturg.scenes.costs import own_entries
from dramaturg.scenes.events import SCENE_EVENTS, NoteGiven, SceneForked, SceneRun
from dramaturg.scenes.exports import Format
from dramaturg.scenes.forking import BY_HAND, fork_point
from dramaturg.scenes.insight.ablation import questioned, try_causes
from dramaturg.scenes.insight.account import occasion_of_line
from dramaturg.scenes.insight.events import WHY_EVENTS, LineQuestioned, WhyRun
from dramaturg.scenes.line import Line
from dramaturg.scenes.memory.keeping import recall_cast, remember
from dramaturg.scenes.outputs import write_outputs
from dramaturg.scenes.play import play_scene
from dramaturg.scenes.players import who_judges
from dramaturg.scenes.scene import SceneBudget, SceneConfig
from dramaturg.scenes.stage import Casting, OpenModel, open_scene, stage_scene
from dramaturg.scenes.state import SceneState, answers, scene_state
from dramaturg.scenes.store import MemoryStore
from dramaturg.scenes.wire import SceneResult, result_of

if TYPE_CHECKING:
    import asyncio

SCENE = "scene"
WHY = "why"


class Studio:
    """One story project, open: its runs, its models, its folder of results."""

    def __init__(self, settings: Settings, clock: Clock, store: Store, gateway: Gateway) -> None:
        self.settings = settings
        self.gateway = gateway
        self.artifacts = Artifacts(settings.data)
        self.runs = RunLibrary(store, clock, {SCENE: SCENE_EVENTS, WHY: WHY_EVENTS})
        self.memory = MemoryStore(store.database)
        self.engine = LocalEngine(self.runs, on_stop=self._stopped)
        self.also: tuple[Format, ...] = ()
        self._choice: Choice | None = None
        # One at a time: many threads that write files would only wait for each other, and let nobody play.
        self._filing = Lock()

    @classmethod
    @asynccontextmanager
    async def open(cls, settings: Settings, clock: Clock | None = None) -> AsyncIterator[Studio]:
        """The studio for the time of a block; what still plays at its end is cancelled and can be resumed."""
        clock = clock or Clock()
        settle_heap()
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

    async def open_scene(
        self,
        config: SceneConfig,
        *,
        model: str | None = None,
        seed: int | None = None,
        run_id: str | None = None,
        about: str = "{}",
    ) -> SceneRun:
        """A new run, ready to play. Nothing is written before the scene, its cards and models are sound.

        `run_id` is for who must find the run again by a key of their own, `about` a JSON text kept beside it.
        """
        cards = load_cast(self.settings.project, config.characters)
        casting = await self._cast(cards, model)
        for name in dict.fromkeys([*casting.characters.values(), casting.director]):
            self.gateway.open(name)
        chosen = next(s for s in (seed, config.seed, self.settings.seed, 1) if s is not None)
        folder = self._folder(config.name)
        recalled = await recall_cast(self.memory, config, cards, self.settings.scenes.memory_tokens)
        opening = (*open_scene(config, cards, casting, seed=chosen, folder=folder), *recalled)
        return await self.runs.create(SCENE, config.name, chosen, about, run_id=run_id, opening=opening)

    async def fork_scene(self, run_id: str, beat: int, *, note: str = "", model: str | None = None) -> SceneRun:
        """A new run that shares another's log up to the end of a beat, ready to be played on.

        A note goes to the whole cast, in place of the moderator's; a model plays every part from here on.
        """
        parent = await self.open_scene_run(run_id)
        at = fork_point(parent.entries, beat)
        opened = scene_state(parent.entries[:at]).scene
        models = {member.name: model or member.model for member in opened.cast}
        director = who_judges(None, model, self.gateway.open(model).profile)[0] if model else opened.director
        for name in dict.fromkeys([*models.values(), director]):
            self.gateway.open(name)
        folder = self._folder(opened.config.name)
        given = (NoteGiven(beat=beat, text=note.strip(), reason=BY_HAND),) if note.strip() else ()
        forked = SceneForked(parent=parent.id, beat=beat, folder=folder, models=models, director=director)
        return await self.runs.fork(parent.id, at, note, opening=(forked, *given))

    async def open_scene_run(self, run_id: str) -> SceneRun:
        """A scene's run with its log, to be read. Raises InvalidConfig for a run of another kind."""
        run = await self.runs.open(run_id)
        if run.kind != SCENE:
            raise InvalidConfig(f"Run {run.id} is no scene; 'dramaturg runs show {run.id}' shows what it is.")
        return run

    async def question(self, run: SceneRun, line: Line, *, again: int = 1) -> WhyRun:
        """A new run that will test what a line rested on; `start` asks. The scene's own run stays as it is."""
        asking = questioned(run.id, run.entries, line, again)
        self.gateway.open(asking.model)
        return await self.runs.create(WHY, f"{run.name}, line {line.number}", run.seed, opening=(asking,))

    def price(self, model: str) -> Price | None:
        """What a model charges for a million tokens; None where that is not known."""
        return Price(input_usd=0.0, output_usd=0.0) if model == REHEARSAL else price_of(asked(model, self.settings))

    def start(self, run: SceneRun) -> asyncio.Task[None]:
        """Play a run in the background, from where its log stands."""
        return self.engine.start(run, self.play)

    async def adopt(self, run_id: str) -> SceneRun:
        """Take up a run that was stopped, failed or killed; `start` plays it on."""
        return await self.engine.adopt(run_id)

    async def resume_unfinished(self) -> list[SceneRun]:
        """Play on the runs whose process died."""
        return await self.engine.resume_unfinished({SCENE: self.play, WHY: self.play})

    async def cancel(self, run_id: str) -> RunRecord:
        """Stop a run and say how it stands; a run that is over stays as it is. Fenced if it is played elsewhere."""
        record = await self.runs.get(run_id)
        if not await self.engine.cancel(record.id) and record.status == "playing":
            raise Fenced(f"Run {record.id} is played by another process; stop it there.", run=record.id)
        return await self.runs.get(record.id)

    async def delete(self, run_id: str) -> None:
        """Remove a run and its log; its files stay. Fenced while it is played."""
        record = await self.runs.get(run_id)
        if record.status == "playing":
            raise Fenced(f"Run {record.id} is being played; cancel it first.", run=record.id)
        await self.runs.delete(record.id)

    def result(self, run: SceneRun) -> SceneResult:
        """What a run has come to, ended or not."""
        return result_of(run.id, run.entries)

    async def play(self, run: SceneRun) -> None:
        """Play a scene to its end and write its files. The engine has them written too where a run is stopped."""
        if run.kind == WHY:
            await self._test(run)
            return
        models = self._models(run)
        production = stage_scene(run, self.settings, models)
        await self.gateway.ready()
        state = await play_scene(run, production)
        await remember(run, self.memory, models if self.settings.scenes.memory_texts else None, state)
        async with self._filing:
            await to_thread(self._write, run, state)

    async def _test(self, run: WhyRun) -> None:
        """Ask what a run that questions a line has not asked yet."""
        asking = run.entries[0].event
        if not isinstance(asking, LineQuestioned):
            raise AssertionError("a run of this kind begins with its question")
        scene = await self.open_scene_run(asking.run)
        occasion = occasion_of_line(scene.entries, asking.line)
        await try_causes(run, occasion, self._models(run)(asking.model, asking.character), self.settings)

    async def _stopped(self, run: SceneRun) -> None:
        """What a run that was broken off leaves: its files, and what its cast heard so far."""
        self._write(run)
        if run.kind == SCENE:
            await remember(run, self.memory)

    def _write(self, run: SceneRun, state: SceneState | None = None) -> None:
        if run.kind == WHY:
            return
        write_outputs(self.artifacts, run, self.also, state)

    def _folder(self, scene: str) -> str:
        """A new folder for the files of one performance, below the data."""
        return self.artifacts.numbered(f"scenes/{scene}").relative_to(self.artifacts.root).as_posix()

    async def _cast(self, cards: tuple[Card, ...], model: str | None) -> Casting:
        """Who plays whom: the command's model, else the settings', the card's, the default."""
        models = self.settings.models
        default = model or (await self.choose()).name

        def plays(card: Card) -> str:
            own: Mapping[str, str] = {} if model else models.characters
            return own.get(card.name) or (None if model else card.model) or default

        director, reason = who_judges(None if model else models.director, default, self.gateway.open(default).profile)
        return Casting({card.name: plays(card) for card in cards}, director, reason)

    def _budget(self, run: SceneRun) -> Budget:
        """What a run may spend: as its scene says, else as the settings say."""
        limits, opened = self.settings.budget, scene_state(run.entries).opened
        own = (opened.config.budget if opened else None) or SceneBudget()
        return Budget(tokens=own.tokens or limits.tokens, usd=own.usd or limits.usd)

    def _models(self, run: SceneRun) -> OpenModel:
        """Models that spend this run's budget and record into its log."""
        budget = self._budget(run)
        for answered in answers(own_entries(run.entries)):
            budget.charge(answered.answer)

        def open_model(name: str, who: str) -> Model:
            return Recorded(Budgeted(self.gateway.open(name), budget), run, who)

        return open_model
