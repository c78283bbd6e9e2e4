"""What the studio gives every capability: settings, clock, runs, engine, models, files, database."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.models.budget import Budget, Budgeted
from dramaturg.kernel.models.gateway import Gateway, ModelChoice
from dramaturg.kernel.models.metered import Meter, Metered
from dramaturg.kernel.models.port import Model, ModelAnswer
from dramaturg.kernel.models.prices import Price
from dramaturg.kernel.models.wrappers import Retrying
from dramaturg.kernel.runs.costs import charge, raised_budget
from dramaturg.kernel.runs.engines.port import Engine
from dramaturg.kernel.runs.kind import Limits
from dramaturg.kernel.runs.leases import Leased
from dramaturg.kernel.runs.library import RunLibrary
from dramaturg.kernel.runs.pauses import SHORT_WAIT, Patient, ProviderPauses
from dramaturg.kernel.runs.performance import Performance
from dramaturg.kernel.runs.recorded import Recorded
from dramaturg.kernel.runs.run import Run
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Artifacts
from dramaturg.kernel.store.database import Database

OpenModel: TypeAlias = Callable[[str, str], Model]
"""Opens a model by name, for somebody: `open_model("anthropic/…", "alice")`."""


@dataclass(slots=True)
class Resources:
    """Everything a capability may use of the studio. One object per studio, shared by all fronts."""

    settings: Settings
    clock: Clock
    runs: RunLibrary
    engine: Engine
    gateway: Gateway
    artifacts: Artifacts
    database: Database
    pauses: ProviderPauses = field(default_factory=ProviderPauses)
    _choice: ModelChoice | None = None

    async def choose(self) -> ModelChoice:
        """Which model plays where nothing else is said, and why; looked for once."""
        if self._choice is None:
            self._choice = await self.gateway.choose()
        return self._choice

    async def play_with(self, name: str, key: str = "") -> ModelChoice:
        """Chooses that model until the process ends, with a key if one is given; an empty name looks for one again.

        Raises InvalidSettings for an unknown name or a key that is not needed, KeyRejected if its key is missing.
        """
        if key:
            self.gateway.give_key(name, key)
        if name:
            self.gateway.open(name)
        self._choice = (
            ModelChoice(name, f"Playing with {name}, as chosen here until the server stops.") if name else None
        )
        return await self.choose()

    def price(self, model: str) -> Price | None:
        """What a model charges for a million tokens; None where that is not known. Raises InvalidSettings."""
        return self.gateway.price(model)

    def models(self, performance: Performance[Any, Any], meter: Meter | None = None) -> OpenModel:
        """Models that record into this run and spend its budget. `meter` is told of every answer that is paid for."""
        budget = charge(Budget(*self.limits(performance)), performance.run.entries)
        if not performance.kind.patient or not self.settings.models.wait:
            return self._recorded(performance.run, budget, meter)
        self.pauses.recall(performance.run, self.clock.now())
        return self._recorded(performance.run, budget, meter, patient=True)

    def limits(self, performance: Performance[Any, Any]) -> Limits:
        """What a run may spend: as raised, else its own limit, else the settings'."""
        if (raised := raised_budget(performance.run.entries)) is not None:
            return Limits(raised.tokens, raised.usd)
        own, house = performance.kind.limits(performance.state), self.settings.budget
        return Limits(own.tokens or house.tokens, own.usd or house.usd)

    def models_for_part(self, run: Run[Any], paid: Iterable[ModelAnswer]) -> OpenModel:
        """The same for a part of a run that has a budget to itself, less what was `paid` for it so far."""
        budget = Budget(self.settings.budget.tokens, self.settings.budget.usd)
        for answer in paid:
            budget.charge(answer)
        return self._recorded(run, budget)

    def _recorded(
        self, run: Run[Any], budget: Budget, meter: Meter | None = None, *, patient: bool = False
    ) -> OpenModel:
        def opened(name: str, who: str) -> Model:
            model = self.gateway.open(name)
            if patient and isinstance(model, Retrying):
                model = model.up_to(SHORT_WAIT)
            model = Budgeted(Leased(model, run, self.runs.leases), budget)
            if patient:
                model = Patient(model, run, self.clock, self.pauses, self.settings.models.wait)
            return Recorded(Metered(model, meter) if meter is not None else model, run, who)

        return opened
