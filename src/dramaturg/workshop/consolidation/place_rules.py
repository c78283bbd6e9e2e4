"""Rules for where someone is: one place at an instant, and no journey faster than the road."""

from __future__ import annotations

from collections.abc import Iterator

from dramaturg.workshop.consolidation.standing import PLACES, Finding, StandingFacts
from dramaturg.workshop.consolidation.timeline import days_between, days_in, is_instant, same_instant
from dramaturg.workshop.consolidation.value_rules import within
from dramaturg.workshop.graph.values import Fact


def whereabouts(new: Fact, standing: StandingFacts) -> Iterator[Finding]:
    """Someone at two places at one instant, or sooner at the second than the road allows."""
    if new.predicate not in PLACES or not new.time_from or not (standing.has_roads or is_instant(new.time_from)):
        return
    here = place_of(new, standing)
    if here is None:
        return
    for old in standing.of(standing.root(new.subject), *PLACES):
        if old.file == new.file or not old.time_from:
            continue
        at_once, days = same_instant(old.time_from, new.time_from), days_between(old.time_from, new.time_from)
        there = place_of(old, standing) if at_once or days is not None else None
        if there is None:
            continue
        mine, theirs = within(here, standing), within(there, standing)
        if here in theirs or there in mine:
            continue
        if at_once:
            yield Finding("place", old, new, f"{standing.told(old)}; but at the same time, {standing.told(new)}.")
            continue
        road = _road(mine, theirs, standing)
        needed = days_in(road.value) if road is not None else None
        if road is not None and days is not None and needed is not None and days < needed:
            between = f"{days:g} days apart" if days else "on the same day"
            said = f"{standing.told(old)}; {between}, {standing.told(new)}; but the way takes {road.value}."
            yield Finding("journey", old, new, said, (road,))


def place_of(fact: Fact, standing: StandingFacts) -> int | None:
    """Where a fact puts its subject: the place it names, else that of its scene, if the scene has one place."""
    if fact.predicate == "is_at":
        return standing.root(fact.object)
    places = {standing.root(one.object) for one in standing.of(standing.root(fact.object), "takes_place_at")}
    return next(iter(places)) if len(places) == 1 else None


def _road(mine: frozenset[int | None], theirs: frozenset[int | None], standing: StandingFacts) -> Fact | None:
    """The road between two places, or between what they lie in."""
    for place in mine:
        for road in standing.of(place, "road_to"):
            if standing.partner(road, place) in theirs:
                return road
    return None


RULES = (whereabouts,)
