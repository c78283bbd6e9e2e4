"""A pooler in transaction mode stands before Postgres: runs are played, and readers hear of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.faults.conftest import MakeSite
from tests.faults.pooler import Pooler, pgbouncer, pgbouncer_at
from tests.faults.served import over, place_of

SIZE = 4
POOLERS = ["small", *(["PgBouncer"] if pgbouncer() else [])]


@asynccontextmanager
async def pooled(name: str, url: str) -> AsyncIterator[str]:
    """The same database by way of a pooler."""
    address = place_of(url)
    assert isinstance(address, str), "the pooler is tested with a server of this machine"
    database = url.partition("?")[0].rpartition("/")[2]
    pooler = Pooler(address, SIZE).running() if name == "small" else pgbouncer_at(address, SIZE)
    async with pooler as running:
        yield f"postgresql://dramaturg@127.0.0.1:{running.port}/{database}"


@pytest.mark.parametrize("name", POOLERS)
async def test_scenes_are_played_and_followed_through_a_pooler_with_an_address_for_notices(
    make_site: MakeSite, name: str
) -> None:
    place = make_site()
    async with (
        pooled(name, place.url) as url,
        place.server(url, place.url) as playing,
        place.server(url, place.url) as reading,
    ):
        run = await place.begun(playing)
        seen = asyncio.create_task(reading.to_the_end(run))
        place.models.release()
        assert await over(playing, run) == "ended"
        events = await seen
        public = await place.read("SELECT seq FROM events WHERE NOT hidden ORDER BY seq")
        assert [sent.id for sent in events] == [seq for (seq,) in public]
        assert await reading.studio.resources.database.hears()
    await place.check_whole()
