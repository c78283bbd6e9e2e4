"""A3: one person in two places at once, journeys faster than the road, and an order that the dates contradict.

Every two scenes that share a character are compared. Flashbacks, dreams and letters lie outside the order of the story.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from dramaturg.workshop.graph.story_time import compared
from dramaturg.workshop.graph.values import StoryGraph
from dramaturg.workshop.health.book import CheckedBook, HealthCheck, cannot_tell, result
from dramaturg.workshop.health.story_clock import Duration, Moment, in_words, moment
from dramaturg.workshop.health.values import CheckResult, Evidence, Finding, SceneRecord

NAME, TITLE = "A3_timeline", "Timeline consistency"
MOST_EVIDENCE = 8


@dataclass(frozen=True, slots=True)
class _Stay:
    """A scene with a moment and one place."""

    record: SceneRecord
    at: Moment
    until: int
    place: str


def look(book: CheckedBook) -> CheckResult:
    """Pairs of scenes that share a character and cannot both be."""
    told = [one for one in book.records if not one.is_exempt]
    timed = [one for one in told if one.time is not None]
    stays = [stay for one in timed if (stay := _stay(one)) is not None]
    exempt = len(book.records) - len(told)
    measured = f"{len(timed)} of {len(told)} scenes have a time, {len(stays)} a date that can be reckoned with and a "
    measured += f"place; {len(book.travel)} ways have a length" + (f"; {exempt} scenes are exempt." if exempt else ".")
    findings = [*_ordered(book.graph, book.by_path), *_backwards(told)]
    pairs: dict[tuple[str, str], tuple[_Stay, _Stay, set[str]]] = {}
    farthest = max((one.seconds for one in book.travel.values()), default=0.0)
    for who, own in _by_person(stays).items():
        for one, other in _near(own, farthest):
            if one.place != other.place:
                pairs.setdefault((one.record.path, other.record.path), (one, other, set()))[2].add(who)
    parts = _within(book.graph)
    clashes = [
        (found, frozenset(shared))
        for one, other, shared in pairs.values()
        if not _is_inside(one.place, other.place, parts)
        and (found := _clash(one, other, sorted(shared), book.travel)) is not None
    ]
    findings += _by_scene(clashes)
    if not timed:
        return cannot_tell(
            NAME, TITLE, measured,
            "No scene says when it happens. Add 'time: 1871-09-02' (or 'Day 3, 14:00') and 'place' to front matter, or "
            "let a model read the scenes (--extract).",
        )  # fmt: skip
    if len(stays) < 2 and not findings:
        return cannot_tell(
            NAME, TITLE, measured,
            "Fewer than two scenes have both a date and a place. Write dates such as 1871-09-02 or Day 3.",
        )  # fmt: skip
    return result(NAME, TITLE, measured, tuple(findings))


def _stay(record: SceneRecord) -> _Stay | None:
    at = moment(record.time.value) if record.time is not None else None
    if at is None or len(record.places) != 1:
        return None
    until = moment(record.until) if record.until else None
    fits = until is not None and until.calendar == at.calendar and until.is_exact and until.last > at.first
    last = until.last if until is not None and fits else at.last
    return _Stay(record, at, last, record.places[0].value)


def _by_person(stays: Sequence[_Stay]) -> Mapping[str, list[_Stay]]:
    found: dict[str, list[_Stay]] = {}
    for stay in stays:
        for who in stay.record.people:
            found.setdefault(who, []).append(stay)
    return found


def _near(stays: list[_Stay], farthest: float) -> Iterator[tuple[_Stay, _Stay]]:
    """Pairs of one person's scenes on one calendar, the earlier first; those too far apart for any way are left out."""
    ordered = sorted(stays, key=lambda one: (one.at.calendar, one.at.first, one.record.position))
    for index, one in enumerate(ordered):
        for other in islice(ordered, index + 1, None):
            if other.at.calendar != one.at.calendar or other.at.first > one.until + farthest:
                break
            yield one, other


def _clash(one: _Stay, other: _Stay, who: Sequence[str], travel: Mapping[frozenset[str], Duration]) -> Finding | None:
    """Two stays that cannot both be: at once in two places, or farther apart than there was time for."""
    way = travel.get(frozenset((one.place, other.place)))
    exact = one.at.is_exact and other.at.is_exact
    if exact and other.at.first <= one.until and one.at.first <= other.until:
        return _finding(
            one, other, who, "critical",
            f"are at {one.place} and at {other.place} at the same time ({_when(one)})",
            "Change the time or the place of one of the scenes, or take the shared characters out of it.",
        )  # fmt: skip
    if way is None:
        return None
    most = other.at.last + 1 - one.at.first
    if most >= way.seconds:
        return None
    return _finding(
        one, other, who, "critical",
        f"are at {one.place} ({_when(one)}) and at {other.place} ({_when(other)}), at most {in_words(most)} apart; the "
        f"way takes {way.written}",
        f"Leave more time between the scenes, or change the length of the way in {way.file or 'the story bible'}.",
    )  # fmt: skip


def _by_scene(clashes: Sequence[tuple[Finding, frozenset[str]]]) -> Iterator[Finding]:
    """One finding for each scene that is in the way: what clashes with several others is told once, with them."""
    often = Counter(file for found, _ in clashes for file in found.files)
    held: dict[str, list[tuple[Finding, frozenset[str]]]] = {}
    for clash in clashes:
        held.setdefault(max(clash[0].files, key=lambda file: often[file]), []).append(clash)
    for own in held.values():
        first, names = own[0][0], _listed(sorted({name for _, people in own for name in people}))
        more = f" The same holds for {len(own) - 1} more scene{'s' * (len(own) > 2)}." if len(own) > 1 else ""
        told = dict.fromkeys(one for found, _ in own for one in found.evidence)
        said = {"subject": names, "text": first.text + more, "evidence": tuple(told)[:MOST_EVIDENCE]}
        yield first.model_copy(update=said)


def _finding(one: _Stay, other: _Stay, who: Sequence[str], severity: str, what: str, do: str) -> Finding:
    names = _listed(who)
    verb = what if len(who) > 1 else f"is{what.removeprefix('are')}"
    return Finding.model_validate(
        {
            "check": NAME,
            "severity": severity,
            "subject": names,
            "text": f"{names} {verb}: {one.record.label} and {other.record.label}.",
            "recommendation": do,
            "evidence": (*_evidence(one.record), *_evidence(other.record)),
        }
    )


def _evidence(record: SceneRecord) -> Iterator[Evidence]:
    for told in (record.time, *record.places):
        if told is not None:
            yield told.evidence


def _ordered(graph: StoryGraph, scenes: Mapping[str, SceneRecord]) -> Iterator[Finding]:
    """`after` and `before` that the times of the scenes contradict."""
    named = {one.name: one for one in scenes.values()}
    for fact in graph.current:
        if fact.predicate not in ("after", "before") or fact.object is None:
            continue
        one, other = named.get(graph.by_id[fact.subject].name), named.get(graph.by_id[fact.object].name)
        if one is None or other is None or one.time is None or other.time is None:
            continue
        order = compared(one.time.value, other.time.value)
        if order and (order > 0) != (fact.predicate == "after"):
            yield Finding(
                check=NAME,
                severity="warning",
                subject=f"{one.name} and {other.name}",
                text=f"{one.label} says that it comes {fact.predicate} {other.label}, but happens at {one.time.value} "
                f"and that at {other.time.value}.",
                recommendation=f"Change '{fact.predicate}' or one of the times.",
                evidence=(Evidence(file=fact.file, quote=fact.quote), one.time.evidence, other.time.evidence),
            )


def _backwards(told: Sequence[SceneRecord]) -> Iterator[Finding]:
    """Scenes that happen before the one read before them and are not marked as looking back; told as one finding."""
    timed = [one for one in told if one.time is not None]
    back = [
        (one, other)
        for one, other in pairwise(timed)
        if one.people & other.people and one.time and other.time and compared(other.time.value, one.time.value) == -1
    ]
    if not back:
        return
    some = "; ".join(f"{other.label} after {one.label}" for one, other in back[:3])
    more = f" and {len(back) - 3} more" if len(back) > 3 else ""
    yield Finding(
        check=NAME,
        severity="info",
        subject="order of telling",
        text=f"{len(back)} scene(s) happen before the one that is read before them: {some}{more}.",
        recommendation="If a scene looks back, say so with 'kind: flashback'; else check its time.",
        evidence=tuple(other.time.evidence for _, other in back[:6] if other.time is not None),
    )


def _within(graph: StoryGraph) -> frozenset[tuple[str, str]]:
    """Places that are in another."""
    return frozenset(
        (graph.root(one.subject).name, graph.root(one.object).name)
        for one in graph.current
        if one.predicate == "located_in" and one.object is not None
    )


def _is_inside(one: str, other: str, parts: frozenset[tuple[str, str]]) -> bool:
    """Whether a place is part of the other, by a fact or by its name: `The Docks, pier 4` is in The Docks."""
    if (one, other) in parts or (other, one) in parts:
        return True
    short, long = sorted((one.casefold(), other.casefold()), key=len)
    return long.startswith(f"{short},") or long.endswith(f", {short}")


def _when(stay: _Stay) -> str:
    return stay.record.time.value if stay.record.time is not None else ""


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


CHECK = HealthCheck(NAME, TITLE, look)
