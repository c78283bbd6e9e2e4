"""What the run of an act is: its scenes are runs of their own, which it plays, counts and gathers."""

from __future__ import annotations

import re
from asyncio import to_thread
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from dramaturg.kernel.errors import DramaturgError, InvalidConfig, NotFound
from dramaturg.kernel.runs import Entry, Kind, Limits, Performance, Resources, RunForked
from dramaturg.kernel.runs.events import Event, ModelAnswered
from dramaturg.kernel.text.control import visible
from dramaturg.scenes.acts.act import named_act
from dramaturg.scenes.acts.events import ACT_EVENTS, ActEvent, ActRun
from dramaturg.scenes.acts.play import ActPlayer
from dramaturg.scenes.acts.script import ActScript, act_script
from dramaturg.scenes.acts.state import ACT_FOLD, ActState, act_state
from dramaturg.scenes.acts.wire import ActDocument, ActResult, act_metadata, act_result
from dramaturg.scenes.audioplay.export import export_lines
from dramaturg.scenes.audioplay.recordings import OnLine, cast_voices
from dramaturg.scenes.audioplay.script import script_lines
from dramaturg.scenes.audioplay.voicing import VoicedScript, voice_lines
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.exports import Format, render_script
from dramaturg.scenes.exports.fountain import render_scenes
from dramaturg.scenes.front import Scenes
from dramaturg.scenes.wire import document_of
from dramaturg.voices.export import ProgrammeExport, export_target
from dramaturg.voices.lazy_booth import LazyBooth
from dramaturg.voices.listen import ListenRequest
from dramaturg.voices.voicing import VoicedLines, VoicingRequest

_SCENE = re.compile(r"scene-(\d{1,18})/")


class ActKind(Kind[ActEvent, ActState]):
    """An act: its scenes are played in order, each as a run of its own, and written to one set of files."""

    name = "act"
    noun = "an act"
    views = ("transcript", "exports")
    step = "scene"
    events = ACT_EVENTS
    fold = ACT_FOLD

    def __init__(self, resources: Resources, scenes: Scenes, booth: LazyBooth) -> None:
        self._resources = resources
        self._scenes = scenes
        self._booth = booth
        self.also: tuple[Format, ...] = ()

    async def play(self, performance: Performance[ActEvent, ActState]) -> None:
        await ActPlayer(performance, self._resources, self._scenes).play()
        await self.files(performance)

    def limits(self, state: ActState) -> Limits:
        """The act's budget as its file has it now, so that it can be raised; else as it had it at the start."""
        if state.opened is None:
            return Limits()
        own = state.opened.config.budget
        with suppress(DramaturgError):
            own = named_act(self._resources.settings.project, state.opened.config.name).budget
        return Limits(own.tokens, own.usd) if own else Limits()

    async def files(self, performance: Performance[ActEvent, ActState]) -> None:
        run = performance.run
        await ActPlayer(performance, self._resources, self._scenes).rest()
        scenes = [scene for _, scene in await self.scenes_of(run)]
        await to_thread(self._write, run, scenes)

    def _write(self, run: ActRun, scenes: Sequence[SceneRun]) -> None:
        state, result = act_state(run.entries), self.result(run)
        files = {
            "transcript.txt": visible(result.transcript),
            "metadata.json": result.metadata.model_dump_json(indent=2) + "\n",
            "debug.log": visible(self.debug(run)),
            "act.json": self._document(run, scenes).model_dump_json(indent=2) + "\n",
        }
        script = act_script(state, scenes) if self.also else None
        for form in self.also if script else ():
            if script and form not in ("json", "txt"):  # those two are written above, under their own names
                files[f"act.{form}"] = _rendered(script, form)
        self._resources.artifacts.write_folder(state.folder, files)

    def show(self, run: ActRun) -> str:
        return self.result(run).transcript

    def result(self, run: ActRun) -> ActResult:
        return act_result(run.id, run.entries)

    def parts(self, run: ActRun) -> tuple[str, ...]:
        return tuple(dict.fromkeys(begun.run for begun in act_state(run.entries).begun))

    async def scenes_of(self, run: ActRun) -> list[tuple[int, SceneRun]]:
        """The runs of the scenes that are in the transcript or being played, numbered as there, if they still exist."""
        found = []
        for record in act_metadata(run.entries, act_state(run.entries)).scenes:
            with suppress(NotFound):
                found.append((record.number, await self._scenes.open_run(record.run)))
        return found

    async def export(self, run: ActRun, form: Format) -> str:
        """The act in one format. Raises InvalidConfig if a scene's run, or all of them, are gone."""
        if form == "txt":
            return self.show(run)
        scenes = await self._all_scenes(run)
        if form == "json":
            return self._document(run, scenes).model_dump_json(indent=2) + "\n"
        return _rendered(_script(run, scenes), form)

    async def voice(
        self, run: ActRun, asked: VoicingRequest, on_line: OnLine = lambda done, total: None
    ) -> VoicedLines:
        """Have lines of an act spoken, for the first time or anew; they are numbered through all scenes."""
        script = _script(run, await self._all_scenes(run))
        booth, resources = await self._booth.open(asked.engine), self._resources
        casting = cast_voices(script.whole.cast, script.cards, booth, resources.settings.voices)
        lines = script_lines(script.whole, script.unsaid, chapter=script.chapter)
        folder = f"{act_state(run.entries).folder}/lines"
        spoken = VoicedScript("act", script.whole.title, folder, lines)
        voiced = await voice_lines(spoken, casting, booth, resources.artifacts, asked, on_line)
        return replace(voiced, remarks=(*filter(None, [booth.remark]), *voiced.remarks))

    async def listen(self, run: ActRun, request: ListenRequest) -> ProgrammeExport:
        """All scenes as one audio play, with a chapter for each."""
        script = _script(run, await self._all_scenes(run))
        booth, resources = await self._booth.open(request.engine), self._resources
        folder = act_state(run.entries).folder
        target = export_target(run.id, self.name, resources.artifacts, folder, request.out)
        casting = cast_voices(script.whole.cast, script.cards, booth, resources.settings.voices)
        lines = script_lines(script.whole, script.unsaid, narrator=request.narrator, chapter=script.chapter)
        title = script.whole.title
        export = await export_lines(
            lines, casting, booth, resources.artifacts, target, request, title=title, folder=f"{folder}/lines"
        )
        return replace(export, remarks=(*filter(None, [booth.remark]), *export.remarks))

    async def paid_entries(self, run: ActRun) -> Sequence[Entry[Any]]:
        """The answers of all its scenes; the key of each says in which it was asked for."""
        state = act_state(run.entries)
        numbers = {one.run: one.number for one in act_metadata(run.entries, state).scenes}
        found: list[Entry[Event]] = []
        for place, begun in enumerate(state.begun):
            if state.forked and place == state.shared:
                found.append(_entry(len(found), RunForked(parent=state.forked.parent, at=0)))
            with suppress(NotFound):
                scene = await self._scenes.open_run(begun.run)
                for answered in (one.event for one in scene.entries if isinstance(one.event, ModelAnswered)):
                    key = f"scene-{numbers.get(begun.run, 0)}/{answered.key}"
                    found.append(_entry(len(found), answered.model_copy(update={"key": key})))
        return found

    def step_of(self, key: str) -> int | None:
        found = _SCENE.match(key)
        return int(found[1]) if found else None

    async def _all_scenes(self, run: ActRun) -> list[SceneRun]:
        wanted = act_metadata(run.entries, act_state(run.entries)).scenes
        found = dict(await self.scenes_of(run))
        missing = [record for record in wanted if record.number not in found]
        if missing:
            gone = ", ".join(f"{record.name} (run {record.run})" for record in missing)
            raise InvalidConfig(
                f"Scenes of this act are gone: {gone}. Its transcript is still there: dramaturg runs show {run.id}",
                run=run.id,
            )
        return list(found.values())

    def _document(self, run: ActRun, scenes: Sequence[SceneRun]) -> ActDocument:
        state = act_state(run.entries)
        return ActDocument(
            run=run.id,
            config=state.act.config,
            documents=tuple(document_of(scene.id, scene.entries) for scene in scenes),
            metadata=act_metadata(run.entries, state),
        )


def _script(run: ActRun, scenes: Sequence[SceneRun]) -> ActScript:
    script = act_script(act_state(run.entries), scenes)
    if script is None:
        raise InvalidConfig(f"No scene of act {run.id} has begun yet, so there is nothing to export.", run=run.id)
    return script


def _rendered(script: ActScript, form: Format) -> str:
    if form == "fountain":
        return render_scenes(script.whole, script.parts)
    return render_script(script.whole, form)


def _entry(place: int, event: Event) -> Entry[Event]:
    return Entry(seq=place + 1, at=0.0, event=event)
