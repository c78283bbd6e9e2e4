"""A person plays a part over HTTP: a token for one seat, what its character hears, answers, and leaving."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from dramaturg.scenes.seats.events import SeatAnswered
from tests.hostile.attacks.host import AUTHOR, public_host, public_settings
from tests.model_server import ModelServer
from tests.server.event_stream import server_sent
from tests.server.visitor import Sent, Visitor

PLAYED = {"scene": "argument", "person": "bob", "wait": True}


class SeatClient:
    """The person in Bob's seat."""

    def __init__(self, guest: Visitor, run: str, token: str) -> None:
        self._guest, self.base = guest, f"/v1/runs/{run}/seats/bob"
        self.headers = {"X-Seat-Token": token}

    async def follow(self, after: int = 0, query: str = "") -> AsyncIterator[Sent]:
        headers = {} if query else dict(self.headers)
        if after:
            headers["Last-Event-ID"] = str(after)
        async with self._guest.session.get(
            self._guest.url + self.base + f"/events{query}", headers=headers
        ) as response:
            assert response.status == 200, await response.text()
            async for fields, data in server_sent(response):
                yield Sent(int(fields["id"]), fields["event"], data)

    async def say(self, text: str, **headers: str) -> object:
        return await self._guest.post(f"{self.base}/answers", {"text": text}, headers={**self.headers, **headers})


async def seat_for(guest: Visitor, run: str, **headers: str) -> SeatClient:
    taken = await guest.post(f"/v1/runs/{run}/seats", {"part": "Bob"}, headers=headers)
    assert taken.status == 201, taken.text
    assert taken.json["part"] == "bob"
    assert taken.json["links"]["events"] == f"/v1/runs/{run}/seats/bob/events"
    return SeatClient(guest, run, taken.json["seatToken"])


async def test_a_person_plays_a_part_through_a_seat(guest: Visitor) -> None:
    run = await guest.play(PLAYED)
    bob = await seat_for(guest, run)
    words, seen = iter(["I never opened it.", "-- Listen!", "[SILENT]", "I am sorry, Alice.", "Truly."]), []
    async with asyncio.timeout(240):
        async for sent in bob.follow():
            seen.append(sent)
            if sent.event == "seat.cue":
                assert (await bob.say(next(words))).status == 202
    assert [sent.id for sent in seen] == list(range(1, len(seen) + 1))
    assert seen[0].event == "seat.briefing"
    assert seen[0].data["name"] == "Bob"
    assert seen[-1].event == "seat.scene_ended"
    await guest.studio.engine.join()
    result = (await guest.get(f"/v1/runs/{run}/result")).json
    assert 'Bob [TONE: neutral] "I never opened it."' in result["transcript"]
    assert result["metadata"]["people"] == ["Bob"]
    heard = [sent.data["text"] for sent in seen if sent.event == "seat.heard"]
    assert 'Bob [TONE: neutral] "I am sorry, Alice."' in heard
    again = [sent async for sent in bob.follow(after=3)]
    assert again == seen[3:]
    query = [sent async for sent in bob.follow(query=f"?seat_token={bob.headers['X-Seat-Token']}")]
    assert query == seen
    end = await guest.get(f"{bob.base}/events", headers={**bob.headers, "Last-Event-ID": str(len(seen))})
    assert end.status == 204


async def test_an_answer_under_a_key_is_spoken_once(guest: Visitor) -> None:
    run = await guest.play(PLAYED)
    bob = await seat_for(guest, run)
    first = await bob.say("It was me.", **{"Idempotency-Key": "a"})
    again = await bob.say("It was me.", **{"Idempotency-Key": "a"})
    assert (first.status, again.status, first.json["number"]) == (202, 202, again.json["number"])
    other = await bob.say("It was not.", **{"Idempotency-Key": "a"})
    assert (other.status, other.code) == (409, "ALREADY_USED")
    assert (await guest.post(f"{bob.base}/leave", headers=bob.headers)).status == 204
    await guest.to_the_end(run)
    await guest.studio.engine.join()
    played = await guest.studio.scenes.open_run(run)
    answers = [entry.event for entry in played.entries if isinstance(entry.event, SeatAnswered)]
    assert [answer.text for answer in answers] == ["It was me."]
    assert (await guest.get(f"/v1/runs/{run}/transcript")).text.count("It was me.") == 1


async def test_the_second_on_a_seat_is_refused_and_the_first_gets_the_same_token_again(
    guest: Visitor, models: ModelServer
) -> None:
    models.hold(at=1)
    run = await guest.play(PLAYED)
    await models.received(1)
    bob = await seat_for(guest, run, **{"Idempotency-Key": "mine"})
    second = await guest.post(f"/v1/runs/{run}/seats", {"part": "bob"})
    assert (second.status, second.code) == (409, "ALREADY_USED")
    assert "Somebody plays Bob already" in second.text
    again = await seat_for(guest, run, **{"Idempotency-Key": "mine"})
    assert again.headers == bob.headers
    assert (await guest.get(f"/v1/runs/{run}/seats")).json["seats"] == [
        {"part": "bob", "name": "Bob", "taken": True, "otherwise": "silence", "waits": True}
    ]
    assert (await guest.ask("DELETE", f"/v1/runs/{run}/seats/bob")).status == 204
    refused = await bob.say("Still here?")
    assert (refused.status, refused.code) == (401, "SEAT_TOKEN_INVALID")
    third = await seat_for(guest, run)
    assert third.headers != bob.headers
    assert (await guest.post(f"{third.base}/leave", headers=third.headers)).status == 204
    models.release()
    await guest.to_the_end(run)


async def test_a_seat_is_refused_where_there_is_none(guest: Visitor) -> None:
    run = await guest.play(PLAYED)
    for body, says in (
        ({"part": "alice"}, "A model plays Alice"),
        ({"part": "zoe"}, "'zoe' is nobody of this scene"),
        ({"part": ""}, "part"),
        ({}, "part"),
    ):
        answer = await guest.post(f"/v1/runs/{run}/seats", body)
        assert answer.status == 422, body
        assert says in answer.text
    bob = await seat_for(guest, run)
    for text in ("", "x" * 4001, "\u001b"):
        assert (await bob.say(text)).status == 422
    for _ in range(20):
        await bob.say("[SILENT]")
    await guest.ask("DELETE", f"/v1/runs/{run}/seats/bob")
    await guest.to_the_end(run)
    await guest.studio.engine.join()
    ended = await guest.post(f"/v1/runs/{run}/seats", {"part": "bob"})
    assert ended.status == 422
    assert "has ended" in ended.text
    nobody = {"scene": "argument", "person": "zoe"}
    assert "'zoe' is nobody of this scene" in (await guest.post("/v1/scenes", nobody)).text


async def test_answers_do_not_pile_up(guest: Visitor, models: ModelServer) -> None:
    models.hold(at=1)
    run = await guest.play(PLAYED)
    await models.received(1)
    bob = await seat_for(guest, run)
    sent = [await bob.say(f"Line {n}.") for n in range(21)]
    assert [one.status for one in sent] == [202] * 20 + [422]
    assert "wait to be spoken already" in sent[-1].text
    models.release()
    await guest.to_the_end(run)


async def test_a_seat_token_opens_that_seat_and_nothing_else(tmp_path: Path) -> None:
    async with public_host(public_settings(tmp_path / "story")) as host:
        started = [
            (await host.ask("POST", "/v1/scenes", json={**PLAYED, "model": "rehearsal"}, headers=AUTHOR)).json["run"]
            for _ in range(2)
        ]
        run, other = started
        seat = await host.ask("POST", f"/v1/runs/{run}/seats", json={"part": "bob"}, headers=AUTHOR)
        await host.ask("POST", f"/v1/runs/{other}/seats", json={"part": "bob"}, headers=AUTHOR)
        token = seat.json["seatToken"]
        own = {"X-Seat-Token": token}
        assert (await host.ask("GET", f"/v1/runs/{run}/seats/bob/events", headers=own)).status == 200
        for method, path in (
            ("GET", f"/v1/runs/{run}"), ("GET", f"/v1/runs/{run}/events"), ("GET", f"/v1/runs/{run}/transcript"),
            ("GET", f"/v1/runs/{run}/seats"), ("POST", f"/v1/runs/{run}/seats"), ("POST", f"/v1/runs/{run}/directions"),
            ("DELETE", f"/v1/runs/{run}/seats/bob"), ("POST", f"/v1/runs/{run}/cancel"), ("GET", "/v1/runs"),
        ):  # fmt: skip
            for headers in (own, {"Authorization": f"Bearer {token}"}, {"X-Player-Token": token}):
                assert (await host.ask(method, path, headers=headers)).status == 401, path
        body = {"json": {"text": "Hello."}}
        for path in (f"/v1/runs/{other}/seats/bob", f"/v1/runs/{run}/seats/alice", f"/v1/runs/{'0' * 18}/seats/bob"):
            refused = await host.ask("POST", f"{path}/answers", headers=own, **body)
            assert (refused.status, refused.code) == (401, "SEAT_TOKEN_INVALID")
        for broken in ("", "x", "s1..", f"{token}x", token.replace("s1.", "p2."), token[:-1], "s1.terminal.AAAA"):
            refused = await host.ask(
                "POST", f"/v1/runs/{run}/seats/bob/answers", headers={"X-Seat-Token": broken}, **body
            )
            assert refused.status == 401, broken
        assert (await host.ask("POST", f"/v1/runs/{run}/seats/bob/answers", headers=own, **body)).status == 202
        for one in started:
            await host.ask("DELETE", f"/v1/runs/{one}/seats/bob", headers=AUTHOR)
        await host.visitor.studio.engine.join()


@pytest.mark.parametrize("ask", ["GET events", "POST answers", "POST leave"])
async def test_whatever_is_not_the_seat_of_a_token_is_answered_alike(guest: Visitor, ask: str) -> None:
    run = await guest.play(PLAYED)
    bob = await seat_for(guest, run)
    method, _, what = ask.partition(" ")
    body = {"json": {"text": "Hello."}} if what == "answers" else {}
    answers = set()
    for place, headers in (
        (f"{run}/seats/bob", {}),
        (f"{run}/seats/bob", {"X-Seat-Token": "x" * 300}),
        (f"{run}/seats/alice", bob.headers),
        (f"{run}/seats/{'b' * 200}", bob.headers),
        ("0" * 18 + "/seats/bob", bob.headers),
        ("x/seats/walter", bob.headers),
        ("x/seats/walter", {}),
    ):
        answer = await guest.ask(method, f"/v1/runs/{place}/{what}", headers=headers, **body)
        answers.add((answer.status, answer.text))
    [(status, text)] = answers
    assert (status, "SEAT_TOKEN_INVALID" in text) == (401, True)


@pytest.mark.parametrize("by", ["author", "person"])
async def test_a_seat_is_given_up_after_the_run_has_ended_and_its_token_reads_nothing_more(
    guest: Visitor, by: str
) -> None:
    run = await guest.play(PLAYED)
    bob = await seat_for(guest, run)
    for _ in range(20):
        await bob.say("[SILENT]")
    await guest.to_the_end(run)
    await guest.studio.engine.join()
    assert (await guest.get(f"{bob.base}/events", headers=bob.headers)).status == 200
    if by == "author":
        gone = await guest.ask("DELETE", f"/v1/runs/{run}/seats/bob")
    else:
        gone = await guest.post(f"{bob.base}/leave", headers=bob.headers)
    assert gone.status == 204
    refused = await guest.get(f"{bob.base}/events", headers=bob.headers)
    assert (refused.status, refused.code) == (401, "SEAT_TOKEN_INVALID")
    assert [one["taken"] for one in (await guest.get(f"/v1/runs/{run}/seats")).json["seats"]] == [False]
    assert (await guest.ask("DELETE", f"/v1/runs/{run}/seats/bob")).status == 204
