"""What a run used, by character and purpose and by beat."""

from collections.abc import Sequence

from dramaturg.kernel.models.port import ModelAnswer, Purpose, Usage
from dramaturg.kernel.runs import Entry, Event, ModelAnswered, RunForked
from dramaturg.kernel.runs.costs import CostTable, own_entries
from dramaturg.kernel.runs.costs import cost_table as table_of
from dramaturg.scenes.kind import SceneKind


def cost_table(entries: Sequence[Entry[Event]]) -> CostTable:
    return table_of(entries, SceneKind(None, None, None).step_of)


def paid(key: str, who: str, purpose: Purpose = "acting", *, usd: float | None = 0.01, cached: int = 0) -> Event:
    usage = Usage(input_tokens=100, output_tokens=10, cache_read_tokens=cached)
    answer = ModelAnswer(text="", model="m", usage=usage, cost_usd=usd)
    return ModelAnswered(key=key, purpose=purpose, answer=answer, who=who)


def log(*events: Event) -> list[Entry[Event]]:
    return [Entry[Event](seq=seq, at=0.0, event=event) for seq, event in enumerate(events, start=1)]


def test_rows_are_by_character_and_purpose_and_beats_by_number() -> None:
    table = cost_table(
        log(
            paid("beat-0/alice", "alice"),
            paid("beat-0/judge", "director", "judging"),
            paid("beat-0/judge#repair", "director", "repair"),
            paid("beat-1/alice", "alice", cached=60),
        )
    )
    assert [(row.who, row.purpose, row.calls, row.total_tokens) for row in table.rows] == [
        ("alice", "acting", 2, 220),
        ("director", "judging", 1, 110),
        ("director", "repair", 1, 110),
    ]
    assert [(row.beat, row.calls) for row in table.beats] == [(0, 3), (1, 1)]
    assert (table.total.calls, table.total.usd) == (4, 0.04)
    assert table.rows[0].cached_share == 0.3


def test_one_unknown_price_makes_the_sum_unknown() -> None:
    table = cost_table(log(paid("beat-0/alice", "alice"), paid("beat-0/bob", "bob", usd=None)))
    assert [row.usd for row in table.rows] == [0.01, None]
    assert table.total.usd is None


def test_a_run_that_paid_for_nothing_costs_nothing() -> None:
    table = cost_table(())
    assert (table.rows, table.beats, table.total.usd, table.total.cached_share) == ((), (), 0.0, 0.0)


def test_what_a_fork_shares_with_its_parent_is_told_apart() -> None:
    entries = log(paid("beat-0/alice", "alice"), RunForked(parent="p", at=1), paid("beat-1/alice", "alice"))
    assert (cost_table(entries).total.calls, cost_table(entries).shared.calls) == (2, 1)
    assert [entry.seq for entry in own_entries(entries)] == [2, 3]
    assert cost_table(entries[2:]).shared.calls == 0
