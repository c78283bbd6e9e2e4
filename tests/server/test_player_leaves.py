"""A player deletes themselves while they begin something, at this server or another: nothing of theirs stays."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from dramaturg.episodes.deleted_players import PlayerDeleted
from dramaturg.episodes.players import Players
from dramaturg.episodes.store import PlayerStore
from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Store, open_store
from dramaturg.kernel.store.database import Statement
from dramaturg.studio import Studio
from tests.episodes.staging import ANNA, house, say, studio_of
from tests.hostile.attacks.host import AUTHOR, OPEN, public_host, public_settings
from tests.server.players import begin, write_episode
from tests.server.test_restart import process
from tests.server.visitor import served

ROUNDS = 4


@pytest.fixture
async def studio(store_settings: Settings, store: Store):
    async with studio_of(store_settings.project, house(), settings=store_settings) as opened:
        yield opened


async def named(store: Store, player: str) -> dict[str, int]:
    """How many rows of each table name a player."""
    tables = {"sessions": "player_id", "players": "id", "player_tokens": "player_id", "player_spending": "player_id"}
    found = {}
    for table, column in tables.items():
        sql = f"SELECT COUNT(*) FROM {table} WHERE {column} = :player"
        found[table] = int((await store.database.read(Statement(sql, {"player": player})))[0][0])
    return {table: count for table, count in found.items() if count}


async def test_what_a_deleted_player_begins_is_refused_and_leaves_nothing(studio: Studio, store: Store) -> None:
    await studio.episodes.open("last-orders", ANNA)
    assert await studio.episodes.players.delete(ANNA.id) == 1
    with pytest.raises(PlayerDeleted):
        await studio.episodes.open("last-orders", ANNA)
    with pytest.raises(PlayerDeleted):
        await studio.episodes.players.issue_token(ANNA.id, "t1", 1)
    assert await named(store, ANNA.id) == {}
    assert await store.runs.find() == []
    assert await studio.episodes.players.tokens() == ()
    assert await studio.episodes.players.is_deleted(ANNA.id)


async def test_what_is_begun_between_the_mark_and_the_end_of_a_deletion_is_refused_too(
    studio: Studio, store: Store
) -> None:
    view = await studio.episodes.open("last-orders", ANNA)
    await say(studio, view.id, "Good evening.")
    await PlayerStore(store.database).mark_deleted(ANNA.id, 1.0)
    assert not await studio.episodes.players.is_deleted(ANNA.id)
    with pytest.raises(PlayerDeleted):
        await studio.episodes.open("last-orders", ANNA)
    with pytest.raises(PlayerDeleted):
        await studio.episodes.branch(view.id, "m2", new_session=True)
    assert [one.id for one in await store.runs.find()] == [view.id]
    assert await studio.episodes.players.delete(ANNA.id) == 1
    assert await named(store, ANNA.id) == {}


async def test_what_is_stored_at_the_same_moment_by_two_processes_is_found_or_refused(
    store_settings: Settings, store: Store
) -> None:
    other = await open_store(store_settings)
    here, there = PlayerStore(store.database), PlayerStore(other.database)
    try:
        for number in range(20):
            player = f"player-{number}"

            async def issue(token: str, player: str = player) -> bool:
                try:
                    await _players(there).issue_token(player, f"{player}-{token}", 1)
                except PlayerDeleted:
                    return False
                return True

            async def leave(player: str = player) -> None:
                await here.mark_deleted(player, 1.0)
                await here.dismiss(player)

            await asyncio.gather(issue("a"), issue("b"), leave(), issue("c"))
            assert await here.tokens(player, 10) == ()
    finally:
        await other.close()


def _players(own: PlayerStore) -> Players:
    return Players(None, own, StillClock(), None)  # type: ignore[arg-type]


async def test_a_rehearsals_player_comes_back_as_often_as_they_are_cleared_away(studio: Studio) -> None:
    for _ in range(2):
        await studio.episodes.open("last-orders", ANNA)
        assert await studio.episodes.players.clear(ANNA.id) == 1


async def test_sessions_begun_while_a_player_is_deleted_are_deleted_or_refused_at_two_servers(
    store_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if store_settings.store.url:
        monkeypatch.setenv("DRAMATURG_STORE_URL", store_settings.store.url)
    story = write_episode(tmp_path / "chat")
    async with (
        asyncio.timeout(240),
        aiohttp.ClientSession() as client,
        process(story) as (_, first),
        process(story) as (_, second),
    ):

        async def ask(method: str, url: str, token: str = "") -> tuple[int, Any]:
            headers = {"X-Player-Token": token} if token else {}
            body: dict[str, Any] = {"json": {"template": OPEN}} if method == "POST" else {}
            async with client.request(method, url, headers=headers, **body) as response:
                return response.status, await response.json()

        for number in range(ROUNDS):
            _, opened = await ask("POST", f"{first}/v1/sessions")
            token = opened["player_token"]
            asked = [ask("POST", f"{url}/v1/sessions", token) for url in (first, second, second)]
            asked.insert(number % 4, ask("DELETE", f"{first}/v1/players/me", token))
            answers = await asyncio.gather(*asked)
            assert answers[number % 4][0] == 200
            assert {status for status, _ in answers} <= {200, 201, 401}
            tokens = [token, *(body["player_token"] for status, body in answers if status == 201)]
            for url in (first, second):
                for one in tokens:
                    assert (await ask("GET", f"{url}/v1/players/me/sessions", one))[0] == 401
    left = await open_store(store_settings if store_settings.store.url else Settings(project=story))
    try:
        assert await left.runs.find() == []
    finally:
        await left.close()


async def test_a_token_of_the_first_version_is_over_once_its_player_was_deleted(tmp_path: Path) -> None:
    async with public_host(public_settings(tmp_path / "story")) as host:
        tokens = host.visitor.server._app.state.player_access.tokens
        old = {"X-Player-Token": f"p1.player-old.{tokens._signature('player' + chr(0) + 'player-old')}"}
        await host.arrive(headers=old)
        assert (await host.ask("DELETE", "/v1/players/me", headers=old)).status == 200
        gone = await host.ask("GET", "/v1/players/me/sessions", headers=old)
        assert (gone.status, gone.code) == (401, "PLAYER_TOKEN_REVOKED")
        again = await host.ask("POST", "/v1/tokens", json={"player": "player-old"}, headers=AUTHOR)
        assert (again.status, "was deleted" in again.text) == (422, True)


async def test_a_key_of_a_guest_who_was_deleted_begins_nothing(tmp_path: Path) -> None:
    async with served(write_episode(tmp_path / "story")) as visitor:
        key = {"Idempotency-Key": "a-key-nobody-guesses"}
        body = {"template": OPEN}
        token = (await visitor.post("/v1/sessions", body, headers=key)).json["player_token"]
        assert (await visitor.ask("DELETE", "/v1/players/me", headers={"X-Player-Token": token})).status == 200
        again = await visitor.post("/v1/sessions", body, headers=key)
        assert (again.status, again.code) == (409, "ALREADY_USED")
        await begin(visitor)


@pytest.mark.parametrize("way", ["deleted", "revoked"])
async def test_a_seat_is_free_at_once_when_its_player_is_deleted_or_their_token_revoked(
    way: str, tmp_path: Path
) -> None:
    async with public_host(public_settings(tmp_path / "story", players="seats = 1")) as host:
        anna = await host.arrive()
        full = await host.ask("POST", "/v1/sessions", json={"template": OPEN})
        ticket = {"X-Waiting-Ticket": full.json["error"]["context"]["ticket"]}
        if way == "deleted":
            assert (await host.ask("DELETE", "/v1/players/me", headers=anna.headers)).status == 200
        else:
            token_id = anna.token.split(".")[2]
            assert (await host.ask("DELETE", f"/v1/tokens/{token_id}", headers=AUTHOR)).status == 204
        assert (await host.ask("POST", "/v1/sessions", json={"template": OPEN}, headers=ticket)).status == 201
