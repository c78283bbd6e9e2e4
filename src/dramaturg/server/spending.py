"""What a project has paid for: the answers of many runs, by run, character, purpose, model and day.

Each is counted once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from pydantic import Field

from dramaturg.kernel.runs.costs import CostRow, cost_of
from dramaturg.kernel.runs.events import Entry, ModelAnswered
from dramaturg.kernel.store import RunRecord
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.question_keys import character_of


class Spent(WireValue):
    """What was paid for under a name: that of a run, a character, a purpose, a model, or a day (UTC).

    `run` is the id of a run.
    """

    name: str
    run: str = ""
    kind: str = ""
    cost: CostRow


class Spending(WireValue):
    """What `counted` runs have paid for. What a fork shares with its parent is counted there."""

    counted: int
    total: CostRow
    runs: tuple[Spent, ...]
    characters: tuple[Spent, ...] = Field(description="of scenes; their director is no character")
    purposes: tuple[Spent, ...]
    models: tuple[Spent, ...]
    days: tuple[Spent, ...]
    next: str | None = Field(None, description="send it as `before` to get older runs; null if there are none")


class PaidAnswer(NamedTuple):
    """An answer, when it came, in which run, and as which character, if as one."""

    record: RunRecord
    at: float
    answered: ModelAnswered
    character: str = ""


def paid_answers(
    record: RunRecord, entries: Iterable[Entry[ModelAnswered]], *, has_cast: bool = False
) -> list[PaidAnswer]:
    """The answers that a run has paid for itself. In one that has a cast, all but the director are characters."""
    return [
        PaidAnswer(record, entry.at, entry.event, character_of(entry.event.who, entry.event.key) if has_cast else "")
        for entry in entries
    ]


def spending(paid: Sequence[PaidAnswer], counted: int, following: str | None = None) -> Spending:
    """The sums, the dearest first; days in order. Runs from `following` on are not counted."""
    runs = _by(paid, lambda one: one.record.id)
    return Spending(
        counted=counted,
        total=_cost(paid),
        runs=_dearest(
            Spent(name=group[0].record.name, run=key, kind=group[0].record.kind, cost=_cost(group))
            for key, group in runs.items()
        ),
        characters=_dearest(_named(_by((one for one in paid if one.character), lambda one: one.character))),
        purposes=_dearest(_named(_by(paid, lambda one: one.answered.purpose))),
        models=_dearest(_named(_by(paid, lambda one: one.answered.answer.model))),
        days=tuple(sorted(_named(_by(paid, lambda one: _day(one.at))), key=lambda spent: spent.name)),
        next=following,
    )


def _by(paid: Iterable[PaidAnswer], key: Callable[[PaidAnswer], str]) -> dict[str, list[PaidAnswer]]:
    groups: dict[str, list[PaidAnswer]] = {}
    for one in paid:
        groups.setdefault(key(one), []).append(one)
    return groups


def _named(groups: dict[str, list[PaidAnswer]]) -> list[Spent]:
    return [Spent(name=name, cost=_cost(group)) for name, group in groups.items()]


def _cost(paid: Iterable[PaidAnswer]) -> CostRow:
    return cost_of([one.answered for one in paid])


def _dearest(rows: Iterable[Spent]) -> tuple[Spent, ...]:
    return tuple(sorted(rows, key=lambda row: (-(row.cost.usd or 0.0), -row.cost.total_tokens, row.name)))


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).date().isoformat()
