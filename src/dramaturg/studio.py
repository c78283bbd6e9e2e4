"""The composition root: settings in, a wired studio out. The only place that picks implementations."""

from __future__ import annotations

from asyncio import Lock, to_thread
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson
from pydantic import TypeAdapter

from dramaturg.ensemble.casting import House, cast_ensemble
from dramaturg.ensemble.ensemble import read_ensemble
from dramaturg.ensemble.events import ENSEMBLE_EVENTS, EnsembleRun
from dramaturg.ensemble.kiosk import KIND as ENSEMBLE
from dramaturg.ensemble.manifest import SessionManifest
from dramaturg.ensemble.programme import export_session
from dramaturg.ensemble.request import DEFAULT_KIOSK, ChatRequest
from dramaturg.ensemble.seating import seat_voices
from dramaturg.ensemble.sessions import Sessions
from dramaturg.ensemble.stage import Speech
from dramaturg.ensemble.state import ensemble_state
from dramaturg.ensemble.store import KioskStore
from dramaturg.ensemble.wire import SessionEvent
from dramaturg.episodes.events import EPISODE_EVENTS, EpisodeRun
from dramaturg.episodes.opening import House as EpisodeHouse
from dramaturg.episodes.parlour import EPISODE, Parlour
from dramaturg.episodes.store import EpisodeStore
from dramaturg.kernel.characters import Card, load_cast
from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import DramaturgError, Fenced, InvalidConfig, InvalidSettings, VoiceError
from dramaturg.kernel.models.budget import Budget, Budgeted
from dramaturg.kernel.models.catalogue import REHEARSAL, asked
from dramaturg.kernel.models.gateway import Choice, Gateway
from dramaturg.kernel.models.port import Model
from dramaturg.kernel.models.prices import Price, price_of
from dramaturg.kernel.runs import LocalEngine, Recorded, RunLibrary
from dramaturg.kernel.runs.heap import settle_heap
from dramaturg.kernel.runs.ids import new_id
from dramaturg.kernel.settings import PlayedAs, Settings
from dramaturg.kernel.store import Artifacts, RunRecord, Store, open_store
from dramaturg.kernel.voices.booth import Booth
from dramaturg.kernel.voices.engines import open_booth
from dramaturg.kernel.voices.export import ProgrammeExport
from dramaturg.kernel.voices.profiles import profiles
from dramaturg.scenes.audioplay.listening import Listening, listen
from dramaturg.scenes.costs import own_entries
from dramaturg.scenes.events import SCENE_EVENTS, NoteGiven, SceneForked, SceneRun
from dramaturg.scenes.exports import Format
from dramaturg.scenes.forking import BY_HAND, fork_point
from dramaturg.scenes.insight.ablation import questioned, try_causes
from dramaturg.scenes.insight.account import occasion_of_line
from dramaturg.scenes.insight.events import WHY_EVENTS, LineQuestioned, WhyRun
from dramaturg.scenes.insight.takes import Slate
from dramaturg.scenes.line import Line
from dramaturg.scenes.memory.keeping import recall_cast, remember
from dramaturg.scenes.outputs import write_outputs
from dramaturg.scenes.play import play_scene
from dramaturg.scenes.players import playing, who_judges
from dramaturg.scenes.scene import SceneBudget, SceneConfig
from dramaturg.scenes.stage import Casting, OpenModel, open_scene, stage_scene
from dramaturg.scenes.state import SceneState, answers, scene_state
from dramaturg.scenes.store import MemoryStore
from dramaturg.scenes.wire import SceneResult, result_of
from dramaturg.workshop.events import FOREMAN_EVENTS, ForemanRun
from dramaturg.workshop.foreman import FOREMAN, Foreman
from dramaturg.workshop.notebooks import open_shelf
from dramaturg.workshop.office import Office
from dramaturg.workshop.store import KnowledgeBase

if TYPE_CHECKING:
    import asyncio

SCENE = "scene"
WHY = "why"
EVENTS: Mapping[str, TypeAdapter[Any]] = {
    SCENE: SCENE_EVENTS,
    WHY: WHY_EVENTS,
    ENSEMBLE: ENSEMBLE_EVENTS,
    EPISODE: EPISODE_EVENTS,
    FOREMAN: FOREMAN_EVENTS,
}
"""Every kind of run, and what can be in its log."""
MANY = 10_000


class Studio:
    """One story project, open: its runs, its models, its folder of results."""

    def __init__(self, settings: Settings, clock: Clock, store: Store, gateway: Gateway) -> None:
        self.settings = settings
        self._clock = clock
        self.gateway = gateway
        self.artifacts = Artifacts(settings.data)
        self.runs = RunLibrary(store, clock, EVENTS)
        self.sessions = Sessions(settings, clock, self.runs, KioskStore(store.database), self.artifacts)
        self.voice_profiles: Mapping[str, str] = {name: profile.about for name, profile in profiles().items()}
        self.booth: Booth | None = None
        self.silence: VoiceError | None = None
        self._opening_booth = Lock()
        self.memory = MemoryStore(store.database)
        self.engine = LocalEngine(self.runs, on_stop=self._stopped)
        tables = EpisodeStore(store.database)
        self.episodes = Parlour(
            EpisodeHouse(settings, clock, self.runs, self.engine, tables, self._session_models, self._cast_episode)
        )
        self.foreman = Foreman(
            Office(
                settings,
                clock,
                self.runs,
                KnowledgeBase(store.database, settings.workshop.book),
                lambda: open_shelf(settings),
                self._foreman_model,
                self._foreman_name,
                self._known_price,
            )
        )
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
            await studio.episodes.close()
            await studio.foreman.close()
            await studio.engine.close()
            if studio.booth is not None:
                await studio.booth.aclose()
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
        agent: PlayedAs | None = None,
        run_id: str | None = None,
        about: str = "{}",
    ) -> SceneRun:
        """A new run, ready to play. Nothing is written before the scene, its cards and models are sound.

        `agent` is how its models play, else as the settings say; a run that is resumed goes on as it began. `run_id` is
        for who must find the run again by a key of their own, `about` a JSON text kept beside it.
        """
        cards = load_cast(self.settings.project, config.characters)
        way = agent or self.settings.scenes.agent
        casting = replace(await self._cast(cards, model), agent=way)
        self._check(way, casting.characters.values(), casting.director)
        chosen = next(s for s in (seed, config.seed, self.settings.seed, 1) if s is not None)
        folder = self._folder(config.name)
        recalled = await recall_cast(self.memory, config, cards, self.settings.scenes.memory_tokens)
        opening = (*open_scene(config, cards, casting, seed=chosen, folder=folder), *recalled)
        return await self.runs.create(SCENE, config.name, chosen, about, run_id=run_id, opening=opening)

    async def open_takes(self, config: SceneConfig, wanted: Sequence[Slate]) -> tuple[str, list[SceneRun]]:
        """A row of runs of one scene, ready to play, and the id that finds them again; all of them, or none."""
        batch = new_id(self._clock.now())
        opened: list[SceneRun] = []
        try:
            for place, one in enumerate(wanted, start=1):
                about = f'{{"takes": "{batch}", "take": {place}}}'
                run = await self.open_scene(config, model=one.model, seed=one.seed, agent=one.agent, about=about)
                opened.append(run)
        except DramaturgError:
            for run in opened:
                await self.runs.delete(run.id)
            raise
        return batch, opened

    async def takes(self, batch: str) -> list[SceneRun]:
        """The runs that were opened together, in their order; none under an id that nobody gave."""
        records = [record for record in await self.runs.find(kind=SCENE, limit=MANY) if record.parent_id is None]
        found = [(orjson.loads(record.config), record) for record in records if batch in record.config]
        taken = sorted((about["take"], record.id) for about, record in found if about.get("takes") == batch)
        return [await self.runs.open(run_id) for _, run_id in taken]

    async def fork_scene(self, run_id: str, beat: int, *, note: str = "", model: str | None = None) -> SceneRun:
        """A new run that shares another's log up to the end of a beat, ready to be played on.

        A note goes to the whole cast, in place of the moderator's; a model plays every part from here on.
        """
        parent = await self.open_scene_run(run_id)
        at = fork_point(parent.entries, beat)
        opened = scene_state(parent.entries[:at]).scene
        models = {member.name: model or member.model for member in opened.cast}
        director = who_judges(None, model, self.gateway.open(model).profile)[0] if model else opened.director
        # Another model plays as the settings say; the same one as it did.
        way = self.settings.scenes.agent if model else opened.agent
        self._check(way or self.settings.scenes.agent, models.values(), director)
        folder = self._folder(opened.config.name)
        given = (NoteGiven(beat=beat, text=note.strip(), reason=BY_HAND),) if note.strip() else ()
        forked = SceneForked(parent=parent.id, beat=beat, folder=folder, models=models, director=director, agent=way)
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

    async def open_ensemble(
        self, request: ChatRequest, *, model: str | None = None, run_id: str | None = None, asked: str = ""
    ) -> EnsembleRun:
        """A new session (its id is the run's), ready to play. Nothing is written before cast and models are sound.

        Raises Fenced where the kiosk is busy and `[ensemble] when_busy` refuses. `run_id` and `asked` are for who
        must find the session again by a key of their own.
        """
        ensemble = read_ensemble(self.settings.project)
        default = model or (await self.choose()).name
        house = House(self.settings.project, self.voice_profiles, default, self._is_model)
        cast = cast_ensemble(ensemble, request, house)
        for name in dict.fromkeys(placed.seat.model for placed in cast):
            self.gateway.open(name)
        seed = self.settings.seed if request.seed is None else request.seed
        return await self.sessions.open(
            ensemble, request, cast, profiles=self.voice_profiles, seed=seed, run_id=run_id, asked=asked
        )

    async def ask(self, request: ChatRequest, *, model: str | None = None) -> EnsembleRun:
        """Ask the ensemble: a session that is opened and played in the background. `session_events` follows it."""
        run = await self.open_ensemble(request, model=model)
        self.start(run)
        return run

    async def open_session(self, session_id: str) -> EnsembleRun:
        """A session's run with its log, to be read. Raises NotFound, or InvalidConfig for a run of another kind."""
        return await self.sessions.open_run(session_id)

    def session_events(self, session_id: str, after: int = 0) -> AsyncIterator[SessionEvent]:
        """What a session sends above number `after`, then live until it is over: the same events for all views."""
        return self.sessions.follow(session_id, after)

    def manifest(self, run: EnsembleRun) -> SessionManifest:
        """What a session has come to, ended or not: the content of its `session.json`."""
        return self.sessions.manifest(run)

    async def reset(self, kiosk: str = DEFAULT_KIOSK) -> None:
        """Clear the conversation of a kiosk: the next request begins anew. What was said stays in the log."""
        await self.sessions.reset(kiosk)

    async def listen(self, run_id: str, asked: Listening) -> ProgrammeExport:
        """A run as one piece to listen to. A scene is spoken first; a session was when it was played."""
        run = await self.runs.open(run_id)
        if run.kind == ENSEMBLE:
            return await to_thread(export_session, run, self.artifacts, asked.out)
        run = await self.open_scene_run(run.id)
        booth = await self.open_booth()
        pressing = await listen(run, booth, self.artifacts, self.settings.voices, asked)
        return replace(pressing, remarks=(*filter(None, [booth.remark]), *pressing.remarks))

    def price(self, model: str) -> Price | None:
        """What a model charges for a million tokens; None where that is not known."""
        return Price(input_usd=0.0, output_usd=0.0) if model == REHEARSAL else price_of(asked(model, self.settings))

    def start(self, run: SceneRun | EnsembleRun) -> asyncio.Task[None]:
        """Play a run in the background, from where its log stands."""
        return self.engine.start(run, self.play)

    async def adopt(self, run_id: str) -> SceneRun:
        """Take up a run that was stopped, failed or killed; `start` plays it on."""
        record = await self.runs.get(run_id)
        if record.kind == EPISODE:
            raise InvalidConfig(f"Run {record.id} is a session of an episode; it goes on when its player speaks.")
        if record.kind == FOREMAN:
            raise InvalidConfig(
                "A book's conversation goes on with 'dramaturg foreman chat'; it has no end to play to."
            )
        return await self.engine.adopt(record.id)

    async def resume_unfinished(self) -> list[SceneRun]:
        """Play on the runs whose process died, and the turns of sessions too; the runs are returned."""
        await self.episodes.resume_unfinished()
        return await self.engine.resume_unfinished({SCENE: self.play, WHY: self.play, ENSEMBLE: self.play})

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
        if run.kind == ENSEMBLE:
            await self.gateway.ready()
            await self.sessions.play(run, models, await self._speech(run))
            return
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
        if run.kind == ENSEMBLE:
            self.sessions.write(run)
            return
        write_outputs(self.artifacts, run, self.also, state)

    async def open_booth(self) -> Booth:
        """Where lines are spoken; opened once. Raises VoiceError where nothing can speak here."""
        async with self._opening_booth:
            if self.booth is None and self.silence is None:
                try:
                    self.booth = await to_thread(open_booth, self.settings, self.artifacts)
                except VoiceError as error:
                    self.silence = error
        if self.booth is None:
            raise self.silence or VoiceError("Nothing can speak here.")
        return self.booth

    async def _speech(self, run: EnsembleRun) -> Speech:
        state = ensemble_state(run.entries)
        if not state.request.audio:
            return Speech(None)
        try:
            booth = await self.open_booth()
        except VoiceError as error:
            return Speech(None, f"The lines stay text. {error.message}")
        return Speech(booth, voices=seat_voices(state.cast, booth, self.settings.voices))

    def _is_model(self, name: str) -> bool:
        """Whether a name means a model that could play here."""
        try:
            return name == REHEARSAL or bool(asked(name, self.settings))
        except InvalidSettings:
            return False

    def _check(self, way: PlayedAs, characters: Iterable[str], director: str) -> None:
        """Raises where a model cannot be opened, or cannot play that way."""
        for name in dict.fromkeys(characters):
            playing(way, self.gateway.open(name))
        self.gateway.open(director)

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

    async def _cast_episode(self, character: str, own: str | None, model: str | None) -> tuple[str, str]:
        """Who plays a character in an episode, and who looks on; both can be opened."""
        models = self.settings.models
        plays = model or models.characters.get(character) or own or (await self.choose()).name
        director = who_judges(None if model else models.director, plays, self.gateway.open(plays).profile)[0]
        self.gateway.open(director)
        await self.gateway.ready()
        return plays, director

    def _session_models(self, run: EpisodeRun) -> OpenModel:
        """Models that spend the settings' budget for this session and record into its log."""
        budget = Budget(tokens=self.settings.budget.tokens, usd=self.settings.budget.usd)
        for answered in answers(run.entries):
            budget.charge(answered.answer)
        return lambda name, who: Recorded(Budgeted(self.gateway.open(name), budget), run, who)

    async def _foreman_name(self) -> str:
        return (await self.choose()).name

    async def _foreman_model(self, run: ForemanRun, name: str) -> Model:
        """A model that records into the book's log; the settings' budget is for one message each."""
        limits = self.settings.budget
        model = Budgeted(self.gateway.open(name), Budget(tokens=limits.tokens, usd=limits.usd))
        await self.gateway.ready()
        return Recorded(model, run, FOREMAN)

    def _known_price(self, model: str) -> Price | None:
        try:
            return self.price(model)
        except InvalidSettings:
            return None

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
