"""What a provider allows and what the house may spend in a day, kept by all processes together."""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from datetime import UTC, datetime

from dramaturg.cluster.shares.allowance import Allowance, Allowances, Places
from dramaturg.cluster.shares.store import Bucket, DaySpending, ShareStore
from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import BudgetExceeded, ModelOverloaded, StoreError
from dramaturg.kernel.models.catalogue import Provider
from dramaturg.kernel.models.gateway import Gateway
from dramaturg.kernel.models.port import Model, ModelAnswer, ModelRequest
from dramaturg.kernel.models.tokens import estimate_request
from dramaturg.kernel.models.wrappers import ModelWrapper, open_stream
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Store, open_store
from dramaturg.kernel.store.database import Database

LONGEST_WAIT = 5.0
"""A longer wait for a provider is left to whoever asks, as if the provider itself had asked for it."""
FLUSH_SECONDS = 2.0
HOUSE = "house"


async def open_shared_store(settings: Settings) -> Store:
    """As `open_store`; on Postgres with notices from other processes, and appends in one round trip."""
    store = await open_store(settings)
    if settings.store.url:
        from dramaturg.cluster.postgres.extension import extend

        extend(store.database, settings.store)
    return store


class ProviderShare:
    """This process's part of what one provider allows."""

    def __init__(self, row: Provider, store: ShareStore, clock: Clock, holder: str, *, share_places: bool) -> None:
        self._name = f"provider/{row.name}"
        self._provider = row.name
        self._store, self._clock = store, clock
        self._requests = self._allowance("requests", row.requests_per_minute)
        self._tokens = self._allowance("tokens", row.tokens_per_minute)
        self._places = Places(store, self._name, holder, row.concurrency) if share_places else None
        self._paused_until = 0.0

    def _allowance(self, what: str, per_minute: int | None) -> Allowance | None:
        if per_minute is None:
            return None
        return Allowance(self._store, self._clock, Bucket(f"{self._name}/{what}", per_minute / 60, float(per_minute)))

    @asynccontextmanager
    async def admitted(self, request: ModelRequest) -> AsyncIterator[None]:
        """For the time of a block a request may be under way. Raises ModelOverloaded if that takes long."""
        async with AsyncExitStack() as stack:
            if self._places is not None:
                await stack.enter_async_context(self._places.one())
                if self._places.paused:
                    self._paused_until = max(self._paused_until, self._clock.now() + self._places.paused)
                    self._places.paused = 0.0
            self._check_pause()
            if self._requests is not None:
                await self._take(self._requests, 1)
            if self._tokens is not None:
                await self._take(self._tokens, estimate_request(request))
            yield

    async def _take(self, allowance: Allowance, units: float) -> None:
        while wait := await allowance.take(units):
            if wait > LONGEST_WAIT:
                raise self._overloaded(wait)
            await self._clock.sleep(wait)

    def _check_pause(self) -> None:
        left = self._paused_until - self._clock.now()
        if left > 0:
            raise self._overloaded(left)

    def _overloaded(self, seconds: float) -> ModelOverloaded:
        return ModelOverloaded(
            f"{self._provider} has no room for {seconds:.0f} seconds: its limits are those of all processes together.",
            retry_after=seconds,
            provider=self._provider,
        )

    def answered(self, request: ModelRequest, answer: ModelAnswer) -> None:
        """Counts what an answer took beyond its question."""
        if self._tokens is not None:
            self._tokens.owe(answer.usage.total_tokens - estimate_request(request))

    async def pause(self, seconds: float) -> None:
        """The provider asked for a pause: nobody asks it before that is over."""
        self._paused_until = max(self._paused_until, self._clock.now() + seconds)
        await self._store.pause(self._name, seconds)

    async def close(self) -> None:
        if self._places is not None:
            await self._places.close()


class Shared(ModelWrapper):
    """Sends only what a provider allows all processes together."""

    def __init__(self, inner: Model, share: ProviderShare) -> None:
        super().__init__(inner)
        self._share = share

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        async with self._share.admitted(request):
            try:
                answer = await self.inner.complete(request)
            except ModelOverloaded as error:
                await self._told(error)
                raise
        self._share.answered(request, answer)
        return answer

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        async with self._share.admitted(request), open_stream(self.inner, request) as pieces:
            try:
                async for piece in pieces:
                    if isinstance(piece, ModelAnswer):
                        self._share.answered(request, piece)
                    yield piece
            except ModelOverloaded as error:
                await self._told(error)
                raise

    async def _told(self, error: ModelOverloaded) -> None:
        if error.retry_after:
            with suppress(StoreError):  # whoever asked is to hear of the provider, not of the store
                await self._share.pause(error.retry_after)


class SharedLimits:
    """The limits of a house: those of its providers, whose models the gateway opens, and what it may spend in a day."""

    def __init__(self, settings: Settings, database: Database, clock: Clock, gateway: Gateway | None = None) -> None:
        # On SQLite all processes have the clock of one machine; with Postgres only that of the database is everybody's.
        self._store = store = ShareStore(database, clock, time_of_database=settings.store.url is not None)
        self._settings, self._clock = settings, clock
        self._holder = f"{os.getpid()}/{secrets.token_hex(8)}"
        self._shares: dict[str, ProviderShare] = {}
        if gateway is not None:
            gateway.limit = self.limited
        budget = settings.budget
        limited = budget.tokens_per_day is not None or budget.usd_per_day is not None
        self.day = DayBudget(store, clock, HOUSE, budget.tokens_per_day, budget.usd_per_day) if limited else None

    def limited(self, model: Model, row: Provider) -> Model:
        """The model within what its provider allows all processes, and the house may spend in a day."""
        if self._settings.store.url or row.requests_per_minute or row.tokens_per_minute:
            model = Shared(model, self._share(row))
        return DayBudgeted(model, self.day) if self.day is not None else model

    def _share(self, row: Provider) -> ProviderShare:
        share = self._shares.get(row.name)
        if share is None:
            share_places = self._settings.store.url is not None
            share = ProviderShare(row, self._store, self._clock, self._holder, share_places=share_places)
            self._shares[row.name] = share
        return share

    def allowances(self, kind: str, per_minute: float, burst: float) -> Allowances | None:
        """Buckets that all processes share, one per key; None where there is one process, or few on one machine."""
        if self._settings.store.url is None:
            return None
        return Allowances(self._store, self._clock, kind, per_minute, burst)

    @asynccontextmanager
    async def locked(self, name: str) -> AsyncIterator[None]:
        """For the time of a block nobody else has this name, in whatever process."""
        place = Places(self._store, f"lock/{name}", f"{self._holder}/{secrets.token_hex(4)}", 1)
        try:
            async with place.one():
                yield
        finally:
            await place.close()

    async def close(self) -> None:
        for share in self._shares.values():
            await share.close()
        if self.day is not None:
            with suppress(StoreError):
                await self.day.flush()


class DayBudget:
    """What may be spent under a name on a day (UTC), by all processes; added up every few seconds."""

    def __init__(self, store: ShareStore, clock: Clock, name: str, tokens: int | None, usd: float | None) -> None:
        self._store, self._clock, self._name = store, clock, name
        self._tokens, self._usd = tokens, usd
        self._day = ""
        self._known = DaySpending(0, 0.0)
        self._own = DaySpending(0, 0.0)
        self._due = 0.0

    async def check(self) -> None:
        """Raises BudgetExceeded if the day's budget is spent."""
        if self._clock.now() >= self._due or self._today() != self._day:
            await self.flush()
        tokens, usd = self._known.tokens + self._own.tokens, self._known.usd + self._own.usd
        if self._tokens is not None and tokens >= self._tokens:
            raise self._spent(f"{tokens:,} of {self._tokens:,} tokens", "tokens_per_day")
        if self._usd is not None and usd >= self._usd:
            raise self._spent(f"${usd:.4f} of ${self._usd:g}", "usd_per_day")

    async def charge(self, answer: ModelAnswer) -> None:
        """Counts an answer that was paid for; the others know of it a few seconds later."""
        self._own = DaySpending(self._own.tokens + answer.usage.total_tokens, self._own.usd + (answer.cost_usd or 0.0))
        if self._clock.now() >= self._due:
            with suppress(StoreError):  # it is paid for, and must still reach its log
                await self.flush()

    async def flush(self) -> None:
        """Adds what was spent here, and learns what the others spent."""
        day, own = self._today(), self._own
        self._due = self._clock.now() + FLUSH_SECONDS
        self._own = DaySpending(0, 0.0)
        try:
            self._known = await self._store.spend(self._name, day, own.tokens, own.usd)
        except BaseException:  # reason: what was spent is still to be added; re-raised
            self._own = DaySpending(self._own.tokens + own.tokens, self._own.usd + own.usd)
            raise
        self._day = day

    def _today(self) -> str:
        return datetime.fromtimestamp(self._clock.now(), UTC).date().isoformat()

    def _spent(self, what: str, setting: str) -> BudgetExceeded:
        return BudgetExceeded(
            f"The budget of this house for today (UTC) is spent: {what}. No more requests are sent before tomorrow; "
            f"raise `{setting}` under [budget] if they should be.",
            limit=setting,
        )


class DayBudgeted(ModelWrapper):
    """Asks only while the day's budget lasts."""

    def __init__(self, inner: Model, budget: DayBudget) -> None:
        super().__init__(inner)
        self._budget = budget

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        await self._budget.check()
        answer = await self.inner.complete(request)
        await self._budget.charge(answer)
        return answer

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        await self._budget.check()
        async with open_stream(self.inner, request) as pieces:
            async for piece in pieces:
                if isinstance(piece, ModelAnswer):
                    await self._budget.charge(piece)
                yield piece
