"""The flaws that change what is in a scene: journeys, props, names, and a beat that moves."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta

from dramaturg.workshop.drill.book_copy import BookCopy
from dramaturg.workshop.drill.planting import facts_with, flaw_of
from dramaturg.workshop.drill.values import PlantedFlaw
from dramaturg.workshop.graph.values import Entity, Fact
from dramaturg.workshop.health.beat_progress import BANDS
from dramaturg.workshop.health.props import SOON
from dramaturg.workshop.health.story_clock import DAY, Moment, moment
from dramaturg.workshop.health.values import SceneRecord

_VOWELS = "aeiou"
FEWEST_TIMES = 3
SHORTEST_NAME = 4


def plant_journey(copy: BookCopy) -> PlantedFlaw | str:
    """Somebody arrives before they can have."""
    if not copy.book.travel:
        return "No page of a place says how long the way to another takes (travel: {Varn: 6 days})."
    pairs = [
        (one, other)
        for one in copy.records
        for other in copy.records
        if one.position < other.position and _can_travel(copy, one, other) and not other.people & copy.apart
    ]
    if not pairs:
        return "No two scenes with a date share a character and lie at both ends of a way whose length is known."
    fresh = [pair for pair in pairs if pair[1].path not in copy.used]
    one, other = copy.rng.choice(fresh or pairs)
    way = copy.book.travel[frozenset((one.places[0].value, other.places[0].value))]
    start = moment(one.time.value) if one.time is not None else None
    if start is None or one.time is None or other.time is None:
        return "The scenes have no date."
    days = copy.rng.randrange(max(1, int(way.seconds // DAY) - 1)) if way.seconds >= 2 * DAY else 0
    new = _after(one.time.value, start, days)
    if copy.recorded:
        copy.set_field(other.path, "time", new, "date", "when")
        copy.moved.add(other.path)
    told = copy.said(f"It was {new}.", f"Es war {new}.", f"On était le {new}.", f"Era el {new}.")
    copy.insert(other.path, told)
    who = sorted(one.people & other.people)
    fact = next(held for held in facts_with(copy, "happens_at") if held.file == other.path)
    text = f"{other.label} happens at {new} instead of {other.time.value}, {days} day(s) after {one.label}; "
    text += f"the way from {one.places[0].value} to {other.places[0].value} takes {way.written}."
    return flaw_of(copy, "impossible_journey", fact, who[0], text, (other.path,))


def _can_travel(copy: BookCopy, one: SceneRecord, other: SceneRecord) -> bool:
    if one.is_exempt or other.is_exempt or len(one.places) != 1 or len(other.places) != 1:
        return False
    if one.time is None or other.time is None or not one.people & other.people:
        return False
    way = copy.book.travel.get(frozenset((one.places[0].value, other.places[0].value)))
    start = moment(one.time.value)
    if way is None or start is None or way.seconds < (60 if start.is_exact else 2 * DAY):
        return False
    from_matter = other.time.evidence.origin == "front matter" and other.path in copy.texts
    return from_matter and start.calendar == "date" and moment(other.time.value) is not None


def _after(written: str, start: Moment, days: int) -> str:
    """A date some days after another, with its hour if it has one."""
    then = date.fromordinal(start.first // DAY) + timedelta(days=days)
    clock = written.strip()[10:]
    return f"{then.isoformat()}{clock}"


def plant_vanished_prop(copy: BookCopy) -> PlantedFlaw | str:
    """An object that comes back late in the book never does."""
    shown: dict[str, list[SceneRecord]] = {}
    for record in copy.book.records:
        for one in record.objects:
            shown.setdefault(one.value, []).append(record)
    known = [
        (name, early, late)
        for name, scenes in sorted(shown.items())
        if not any(one.path in copy.moved for one in scenes)
        and len(early := [one for one in scenes if one.end < SOON]) > 1
        and (late := [one for one in scenes if one.end >= SOON])
    ]
    if not known:
        return "No object is shown in two scenes early in the book and in one near its end."
    name, early, late = copy.rng.choice(known)
    names = next(one.names for one in copy.book.graph.entities if one.name == name)
    bare = [
        part.partition(" ")[2]
        for part in names
        if part.partition(" ")[0].casefold() in ("the", "a", "der", "die", "das")
    ]
    for record in late:
        copy.drop_sentences(record.path, (*names, *bare))
        if copy.recorded:
            copy.drop_from_lists(record.path, names)
    fact = next((one for one in facts_with(copy, "shows", "mentioned_in") if _is_in(copy, one, name, late)), None)
    if fact is None:
        return f"No fact shows {name}."
    text = f"{name} is taken out of {', '.join(one.label for one in late)}; it is last seen in {early[-1].label}."
    return flaw_of(copy, "vanished_prop", fact, name, text, (*(one.path for one in late), early[-1].path))


def _is_in(copy: BookCopy, fact: Fact, name: str, scenes: list[SceneRecord]) -> bool:
    ends = {copy.book.graph.root(one).name for one in (fact.subject, fact.object) if one is not None}
    return name in ends and fact.file in {one.path for one in scenes}


def plant_drifting_name(copy: BookCopy) -> PlantedFlaw | str:
    """A name is spelled otherwise in one scene."""
    counts = _name_counts(copy)
    known = [
        (who, part) for (who, part), scenes in counts.items() if sum(scenes.values()) > FEWEST_TIMES and len(scenes) > 1
    ]
    if not known:
        return "No name of four letters or more stands in two scenes and four times."
    who, part = copy.rng.choice(sorted(known))
    scenes = counts[who, part]
    whole = sum(scenes.values())
    seldom = [path for path, often in scenes.items() if often * 4 <= whole] or [
        min(scenes, key=lambda one: scenes[one])
    ]
    fresh = [path for path in seldom if path not in copy.used] or seldom
    path, new = copy.rng.choice(sorted(fresh)), _misspelled(copy, part)
    body = re.sub(rf"\b{re.escape(part)}\b", new, copy.body(path))
    copy.put(path, copy.matter(path), body)
    graph = copy.book.graph
    fact = next(
        one for one in facts_with(copy, "mentioned_in") if graph.root(one.subject).name == who and one.file == path
    )
    return flaw_of(copy, "drifting_name", fact, who, f"{part} is called {new} in {path}.", (path,))


def _name_counts(copy: BookCopy) -> Mapping[tuple[str, str], dict[str, int]]:
    """How often each part of the name of a character stands in which scene."""
    people: list[Entity] = [one for one in copy.book.graph.entities if one.kind == "character"]
    mentioned = {(copy.book.graph.root(one.subject).name, one.file) for one in facts_with(copy, "mentioned_in")}
    found: dict[tuple[str, str], dict[str, int]] = {}
    for record in copy.records:
        body = copy.body(record.path)
        for one in people:
            who = copy.book.graph.root(one.id).name
            if (who, record.path) not in mentioned:
                continue
            for part in {part for name in one.names for part in name.split() if len(part) >= SHORTEST_NAME}:
                often = len(re.findall(rf"\b{re.escape(part)}\b", body)) if part[0].isupper() else 0
                if often:
                    found.setdefault((who, part), {})[record.path] = often
    return found


def _misspelled(copy: BookCopy, name: str) -> str:
    """A name with a slip of the pen: two letters swapped, one dropped, doubled or taken for another."""
    at = copy.rng.randrange(1, len(name) - 1)
    other = copy.rng.choice([one for one in _VOWELS if one != name[at].casefold()])
    slips = [
        name[:at] + name[at + 1] + name[at] + name[at + 2 :],
        name[:at] + name[at + 1 :],
        name[: at + 1] + name[at:],
        name[:at] + other + name[at + 1 :],
    ]
    return copy.rng.choice([one for one in slips if one != name])


def plant_moved_beat(copy: BookCopy) -> PlantedFlaw | str:
    """A turning point changes places with a scene far from its band."""
    turns = [
        (band, record)
        for band in BANDS
        for record in copy.records
        if record.beat is not None and record.beat.value == band.beat and record.beat.evidence.origin == "front matter"
    ]
    only = [(band, one) for band, one in turns if sum(held[0] is band for held in turns) == 1]
    choices = [
        (band, one, other)
        for band, one in only
        for other in copy.records
        if other.beat is None or other.beat.value not in {held.beat for held in BANDS}
        if (other.start > band.high + 0.05 or other.end < band.low - 0.05) and not other.is_exempt
    ]
    if not choices or not copy.recorded:
        return "No front matter says which scene is a turning point, or no other scene lies far enough from its band."
    band, one, other = copy.rng.choice(choices)
    _swap(copy, one.path, other.path)
    copy.moved |= {one.path, other.path}
    fact = next(held for held in facts_with(copy, "serves_beat") if held.file == one.path)
    text = f"{one.label}, the {band.beat}, and {other.label} have changed places."
    return flaw_of(copy, "moved_beat", fact, band.beat, text, (one.path, other.path))


def _swap(copy: BookCopy, one: str, other: str) -> None:
    """Exchanges two scenes; each keeps the number of its place."""
    first, second = (copy.matter(one), copy.body(one)), (copy.matter(other), copy.body(other))
    for path, own, (matter, body) in ((one, first[0], second), (other, second[0], first)):
        numbers: dict[str, object] = {key: own[key] for key in ("chapter", "scene") if key in own}
        rest = {key: value for key, value in matter.items() if key not in ("chapter", "scene")}
        copy.put(path, {**numbers, **rest}, body)
