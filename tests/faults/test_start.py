"""The database goes away while a server starts: it says so in one sentence and ends, or it waits and is well again."""

from __future__ import annotations

import asyncio
import math
import re

import aiohttp

from dramaturg.cli.edge import STORE
from tests.faults.conftest import MakeSite
from tests.faults.served import place_of, through
from tests.faults.servers import House, Started
from tests.faults.tcp_proxy import TcpProxy

MOMENTS = 12
"""Of a start, evenly spread over what it says to the database."""


async def address_of(begun: Started) -> str:
    """Where it answers; empty if it has ended instead."""
    assert begun.process.stdout
    found = re.search(r"http://\S+", (await begun.process.stdout.readline()).decode())
    return found[0] if found else ""


async def health(address: str) -> int:
    """The status of `/healthz`; 0 if nobody answers there any more."""
    try:
        async with aiohttp.ClientSession() as session, session.get(f"{address}/healthz") as response:
            return response.status
    except aiohttp.ClientError:
        return 0


async def well(address: str) -> None:
    while (status := await health(address)) != 200:
        assert status == 503
        await asyncio.sleep(0.05)


async def messages_of_a_start(house: House, proxy: TcpProxy) -> int:
    """What a start says to the database until the server answers."""
    proxy.passed = 0
    async with house.started() as begun:
        await well(await address_of(begun))
        return proxy.passed


async def started_while_it_goes(house: House, proxy: TcpProxy, moment: int) -> str:
    """How a start ends if the database goes away after so many messages: `ended`, or `waited` until it was back."""
    upstreams, proxy.passed, proxy.ends_after = proxy.upstreams, 0, moment
    async with house.started() as begun:
        address = await address_of(begun)
        if address and await health(address):
            proxy.upstreams, proxy.ends_after = upstreams, math.inf
            await well(address)
            said = begun.errors.read_text(encoding="utf-8")
            assert "Traceback" not in said
            return "waited"
        assert await begun.process.wait() == STORE
        proxy.upstreams = upstreams
        said = begun.errors.read_text(encoding="utf-8")
        assert re.fullmatch(r"dramaturg: The store \S+: [^\n]+\n", said), said
        return "ended"


async def test_a_database_that_goes_away_at_any_moment_of_a_start_is_told_in_one_sentence_or_waited_for(
    make_site: MakeSite,
) -> None:
    place = make_site()
    async with TcpProxy(place_of(place.url)) as proxy:
        house = House(place.story, place.models, through(proxy, place.url))
        assert await house.read("SELECT id FROM runs") == []  # the tables are there
        messages = await messages_of_a_start(house, proxy)
        moments = range(0, messages, max(1, messages // MOMENTS))
        ends = [await started_while_it_goes(house, proxy, moment) for moment in moments]
    assert set(ends) == {"ended", "waited"}
