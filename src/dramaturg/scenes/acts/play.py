"""The loop of an act: begin a scene or take it up again, play it as a run of its own, and see where it leads.

The log says where to go on. A scene's run has an id that follows from the act's, so an act that is killed at any moment
finds the scene it had begun, and nothing that was paid for is asked again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import TypeAlias, TypeVar

import orjson

from dramaturg.kernel.errors import BudgetExceeded, ModelUnavailable, NotFound
from dramaturg.kernel.models.budget import Budget
from dramaturg.kernel.runs import BudgetRaised, Limits, Performance, Resources, answers
from dramaturg.kernel.runs.costs import charge, raised_budget
from dramaturg.kernel.runs.ids import id_for
from dramaturg.scenes.acts.act import END
from dramaturg.scenes.acts.ending import ending_of, way_on
from dramaturg.scenes.acts.events import ActEnded, ActEvent, ActSceneEnded, ActSceneResumed, ActSceneStarted
from dramaturg.scenes.acts.state import ActState
from dramaturg.scenes.acts.transcript import scene_text
from dramaturg.scenes.events import NO_CAST, SceneRun
from dramaturg.scenes.front import Scenes
from dramaturg.scenes.memories import Aftermath
from dramaturg.scenes.memory.aftermath import aftermath
from dramaturg.scenes.scene import SceneConfig, named_scene
from dramaturg.scenes.state import scene_state
from dramaturg.scenes.wire import metadata_of

ActPerformance: TypeAlias = Performance[ActEvent, ActState]
N = TypeVar("N", int, float)


class ActPlayer:
    """Plays the scenes of one act."""

    def __init__(self, performance: ActPerformance, resources: Resources, scenes: Scenes) -> None:
        self._performance = performance
        self._resources = resources
        self._scenes = scenes

    @property
    def _state(self) -> ActState:
        return self._performance.state

    async def play(self) -> None:
        """Play to the end of the act, from where its log stands."""
        while self._state.ended is None:
            again = await self._taken_up()
            begun = again or await self._begin()
            if begun is None:
                await self._performance.write(ActEnded(scenes=len(self._state.played)))
            else:
                await self._perform(begun, again=again is not None)
                await self._conclude(begun, await self._scenes.open_run(begun.run))

    async def _taken_up(self) -> ActSceneStarted | None:
        """The scene that was begun before, unless it must be begun anew: it was deleted, or its cast failed."""
        current = self._state.current
        if current is None:
            return None
        try:
            ended = scene_state((await self._scenes.open_run(current.run)).entries).ended
        except NotFound:
            return None
        failed = ended is not None and ended.reason == NO_CAST and not self._expects(NO_CAST, current.name)
        return None if failed else current

    async def _begin(self) -> ActSceneStarted | None:
        """Open the next scene, or the same one anew; None at the end of the act."""
        name = self._state.current.name if self._state.current else self._state.upcoming
        if name == END:
            return None
        act, step = self._state.act, self._state.act.config.step(name)
        config = named_scene(self._resources.settings.project, step.scene)
        number = len(self._state.begun) + 1
        run_id = self._run_of(number)
        if await self._resources.runs.known(run_id) is None:
            self._left(await self.begun_runs())  # nothing is opened on a budget that is spent
            about = orjson.dumps({"act": self._performance.id, "scene": number}).decode()
            earlier = await self._remembered(config)
            await self._scenes.open(config, model=act.model, seed=act.seed, run_id=run_id, about=about, earlier=earlier)
        begun = ActSceneStarted(
            number=number, name=name, scene=step.scene, run=run_id, remarks=await self._remarks(name, run_id)
        )
        await self._performance.write(begun)
        return begun

    async def _perform(self, begun: ActSceneStarted, *, again: bool) -> None:
        """Play the scene's run to its end, or wait for whoever plays it here already."""
        engine, runs = self._resources.engine, self._resources.runs
        await engine.settled(begun.run)
        if (await runs.get(begun.run)).status == "ended":
            return
        limits = await self._limits_of(await self._scenes.open_run(begun.run))
        scene = await engine.adopt(begun.run)
        given = raised_budget(scene.run.entries)
        if limits != (Limits(given.tokens, given.usd) if given else Limits()):
            await scene.write(BudgetRaised(tokens=limits.tokens, usd=limits.usd))
        if again:
            await self._resume(scene.run)
        await self._finished(engine.start(scene), begun.run)

    async def _resume(self, run: SceneRun) -> None:
        paid = len(answers(run.entries))
        await self._performance.write(ActSceneResumed(run=run.id, answers=paid, is_new=paid > self._state.answers))

    async def _finished(self, task: asyncio.Task[None], run_id: str) -> None:
        """Wait for a scene; who cancels the act cancels its scene. Raises what the scene raised."""
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError:
            await self._resources.engine.cancel(run_id)
            raise
        task.result()

    async def rest(self) -> None:
        """Leave no scene behind that looks as if it were played: one that was opened, and not started or stopped."""
        runs, engine = self._resources.runs, self._resources.engine
        current = self._state.current
        for run_id in (*([current.run] if current else []), self._run_of(len(self._state.begun) + 1)):
            with suppress(NotFound):
                record = await runs.get(run_id)
                if record.status == "playing" and runs.holds(record) and not engine.is_playing(run_id):
                    await runs.mark_record(record, "stopped")

    def _run_of(self, number: int) -> str:
        return id_for("act", f"{self._performance.id}/{number}")

    async def _conclude(self, begun: ActSceneStarted, run: SceneRun) -> None:
        """Write down how the scene ended, and what follows."""
        state = scene_state(run.entries)
        ending = ending_of(state)
        if ending.reason == NO_CAST and not self._expects(NO_CAST, begun.name):
            last = state.failures[-1].error if state.failures else "no answer came"
            raise ModelUnavailable(
                f"The cast of '{begun.name}' could not answer, so the act stopped there: {last}. Once it can, resume "
                "the act; that scene is then played again from its beginning.",
                run=run.id,
            )
        follows = way_on(self._state.act.config, begun.name, ending)
        await self._performance.write(
            ActSceneEnded(
                number=begun.number,
                name=begun.name,
                run=run.id,
                ending=ending,
                text=scene_text(state),
                metadata=metadata_of(run.entries, state),
                then=follows.target,
                because=follows.because,
            )
        )

    def _expects(self, reason: str, name: str) -> bool:
        """Whether the author wrote what follows if the scene ends for this reason."""
        return any(branch.when and branch.when.ended == reason for branch in self._state.act.config.step(name).then)

    # What earlier scenes leave: memories, exits, a smaller budget.

    async def begun_runs(self, *, own: bool = True) -> list[SceneRun]:
        """The runs of the scenes that were begun; of a fork, only its `own`. Those that were deleted are left out."""
        begun = self._state.begun[self._state.shared :] if own else self._state.begun
        found = []
        for one in begun:
            try:
                found.append(await self._scenes.open_run(one.run))
            except NotFound:
                continue
        return found

    async def _remembered(self, config: SceneConfig) -> list[Aftermath]:
        """What the earlier scenes of this act left in their casts, as far as it is not stored for this scene anyway."""
        if not self._state.act.config.remembers:
            return []
        played = {event.run for event in self._state.played}
        runs = [run for run in await self.begun_runs(own=False) if run.id in played]
        stored = [config.remembers and scene_state(run.entries).scene.config.remembers for run in runs]
        return [aftermath(run.id, run.entries) for run, known in zip(runs, stored, strict=True) if not known]

    async def _remarks(self, name: str, run_id: str) -> tuple[str, ...]:
        """Who went off in an earlier scene and is on stage again: perhaps meant so, perhaps overlooked."""
        gone: dict[str, str] = {}
        for played in self._state.played:
            gone = {who: scene for who, scene in gone.items() if who not in played.ending.cast}
            gone.update(dict.fromkeys(played.ending.left, played.name))
        if not gone:
            return ()
        state = scene_state((await self._scenes.open_run(run_id)).entries)
        here = [state.member(one).display_name for one in state.on_stage(0)]
        return tuple(
            f"{who} went off in '{gone[who]}' and is on stage when '{name}' begins." for who in here if who in gone
        )

    async def _limits_of(self, run: SceneRun) -> Limits:
        """What is left of the act's budget for a scene; its own limit still holds."""
        own = self._scenes.kind.limits(scene_state(run.entries))
        left = self._left([one for one in await self.begun_runs() if one.id != run.id])
        return Limits(_least(own.tokens, left.tokens), _least(own.usd, left.usd))

    def _left(self, others: Sequence[SceneRun]) -> Limits:
        """What these scenes leave of the act's budget. Raises BudgetExceeded if that is nothing."""
        whole, spent = self._resources.limits(self._performance), Budget()
        for run in others:
            charge(spent, run.entries)
        left = Limits(
            None if whole.tokens is None else whole.tokens - spent.spent_tokens,
            None if whole.usd is None else round(whole.usd - spent.spent_usd, 9),
        )
        if (left.tokens is not None and left.tokens <= 0) or (left.usd is not None and left.usd <= 0):
            raise BudgetExceeded(
                f"The budget of this act is spent: its scenes used {spent.spent_tokens:,} tokens and "
                f"${spent.spent_usd:.4f}. Raise it in the act, under [budget], or resume with --budget.",
                spent_tokens=spent.spent_tokens,
                spent_usd=spent.spent_usd,
            )
        return left


def _least(one: N | None, other: N | None) -> N | None:
    return min((limit for limit in (one, other) if limit is not None), default=None)
