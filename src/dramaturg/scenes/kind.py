"""What the runs of scenes are: the scene itself, and the test of one of its lines."""

from __future__ import annotations

import re
from asyncio import Lock, to_thread
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from weakref import WeakKeyDictionary

from dramaturg.kernel.errors import DramaturgError, InvalidConfig
from dramaturg.kernel.runs import Kind, Limits, Performance, Resources
from dramaturg.kernel.runs.digest import about
from dramaturg.kernel.store import RunRecord
from dramaturg.scenes.audioplay.export import export_audioplay
from dramaturg.scenes.audioplay.recordings import OnLine
from dramaturg.scenes.audioplay.voicing import voice_scene
from dramaturg.scenes.author.inbox import Directions, end_asked
from dramaturg.scenes.debug import render_debug
from dramaturg.scenes.directions.direction import TOPIC
from dramaturg.scenes.events import SCENE_EVENTS, SceneEvent, SceneReopened, SceneRun
from dramaturg.scenes.exports import Format
from dramaturg.scenes.fork import is_revised_since_its_end
from dramaturg.scenes.insight.ablation import ablation_of, try_causes
from dramaturg.scenes.insight.ablation_text import ablation_text
from dramaturg.scenes.insight.account import occasion_of_line
from dramaturg.scenes.insight.events import WHY_EVENTS, WhyEvent, WhyRun
from dramaturg.scenes.insight.state import WHY_FOLD, WhyState
from dramaturg.scenes.memory.run_hooks import remember
from dramaturg.scenes.outputs import write_outputs
from dramaturg.scenes.play import Production, play_scene
from dramaturg.scenes.previews import LivePreviews
from dramaturg.scenes.scene import named_scene
from dramaturg.scenes.seats.message import seat_topic
from dramaturg.scenes.stage import SeatAccess, stage_scene
from dramaturg.scenes.state import SCENE_FOLD, SceneState
from dramaturg.scenes.store import MemoryStore
from dramaturg.scenes.wire import SceneResult, result_of
from dramaturg.voices.export import ProgrammeExport
from dramaturg.voices.lazy_booth import LazyBooth
from dramaturg.voices.listen import ListenRequest
from dramaturg.voices.voicing import VoicedLines, VoicingRequest

_BEAT = re.compile(r"beat-(\d{1,18})/")


class SceneKind(Kind[SceneEvent, SceneState]):
    """A scene: played to its end, remembered by its cast, written to four files. `also` names further formats."""

    name = "scene"
    noun = "a scene"
    has_cast = True
    views = ("transcript", "result", "fork", "why", "exports")
    patient = True
    events = SCENE_EVENTS
    fold = SCENE_FOLD

    def __init__(self, resources: Resources, memory: MemoryStore, booth: LazyBooth) -> None:
        self._resources = resources
        self._memory = memory
        self._booth = booth
        self.also: tuple[Format, ...] = ()
        # One at a time: many threads writing files would only contend and delay the scenes.
        self._filing = Lock()
        self._results: WeakKeyDictionary[SceneRun, tuple[int, SceneResult]] = WeakKeyDictionary()
        """What was in the files of runs that were played here, and up to which entry of the log."""

    async def play(self, performance: Performance[SceneEvent, SceneState]) -> None:
        """Play a scene to its end, keep what its cast remembers, and write its files."""
        run, settings = performance.run, self._resources.settings
        asks_for_memories = settings.scenes.memory_texts and performance.state.scene.config.remembers
        memory_models = self._resources.models(performance) if asks_for_memories else None
        inboxes = self._resources.runs.inboxes
        directions = Directions(inboxes.of(run.id, TOPIC))
        seats = SeatAccess(
            lambda name: inboxes.of(run.id, seat_topic(name)),
            performance.put,
            lambda: end_asked(inboxes.of(run.id, TOPIC), performance.state.steering.taken),
        )

        def staged() -> Production:
            production = stage_scene(run, settings, self._resources.models(performance), seats)
            return replace(production, directions=directions, restage=staged)

        production = staged()
        await self._resources.gateway.ready()
        await play_scene(performance, production)
        state = performance.state
        await remember(run, self._memory, memory_models, state)
        async with self._filing:
            read = run.seq
            result = await to_thread(write_outputs, self._resources.artifacts, run, self.also, state)
        self._results[run] = read, result

    def limits(self, state: SceneState) -> Limits:
        """The scene's budget as its file has it now, so that it can be raised; else as it had it at the start."""
        if state.opened is None:
            return Limits()
        own = state.opened.config.budget
        with suppress(DramaturgError):
            own = named_scene(self._resources.settings.project, state.opened.config.name).budget
        return Limits(own.tokens, own.usd) if own else Limits()

    async def files(self, performance: Performance[SceneEvent, SceneState]) -> None:
        async with self._filing:
            await to_thread(write_outputs, self._resources.artifacts, performance.run, self.also)
        await remember(performance.run, self._memory)

    def resumes_alone(self, record: RunRecord) -> bool:
        return record.parent_id is not None or "act" not in about(record)  # its act plays it on

    def show(self, run: SceneRun) -> str:
        return self.result(run).transcript

    def debug(self, run: SceneRun) -> str:
        return render_debug(run.entries)

    def result(self, run: SceneRun) -> SceneResult:
        read, result = self._results.get(run, (0, None))
        return result if result is not None and read == run.seq else result_of(run.id, run.entries)

    def reopened(self, run: SceneRun) -> tuple[SceneEvent, ...]:
        """A scene whose goal is not met any more, or not yet, can be played on once its author has changed a line."""
        state = self.fold(run.entries)
        ended = state.ended
        if ended is None or ended.goal_achieved or not is_revised_since_its_end(run.entries):
            return ()
        if ended.beats >= state.scene.config.max_beats:
            raise InvalidConfig(
                f"Run {run.id} has played all of its {ended.beats} beats. Play on in a fork at an earlier line, or "
                "fork it at an earlier beat.",
                run=run.id,
            )
        return (SceneReopened(),)

    def step_of(self, key: str) -> int | None:
        found = _BEAT.match(key)
        return int(found[1]) if found else None

    def previews(self, performance: Performance[SceneEvent, SceneState]) -> LivePreviews:
        return LivePreviews(performance)

    async def voice(
        self, run: SceneRun, asked: VoicingRequest, on_line: OnLine = lambda done, total: None
    ) -> VoicedLines:
        """Have lines of a scene spoken, for the first time or anew."""
        booth, resources = await self._booth.open(asked.engine), self._resources
        voiced = await voice_scene(run, booth, resources.artifacts, resources.settings.voices, asked, on_line)
        return replace(voiced, remarks=(*filter(None, [booth.remark]), *voiced.remarks))

    async def listen(self, run: SceneRun, request: ListenRequest) -> ProgrammeExport:
        booth = await self._booth.open(request.engine)
        resources = self._resources
        export = await export_audioplay(run, booth, resources.artifacts, resources.settings.voices, request)
        return replace(export, remarks=(*filter(None, [booth.remark]), *export.remarks))


class WhyKind(Kind[WhyEvent, WhyState]):
    """The test of a line's causes: its beat is asked again, with one cause removed at a time."""

    name = "why"
    noun = "a test of a line"
    patient = True
    views = ("ablation",)
    events = WHY_EVENTS
    fold = WHY_FOLD

    def __init__(self, resources: Resources, scene: SceneKind) -> None:
        self._resources = resources
        self._scene = scene

    async def play(self, performance: Performance[WhyEvent, WhyState]) -> None:
        """Ask the remaining questions."""
        asking = performance.state.question
        if asking is None:
            raise AssertionError("a run of this kind begins with its question")
        scene = await self._resources.runs.open_as(self._scene, asking.run)
        occasion = occasion_of_line(scene.entries, asking.line)
        model = self._resources.models(performance)(asking.model, asking.character)
        await try_causes(performance.run, occasion, model, self._resources.settings)

    def documents(self, run: WhyRun) -> Iterator[object]:
        found = ablation_of(run.entries)
        yield {"run": run.id, "ablation": found.model_dump(mode="json", by_alias=True) if found else None}

    def show(self, run: WhyRun) -> str:
        found = ablation_of(run.entries)
        if found is None:
            return f"The test was not finished. Resume it with: dramaturg runs resume {run.id}\n"
        return ablation_text(found, run.id)
