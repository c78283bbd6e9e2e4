"""The promises of a book that the Foreman is told of: overdue, or without the words that planted them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from dramaturg.kernel.text.shortened import shortened
from dramaturg.workshop.book.book import HealthAlert
from dramaturg.workshop.book.file_cache import FileCache
from dramaturg.workshop.graph.values import StoryGraph
from dramaturg.workshop.promises.material import read_promises
from dramaturg.workshop.promises.wire import Promise
from dramaturg.workshop.sources import BookSources, FindAlerts

MOST_ALERTS = 12


def with_promises(standing: FindAlerts) -> FindAlerts:
    """The alerts of a book, and those of its promises."""

    async def alerts(book: BookSources, graph: StoryGraph) -> tuple[HealthAlert, ...]:
        return (*await standing(book, graph), *await promise_alerts(book.project, book.cache))

    return alerts


async def promise_alerts(project: Path, cache: FileCache) -> tuple[HealthAlert, ...]:
    """What is overdue, and what lost the words that planted it."""
    ledger = await asyncio.to_thread(read_promises, project, cache)
    unread = [HealthAlert(severity="critical", check="unreadable_file", text=ledger.problem)] if ledger.problem else []
    late = [_overdue(one) for one in ledger.promises if one.state == "overdue"]
    lost = [
        HealthAlert(severity="warning", check="promise_without_words", text=f"{one.name}: {problem}")
        for one in ledger.promises
        if one.is_noted and one.state not in ("paid", "dropped", "overdue")
        for problem in one.problems
    ]
    return (*unread, *late[:MOST_ALERTS], *lost[:MOST_ALERTS])


def _overdue(one: Promise) -> HealthAlert:
    planted = f", planted in {one.planted.scene} (“{shortened(one.planted.quote, 80)}”)" if one.planted else ""
    due = f"was due in {one.due}" if one.due and one.due != "end" else "is open, and every planned scene is written"
    gone = f" {' '.join(one.problems)}" if one.problems else ""
    way = f"Pay it or give it up: dramaturg foreman promises pay|drop {one.name}"
    return HealthAlert(severity="warning", check="promise_overdue", text=f"{one.name}{planted}, {due}.{gone} {way}")
