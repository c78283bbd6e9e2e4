"""Sessions, memories and shares in tables, on SQLite and on Postgres: counted in SQL, made anew, removed whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dramaturg.episodes.events import Persona
from dramaturg.episodes.player_token import PlayerToken
from dramaturg.episodes.spent_day import HOUR, Spent, SpentDay
from dramaturg.episodes.store import PlayerStore
from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Store, open_store
from dramaturg.kernel.store.database import Statement
from dramaturg.studio import Studio
from tests.episodes.staging import ANNA, FLIRT, house, say, studio_of, write_project

TABLES = ("sessions", "messages", "session_evaluations", "shares", "episode_memories", "hooks", "relationships")
BEN = Persona(id="ben", name="Ben\0")
CLAIMS = json.dumps(
    {
        "memories": [
            {"text": "They lost a sister.", "quote": "lost my sister", "importance": 0.9, "scope": "character"}
        ],
        "hooks": [{"text": "The blue coat.", "quote": "lost my sister", "importance": 0.4, "scope": "series"}],
        "relationship": {"tone": "warm", "trust": 0.2, "tension": -0.1, "quote": "lost my sister"},
    }
)
RESULT = json.dumps(
    {
        "archetype": "slow_burn",
        "confidence": 0.5,
        "scores": [],
        "primary_signals": [{"signal": "warm", "quote": "lost my sister"}],
        "description": "",
    }
)


async def rows(store: Store, table: str) -> int:
    return int((await store.database.read(Statement(f"SELECT COUNT(*) FROM {table}", {})))[0][0])


async def played(studio: Studio, player: Persona = ANNA) -> str:
    view = await studio.episodes.open("last-orders", player)
    for text in ("I lost my sister.", "Zoë said: 🎭", "Good night."):
        await say(studio, view.id, text)
    await studio.episodes.shares.create(view.id)
    return view.id


@pytest.fixture
async def studio(store_settings: Settings, store: Store):
    model = house(extraction=CLAIMS, evaluation=RESULT)
    async with studio_of(store_settings.project, model, settings=store_settings) as opened:
        yield opened


async def test_what_happened_is_in_the_tables(studio: Studio, store: Store) -> None:
    session = await played(studio)
    row = await studio.episodes.tables.session(session)
    assert (row.turn_count, row.status, row.completion_trigger, row.player_id) == (3, "complete", "turn_limit", "anna")
    state = json.loads(row.director_state)
    assert {"current_beat", "beats_completed", "user_signals", "tension_curve", "flags"} <= set(state)
    messages = await studio.episodes.tables.messages(session)
    assert [message.position for message in messages] == list(range(7))
    metadata = json.loads(messages[2].metadata)
    assert metadata["structured"]["mood"] == "dry"
    assert "internal" not in metadata["structured"]
    assert metadata["director"] == {
        "turn_number": 1,
        "beat": "complication",
        "user_signals": [],
        "completion_eligible": False,
    }
    assert [kind for kind, _ in await studio.episodes.tables.evaluations(session)] == ["flirt_archetype"]
    templates = await store.database.read(
        Statement("SELECT name, completion_mode, turn_budget FROM episode_templates", {})
    )
    assert [tuple(row) for row in templates] == [("last-orders", "turn_limited", 3)]


async def test_counting_turn_by_turn_and_making_the_tables_anew_give_the_same(studio: Studio) -> None:
    session = await played(studio)
    before = (await studio.episodes.tables.session(session), await studio.episodes.tables.messages(session))
    await studio.episodes.rebuild(session)
    after = (await studio.episodes.tables.session(session), await studio.episodes.tables.messages(session))
    same = {"seq", "updated_at"}
    assert before[0].model_dump(exclude=same) == after[0].model_dump(exclude=same)
    assert before[1] == after[1]


async def test_a_turn_is_not_counted_twice_for_the_same_place_in_the_log(studio: Studio) -> None:
    session = await played(studio)
    row = await studio.episodes.tables.session(session)
    assert await studio.episodes.tables.advance(row, ()) is None
    assert (await studio.episodes.tables.session(session)).turn_count == 3


async def test_deleting_a_session_leaves_nothing_of_it(studio: Studio, store: Store) -> None:
    session = await played(studio)
    assert [await rows(store, table) for table in TABLES] == [1, 7, 1, 1, 1, 1, 1]
    await studio.episodes.delete(session)
    assert [await rows(store, table) for table in (*TABLES, "runs", "events")] == [0] * 9
    with pytest.raises(NotFound):
        await studio.episodes.view(session)


async def test_deleting_a_player_leaves_the_others(studio: Studio, store: Store) -> None:
    await played(studio)
    await played(studio)
    kept = await played(studio, BEN)
    assert await studio.episodes.players.delete("anna") == 2
    assert await studio.episodes.players.get("anna") is None
    assert [await rows(store, table) for table in (*TABLES, "runs", "players")] == [1, 7, 1, 1, 1, 1, 1, 1, 1]
    assert [row.id for row in await studio.episodes.sessions()] == [kept]
    assert await studio.episodes.players.memories("anna") == ()


async def test_memories_are_kept_by_character_and_player_and_stay_forgotten(studio: Studio) -> None:
    session = await played(studio)
    kept = await studio.episodes.players.memories("anna")
    assert [(who, one.kind, one.text) for who, one in kept] == [
        ("mina", "memory", "They lost a sister."),
        ("mina", "hook", "The blue coat."),
    ]
    assert await studio.episodes.players.memories("ben") == ()
    with pytest.raises(NotFound):
        await studio.episodes.players.forget("ben", kept[0][1].id)
    await studio.episodes.players.forget("anna", kept[0][1].id)
    await studio.episodes.edit(session, "m4", "Zoë said something else.")
    await studio.episodes.settle(session)
    assert [one.kind for _, one in await studio.episodes.players.memories("anna")] == ["hook"]


async def test_the_relationship_is_the_sum_of_its_history(studio: Studio) -> None:
    await played(studio)
    relationship, history = await studio.episodes.players.relationship("mina", "anna")
    assert (relationship.tone, relationship.trust, relationship.tension) == ("warm", 0.2, 0.0)
    assert len(history) == 1
    await played(studio)
    assert (await studio.episodes.players.relationship("mina", "anna"))[0].trust == 0.4


async def test_what_is_taken_back_is_not_remembered(studio: Studio) -> None:
    session = await played(studio)
    await studio.episodes.delete_message(session, "m2")
    await studio.episodes.settle(session)
    assert await studio.episodes.players.memories("anna") == ()


async def test_a_share_is_frozen_can_be_revoked_and_tells_strangers_nothing(studio: Studio) -> None:
    session = await played(studio)
    share = await studio.episodes.shares.create(session, ("result", "transcript"), days=1)
    assert len(share.id) == 32
    assert int(share.id, 16) >= 0
    await studio.episodes.edit(session, "m2", "Something else.")
    found = await studio.episodes.shares.get(share.id)
    assert found.snapshot.transcript[1].content == "I lost my sister."
    assert found.snapshot.result["primary_signals"] == [{"signal": "warm"}]
    await studio.episodes.shares.count_view(share.id)
    assert (await studio.episodes.shares.get(share.id)).views == 1
    await studio.episodes.shares.revoke(share.id)
    messages = []
    for wanted in (share.id, "0" * 32):
        with pytest.raises(NotFound) as error:
            await studio.episodes.shares.get(wanted)
        messages.append(error.value.message)
    assert len(set(messages)) == 1


async def test_a_share_runs_out(store_settings: Settings, store: Store) -> None:
    clock = StillClock()
    model = house(extraction=CLAIMS, evaluation=RESULT)
    async with studio_of(store_settings.project, model, settings=store_settings, clock=clock) as studio:
        session = await played(studio)
        share = await studio.episodes.shares.create(session, days=2)
        clock.wind(86_400)
        assert (await studio.episodes.shares.get(share.id)).snapshot.title == "Last orders"
        clock.wind(86_401)
        with pytest.raises(NotFound):
            await studio.episodes.shares.get(share.id)


async def test_a_session_is_found_again_by_another_house(
    store_settings: Settings, store: Store, tmp_path: Path
) -> None:
    model = house(extraction=CLAIMS, evaluation=RESULT)
    async with studio_of(store_settings.project, model, settings=store_settings) as first:
        view = await first.episodes.open("last-orders", ANNA)
        await say(first, view.id, "I lost my sister.")
    write_project(store_settings.project, {**FLIRT, "turn_budget": 9})
    again = await open_store(store_settings)
    await again.close()
    async with studio_of(store_settings.project, model, settings=store_settings) as second:
        # It goes on as it was opened, whatever became of the file since.
        events = await say(second, view.id, "And now?")
        assert [event.director.turn_count for event in events if event.type == "message_complete"] == [2]
        assert (await second.episodes.tables.session(view.id)).turn_count == 2


async def test_what_players_used_is_counted_by_the_hour_for_each_and_for_all(store: Store) -> None:
    own = PlayerStore(store.database)
    for player, hour, tokens in (("anna", 100, 1), ("anna", 100, 2), ("anna", 123, 4), ("ben", 123, 8)):
        await own.spend(player, Spent(tokens=tokens, usd=0.5), hour * HOUR + 60)
    at = 123 * HOUR + 600
    assert await own.day("anna", at) == SpentDay({100: Spent(tokens=3, usd=1.0), 123: Spent(tokens=4, usd=0.5)}, at)
    assert (await own.day(None, at)).total == Spent(tokens=15, usd=2.0)
    assert (await own.day("anna", at + HOUR)).total == Spent(tokens=4, usd=0.5)
    assert (await own.day("carla", at)).total == Spent()


DAY = 24 * HOUR


async def _issue(own: PlayerStore, name: str, at: float) -> None:
    await own.issue(PlayerToken(id=name, player_id="anna", issued_at=at, expires_at=at + 30 * DAY))


async def test_a_clock_that_was_ahead_for_a_moment_makes_no_token_old(store: Store) -> None:
    own = PlayerStore(store.database)
    await own.sign_with("digest", 0.0)
    await _issue(own, "first", 1000 * DAY)
    await own.revoke("first")
    await _issue(own, "second", 1002 * DAY)
    for number in range(3):
        await _issue(own, f"ahead-{number}", 1070 * DAY + number * HOUR)
    for name in ("back", "later"):
        await _issue(own, name, 1004 * DAY)
    first = await own.token("first")
    assert first is not None
    assert first.revoked
    assert {one.id for one in await own.tokens("anna", 100)} == {
        *("first", "second", "back", "later"),
        *(f"ahead-{number}" for number in range(3)),
    }


async def test_a_token_is_forgotten_long_after_it_has_expired(store: Store) -> None:
    own = PlayerStore(store.database)
    await own.sign_with("digest", 0.0)
    for number in range(8):
        await _issue(own, f"token-{number}", (1000 + 20 * number) * DAY)
    kept = [one.id for one in await own.tokens("anna", 100)]
    assert kept == [f"token-{number}" for number in reversed(range(3, 8))]
    assert await own.sign_with("other", 0.0) == "digest"
