"""B2: what would break without a character. One of whom nothing depends may be cut, or given something to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dramaturg.kernel.text.counts import counted
from dramaturg.workshop.graph.entries import told
from dramaturg.workshop.graph.predicates import declared
from dramaturg.workshop.graph.values import Fact, StoryGraph
from dramaturg.workshop.health.beat_progress import TURNING_POINTS
from dramaturg.workshop.health.book import CheckedBook, HealthCheck, cannot_tell, result
from dramaturg.workshop.health.values import CheckResult, Finding, SceneRecord

NAME, TITLE = "B2_cast_function", "Cast function"
FEWEST_SCENES = 2
ENOUGH = 0.5
MOST_SHOWN = 4


def look(book: CheckedBook) -> CheckResult:
    """Characters in two or more scenes of whom no scene, fact, knowledge or turning point depends."""
    with_cast = [one for one in book.records if one.people]
    seen: dict[str, list[SceneRecord]] = {}
    for record in with_cast:
        for who in record.people:
            seen.setdefault(who, []).append(record)
    measured = (
        f"{counted(len(seen), 'character')} in the {len(with_cast)} of {len(book.records)} scenes that say who is there"
    )
    if len(with_cast) < max(2, ENOUGH * len(book.records)):
        return cannot_tell(
            NAME, TITLE, f"{measured}.",
            "Too few scenes say who is present; being named in the prose is not being there. Add 'cast: [...]' to "
            "front matter, or let a model read the scenes (--extract).",
        )  # fmt: skip
    own = _facts_of(book.graph)
    breaks = {who: tuple(_breaks(who, scenes, book, own.get(who, ()))) for who, scenes in sorted(seen.items())}
    details = tuple(f"{who}: {_in_short(held)}" for who, held in breaks.items())
    findings = tuple(
        _finding(who, seen[who])
        for who, held in breaks.items()
        if not held and len(seen[who]) >= FEWEST_SCENES and who != book.protagonist
    )
    return result(NAME, TITLE, f"{measured}; what depends on each of them is listed.", findings, details)


def _breaks(who: str, scenes: Sequence[SceneRecord], book: CheckedBook, facts: Sequence[Fact]) -> Iterator[str]:
    """Everything that would not hold without a character."""
    if who == book.protagonist:
        yield "the story is theirs"
    for record in scenes:
        if any(one.value == who for one in record.pov):
            yield f"{record.name} is told by them"
        elif len(record.people) <= 2 and len(record.people) > 1:
            yield f"{record.name} is between two, and they are one of them"
        elif len(record.people) == 1:
            yield f"{record.name} is theirs alone"
        if record.challenge is not None and record.challenge.value and len(record.people) <= 3:
            yield f"{record.name} challenges the flaw with them"
        if record.beat is not None and record.beat.value in TURNING_POINTS and len(record.people) <= 3:
            yield f"{record.name} is the {record.beat.value} with them"
    for fact in facts:
        yield f"“{told(book.graph, fact)}”"


def _facts_of(graph: StoryGraph) -> Mapping[str, list[Fact]]:
    """The facts in which each character has a part, apart from being named or present."""
    found: dict[str, list[Fact]] = {}
    for fact in graph.current:
        predicate = declared(fact.predicate)
        if predicate.evident or predicate.craft or fact.predicate in ("present_at", "described_as", "has_trait"):
            continue
        if fact.predicate in ("eye_colour", "hair_colour", "age", "born_on"):
            continue
        for number in {fact.subject, fact.object, fact.holder} - {None}:
            who = graph.root(number or 0)
            if who.kind == "character":
                found.setdefault(who.name, []).append(fact)
    return found


def _finding(who: str, scenes: Sequence[SceneRecord]) -> Finding:
    evidence = [one.evidence for record in scenes for one in record.cast if one.value == who]
    return Finding(
        check=NAME,
        severity="warning",
        subject=who,
        text=f"{who} is in {len(scenes)} scenes ({', '.join(one.name for one in scenes[:MOST_SHOWN])}), and nothing "
        "that is recorded would break without them: no scene is told by them or between two, they are no part of a "
        "turning point, and no fact depends on them.",
        recommendation="Give them something that only they know, want or can do; or give their lines to another.",
        evidence=tuple(evidence[:6]) or (scenes[0].place,),
    )


def _in_short(held: Sequence[str]) -> str:
    if not held:
        return "nothing would break"
    more = f"; and {len(held) - MOST_SHOWN} more" if len(held) > MOST_SHOWN else ""
    return "; ".join(held[:MOST_SHOWN]) + more


CHECK = HealthCheck(NAME, TITLE, look)
