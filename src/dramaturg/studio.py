"""The composition root: settings in, a wired studio out. The only place that picks implementations."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from dramaturg.cluster.limits import SharedLimits, open_shared_store
from dramaturg.cluster.object_store import open_artifacts
from dramaturg.cluster.worker import engine_of
from dramaturg.heap import settle_heap
from dramaturg.kernel.clock import Clock
from dramaturg.kernel.models.gateway import Gateway, ModelChoice
from dramaturg.kernel.runs import BudgetRaised, Kind, Kinds, Limits, Performance, Resources, Run, RunLibrary
from dramaturg.kernel.runs.cancellation import cancel_run
from dramaturg.kernel.runs.previews import with_previews
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import RunRecord, Store
from dramaturg.own_models import own_models
from dramaturg.trust import check_project, require_consent
from dramaturg.voices.lazy_booth import LazyBooth
from dramaturg.voices.listen import ListenRequest, listenable
from dramaturg.workshop.works.table import WORKS

if TYPE_CHECKING:
    from pathlib import Path

    from dramaturg.ensemble.front import EnsembleSessions
    from dramaturg.episodes.front import Episodes
    from dramaturg.kernel.models.port import Model
    from dramaturg.kernel.models.prices import Price
    from dramaturg.kernel.runs.digest import RunDigest
    from dramaturg.kernel.runs.events import Audience, Entry
    from dramaturg.kernel.values import WireValue
    from dramaturg.scenes.acts.front import Acts
    from dramaturg.scenes.front import Scenes
    from dramaturg.transfer.deletion import RunDeletion
    from dramaturg.transfer.moves import Exported, Imported
    from dramaturg.voices.export import ProgrammeExport
    from dramaturg.workshop.front import Workshop


class Studio:
    """One story project, open: its runs, its models, and one front per capability.

    A capability is imported when its front, or a run of its kind, is first used.
    """

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        store: Store,
        gateway: Gateway,
        works: Mapping[str, str] = WORKS,
        *,
        queued: bool = False,
    ) -> None:
        self.limits = SharedLimits(settings, store.database, clock, gateway)
        self._works = works
        self.artifacts = open_artifacts(settings)
        self.booth = LazyBooth(settings, self.artifacts)
        kinds = Kinds(
            {
                "scene": lambda: self.scenes.kind,
                "why": lambda: self.scenes.why_kind,
                "act": lambda: self.acts.kind,
                "episode": lambda: self.episodes.kind,
                "rehearsal": lambda: self.episodes.rehearsals.kind,
                "foreman": lambda: self.workshop.kind,
                "ensemble": lambda: self.ensemble.kind,
                **{name: partial(self._work_kind, name) for name in works},
            }
        )
        self.runs = RunLibrary(store, clock, kinds, settings.store.wait, settings.store.lease)
        self.engine = engine_of(self.runs, store.database, settings, queued=queued)
        self.resources = Resources(settings, clock, self.runs, self.engine, gateway, self.artifacts, store.database)

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        settings: Settings,
        clock: Clock | None = None,
        *,
        trust: bool = False,
        works: Mapping[str, str] = WORKS,
        queued: bool = False,
        models: Mapping[str, Model] | None = None,
    ) -> AsyncIterator[Studio]:
        """The studio for the time of a block; what still plays at its end is cancelled and can be resumed.

        `models` are the program's own, by the names that settings, cards and calls know them by.

        With `queued`, runs may wait for a place, here or elsewhere, if the settings have a queue.

        Raises NotTrusted if the project's file asks for something that its user has not allowed, unless `trust` is set.
        """
        if trust:
            settings = settings.model_copy(update={"asks_first": False})
        check_project(settings.project)
        require_consent(settings)
        clock = clock or Clock()
        settle_heap()
        gateway = Gateway(settings, clock, own_models(models or {}))
        store = await open_shared_store(settings)
        studio = cls(settings, clock, store, gateway, works, queued=queued)
        try:
            yield studio
        finally:
            store.hurry()
            await studio._close()
            await gateway.aclose()
            await studio.limits.close()
            await store.close()

    @property
    def settings(self) -> Settings:
        return self.resources.settings

    @property
    def gateway(self) -> Gateway:
        return self.resources.gateway

    # The fronts of the four capabilities.

    @cached_property
    def scenes(self) -> Scenes:
        from dramaturg.scenes.front import Scenes

        return Scenes(self.resources, self.booth)

    @cached_property
    def acts(self) -> Acts:
        from dramaturg.scenes.acts.front import Acts

        return Acts(self.resources, self.scenes, self.booth)

    @cached_property
    def episodes(self) -> Episodes:
        from dramaturg.episodes.front import Episodes

        return Episodes(self.resources, self.booth)

    @cached_property
    def workshop(self) -> Workshop:
        from dramaturg.workshop.front import Workshop

        return Workshop(self.resources, works=self._works)

    def _work_kind(self, name: str) -> Kind[Any, Any]:
        return self.workshop.works.kind(name)

    @cached_property
    def ensemble(self) -> EnsembleSessions:
        from dramaturg.ensemble.front import EnsembleSessions

        return EnsembleSessions(self.resources, self.booth)

    # Runs, of whatever kind.

    def start(self, run: Run[Any] | Performance[Any, Any]) -> asyncio.Task[None]:
        """Play a run in the background, from where its log stands."""
        return self.engine.start(run if isinstance(run, Performance) else self.runs.perform(run))

    async def adopt(self, run_id: str, budget: Limits | None = None) -> Performance[Any, Any]:
        """Take over a run that was stopped, failed or killed, perhaps with a new budget; `start` plays it on."""
        record = await self.runs.get(run_id)
        self.runs.kind_of(record).check_resumable(record)
        performance = await self.engine.adopt(record.id)
        if budget is not None:
            await performance.write(BudgetRaised(tokens=budget.tokens, usd=budget.usd))
        return performance

    def follow(
        self, run_id: str, after: int = 0, audience: Audience = "public"
    ) -> AsyncIterator[Entry[Any] | WireValue]:
        """The entries of a run for an audience, above a number, and previews of what is being written for it.

        A run that another process plays, or of a kind that shows none, has no previews.
        """
        return with_previews(self.runs.tail(run_id, after, audience), lambda: self.engine.playing(run_id))

    async def resume_unfinished(self) -> list[Performance[Any, Any]]:
        """Play on the runs whose process died."""
        return await self.engine.resume_unfinished()

    async def cancel(self, run_id: str) -> RunRecord:
        """Stop a run, whichever process plays it, and return its record; one that is over stays as it is."""
        return await cancel_run(self.runs, self.engine, run_id)

    async def digests(self, limit: int = 50) -> list[RunDigest]:
        """The newest runs as a list shows them; no capability that plays them is imported."""
        from dramaturg.scenes.digest import SCENE_DIGEST

        return await self.runs.digests.of(await self.runs.find(limit=limit), {"scene": SCENE_DIGEST})

    async def plan_deletions(self, run_ids: Sequence[str]) -> list[RunDeletion]:
        """What deleting these runs would remove; nothing is removed yet. RunFenced if one is played."""
        from dramaturg.scenes.digest import SCENE_DIGEST
        from dramaturg.transfer.deletion import plan_deletions

        return await plan_deletions(self.runs, self.artifacts, run_ids, {"scene": SCENE_DIGEST})

    async def delete(self, run_id: str) -> None:
        """Remove a run and its log; its files and forks stay. RunFenced while it is played."""
        from dramaturg.transfer.deletion import check_deletable

        record = await self.runs.get(run_id)
        check_deletable(self.runs, record)
        await self.runs.delete(record.id)

    async def export_log(self, run_id: str, to: Path) -> Exported:
        """Write a run, its log and its files to one file that `import_log` reads."""
        from dramaturg.transfer.moves import export_run

        return await export_run(self.runs, self.artifacts, run_id, to)

    async def import_log(self, file: Path, *, as_new: bool = False) -> Imported:
        """Add the run of such a file, under its own id or a new one."""
        from dramaturg.transfer.moves import import_run

        return await import_run(self.runs, self.artifacts, file, as_new=as_new)

    async def listen(self, run_id: str, request: ListenRequest) -> ProgrammeExport:
        """A run as one piece to listen to. A scene is spoken for it; a session was when it was played."""
        run = await self.runs.open(run_id)
        return await listenable(self.runs.kind_of(run.record), run).listen(run, request)

    # Models.

    async def choose(self) -> ModelChoice:
        """Which model plays where nothing else is said, and why; looked for once."""
        return await self.resources.choose()

    def price(self, model: str) -> Price | None:
        """What a model charges for a million tokens; None where that is not known."""
        return self.resources.price(model)

    async def _close(self) -> None:
        """Stop everything that plays; the logs say where to go on."""
        opened = vars(self)
        for name in ("episodes", "workshop", "ensemble"):
            if name in opened:
                await opened[name].close()
        await self.engine.close()
        await self.booth.aclose()
