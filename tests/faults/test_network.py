"""The network between a server and Postgres is cut, slow or resets, and notices are lost: everything goes on."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest

from tests.faults.conftest import MakeSite
from tests.faults.served import healthy, over, place_of, through
from tests.faults.servers import BEAT, IN_FLIGHT
from tests.faults.tcp_proxy import TcpProxy

LISTENERS_ENDED = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
)


@pytest.mark.parametrize("forgetful", [False, True], ids=["and heals", "and old connections stay dead"])
async def test_the_network_is_cut_without_a_word_and_answers_are_stored_when_it_is_back(
    make_site: MakeSite, forgetful: bool
) -> None:
    place = make_site(lease=300, timeout=1)
    async with TcpProxy(place_of(place.url)) as proxy, place.server(through(proxy, place.url)) as visitor:
        run = await place.begun(visitor)
        proxy.cut()
        await place.answered()
        await healthy(visitor, 503)
        proxy.mend(forgetful=forgetful)
        assert await over(visitor, run) == "ended"
        await healthy(visitor)
    await place.check_whole()


async def test_the_run_of_a_server_that_is_cut_off_goes_on_elsewhere_and_it_asks_nothing_when_it_is_back(
    make_site: MakeSite,
) -> None:
    place = make_site(lease=5, timeout=1)
    async with (
        TcpProxy(place_of(place.url)) as proxy,
        place.server(through(proxy, place.url)) as cut_off,
        place.server(place.url) as other,
    ):
        run = await place.begun(cut_off)
        proxy.cut()
        await place.models.received(BEAT + 1 + IN_FLIGHT)  # the other has asked both again
        place.models.release()
        assert await over(other, run) == "ended"
        asked = len(place.models.requests)
        proxy.mend()
        assert await over(cut_off, run) == "ended"
        await healthy(cut_off)
        assert len(place.models.requests) == asked
    await place.check_whole(again=IN_FLIGHT)


async def test_a_slow_network_costs_time_and_no_lease(make_site: MakeSite) -> None:
    place = make_site(lease=15)
    async with TcpProxy(place_of(place.url)) as proxy, place.server(through(proxy, place.url)) as visitor:
        proxy.delay = 0.05
        run = await place.begun(visitor)
        place.models.release()
        assert await over(visitor, run) == "ended"
    await place.check_whole()
    assert await place.read("SELECT generation, adoptions FROM runs") == [(1, 0)]


async def test_every_connection_is_refused_for_a_while_and_answers_are_stored_when_they_are_taken_again(
    make_site: MakeSite,
) -> None:
    place = make_site(lease=300)
    async with TcpProxy(place_of(place.url)) as proxy, place.server(through(proxy, place.url)) as visitor:
        run = await place.begun(visitor)
        upstreams, proxy.upstreams = proxy.upstreams, ()
        proxy.reset()
        await place.answered()
        await healthy(visitor, 503)
        proxy.upstreams = upstreams
        assert await over(visitor, run) == "ended"
        await healthy(visitor)
    await place.check_whole()


async def test_every_connection_is_reset_at_every_question_and_nothing_is_asked_again(make_site: MakeSite) -> None:
    place = make_site()
    async with TcpProxy(place_of(place.url)) as proxy, place.server(through(proxy, place.url)) as visitor:
        run = await place.begun(visitor)
        place.models.on_request = lambda _number, _body: proxy.reset()
        place.models.release()
        assert await over(visitor, run) == "ended"
        await healthy(visitor)
    await place.check_whole()


async def test_a_reader_whose_listening_connection_is_ended_again_and_again_sees_every_event_once(
    make_site: MakeSite,
) -> None:
    place = make_site()
    connection = await asyncpg.connect(place.url)
    async with place.server(place.url) as playing, place.server(place.url) as reading:
        run = await place.begun(playing)
        seen = asyncio.create_task(reading.to_the_end(run))
        for _ in range(5):
            while not seen.done() and not await connection.fetch(LISTENERS_ENDED):
                await asyncio.sleep(0.05)
            place.models.release()
        events = await seen
        public = await place.read("SELECT seq FROM events WHERE NOT hidden ORDER BY seq")
        assert [sent.id for sent in events] == [seq for (seq,) in public]
    await connection.close()


async def test_notices_arrive_again_after_the_listening_connection_was_cut_without_a_word(make_site: MakeSite) -> None:
    place = make_site()
    async with (
        TcpProxy(place_of(place.url)) as proxy,
        place.server(place.url) as playing,
        place.server(place.url, through(proxy, place.url)) as reading,
    ):
        run = await place.begun(playing)
        seen = asyncio.create_task(reading.to_the_end(run))
        while not proxy.connections:
            await asyncio.sleep(0.02)
        proxy.cut()
        proxy.mend(forgetful=True)
        while proxy.connections < 2:  # it has found out by itself, and listens anew
            await asyncio.sleep(0.02)
        place.models.release()
        events = await seen
        public = await place.read("SELECT seq FROM events WHERE NOT hidden ORDER BY seq")
        assert [sent.id for sent in events] == [seq for (seq,) in public]
