"""Guests, seats, days, keys and addresses: what a public host gives, and what it does not give twice."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from dramaturg.server.http.waiting_room import LONGEST_QUEUE, PATIENCE, SeatsTakenError, WaitingRoom
from dramaturg.server.uvicorn_server import GracefulServer
from tests.episodes.staging import house, spoken
from tests.hostile.attacks.host import AUTHOR, OPEN, Host, public_host, public_settings
from tests.server.players import played_by
from tests.server.test_limits import Clock

KEY = "6f1c1c1e-3c66-4c39-9d0a-e9c2a1b34f57"


async def opened(host: Host, key: str, headers: dict[str, str] | None = None, **body: str) -> tuple[int, str, str]:
    sent = {"Idempotency-Key": key, **(headers or {})}
    answer = await host.ask("POST", "/v1/sessions", json={"template": OPEN, **body}, headers=sent)
    if answer.status != 201:
        return answer.status, answer.code, ""
    return answer.status, answer.json["session"]["id"], answer.json["player_token"]


async def test_the_same_key_starts_one_session(tmp_path: Path) -> None:
    settings = public_settings(tmp_path / "story")
    async with public_host(settings) as host:
        started = await asyncio.gather(*(opened(host, KEY) for _ in range(6)))
        assert len({session for _, session, _ in started}) == 1
        token = {"X-Player-Token": started[0][2]}
        assert len((await host.ask("GET", "/v1/players/me/sessions", headers=token)).json["sessions"]) == 1
        assert (await opened(host, KEY, name="Somebody else"))[:2] == (409, "ALREADY_USED")
        assert (await opened(host, "short"))[0] == 422
        assert (await opened(host, "short", token))[0] == 201
        other = await host.arrive()
        assert (await opened(host, KEY, other.headers))[1] != started[0][1]
        assert (await host.ask("DELETE", "/v1/players/me/token", headers=token)).status == 204
        assert (await opened(host, KEY))[:2] == (409, "ALREADY_USED")
    async with public_host(settings) as host:
        assert (await opened(host, KEY, other.headers))[0] == 201
        assert len((await host.ask("GET", "/v1/players/me/sessions", headers=other.headers)).json["sessions"]) == 2


async def test_a_client_id_with_other_words_is_refused_not_dropped(tmp_path: Path) -> None:
    async with public_host(public_settings(tmp_path / "story")) as host:
        owner = await host.arrive()
        path = f"/v1/sessions/{owner.session}/messages"

        async def say(text: str, client_id: str) -> int:
            url = host.visitor.url + path
            body = {"text": text, "client_id": client_id}
            async with host.visitor.session.post(url, json=body, headers=owner.headers) as response:
                await response.read()
                return response.status

        assert [await say("Hello.", "one"), await say("Hello.", "one")] == [200, 200]
        assert await say("Goodbye.", "one") == 409
        edited = {"text": "Goodbye."}
        message = f"{path}/m2"
        assert (await host.ask("PATCH", message, json=edited, headers=owner.headers)).status == 200
        assert [await say("Hello.", "one"), await say("Goodbye.", "one")] == [200, 409]
        said = (await host.ask("GET", path, headers=owner.headers)).json["messages"]
        assert [one["role"] for one in said] == ["character", "player", "character"]


async def test_where_players_are_invited_a_guest_is_told_so(tmp_path: Path) -> None:
    async with public_host(public_settings(tmp_path / "story", players="guests = false")) as host:
        refused = await host.ask("POST", "/v1/sessions", json={"template": OPEN})
        assert (refused.status, refused.code) == (401, "PLAYER_TOKEN_REQUIRED")
        invited = (await host.ask("POST", "/v1/tokens", headers=AUTHOR)).json
        player = await host.arrive(headers={"X-Player-Token": invited["player_token"]})
        token_id = invited["token"]["id"]
        assert (await host.ask("DELETE", f"/v1/tokens/{token_id}", headers=player.headers)).status == 401
        assert (await host.ask("DELETE", f"/v1/tokens/{token_id}", headers=AUTHOR)).status == 204
        gone = await host.ask("GET", "/v1/players/me/sessions", headers={"X-Player-Token": invited["player_token"]})
        assert (gone.status, gone.code) == (401, "PLAYER_TOKEN_REVOKED")
        assert (await host.ask("GET", "/v1/players/me/sessions", headers=player.headers)).status == 200


async def test_a_token_is_renewed_by_its_player_and_the_old_one_is_over(tmp_path: Path) -> None:
    async with public_host(public_settings(tmp_path / "story")) as host:
        owner = await host.arrive()
        renewed = (await host.ask("POST", "/v1/players/me/token", headers=owner.headers)).json["player_token"]
        assert (await host.ask("GET", f"/v1/sessions/{owner.session}", headers=owner.headers)).status == 401
        fresh = {"X-Player-Token": renewed}
        assert (await host.ask("GET", f"/v1/sessions/{owner.session}", headers=fresh)).status == 200
        stream = f"/v1/sessions/{owner.session}/events?player_token="
        assert (await host.ask("GET", stream + owner.token)).status == 401
        assert (await host.ask("GET", stream + renewed)).status == 200
        assert (await host.ask("DELETE", "/v1/players/me", headers=fresh)).status == 200
        assert (await host.ask("GET", "/v1/players/me/sessions", headers=fresh)).status == 401


async def test_a_token_of_the_first_version_is_good_until_it_is_revoked_or_refused(tmp_path: Path) -> None:
    settings = public_settings(tmp_path / "story")
    async with public_host(settings) as host:
        tokens = host.visitor.server._app.state.player_access.tokens
        old = f"p1.player-old.{tokens._signature('player' + chr(0) + 'player-old')}"
        player = await host.arrive(headers={"X-Player-Token": old})
        path = f"/v1/sessions/{player.session}"
        assert (await host.ask("GET", path, headers={"X-Player-Token": old})).status == 200
        assert (await host.ask("DELETE", "/v1/players/me/token", headers={"X-Player-Token": old})).status == 204
        assert (await host.ask("GET", path, headers={"X-Player-Token": old})).status == 401
        assert (await host.ask("GET", path, headers=player.headers)).status == 200
    stricter = settings.model_copy(update={"players": settings.players.model_copy(update={"old_tokens": False})})
    async with public_host(stricter) as host:
        assert (await host.ask("GET", path, headers={"X-Player-Token": old})).status == 401


async def test_who_finds_no_seat_waits_for_one(tmp_path: Path) -> None:
    async with public_host(public_settings(tmp_path / "story", players="seats = 2")) as host:
        anna, ben = await host.arrive(), await host.arrive()
        places = []
        for _ in range(2):
            full = await host.ask("POST", "/v1/sessions", json={"template": OPEN})
            assert (full.status, full.code, full.headers["retry-after"]) == (503, "SEATS_TAKEN", "15")
            places.append(full.json["error"]["context"])
        assert [one["place"] for one in places] == [1, 2]
        assert (await host.ask("GET", f"/v1/sessions/{ben.session}", headers=ben.headers)).status == 200
        assert (await host.ask("DELETE", "/v1/players/me/token", headers=anna.headers)).status == 204

        async def come(ticket: str) -> int:
            headers = {"X-Waiting-Ticket": ticket}
            return (await host.ask("POST", "/v1/sessions", json={"template": OPEN}, headers=headers)).status

        assert [await come("forged"), await come(places[1]["ticket"]), await come(places[0]["ticket"])] == [
            503,
            503,
            201,
        ]


async def test_a_seat_is_taken_once_by_whoever_comes_at_the_same_moment(tmp_path: Path) -> None:
    async with public_host(public_settings(tmp_path / "story", players="seats = 1")) as host:
        came = [host.ask("POST", "/v1/sessions", json={"template": OPEN}) for _ in range(6)]
        statuses = sorted([one.status for one in await asyncio.gather(*came)])
        assert statuses == [201, *[503] * 5]


async def test_a_token_takes_no_seat_where_all_are_taken(tmp_path: Path) -> None:
    async with public_host(public_settings(tmp_path / "story", players="seats = 1")) as host:
        anna = await host.arrive()
        invited = [(await host.ask("POST", "/v1/tokens", headers=AUTHOR)).json["player_token"] for _ in range(2)]
        ben, cleo = ({"X-Player-Token": token} for token in invited)
        completion = {"model": f"episode/{OPEN}", "messages": [{"role": "user", "content": "Hello."}]}
        for headers in (ben, cleo, ben):
            assert (await host.ask("PATCH", "/v1/players/me", json={"name": "x"}, headers=headers)).status != 503
            refused = await host.ask("POST", "/v1/sessions", json={"template": OPEN}, headers=headers)
            assert refused.code == "SEATS_TAKEN"
            assert refused.json["error"]["context"]["place"] == (1 if headers is ben else 2)
            bearer = {"Authorization": f"Bearer {headers['X-Player-Token']}"}
            asked = await host.ask("POST", "/v1/chat/completions", json=completion, headers=bearer)
            assert (asked.status, asked.code) == (503, "SEATS_TAKEN")
        host.visitor.server._app.state.player_access.room.leave(_player_of(host, anna.token))
        path = f"/v1/sessions/{anna.session}"
        again = await host.ask("POST", f"{path}/messages", json={"text": "Hello."}, headers=anna.headers)
        assert again.code == "SEATS_TAKEN"  # those who wait come first
        assert (await host.ask("GET", path, headers=anna.headers)).status == 200
        assert (await host.ask("POST", "/v1/sessions", json={"template": OPEN}, headers=ben)).status == 201


def _player_of(host: Host, token: str) -> str:
    claim = host.visitor.server._app.state.player_access.tokens.read(token)
    assert claim is not None
    return str(claim.player)


async def test_a_seat_is_free_again_when_nothing_was_begun_on_it(tmp_path: Path) -> None:
    async with public_host(public_settings(tmp_path / "story", players="seats = 1")) as host:
        refused = await host.ask("POST", "/v1/sessions", json={"template": OPEN, "series": "none"})
        failed = await host.ask("POST", "/v1/sessions", json={"template": OPEN, "series": "none"}, headers=AUTHOR)
        assert {refused.status, failed.status} <= {404, 422}
        assert (await host.ask("POST", "/v1/sessions", json={"template": OPEN})).status == 201


def test_the_queue_forgets_who_does_not_come_back_and_has_an_end() -> None:
    clock = Clock()
    room = WaitingRoom(1, 600, clock)
    room.enter("anna")
    tickets = []
    for number in range(LONGEST_QUEUE + 50):
        with pytest.raises(SeatsTakenError) as taken:
            room.enter(f"guest-{number}")
        assert taken.value.place == min(number, LONGEST_QUEUE) + 1
        tickets.append(taken.value.ticket)
    clock.now += PATIENCE + 1
    with pytest.raises(SeatsTakenError) as late:
        room.enter("late", tickets[700])
    assert late.value.place == 1
    clock.now += 601
    assert room.enter("ben")


@pytest.mark.parametrize(
    ("limit", "who"),
    [
        ("player_tokens_per_day = 1", "one player"),
        ("address_tokens_per_day = 1", "one address"),
        ("tokens_per_day = 1", "everybody together"),
    ],
)
async def test_a_day_has_its_limit_of_tokens(limit: str, who: str, tmp_path: Path) -> None:
    async with public_host(public_settings(tmp_path / "story", players=limit)) as host:
        played_by(host.visitor, house(spoken()))
        owner = await host.arrive()
        path = f"{host.visitor.url}/v1/sessions/{owner.session}/messages"
        async with host.visitor.session.post(path, json={"text": "Hello."}, headers=owner.headers) as response:
            assert response.status == 200
            await response.read()
        for way in ("messages", "retry", "evaluations", "messages/m2/swipes", "choices"):
            body = {"text": "Again.", "choice": "x"}
            sent = {"text": body["text"]} if way == "messages" else {"choice": "x"} if way == "choices" else None
            answer = await host.ask("POST", f"/v1/sessions/{owner.session}/{way}", json=sent, headers=owner.headers)
            assert (answer.status, answer.code) == (429, "TOO_MANY_REQUESTS"), way
            assert who in answer.json["error"]["message"]
            assert int(answer.headers["retry-after"]) >= 1
        assert (await host.ask("GET", f"/v1/sessions/{owner.session}", headers=owner.headers)).status == 200
        guest = await host.ask("POST", "/v1/sessions", json={"template": OPEN})
        assert guest.status == (201 if who == "one player" else 429)
        assert (await host.ask("DELETE", "/v1/players/me", headers=owner.headers)).status == 200
        spent = await host.visitor.studio.episodes.players.spent()
        assert spent.tokens > 0


@pytest.mark.parametrize(("proxies", "counted"), [("", 1), ('proxies = ["127.0.0.1"]', 6)])
async def test_an_address_is_believed_only_from_a_proxy(proxies: str, counted: int, tmp_path: Path) -> None:
    settings = public_settings(tmp_path / "story", players="per_address = 1\nburst = 1", server=proxies)
    async with public_host(settings) as host:
        server = GracefulServer(host.visitor.server._app, settings.server)
        server.config.load()
        seen: set[str] = set()

        async def app(scope, receive, send) -> None:  # type: ignore[no-untyped-def]
            seen.add(scope["client"][0])

        loaded = server.config.loaded_app
        wrapped = getattr(loaded, "app", None)
        if proxies:
            loaded.app = app
        for number in range(6):
            scope = {
                "type": "http",
                "client": ("127.0.0.1", 1),
                "headers": [(b"x-forwarded-for", b"203.0.113.%d, 198.51.100.%d" % (7, number))],
            }
            await (loaded if proxies else app)(scope, None, None)
        assert len(seen) == counted
        assert "203.0.113.7" not in seen
        assert bool(proxies) is (type(loaded).__name__ == "ProxyHeadersMiddleware")
        assert wrapped is not None or not proxies
