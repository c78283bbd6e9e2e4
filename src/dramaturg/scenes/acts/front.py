"""The front of acts: every operation that the CLI and the server offer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.runs import Resources
from dramaturg.kernel.runs.copies import check_seed
from dramaturg.scenes.acts.act import ActConfig
from dramaturg.scenes.acts.check import ActCheck, check_act, check_budget
from dramaturg.scenes.acts.events import ActForked, ActOpened, ActRun, ActSceneEnded, ActSceneStarted
from dramaturg.scenes.acts.kind import ActKind
from dramaturg.scenes.acts.state import act_state
from dramaturg.scenes.acts.wire import ActResult
from dramaturg.scenes.exports import Format
from dramaturg.scenes.front import Scenes
from dramaturg.scenes.scene import SceneConfig, named_scene
from dramaturg.voices.lazy_booth import LazyBooth


class Acts:
    """The acts of a story project: check, open, read, export and fork them."""

    def __init__(self, resources: Resources, scenes: Scenes, booth: LazyBooth) -> None:
        self._resources = resources
        self._scenes = scenes
        self.kind = ActKind(resources, scenes, booth)

    async def check(self, act: ActConfig, *, model: str | None = None) -> ActCheck:
        """What an act would be played with; nothing is written. Raises what opening it would raise."""
        return await self._checked(act, model)

    async def open(
        self,
        act: ActConfig,
        *,
        model: str | None = None,
        seed: int | None = None,
        run_id: str | None = None,
        about: str = "{}",
    ) -> ActRun:
        """A new run, ready to play. Nothing is written before every scene, card, model and condition is checked."""
        await self._checked(act, model)
        chosen = seed if seed is not None else act.seed
        opened = ActOpened(config=act, model=model, seed=chosen, folder=self._folder(act.name))
        seeded = chosen if chosen is not None else self._resources.settings.seed
        return await self._resources.runs.create(
            self.kind, act.name, 1 if seeded is None else seeded, about, run_id=run_id, opening=(opened,)
        )

    async def open_run(self, run_id: str) -> ActRun:
        """An act's run with its log, read-only. Raises NotFound for a run of another kind."""
        return await self._resources.runs.open_as(self.kind, run_id)

    def result(self, run: ActRun) -> ActResult:
        """The outcome of a run so far, ended or not."""
        return self.kind.result(run)

    async def export(self, run: ActRun, form: Format) -> str:
        """An act in one format."""
        return await self.kind.export(run, form)

    async def fork(self, run_id: str, scene: int, *, model: str | None = None, seed: int | None = None) -> ActRun:
        """A new run that shares another's scenes before this one and plays on from its beginning.

        Without `model` or `seed` it goes on with those of the other.
        """
        check_seed(seed or 0)
        parent = await self.open_run(run_id)
        at = _fork_point(parent, scene)
        opened = act_state(parent.entries[:at]).act
        forked = ActForked(
            parent=parent.id,
            number=scene,
            model=model or opened.model,
            seed=opened.seed if seed is None else seed,
            folder=self._folder(opened.config.name),
        )
        await self._checked(opened.config, forked.model)
        return await self._resources.runs.fork(parent.id, at, opening=(forked,))

    async def _checked(self, act: ActConfig, model: str | None) -> ActCheck:
        project = self._resources.settings.project
        configs: Mapping[str, SceneConfig] = {step.scene: _scene_of(act, step.scene, project) for step in act.scenes}
        checks = {name: await self._scenes.check(config, model=model) for name, config in configs.items()}
        found = check_act(act, configs, checks)
        check_budget(act, configs[act.scenes[0].scene], self._resources.settings)
        return found

    def _folder(self, name: str) -> str:
        """A new folder for the files of one performance, below the data."""
        artifacts = self._resources.artifacts
        return artifacts.numbered(f"acts/{name}").relative_to(artifacts.root).as_posix()


def _scene_of(act: ActConfig, name: str, project: Path) -> SceneConfig:
    try:
        return named_scene(project, name)
    except NotFound as error:
        raise NotFound(
            f"The act '{act.name}' names a scene that is not there. {error.message}", **error.context
        ) from error


def _fork_point(run: ActRun, scene: int) -> int:
    """The number of the last entry before a scene began, as the transcript counts scenes. Raises NotFound."""
    ended = 0
    for entry in run.entries:
        if isinstance(entry.event, ActSceneStarted) and ended == scene - 1:
            return entry.seq - 1
        ended += isinstance(entry.event, ActSceneEnded)
    begun = ended + (act_state(run.entries).current is not None)
    which = f"one of its scenes 1 to {begun}" if begun else "a scene once one has begun"
    raise NotFound(f"Scene {scene} of this act was not played; fork it at {which}.", scene=scene)
