"""One damaged entry: it is named, everything before it is read, shown, exported and forked, and no list fails."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import DramaturgError, StoreUnavailable
from dramaturg.kernel.runs import LocalEngine, RunLibrary
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import Artifacts, Store, open_store
from dramaturg.transfer.moves import export_run, import_run
from tests.hostile.attacks.host import public_host, public_settings
from tests.said import KINDS, Said
from tests.server.players import Guest
from tests.server.visitor import inside, write_story

Hurt = Callable[[sqlite3.Connection, str], object]
AT = 4
"""The entry that is damaged, of six."""


def _set(column: str, value: object) -> Hurt:
    sql = f"UPDATE events SET {column} = CAST(? AS {'BLOB' if isinstance(value, bytes) else 'TEXT'}) WHERE seq = {AT}"
    return lambda db, run: db.execute(f"{sql} AND run_id = ?", (value, run))


def _not_utf8(db: sqlite3.Connection, run: str) -> None:
    db.execute(
        f"UPDATE events SET body = CAST(X'7B2274797065223A2273616964222C2274657874223A22FF227D' AS TEXT) "
        f"WHERE run_id = ? AND seq = {AT}",
        (run,),
    )


HURTS: dict[str, Hurt] = {
    "not JSON": _set("body", '{"type":"said","text":'),
    "empty": _set("body", ""),
    "of an unknown type": _set("body", '{"type":"sung","text":"la"}'),
    "with a number without an end": _set("body", '{"type":"said","text":"la","loud":1e999}'),
    "without a field": _set("body", '{"type":"said"}'),
    "deeply nested": _set("body", '{"type":"said","text":' + "[" * 50_000),
    "not UTF-8": _not_utf8,
    "bytes": _set("body", b"\x00\xff\x00"),
    "mislabelled": _set("type", "thought"),
    "a label that is not text": _set("type", "\x1b[2J\x07"),
    "missing": lambda db, run: db.execute(f"DELETE FROM events WHERE run_id = ? AND seq = {AT}", (run,)),
    "renumbered": lambda db, run: db.execute(f"UPDATE events SET seq = 40 WHERE run_id = ? AND seq = {AT}", (run,)),
    "a number that is none": lambda db, run: db.execute(
        f"UPDATE events SET seq = 'four' WHERE run_id = ? AND seq = {AT}", (run,)
    ),
}


@pytest.fixture
async def hurt(library: RunLibrary, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """A run of six lines, one of them damaged in the file itself."""
    run = await library.create("said", "hello")
    await run.append(*(Said(text=str(n)) for n in range(1, 7)))
    await library.mark(run, "stopped")
    with sqlite3.connect(tmp_path / "data" / "dramaturg.db") as db:
        HURTS[request.param](db, run.id)
    return run.id


each_hurt = pytest.mark.parametrize("hurt", HURTS, indirect=True)


@each_hurt
async def test_everything_before_a_damaged_entry_is_read_and_shown_and_the_entry_is_named(
    library: RunLibrary, hurt: str
) -> None:
    run, kind = await library.open_with_kind(hurt)
    assert kind.show(run) == "1\n2\n3\n"
    assert run.damage is not None
    assert (run.damage.run, run.damage.seq) == (hurt, AT)
    assert f"Entry {AT} of run {hurt}" in run.damage.message
    assert run.damage.message.isprintable()


@each_hurt
async def test_a_damaged_run_is_not_played_on_and_is_forked_before_the_damage(library: RunLibrary, hurt: str) -> None:
    engine = LocalEngine(library)
    with pytest.raises(StoreUnavailable, match=f"fork the run at entry {AT - 1}"):
        await engine.adopt(hurt)
    with pytest.raises(DramaturgError):
        await library.fork(hurt, AT)
    fork = await library.fork(hurt, AT - 1)
    assert [entry.seq for entry in fork.entries] == [1, 2, 3, 4]
    await engine.start(library.perform(fork))
    assert (await library.get(fork.id)).status == "ended"


@each_hurt
async def test_followers_get_everything_before_the_damage_and_then_its_name(library: RunLibrary, hurt: str) -> None:
    heard = []

    async def follow() -> None:
        async for entry in library.tail(hurt):
            heard.append(entry.seq)

    with pytest.raises(StoreUnavailable, match=f"Entry {AT} "):
        await follow()
    assert heard == [1, 2, 3]


@each_hurt
async def test_everything_before_the_damage_is_exported_and_can_be_imported(
    library: RunLibrary, hurt: str, tmp_path: Path
) -> None:
    done = await export_run(library, Artifacts(tmp_path / "data"), hurt, tmp_path / "run.jsonl")
    assert (done.entries, done.damage is None) == (AT - 1, False)
    elsewhere = await open_store(Settings(project=tmp_path / "elsewhere"))
    copy = RunLibrary(elsewhere, StillClock(), KINDS)
    await import_run(copy, Artifacts(tmp_path / "elsewhere" / "data"), tmp_path / "run.jsonl")
    assert [entry.event.text for entry in (await copy.open(hurt)).entries] == ["1", "2", "3"]
    await elsewhere.close()


@pytest.mark.parametrize(
    "change",
    [
        "status = 'singing'",
        "kind = 'opera'",
        "name = CAST(X'FFFE' AS TEXT)",
        "created_at = 'yesterday'",
        "config = '{{{'",
        "seed = 'many', adoptions = X'00'",
    ],
)
async def test_no_list_fails_because_of_one_record(change: str, tmp_path: Path) -> None:
    from dramaturg.kernel.settings import read_settings
    from dramaturg.server.app import create_app

    story = write_story(tmp_path / "story")
    async with inside(create_app(read_settings(story, {}))) as insider:
        first, second = [await insider.play() for _ in range(2)]
        while any(run["status"] == "playing" for run in (await insider.get("/v1/runs")).json["runs"]):
            continue
        with sqlite3.connect(story / "data" / "dramaturg.db") as db:
            db.execute(f"UPDATE runs SET {change} WHERE id = ?", (first,))
        for path in ("/v1/runs", "/v1/scenes", "/healthz", f"/v1/runs/{second}"):
            answer = await insider.get(path)
            assert answer.status == 200, (path, answer.text)
        assert second in {run["run"] for run in (await insider.get("/v1/runs")).json["runs"]}
    async with inside(create_app(read_settings(story, {}))) as again:
        assert (await again.get(f"/v1/runs/{second}")).status == 200


async def test_a_damaged_page_costs_what_lies_on_it_and_what_follows(
    library: RunLibrary, local_store: Store, tmp_path: Path
) -> None:
    run = await library.create("said", "hello")
    for n in range(40):
        await run.append(Said(text=f"{n:04d}" + "x" * 3000))
    await local_store.close()
    file = tmp_path / "data" / "dramaturg.db"
    whole = file.read_bytes()
    place = whole.index(b"0020" + b"x" * 100) // 4096 * 4096
    file.write_bytes(whole[:place] + b"\xff" * 4096 + whole[place + 4096 :])
    opened = await open_store(Settings(project=tmp_path))
    found = await RunLibrary(opened, StillClock(), KINDS).open(run.id)
    assert found.damage is not None
    assert 10 < found.seq == found.damage.seq - 1 <= 20
    assert [entry.event.text[:4] for entry in found.entries] == [f"{n:04d}" for n in range(found.seq)]
    await opened.close()


async def _held_talk(settings: Settings) -> tuple[Guest, list[tuple[int, str]]]:
    """A session of an open episode on a host with a token, its server gone; and its log, as numbers and types."""
    async with public_host(settings) as host:
        player = await host.arrive()
        guest = Guest(host.visitor, player.token, player.session, {})
        for text in ("One.", "Two.", "Three."):
            await guest.say(text)
    with sqlite3.connect(settings.project / "data" / "dramaturg.db") as db:
        sql = "SELECT seq, type FROM events WHERE run_id = ? ORDER BY seq"
        return guest, db.execute(sql, (guest.session,)).fetchall()


@pytest.mark.parametrize("behind", ["the last turn", "a message without its answer"])
async def test_a_damaged_session_is_branched_from_before_the_damage(behind: str, tmp_path: Path) -> None:
    settings = public_settings(tmp_path / "story")
    guest, log = await _held_talk(settings)
    spoken = [seq for seq, kind in log if kind == "player.spoke"]
    at = spoken[-1] if behind == "the last turn" else spoken[-1] + 2
    with sqlite3.connect(settings.project / "data" / "dramaturg.db") as db:
        db.execute("UPDATE events SET body = '{' WHERE run_id = ? AND seq = ?", (guest.session, at))
    async with public_host(settings) as host:
        anna = Guest(host.visitor, guest.token, guest.session, {})
        shown = (await anna.now())["messages"]
        assert [one["content"] for one in shown if one["role"] == "player"][:2] == ["One.", "Two."]
        for rest, body in (("/messages", {"text": "Four."}), ("/branches", {"message_id": "m3"})):
            refused = await anna.ask("POST", rest, body)
            assert (refused.status, refused.code) == (503, "STORE_UNAVAILABLE")
            assert "branch from an earlier message into a new session" in refused.json["error"]["message"]
            assert refused.json["error"]["context"] == {}
        branched = await anna.ask("POST", "/branches", {"message_id": "m3", "new_session": True})
        assert branched.status == 201, branched.text
        other = Guest(host.visitor, guest.token, branched.json["id"], {})
        assert (await other.say("Elsewhere."))[-1]["type"] == "done"
        said = [one["content"] for one in (await other.now())["messages"] if one["role"] == "player"]
        assert said == ["One.", "Elsewhere."]
        lost = await anna.ask("POST", "/branches", {"message_id": "m99", "new_session": True})
        assert lost.status == 404
