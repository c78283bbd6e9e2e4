"""What a host allows players in a day, how many at a time, whose address counts, and what a repeated request means."""

from __future__ import annotations

import asyncio
import re
from contextlib import ExitStack
from pathlib import Path

import pytest

from dramaturg.episodes.session_tables import SessionTables
from dramaturg.episodes.spent_day import HOUR
from dramaturg.kernel.errors import StoreBlocked
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.settings import read_settings
from dramaturg.server.http.waiting_room import SeatsTakenError, WaitingRoom
from tests.episodes.staging import FLIRT, Halting, kind_of, spoken
from tests.server.players import Guest, begin, played_by, types, write_episode
from tests.server.visitor import Answer, served

TALK: dict[str, object] = {**FLIRT, "completion_mode": "open", "turn_budget": None, "evaluation": None}
RATES = "per_player = 100000\nper_address = 1000000\nburst = 1000\n"
CENT = 0.01


class Costly(ScriptedModel):
    """Every answer costs a cent."""

    def __init__(self) -> None:
        super().__init__(lambda request: spoken() if kind_of(request) == "answer" else "{}")

    def _answer(self, request: ModelRequest, text: str) -> ModelAnswer:
        return super()._answer(request, text).model_copy(update={"cost_usd": CENT})


def limited(folder: Path, players: str) -> Path:
    return write_episode(folder, TALK, more=f"[episodes]\nextraction = false\n[players]\n{RATES}{players}")


async def message(guest: Guest, text: str = "Again.") -> Answer:
    return await guest.ask("POST", "/messages", {"text": text})


@pytest.mark.parametrize("limit", ["player_usd_per_day", "address_usd_per_day", "usd_per_day"])
async def test_turns_cost_no_more_money_than_a_day_allows(tmp_path: Path, limit: str) -> None:
    async with served(limited(tmp_path / "story", f"{limit} = {2 * CENT}")) as visitor:
        played_by(visitor, Costly())
        anna = await begin(visitor)
        assert [(await message(anna)).status for _ in range(3)] == [200, 200, 429]
        refused = await message(anna)
        assert (refused.code, (await anna.ask("GET")).status) == ("TOO_MANY_REQUESTS", 200)
        assert 22 * HOUR < int(refused.headers["retry-after"]) <= 24 * HOUR  # all of it was used just now
        assert re.search(r"free again in 2[34] hours\.", refused.json["error"]["message"])
        opened = await visitor.post("/v1/sessions", {"template": "last-orders"})
        assert opened.status == (201 if limit.startswith("player") else 429)
        assert len((await anna.now())["messages"]) == 5


@pytest.mark.parametrize("limit", ["player_tokens_per_day", "address_tokens_per_day", "tokens_per_day"])
async def test_nor_more_tokens(tmp_path: Path, limit: str) -> None:
    async with served(limited(tmp_path / "story", f"{limit} = 1")) as visitor:
        played_by(visitor, Costly())
        anna = await begin(visitor)
        assert [(await message(anna)).status for _ in range(2)] == [200, 429]
        again = await visitor.post("/v1/sessions", {"template": "last-orders"}, headers=anna.headers)
        assert again.status == 429


@pytest.mark.parametrize("limit", ["player_usd_per_day", "address_usd_per_day", "usd_per_day"])
async def test_a_message_that_waited_is_not_answered_when_the_day_is_used_up_by_then(
    tmp_path: Path, limit: str
) -> None:
    async with served(limited(tmp_path / "story", f"{limit} = {2 * CENT}")) as visitor:
        model = Costly()
        played_by(visitor, model)
        anna = await begin(visitor)
        sent = await asyncio.gather(*(anna.say(f"Again, {number}.", f"id-{number}") for number in range(6)))
        assert len([one for one in model.requests if kind_of(one) == "answer"]) == 2
        failed = [one for turn in sent for one in turn if one["type"] == "error"]
        assert len(failed) == 4
        assert {one["code"] for one in failed} == {"BUDGET_EXCEEDED"}
        assert (await message(anna)).status == 429


async def test_what_was_spent_is_known_after_a_restart(tmp_path: Path) -> None:
    story = limited(tmp_path / "story", f"player_usd_per_day = {CENT}")
    async with served(story) as visitor:
        played_by(visitor, Costly())
        anna = await begin(visitor)
        assert (await message(anna)).status == 200
    async with served(story) as visitor:
        again = Guest(visitor, anna.token, anna.session, {})
        assert (await message(again)).status == 429


async def test_when_every_seat_is_taken_a_ticket_keeps_the_place(tmp_path: Path) -> None:
    async with served(limited(tmp_path / "story", "seats = 1")) as visitor:
        await begin(visitor)
        refused = await visitor.post("/v1/sessions", {"template": "last-orders"})
        assert (refused.status, refused.code) == (503, "SEATS_TAKEN")
        ticket = refused.json["error"]["context"]["ticket"]
        behind = await visitor.post("/v1/sessions", {"template": "last-orders"})
        held = await visitor.post("/v1/sessions", {"template": "last-orders"}, headers={"X-Waiting-Ticket": ticket})
        assert [one.json["error"]["context"]["place"] for one in (refused, behind, held)] == [1, 2, 1]


def test_a_free_seat_goes_to_whoever_waited_longest() -> None:
    now = 0.0
    room = WaitingRoom(1, 600, lambda: now)
    room.enter("anna")
    tickets = []
    for name in ("ben", "cleo"):
        with pytest.raises(SeatsTakenError) as taken:
            room.enter(name)
        tickets.append(taken.value.ticket)
    room.enter("anna")
    room.leave("anna")
    with pytest.raises(SeatsTakenError):
        room.enter("cleo", tickets[1])
    assert room.enter("somebody", tickets[0])


@pytest.mark.parametrize("first_fails", [True, False])
def test_a_request_that_fails_leaves_the_seat_to_another_of_the_same_player(*, first_fails: bool) -> None:
    room = WaitingRoom(1, 600, lambda: 0.0)
    outer, inner = ExitStack(), ExitStack()
    outer.enter_context(room.seat("anna"))
    inner.enter_context(room.seat("anna"))
    failing, other = (outer, inner) if first_fails else (inner, outer)
    assert not failing.__exit__(ValueError, ValueError(), None)
    with pytest.raises(SeatsTakenError):
        room.enter("ben")
    other.close()
    with pytest.raises(SeatsTakenError):
        room.enter("ben")


def test_a_seat_is_free_again_when_every_request_that_wanted_it_has_failed() -> None:
    room = WaitingRoom(1, 600, lambda: 0.0)
    both = [ExitStack(), ExitStack()]
    for one in both:
        one.enter_context(room.seat("anna"))
    for one in both:
        one.__exit__(ValueError, ValueError(), None)
    assert room.enter("ben")


def test_a_seat_that_was_played_from_meanwhile_is_kept_when_a_request_for_it_fails() -> None:
    room = WaitingRoom(1, 600, lambda: 0.0)
    opening = ExitStack()
    opening.enter_context(room.seat("anna"))
    room.enter("anna")
    opening.__exit__(ValueError, ValueError(), None)
    with pytest.raises(SeatsTakenError):
        room.enter("ben")


def test_a_request_of_before_a_player_left_takes_no_seat_from_after_it() -> None:
    room = WaitingRoom(1, 600, lambda: 0.0)
    room.enter("anna")
    before, after = ExitStack(), ExitStack()
    before.enter_context(room.seat("anna"))
    room.leave("anna")
    after.enter_context(room.seat("anna"))
    before.__exit__(ValueError, ValueError(), None)
    with pytest.raises(SeatsTakenError):
        room.enter("ben")
    after.close()


def test_a_ticket_that_is_shown_by_many_is_kept_for_the_last_of_them() -> None:
    room = WaitingRoom(1, 600, lambda: 0.0)
    room.enter("anna")
    ticket = ""
    for number in range(5000):
        with pytest.raises(SeatsTakenError) as taken:
            room.enter(f"new player {number}", ticket)
        ticket = taken.value.ticket
        assert taken.value.place == 1
    assert max(len(kept) for kept in vars(room).values() if isinstance(kept, dict)) == 1
    with pytest.raises(SeatsTakenError) as again:
        room.enter("new player 4999")
    assert (again.value.place, again.value.ticket) == (1, ticket)
    with pytest.raises(SeatsTakenError) as other:
        room.enter("new player 0")
    assert other.value.place == 2


async def test_a_client_id_with_other_words_is_refused_and_not_dropped(tmp_path: Path) -> None:
    async with served(write_episode(tmp_path / "story", TALK)) as visitor:
        anna = await begin(visitor)
        first = await anna.say("Good evening.", "one")
        other = await anna.ask("POST", "/messages", {"text": "Something else.", "client_id": "one"})
        assert (other.status, other.code) == (409, "ALREADY_USED")
        again = await anna.say("Good evening.", "one")
        assert types(again)[-1] == types(first)[-1] == "done"
        assert len((await anna.now())["messages"]) == 3


async def test_a_session_is_opened_once_under_its_key_even_after_a_restart(tmp_path: Path) -> None:
    story, key = write_episode(tmp_path / "story", TALK), {"Idempotency-Key": "a-key-nobody-guesses"}
    wanted = {"template": "last-orders", "name": "Anna"}
    async with served(story) as visitor:
        opened = await asyncio.gather(*(visitor.post("/v1/sessions", wanted, headers=key) for _ in range(5)))
        other = await visitor.post("/v1/sessions", {**wanted, "name": "Ben"}, headers=key)
        short = await visitor.post("/v1/sessions", wanted, headers={"Idempotency-Key": "guessed"})
    async with served(story) as visitor:
        later = await visitor.post("/v1/sessions", wanted, headers=key)
        count = len(await visitor.studio.episodes.sessions())
    assert {one.status for one in (*opened, later)} == {201}
    assert len({one.json["session"]["id"] for one in (*opened, later)}) == count == 1
    assert (other.status, short.status) == (409, 422)


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_session_whose_opening_broke_off_is_there_when_it_is_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, restarts: bool
) -> None:
    story, key = write_episode(tmp_path / "story", TALK), {"Idempotency-Key": "a-key-nobody-guesses"}
    wanted = {"template": "last-orders", "name": "Anna"}

    async def gone(*_: object) -> None:
        raise StoreBlocked("The database is gone.")

    async with served(story) as visitor:
        with monkeypatch.context() as patched:
            patched.setattr(SessionTables, "record", gone)
            first = await visitor.post("/v1/sessions", wanted, headers=key)
        again = None if restarts else await visitor.post("/v1/sessions", wanted, headers=key)
    async with served(story) as visitor:
        later = await visitor.post("/v1/sessions", wanted, headers=key)
        known = await visitor.studio.episodes.sessions()
        anna = Guest(visitor, later.json["player_token"], later.json["session"]["id"], later.json["session"])
        said = await anna.say("Good evening.", "one")
    assert first.status == 503
    assert {one.status for one in (later, again or later)} == {201}
    assert [(one.id, one.template) for one in known] == [(later.json["session"]["id"], "last-orders")]
    assert types(said)[-1] == "done"


@pytest.mark.parametrize(("proxies", "believed"), [("[]", False), ('["127.0.0.1"]', True), ('["10.0.0.0/8"]', False)])
async def test_a_forwarded_address_is_believed_from_a_configured_proxy_only(
    tmp_path: Path, proxies: str, believed: bool
) -> None:
    more = f"[server]\nproxies = {proxies}\n[players]\nper_address = 6\nburst = 1\n"
    story = write_episode(tmp_path / "story", TALK, more=more)
    async with served(read_settings(story, {}, trust=True)) as visitor:
        answers = [
            (await visitor.get("/v1/episodes", headers={"X-Forwarded-For": f"203.0.113.{number}"})).status
            for number in range(102)
        ]
    assert (429 not in answers) is believed


async def test_an_edit_while_an_answer_streams_waits_for_it_and_is_kept(tmp_path: Path) -> None:
    async with served(write_episode(tmp_path / "story", TALK)) as visitor:
        model = Halting(spoken("I was saying something long, my friend, and you listened."), after=8)
        played_by(visitor, model)
        anna = await begin(visitor)
        turn = asyncio.create_task(anna.say("Good evening.", "one"))
        await model.reached.wait()
        edits = [
            asyncio.create_task(anna.ask("PATCH", f"/messages/{one}", {"text": "Edited."})) for one in ("m1", "m2")
        ]
        await asyncio.sleep(0)
        model.go.set()
        assert types(await turn)[-1] == "done"
        assert [(await one).status for one in edits] == [200, 200]
        view = await anna.now()
        assert [one["content"] for one in view["messages"][:2]] == ["Edited.", "Edited."]
        assert "you listened" in view["messages"][2]["content"]


async def test_fifty_sends_at_once_are_fifty_turns_in_one_line(tmp_path: Path) -> None:
    async with served(write_episode(tmp_path / "story", TALK, more="[episodes]\nextraction = false\n")) as visitor:
        played_by(visitor, Costly())
        anna = await begin(visitor)
        turns = await asyncio.gather(*(anna.say(f"Number {number}.", f"c{number}") for number in range(50)))
        view: dict[str, list[dict[str, str]]] = await anna.now()
    assert all(types(turn)[-1] == "done" for turn in turns)
    roles = [one["role"] for one in view["messages"]]
    assert roles == ["character", *["player", "character"] * 50]
    said = {one["content"] for one in view["messages"] if one["role"] == "player"}
    assert said == {f"Number {number}." for number in range(50)}


async def test_fifty_sends_of_the_same_message_are_one_turn(tmp_path: Path) -> None:
    async with served(write_episode(tmp_path / "story", TALK)) as visitor:
        anna = await begin(visitor)
        turns = await asyncio.gather(*(anna.say("Hello.", "same") for _ in range(50)))
        view = await anna.now()
    assert all(types(turn)[-1] == "done" for turn in turns)
    assert len(view["messages"]) == 3
