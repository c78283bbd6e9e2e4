"""What all runs have paid for, over HTTP: the same sums by run, purpose, model and day, and nothing twice."""

import sqlite3
from pathlib import Path
from typing import Any

from dramaturg.kernel.models.port import ModelAnswer, Purpose, Usage
from dramaturg.kernel.runs.events import Entry, ModelAnswered
from dramaturg.kernel.store import RunRecord
from dramaturg.server.spending import paid_answers, spending
from tests.server.visitor import CAST, Visitor


def _calls(rows: list[dict[str, Any]]) -> int:
    return sum(row["cost"]["calls"] for row in rows)


async def test_every_way_to_sum_up_gives_the_same_sum(visitor: Visitor) -> None:
    runs = [await visitor.play(), await visitor.play()]
    for run in runs:
        await visitor.to_the_end(run)
    spent = (await visitor.get("/v1/costs")).json
    own = [(await visitor.get(f"/v1/runs/{run}/costs")).json["total"] for run in runs]
    total = sum(one["calls"] for one in own)
    assert spent["counted"] == 2
    assert total > 0
    assert {_calls(spent[way]) for way in ("runs", "purposes", "models", "days")} == {total}
    assert {row["run"] for row in spent["runs"]} == set(runs)
    assert {row["name"] for row in spent["characters"]} == set(CAST)
    judging = [row for row in spent["purposes"] if row["name"] == "judging"]
    assert _calls(spent["characters"]) == total - _calls(judging)
    assert spent["total"]["calls"] == total


async def test_what_a_fork_shares_is_counted_once(visitor: Visitor) -> None:
    run = await visitor.play()
    await visitor.to_the_end(run)
    before = (await visitor.get("/v1/costs")).json["total"]["calls"]
    fork = (await visitor.post(f"/v1/runs/{run}/fork", {"beat": 1})).json["run"]
    await visitor.to_the_end(fork)
    table = (await visitor.get(f"/v1/runs/{fork}/costs")).json
    after = (await visitor.get("/v1/costs")).json["total"]["calls"]
    assert after - before == table["total"]["calls"] - table["shared"]["calls"]


async def test_older_runs_are_counted_page_by_page_and_each_once(visitor: Visitor) -> None:
    runs = [await visitor.play(), await visitor.play(), await visitor.play()]
    for run in runs:
        await visitor.to_the_end(run)
    whole = (await visitor.get("/v1/costs")).json
    first = (await visitor.get("/v1/costs?limit=2")).json
    rest = (await visitor.get(f"/v1/costs?limit=2&before={first['next']}")).json
    assert (first["counted"], rest["counted"], whole["next"], rest["next"]) == (2, 1, None, None)
    assert [{row["run"] for row in page["runs"]} for page in (first, rest)] == [{*runs[1:]}, {runs[0]}]
    assert first["total"]["calls"] + rest["total"]["calls"] == whole["total"]["calls"]
    assert (await visitor.get("/v1/costs?before=1mkq8zt4c0v7hxw3rn")).status == 404


async def test_entries_that_cannot_be_read_cost_no_more_than_themselves(visitor: Visitor, story: Path) -> None:
    first, second = await visitor.play(), await visitor.play()
    for run in (first, second):
        await visitor.to_the_end(run)
    whole = (await visitor.get("/v1/costs")).json
    with sqlite3.connect(story / "data" / "dramaturg.db") as db:
        db.execute("update events set body = '{' where run_id = ? and seq = 1", (first,))
        db.execute("update events set body = '{' where run_id = ? and type = 'model.answered'", (second,))
    left = (await visitor.get("/v1/costs")).json
    assert left["runs"] == [row for row in whole["runs"] if row["run"] == first]
    assert left["counted"] == 2


async def test_a_project_that_has_paid_for_nothing_says_so(visitor: Visitor) -> None:
    spent = (await visitor.get("/v1/costs")).json
    assert (spent["counted"], spent["runs"], spent["total"]["calls"]) == (0, [], 0)


def test_an_unknown_price_makes_its_sum_unknown_and_no_other() -> None:
    record = RunRecord(id="r1", kind="scene", name="a scene", status="ended", seed=1, created_at=0.0, updated_at=0.0)
    usage = Usage(input_tokens=100, cache_read_tokens=25, output_tokens=10)
    answers = [("a/x", 0.5, 0.0), ("b/y", None, 90_000.0), ("a/x", 0.25, 90_001.0)]
    entries = [
        Entry(
            seq=number,
            at=at,
            event=ModelAnswered(
                key=str(number), purpose="acting", answer=ModelAnswer(text="", model=model, usage=usage, cost_usd=usd)
            ),
        )
        for number, (model, usd, at) in enumerate(answers, 1)
    ]
    found = spending(paid_answers(record, entries), 1)
    assert [(one.name, one.cost.usd) for one in found.models] == [("a/x", 0.75), ("b/y", None)]
    assert [(one.name, one.cost.calls) for one in found.days] == [("1970-01-01", 1), ("1970-01-02", 2)]
    assert (found.total.usd, found.total.cached_share) == (None, 0.25)


def test_a_card_with_the_name_of_the_director_is_a_character_and_the_director_is_not() -> None:
    record = RunRecord(id="r1", kind="scene", name="a scene", status="ended", seed=1, created_at=0.0, updated_at=0.0)
    asked: tuple[tuple[str, Purpose], ...] = (
        ("beat-1/director", "acting"),
        ("memory/director", "extraction"),
        ("beat-1/judge", "judging"),
        ("beat-1/judge/repair", "repair"),
        ("beat-1/event", "events"),
        ("line-2/gloss", "extraction"),
    )
    answer = ModelAnswer(text="", model="a/x", usage=Usage(input_tokens=1, output_tokens=1), cost_usd=1.0)
    entries = [
        Entry(seq=seq, at=0.0, event=ModelAnswered(key=key, purpose=purpose, answer=answer, who="director"))
        for seq, (key, purpose) in enumerate(asked, 1)
    ]
    found = spending(paid_answers(record, entries, has_cast=True), 1)
    assert [(one.name, one.cost.calls) for one in found.characters] == [("director", 2)]
    assert found.total.calls == len(asked)
