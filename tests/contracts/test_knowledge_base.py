"""The knowledge base, on SQLite and on Postgres."""

from __future__ import annotations

import asyncio

import pytest

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Store, open_store
from dramaturg.kernel.store.transactions import in_sequence
from dramaturg.workshop.book.decisions import NewDecision
from dramaturg.workshop.store import KnowledgeBase, promotion


@pytest.fixture
def base(store: Store) -> KnowledgeBase:
    return KnowledgeBase(store.database, "main")


def flaw(value: str, key: str = "mickey_fatal_flaw") -> NewDecision:
    return NewDecision(category="character", key=key, value=value, source="writer")


async def test_a_changed_key_keeps_its_past(base: KnowledgeBase) -> None:
    first = await base.decide(flaw("pride\0"), 1.5)
    second = await base.decide(flaw("vanity 🎭", key="Mickey: fatal flaw"), 2.5)
    assert [one.value for one in await base.current()] == ["vanity 🎭"]
    past = await base.history("mickey_fatal_flaw")
    assert [(one.id, one.value, one.retired_at) for one in past] == [
        (first.id, "pride\ufffd", 2.5),
        (second.id, "vanity 🎭", None),
    ]


async def test_deciding_the_same_again_changes_nothing(base: KnowledgeBase) -> None:
    first = await base.decide(flaw("pride"), 1.0)
    assert await base.decide(flaw("pride"), 9.0) == first
    assert len(await base.history("mickey_fatal_flaw")) == 1


async def test_what_is_taken_back_gives_way_to_what_held_before(base: KnowledgeBase) -> None:
    for at, value in enumerate(["pride", "vanity", "greed"]):
        await base.decide(flaw(value), float(at))
    for left in ("vanity", "pride"):
        await base.take_back((await base.current())[0].id, 9.0)
        assert [one.value for one in await base.current()] == [left]
    await base.take_back((await base.current())[0].id, 9.0)
    assert await base.current() == ()
    assert [one.taken_back for one in await base.history("mickey_fatal_flaw")] == [True, True, True]


async def test_taking_back_twice_takes_back_once(base: KnowledgeBase) -> None:
    await base.decide(flaw("pride"), 1.0)
    second = await base.decide(flaw("vanity"), 2.0)
    await base.take_back(second.id, 3.0)
    await base.take_back(second.id, 4.0)
    assert [one.value for one in await base.current()] == ["pride"]


async def test_promoted_ones_say_so(base: KnowledgeBase, store: Store) -> None:
    one = await base.decide(flaw("pride"), 1.0)
    for promoted in (True, False):
        await store.database.write(in_sequence(promotion("main", [one.id], promoted)))
        assert (await base.current())[0].is_promoted is promoted


async def test_books_in_one_database_know_nothing_of_each_other(base: KnowledgeBase, store: Store) -> None:
    await base.decide(flaw("pride"), 1.0)
    other = KnowledgeBase(store.database, "other")
    assert await other.current() == ()
    assert (await other.decide(flaw("greed"), 1.0)).id == 1


async def test_a_key_nobody_knows_is_answered_with_those_there_are(base: KnowledgeBase) -> None:
    await base.decide(flaw("pride"), 1.0)
    with pytest.raises(NotFound, match="mickey_fatal_flaw"):
        await base.history("nobody")
    with pytest.raises(InvalidConfig, match="not a valid name"):
        await base.decide(flaw("pride", key="???"), 1.0)


async def test_two_processes_may_decide_at_once(store_settings: Settings) -> None:
    stores = [await open_store(store_settings) for _ in range(2)]
    try:
        bases = [KnowledgeBase(one.database, "main") for one in stores]
        await asyncio.gather(*(bases[n % 2].decide(flaw(str(n), key=f"k{n % 3}"), float(n)) for n in range(8)))
        assert len(await bases[0].current()) == 3
    finally:
        for one in stores:
            await one.close()


async def test_what_another_process_changes_is_seen_and_what_stays_is_not_made_again(store: Store) -> None:
    base, other = KnowledgeBase(store.database, "main"), KnowledgeBase(store.database, "main")
    for number in range(3):
        await other.decide(flaw(f"flaw {number}", key=f"flaw_{number}"), float(number))
    before = await base.current()
    changed = await other.decide(flaw("another", key="flaw_1"), 5.0)
    now = await base.current()
    assert [one.value for one in now] == ["flaw 0", "flaw 2", "another"]
    assert now[0] is before[0]
    await other.take_back(changed.id, 6.0)
    assert await base.current() == before
    await store.database.write(in_sequence(promotion("main", [before[0].id], True)))
    assert [one.is_promoted for one in await base.current()] == [True, False, False]
    await store.database.write(in_sequence(promotion("main", [before[0].id], False)))
    await store.database.write(in_sequence(promotion("main", [before[2].id], True)))
    assert [one.is_promoted for one in await base.current()] == [False, False, True]
    assert await base.current() == await KnowledgeBase(store.database, "main").current()


async def test_what_holds_is_always_what_is_current(store: Store) -> None:
    """Deciding, replacing and taking back, in turns and several at once, as another process does it."""
    base, other = KnowledgeBase(store.database, "main"), KnowledgeBase(store.database, "main")
    made: list[int] = []
    for number in range(30):
        made.append((await other.decide(flaw(f"flaw {number}", key=f"flaw_{number * 7 % 11}"), float(number))).id)
        if number % 3:
            await other.take_back(made[number * 5 % len(made)], 100.0 + number)
        if number % 4 == 0:
            assert tuple(one for _, one in sorted((await base.holding()).items())) == await other.current()
            assert await base.holding() is await base.holding()


async def test_a_decision_more_is_one_that_is_read(store: Store) -> None:
    base, other = KnowledgeBase(store.database, "main"), KnowledgeBase(store.database, "main")
    for number in range(3):
        await other.decide(flaw(f"flaw {number}", key=f"flaw_{number}"), float(number))
    before = await base.holding()
    new = await other.decide(flaw("another", key="another"), 5.0)
    now = await base.holding()
    assert now == {**before, new.mark: new}
    assert all(now[mark] is one for mark, one in before.items())
