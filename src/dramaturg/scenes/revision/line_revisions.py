"""Revising the lines of a run that nobody plays: retake, choose, edit, strike; in place, or played on in a fork."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from dramaturg.kernel.errors import DramaturgError, RunFenced
from dramaturg.kernel.runs import Resources
from dramaturg.kernel.runs.events import Entry, Event, RunStopped
from dramaturg.kernel.store import RunRecord, Status
from dramaturg.kernel.text.digits import whole_number
from dramaturg.scenes.audit import audit_line
from dramaturg.scenes.events import SceneEvent, SceneForked, SceneRun, VerdictReached
from dramaturg.scenes.fork import new_folder
from dramaturg.scenes.insight.account import find_line
from dramaturg.scenes.kind import SceneKind
from dramaturg.scenes.moderator import end_again
from dramaturg.scenes.play import ScenePerformance
from dramaturg.scenes.revision.carried import carried, play_on_point
from dramaturg.scenes.revision.changes import LineChange, revision_of, set_aside, spoken_line
from dramaturg.scenes.revision.retake import Retake
from dramaturg.scenes.revision.wire import LineTakes, RevisedScene, revised_scene, takes_table
from dramaturg.scenes.stage import stage_scene
from dramaturg.scenes.state import SCENE_FOLD, SceneState, scene_state


class LineRevisions:
    """The author's changes to what was said. The log keeps everything; only what stands in the transcript changes."""

    def __init__(self, resources: Resources, kind: SceneKind) -> None:
        self._resources, self._kind = resources, kind
        self._busy: set[str] = set()

    async def takes(self, run_id: str, what: str) -> LineTakes:
        """The takes of a line, by its number or words that no other line has."""
        run = await self._open(run_id)
        return takes_table(run.id, run.entries, line_number(run.entries, what))

    async def retake(self, run_id: str, what: str, count: int = 1) -> LineTakes:
        """Ask for a line again, so many times, with exactly what its speaker had heard. The line itself stays.

        Raises what the model raises if no take came of it; then nothing has changed.
        """
        async with self._held(run_id) as performance:
            run = performance.run
            number = line_number(run.entries, what)
            retake = Retake(run.entries, performance.state, number, self._resources.settings)
            member = retake.occasion.member
            model = self._resources.models(performance)(member.model, member.name)
            await self._resources.gateway.ready()
            await performance.write(*await retake.asked(model, count))
            await self._settle(performance)
            await self._kind.files(performance)
        return takes_table(run.id, run.entries, number)

    async def revise(self, run_id: str, what: str, change: LineChange) -> RevisedScene:
        """Change a line in place; what follows it stands as it was said, and the metadata says so.

        The judge is asked once about the scene as it now is. A scene that had ended gets the end that is true now.
        """
        async with self._held(run_id) as performance:
            run = performance.run
            number = line_number(run.entries, what)
            events = revision_of(run.entries, number, change)
            await performance.write(*events, *set_aside(run.entries, performance.state))
            performance.put(*audit_line(performance.state, number))
            if performance.state.judged >= 0:
                await performance.write(await self._judged(performance))
            ended = end_again(performance.state)
            if ended is not None:
                await performance.write(ended)
            await self._settle(performance)
            await self._kind.files(performance)
        return revised_scene(run.id, run.entries, number)

    async def play_on(self, run_id: str, what: str, change: LineChange) -> SceneRun:
        """A fork at a line, with the change made, ready to be played on; the run itself stays as it is."""
        parent = await self._open(run_id)
        number = line_number(parent.entries, what)
        state = scene_state(parent.entries)
        line = spoken_line(state, number) or next(take.line for take in state.takes[number] if take.line)
        at = play_on_point(parent.entries, line.beat)
        shared = (*parent.entries[:at], *_entries(carried(parent.entries, at), at))
        events = revision_of(shared, number, change)
        revised: SceneState = SCENE_FOLD(shared).after(events)
        scene = scene_state(shared).scene
        forked = SceneForked(
            parent=parent.id,
            beat=line.beat,
            folder=new_folder(self._resources.artifacts, scene.config.name),
            models={member.name: member.model for member in scene.cast},
            director=scene.director,
            agent=scene.agent,
        )
        earlier = [entry.event for entry in shared[at:]]
        opening = (forked, *earlier, *events, *audit_line(revised, number))
        return await self._resources.runs.fork(parent.id, at, opening=opening)

    async def _open(self, run_id: str) -> SceneRun:
        return await self._resources.runs.open_as(self._kind, run_id)

    async def _judged(self, performance: ScenePerformance) -> VerdictReached:
        """The verdict on the scene as it now is; unscored if the judge cannot be asked."""
        state = performance.state
        try:
            production = stage_scene(performance.run, self._resources.settings, self._resources.models(performance))
            await self._resources.gateway.ready()
            return await production.judge.judge(state, state.judged, again=f"#revision-{state.revisions}")
        except DramaturgError as error:
            kept = state.verdict.model_copy(update={"natural_end": False, "refused": ()})
            return VerdictReached(beat=state.judged, verdict=kept, unscored=error.message)

    async def _settle(self, performance: ScenePerformance) -> None:
        """A run that was stopped stays stopped, for the same reason."""
        if performance.state.ended is not None:
            return
        stopped = [entry.event for entry in performance.run.entries if isinstance(entry.event, RunStopped)]
        if stopped:
            await performance.write(stopped[-1])

    @asynccontextmanager
    async def _held(self, run_id: str) -> AsyncIterator[ScenePerformance]:
        """A run in the hands of this process while it is changed; afterwards it is what it was."""
        runs = self._resources.runs
        record = await runs.get_as(self._kind, run_id)
        self._check_free(record)
        self._busy.add(record.id)
        try:
            run = await runs.adopt(record)
            taken = False
            try:
                with runs.leases.stoppable(run.id):
                    yield runs.perform(run)
            except RunFenced:
                taken = isinstance(run.failure, RunFenced)
                raise
            finally:
                if not taken:  # else somebody else holds it now
                    await asyncio.shield(runs.mark(run, _after(record)))
        finally:
            self._busy.discard(record.id)

    def _check_free(self, record: RunRecord) -> None:
        runs = self._resources.runs
        if record.id in self._busy:
            raise RunFenced(f"Run {record.id} is being changed already; wait until that is done.", run=record.id)
        if self._resources.engine.is_playing(record.id):
            raise RunFenced(f"Run {record.id} is being played; stop it before you change its lines.", run=record.id)
        if runs.is_held_elsewhere(record):
            raise RunFenced(self._kind.held_elsewhere(record), run=record.id)


def line_number(entries: Sequence[Entry[Event]], what: str) -> int:
    """The number of a line that was said, struck or not. Raises NotFound, or InvalidConfig for another entry."""
    state = scene_state(entries)
    number = whole_number(what.strip())
    number = number if number is not None and number in state.takes else find_line(entries, what).number
    spoken_line(state, number)
    return number


def _after(record: RunRecord) -> Status:
    return "stopped" if record.status == "playing" else record.status


def _entries(events: Sequence[SceneEvent], at: int) -> list[Entry[SceneEvent]]:
    return [Entry(seq=seq, at=0.0, event=event) for seq, event in enumerate(events, start=at + 1)]
