"""What the Foreman is alerted to in a series: what cannot be read, and what this book contradicts."""

from __future__ import annotations

import asyncio

from dramaturg.workshop.book.book import HealthAlert
from dramaturg.workshop.graph.values import StoryGraph
from dramaturg.workshop.series.overrides import differences
from dramaturg.workshop.series.reader import SeriesReader
from dramaturg.workshop.sources import BookSources, FindAlerts

MOST_ALERTS = 3


def with_series(standing: FindAlerts, reader: SeriesReader) -> FindAlerts:
    """The alerts of a book, and those of its series."""

    async def alerts(book: BookSources, graph: StoryGraph) -> tuple[HealthAlert, ...]:
        found = await standing(book, graph)
        if not reader.is_in_series:
            return found
        return (*found, *await asyncio.to_thread(series_alerts, reader, graph))

    return alerts


def series_alerts(reader: SeriesReader, own: StoryGraph) -> tuple[HealthAlert, ...]:
    """What cannot be read of the series, and what a book contradicts without a reason."""
    problems = reader.read().problems
    contradictions = [one for one in differences(reader.earlier(own), reader.project) if not one.because]
    told = [HealthAlert(severity="warning", check="series", text=one) for one in problems[:MOST_ALERTS]]
    told += [
        HealthAlert(
            severity="warning",
            check="series_contradicted",
            text=f"{one.said} Give the reason as 'because' with the fact, or change it.",
        )
        for one in contradictions[:MOST_ALERTS]
    ]
    return tuple(told)
