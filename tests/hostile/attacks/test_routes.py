"""Every route of the description, asked by everybody: the author, players, and those without a valid token."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.hostile.attacks.callers import (
    BODIES,
    BROKEN_TOKENS,
    CALLERS,
    EXPECTED,
    FACES,
    IN,
    OPERATIONS,
    CallerName,
    address_of,
)
from tests.hostile.attacks.host import AUTHOR, CLOSED, OPEN, TOKEN, Host, Player, public_host, public_settings

RUN_ID = re.compile(r"\b[0-9a-hjkmnp-tv-z]{18}\b")

HOSTS_VIEW = "get_hosted_session"
"""The only answer of the author's face that tells a session of a player from none: its director, and no word."""


def test_the_table_names_only_routes_that_there_are() -> None:
    assert set(FACES) <= {name for name, _, _ in OPERATIONS}
    assert len(OPERATIONS) * len(CALLERS) >= 500


async def _caller(host: Host, caller: CallerName, owner: Player) -> Player | None:
    """Who a caller of that kind is, with the token that they send; None if they are no player."""
    players = host.visitor.studio.episodes.players
    if caller in ("author", "none"):
        return None
    if caller == "owner":
        return owner
    if caller == "malformed":
        return Player(BROKEN_TOKENS[1], "")
    other = await host.arrive()
    _, player, token_id, _ = other.token.split(".")
    if caller == "revoked":
        await players.revoke_token(token_id)
    if caller == "expired":
        stored = await players.issue_token(player, f"{token_id}-old", -1)
        other.token = host.visitor.server._app.state.player_access.tokens.mint(player, stored.id)
    return other


@pytest.mark.parametrize("caller", CALLERS)
async def test_every_route_answers_each_caller_as_the_table_says(caller: CallerName, tmp_path: Path) -> None:
    async with public_host(public_settings(tmp_path / "story")) as host:
        owner = await host.arrive()
        who = await _caller(host, caller, owner)
        for name, method, path in OPERATIONS:
            if name in FACES:  # a fresh session for each: some routes delete what they are asked for
                owner = await host.arrive()
                who = await _caller(host, caller, owner)
            headers = who.headers if who else AUTHOR if caller == "author" else {}
            body = {"json": BODIES.get(name, {})} if method in ("POST", "PATCH", "PUT") else {}
            address = address_of(name, path, session=owner.session, share="")
            answer = await host.ask(method, address, headers=headers, **body)
            expected = EXPECTED[FACES.get(name, "author")][caller]
            where = f"{caller}: {name} {answer.status} {answer.text}"
            if expected == IN:
                assert answer.status not in (401, 403), where
                assert answer.status < 500, where
            else:
                assert answer.status == expected, where
                assert answer.code
            if caller != "author" and name not in ("open_session", "complete_chat"):  # these open one of the caller's
                own = {owner.session, who.session if who else ""}
                assert set(RUN_ID.findall(answer.text)) <= own, where


@pytest.mark.parametrize("token", BROKEN_TOKENS)
async def test_no_malformed_token_is_anybody(token: str, tmp_path: Path) -> None:
    async with public_host(public_settings(tmp_path / "story")) as host:
        owner = await host.arrive()
        for method, path, how in (
            ("GET", f"/v1/sessions/{owner.session}", {}),
            ("GET", "/v1/players/me/sessions", {}),
            ("DELETE", "/v1/players/me", {}),
            ("POST", "/v1/sessions", {"json": {"template": OPEN}}),
        ):
            answer = await host.ask(method, path, headers={"X-Player-Token": token}, **how)
            assert (answer.status, answer.code) == (401, "PLAYER_TOKEN_REVOKED"), path
        answer = await host.ask("GET", f"/v1/sessions/{owner.session}/events?player_token={quote(token)}")
        assert (answer.status, answer.code) == (401, "PLAYER_TOKEN_REVOKED")


async def test_a_request_with_a_token_that_is_not_valid_counts_against_its_address(tmp_path: Path) -> None:
    settings = public_settings(tmp_path / "story", players="per_address = 1\nburst = 1")
    async with public_host(settings) as host:
        broken = {"X-Player-Token": BROKEN_TOKENS[0]}
        statuses = [(await host.ask("GET", "/v1/players/me/sessions", headers=broken)).status for _ in range(110)]
        assert statuses[0] == 401
        assert statuses[-1] == 429


async def test_the_keys_do_not_fit_the_other_door(tmp_path: Path) -> None:
    async with public_host(public_settings(tmp_path / "story")) as host:
        owner = await host.arrive()
        for token in (owner.token, f"Bearer {owner.token}"):
            for path in ("/v1/runs", "/v1/tokens", "/v1/costs", "/v1/sessions"):
                assert (await host.ask("GET", path, headers={"Authorization": f"Bearer {token}"})).status == 401
                assert (await host.ask("GET", path, headers={"Authorization": token})).status == 401
        # A chat program has one key, so there a player's may come as the bearer token; it opens the same as elsewhere.
        listed = await host.ask("GET", "/v1/models", headers={"Authorization": f"Bearer {owner.token}"})
        assert [one["id"] for one in listed.json["data"]] == [f"episode/{OPEN}"]
        assert (listed.json["choice"], listed.json["providers"]) == ("", [])
        assert (await host.ask("GET", "/v1/models", headers={"Authorization": owner.token})).status == 401
        answer = await host.ask("GET", f"/v1/sessions/{owner.session}", headers={"X-Player-Token": TOKEN})
        assert answer.status == 401
        query = f"/v1/sessions/{owner.session}/events?access_token={owner.token}"
        assert (await host.ask("GET", query)).status == 404
        wrong = {**owner.headers, "Authorization": "Bearer wrong"}
        assert (await host.ask("GET", f"/v1/sessions/{owner.session}", headers=wrong)).status == 401


async def test_a_session_of_somebody_else_and_none_at_all_are_answered_alike(tmp_path: Path) -> None:
    async with public_host(public_settings(tmp_path / "story")) as host:
        owner, other = await host.arrive(), await host.arrive()
        nobody = "0" * 18
        for name, method, path in OPERATIONS:
            if (FACES.get(name) != "session" and "{run_id}" not in path) or name == HOSTS_VIEW:
                continue
            callers = [other.headers] if FACES.get(name) == "session" else [AUTHOR, {**AUTHOR, **other.headers}]
            for headers in callers:
                body = {"json": BODIES.get(name, {})} if method in ("POST", "PATCH") else {}
                foreign, missing = [
                    await host.ask(method, address_of(name, path, session=one, share=""), headers=headers, **body)
                    for one in (owner.session, nobody)
                ]
                assert foreign.status == missing.status, name
                assert foreign.text.replace(owner.session, nobody) == missing.text, name
                assert other.session not in missing.text


async def test_the_hosts_view_of_a_session_has_nothing_that_was_said_and_is_for_the_host_alone(tmp_path: Path) -> None:
    async with public_host(public_settings(tmp_path / "story")) as host:
        owner, other = await host.arrive(), await host.arrive()
        said = {"text": "Zyzzyva is what my mother calls me."}
        await host.ask("POST", f"/v1/sessions/{owner.session}/messages", headers=owner.headers, json=said)
        view = (await host.ask("GET", f"/v1/sessions/{owner.session}", headers=owner.headers)).json
        path = f"/v1/host/sessions/{owner.session}"
        seen = await host.ask("GET", path, headers=AUTHOR)
        assert seen.status == 200
        assert len(view["messages"]) >= 2
        for message in view["messages"]:
            assert message["content"].strip('"') not in seen.text
        for headers in (owner.headers, other.headers, {}):
            assert (await host.ask("GET", path, headers=headers)).status == 401


async def test_what_is_closed_does_not_exist_for_players(tmp_path: Path) -> None:
    async with public_host(public_settings(tmp_path / "story")) as host:
        owner = await host.arrive()
        assert [one["name"] for one in (await host.ask("GET", "/v1/episodes")).json["episodes"]] == [OPEN]
        answers = [
            await host.ask("POST", "/v1/sessions", json={"template": name}, headers=owner.headers)
            for name in (CLOSED, "never-written", f"../{OPEN}", OPEN.upper())
        ]
        assert [one.status for one in answers] == [404] * 4
        assert answers[0].text.replace(CLOSED, "never-written") == answers[1].text
        assert CLOSED not in answers[1].text
        assert (await host.ask("GET", f"/v1/episodes/{CLOSED}", headers=owner.headers)).status == 404
        everything = (await host.ask("GET", "/v1/episodes", headers=AUTHOR)).json["episodes"]
        assert {one["name"] for one in everything} == {OPEN, CLOSED}
        private = await host.arrive(CLOSED, {**AUTHOR, **owner.headers})
        assert (await host.ask("GET", f"/v1/sessions/{private.session}", headers=owner.headers)).status == 404
        with_key = {**AUTHOR, **owner.headers}
        assert (await host.ask("GET", f"/v1/sessions/{private.session}", headers=with_key)).status == 200


async def test_a_host_that_opens_nothing_lets_nobody_in(tmp_path: Path) -> None:
    settings = public_settings(tmp_path / "story")
    closed = settings.model_copy(update={"players": settings.players.model_copy(update={"open": None})})
    async with public_host(closed) as host:
        for _, method, path in OPERATIONS:
            if path == "/healthz" or (path == "/v1/login" and method != "POST"):  # the door, which tells nothing else
                continue
            answer = await host.ask(method, address_of("", path, session="0" * 18, share=""))
            assert answer.status in ((401, 422) if path == "/v1/login" else (401,)), path


async def test_a_share_is_seen_by_all_and_changed_by_its_owner_only(tmp_path: Path) -> None:
    async with public_host(public_settings(tmp_path / "story")) as host:
        owner, other = await host.play_to_the_end(await host.arrive()), await host.arrive()
        assert (await host.ask("GET", f"/v1/results/{owner.share}")).status == 200
        assert (await host.ask("GET", f"/r/{owner.share}")).status == 200
        for headers in ({}, other.headers, AUTHOR, {**AUTHOR, **other.headers}):
            for session in (owner.session, other.session):
                path = f"/v1/sessions/{session}/shares/{owner.share}"
                assert (await host.ask("DELETE", path, headers=headers)).status == 404
        assert (await host.ask("GET", f"/r/{owner.share}")).status == 200
        path = f"/v1/sessions/{owner.session}/shares/{owner.share}"
        assert (await host.ask("DELETE", path, headers=owner.headers)).status == 204
        revoked = await host.ask("GET", f"/r/{owner.share}")
        never = await host.ask("GET", f"/r/{'0' * 32}")
        assert (revoked.status, revoked.text) == (never.status, never.text) == (404, never.text)
