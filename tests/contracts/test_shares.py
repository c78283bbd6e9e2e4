"""Limits that processes share, on SQLite and on Postgres. Two stores stand for two processes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, suppress
from typing import Any

import pytest

from dramaturg.cluster.limits import DayBudget, DayBudgeted, ProviderShare, Shared, SharedLimits
from dramaturg.cluster.shares import allowance
from dramaturg.cluster.shares.allowance import CHUNK_SECONDS, Allowance, Allowances, Places
from dramaturg.cluster.shares.store import LEASE_SECONDS, Bucket, ShareStore
from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import BudgetExceeded, ModelOverloaded
from dramaturg.kernel.models.catalogue import Provider
from dramaturg.kernel.models.port import Message, ModelAnswer, ModelRequest, Usage
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Store, open_store
from dramaturg.kernel.store.database import Statement

REQUEST = ModelRequest(
    key="a", purpose="acting", system="Be brief.", messages=(Message("user", "Speak."),), max_tokens=50
)
ANSWER = ModelAnswer(text="Yes.", model="x/y", usage=Usage(input_tokens=60, output_tokens=40), cost_usd=0.4)


@pytest.fixture
def clock() -> StillClock:
    return StillClock()


@pytest.fixture
async def two(
    store: Store, store_settings: Settings, clock: StillClock
) -> AsyncIterator[tuple[ShareStore, ShareStore]]:
    other = await open_store(store_settings)
    yield ShareStore(store.database, clock), ShareStore(other.database, clock)
    await other.close()


async def taken(allowance: Allowance, most: int) -> int:
    """How many of so many requests are allowed at this moment."""
    return sum([not await allowance.take() for _ in range(most)])


async def test_two_processes_have_one_allowance(two: tuple[ShareStore, ShareStore], clock: StillClock) -> None:
    bucket = Bucket("provider/x/requests", 10.0, 60.0)
    first, second = (Allowance(one, clock, bucket) for one in two)
    allowed = sum([await taken(one, 5) for _ in range(20) for one in (first, second)])
    assert 55 <= allowed <= 60  # the rest is drawn and not used yet
    clock.wind(CHUNK_SECONDS)
    allowed += sum([await taken(one, 5) for _ in range(20) for one in (first, second)])
    assert 80 <= allowed <= 90


async def test_most_requests_ask_no_database(two: tuple[ShareStore, ShareStore], clock: StillClock) -> None:
    draws = Counted(two[0])
    allowance = Allowance(draws, clock, Bucket("provider/x/requests", 100.0, 6000.0))  # type: ignore[arg-type]
    assert await taken(allowance, 900) == 900
    assert draws.count <= 4


class Counted:
    """A store of shares that counts what is drawn."""

    def __init__(self, store: ShareStore) -> None:
        self._store = store
        self.count = 0

    async def draw(self, *how: Any, **more: Any) -> Any:
        self.count += 1
        return await self._store.draw(*how, **more)


async def test_what_a_dead_process_had_drawn_refills(two: tuple[ShareStore, ShareStore], clock: StillClock) -> None:
    bucket = Bucket("player/anna", 0.5, 3.0)
    dead, alive = (Allowance(one, clock, bucket) for one in two)
    assert await taken(dead, 1) == 1  # and it had drawn more
    clock.wind(6.0)
    assert await taken(alive, 10) == 3


async def test_a_request_that_is_larger_than_the_bucket_waits_for_a_full_one(
    two: tuple[ShareStore, ShareStore], clock: StillClock
) -> None:
    allowance = Allowance(two[0], clock, Bucket("provider/x/tokens", 10.0, 600.0))
    assert await allowance.take(5_000) == 0.0
    wait = await allowance.take(5_000)
    assert wait == pytest.approx(60.0)
    clock.wind(wait)
    assert await allowance.take(5_000) == 0.0


async def test_a_player_has_one_allowance_at_both_servers(
    two: tuple[ShareStore, ShareStore], clock: StillClock
) -> None:
    first, second = (Allowances(one, clock, "player", 30.0, 20) for one in two)
    allowed = 0
    for n in range(60):
        allowed += not await (first if n % 2 else second).take("anna")
    assert 18 <= allowed <= 20
    assert await first.take("bo") == 0.0


async def test_places_are_never_more_than_there_are(two: tuple[ShareStore, ShareStore], clock: StillClock) -> None:
    first, second = (Places(one, "provider/x", f"holder {n}", 4) for n, one in enumerate(two))
    under_way = most = done = 0

    async def ask(places: Places) -> None:
        nonlocal under_way, most, done
        async with places.one():
            under_way += 1
            most = max(most, under_way)
            await asyncio.sleep(0)
            under_way -= 1
        done += 1

    await asyncio.gather(*(ask(places) for places in (first, second) for _ in range(10)))
    await first.close()
    await second.close()
    assert done == 20
    assert most <= 4


async def test_a_place_that_is_not_used_is_given_back_long_before_its_lease_is_over(
    two: tuple[ShareStore, ShareStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(allowance, "LEASE_SECONDS", 3000.0)
    first, second = (Places(one, "provider/x", f"holder {n}", 1) for n, one in enumerate(two))
    for places in (first, second, first):
        async with places.one():
            pass
    await first.close()
    await second.close()


async def test_a_process_that_uses_one_place_of_two_gives_the_other_to_whoever_wants_it(
    two: tuple[ShareStore, ShareStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(allowance, "LEASE_SECONDS", 3000.0)
    first, second = (Places(one, "provider/x", f"holder {n}", 2) for n, one in enumerate(two))
    async with first.one(), second.one():
        pass
    await first.close()
    await second.close()


async def test_calls_that_follow_each_other_closely_are_one_claim(
    two: tuple[ShareStore, ShareStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    claims: list[str] = []
    claim = two[0].claim

    async def counted(*how: Any) -> Any:
        claims.append(how[1])
        return await claim(*how)

    monkeypatch.setattr(two[0], "claim", counted)
    monkeypatch.setattr(allowance, "SPARE_SECONDS", 3000.0)
    places = Places(two[0], "provider/x", "holder", 4)
    for _ in range(50):
        async with places.one():
            await asyncio.sleep(0)
    await places.close()
    assert claims == ["holder"]


async def test_the_places_of_a_dead_process_are_free_when_its_lease_is_over(
    two: tuple[ShareStore, ShareStore], clock: StillClock
) -> None:
    assert (await two[0].claim("provider/x", "dead", 4, 4, 0)).places == 4
    assert (await two[1].claim("provider/x", "alive", 4, 4, 0)).places == 0
    clock.wind(LEASE_SECONDS)
    assert (await two[1].claim("provider/x", "alive", 4, 4, 0)).places == 4


async def test_places_are_divided_when_both_want_more_than_half(
    two: tuple[ShareStore, ShareStore], clock: StillClock
) -> None:
    assert (await two[0].claim("provider/x", "a", 8, 8, 0)).places == 8
    assert (await two[1].claim("provider/x", "b", 8, 8, 0)).places == 0
    # Six requests are under way: no new one is sent before two of them are back.
    assert (await two[0].claim("provider/x", "a", 8, 8, 6)).places == 4
    assert (await two[1].claim("provider/x", "b", 8, 8, 0)).places == 2
    assert (await two[0].claim("provider/x", "a", 8, 8, 4)).places == 4
    assert (await two[1].claim("provider/x", "b", 8, 8, 2)).places == 4


async def test_a_released_place_is_free_at_once(two: tuple[ShareStore, ShareStore]) -> None:
    await two[0].claim("lock/key", "a", 1, 1, 0)
    await two[0].release("lock/key", "a")
    assert (await two[1].claim("lock/key", "b", 1, 1, 0)).places == 1


async def test_a_lock_keeps_other_processes_out(store: Store, store_settings: Settings, clock: StillClock) -> None:
    async with AsyncExitStack() as stack:
        other = await open_store(store_settings)
        stack.push_async_callback(other.close)
        houses = [SharedLimits(store_settings, one.database, clock) for one in (store, other)]
        inside = most = 0

        async def work(house: SharedLimits) -> None:
            nonlocal inside, most
            async with house.locked("key/one"):
                inside += 1
                most = max(most, inside)
                await asyncio.sleep(0)
                inside -= 1

        await asyncio.gather(*(work(house) for house in houses for _ in range(2)))
        left = await store.database.read(Statement("SELECT name FROM limit_levels", {}))
    assert most == 1
    assert not left, "a lock that nobody has is forgotten"


def shared(store: ShareStore, clock: StillClock, model: Any, **row: Any) -> Shared:
    provider = Provider("x", "openai", "http://x", concurrency=4, **row)
    return Shared(model, ProviderShare(provider, store, clock, f"{id(store)}", share_places=True))


BUSY = ModelOverloaded("too many requests", retry_after=30.0)


async def test_a_pause_that_a_provider_asks_one_process_for_holds_for_all(
    two: tuple[ShareStore, ShareStore], clock: StillClock
) -> None:
    with pytest.raises(ModelOverloaded, match="too many requests"):
        await shared(two[0], clock, ScriptedModel([BUSY])).complete(REQUEST)
    waiting = shared(two[1], clock, ScriptedModel([ANSWER]))
    with pytest.raises(ModelOverloaded) as paused:
        await waiting.complete(REQUEST)
    assert paused.value.retry_after == pytest.approx(30.0)
    clock.wind(30.0)
    assert (await waiting.complete(REQUEST)).text == "Yes."


async def test_requests_beyond_those_of_a_minute_wait(two: tuple[ShareStore, ShareStore], clock: StillClock) -> None:
    models = [shared(one, clock, ScriptedModel([ANSWER] * 40), requests_per_minute=60) for one in two]
    began = clock.now()
    for n in range(60):
        await models[n % 2].complete(REQUEST)
    assert clock.now() == began
    for n in range(6):
        await models[n % 2].complete(REQUEST)
    assert clock.now() - began >= 5.0


async def test_tokens_that_an_answer_took_are_counted(two: tuple[ShareStore, ShareStore], clock: StillClock) -> None:
    model = shared(two[0], clock, ScriptedModel([ANSWER] * 8), tokens_per_minute=600)
    began = clock.now()
    for _ in range(8):  # 100 tokens each, of which 600 are there at once
        await _patiently(model, clock)
    assert 10.0 <= clock.now() - began <= 20.0


async def _patiently(model: Shared, clock: StillClock) -> None:
    while True:
        try:
            await model.complete(REQUEST)
        except ModelOverloaded as error:
            clock.wind(error.retry_after or 0.0)
        else:
            return


async def test_what_the_house_may_spend_in_a_day_is_counted_over_all_processes(
    two: tuple[ShareStore, ShareStore], clock: StillClock
) -> None:
    models = [DayBudgeted(ScriptedModel([ANSWER] * 9), DayBudget(one, clock, "house", None, 2.0)) for one in two]
    for n in range(5):  # five answers of 40 cents
        await models[n % 2].complete(REQUEST)
        clock.wind(3.0)
    for model in models:
        with suppress(BudgetExceeded):  # what the other spent in the last seconds may not be known yet
            await model.complete(REQUEST)
        clock.wind(3.0)
        with pytest.raises(BudgetExceeded, match="usd_per_day"):
            await model.complete(REQUEST)
    clock.wind(86_400)
    await models[0].complete(REQUEST)


async def test_a_budget_in_tokens_is_kept_as_well(two: tuple[ShareStore, ShareStore], clock: StillClock) -> None:
    budget = DayBudget(two[0], clock, "house", 150, None)
    model = DayBudgeted(ScriptedModel([ANSWER] * 3), budget)
    await model.complete(REQUEST)
    await model.complete(REQUEST)
    with pytest.raises(BudgetExceeded, match="tokens_per_day"):
        await model.complete(REQUEST)


async def test_buckets_and_leases_that_nobody_uses_are_forgotten(
    two: tuple[ShareStore, ShareStore], store: Store, clock: StillClock
) -> None:
    await two[0].draw(Bucket("address/x", 1.0, 5.0), 5.0)
    await two[0].claim("provider/x", "dead", 4, 4, 0)
    clock.wind(4_000)
    await two[1].draw(Bucket("address/y", 1.0, 5.0), 5.0)
    await two[1].sweep()
    names = await store.database.read(Statement("SELECT name FROM limit_levels", {}))
    assert [name for (name,) in names] == ["address/y"]
    assert await store.database.read(Statement("SELECT name FROM limit_shares", {})) == []
