"""K3: facts of the graph that cannot both be true. Places and journeys are those of A3, which knows what is exempt."""

from __future__ import annotations

from collections.abc import Iterator

from dramaturg.workshop.consolidation.conflicts import compare_facts
from dramaturg.workshop.consolidation.standing import Finding as FactFinding
from dramaturg.workshop.graph.values import Fact
from dramaturg.workshop.health.book import CheckedBook, HealthCheck, cannot_tell, result
from dramaturg.workshop.health.values import CheckResult, Evidence, Finding

NAME, TITLE = "K3_contradictions", "Contradictions"
ELSEWHERE = ("place", "journey")
"""Rules that A3 has."""
_SAID = ("present_at", "point_of_view_of", "takes_place_at", "happens_at", "shows", "serves_beat", "mentioned_in")


def look(book: CheckedBook) -> CheckResult:
    """Pairs of narrated facts that contradict each other; what the writer has settled is not asked again."""
    narrated = [one for one in book.graph.current if one.modality == "narrated"]
    telling = [one for one in narrated if one.predicate not in (*_SAID, "named_beside")]
    measured = f"{len(telling)} facts about people and things, beside who is present where."
    if not telling and not book.waiting:
        return cannot_tell(
            NAME, TITLE, measured,
            "The graph has no facts that could contradict each other. Write some into front matter ('facts:'), or let "
            "a model read them: dramaturg foreman consolidate.",
        )  # fmt: skip
    compared = compare_facts(book.graph, frozenset(one.id for one in narrated), book.settled)
    findings = [
        _finding(book, one)
        for one in compared.findings
        if one.rule not in ELSEWHERE and not _is_exempt(book, one.old) and not _is_exempt(book, one.new)
    ]
    return result(NAME, TITLE, measured, (*findings, *_waiting(book)))


SETTLE = "Settle it: dramaturg foreman conflicts."
MEANT = (
    "Change one of the two. If both are meant, say why in a waiver; or run dramaturg foreman consolidate --no-model, "
    "then dramaturg foreman conflicts keep-both."
)


def _is_exempt(book: CheckedBook, fact: Fact) -> bool:
    record = book.by_path.get(fact.file)
    return record is not None and record.is_exempt


def _waiting(book: CheckedBook) -> Iterator[Finding]:
    """Contradictions that consolidation found. The new fact was set aside, so that it is not among the current ones."""
    facts = {one.id: one for one in book.graph.facts}
    for one in book.waiting:
        pair = [facts[number] for number in (one.old, one.new) if number in facts]
        if not pair or pair[-1].holds or any(_is_exempt(book, fact) for fact in pair):
            continue
        yield Finding(
            check=NAME,
            severity="critical" if one.rule == "life" else "warning",
            subject=book.graph.root(pair[-1].subject).name,
            text=one.said,
            recommendation=SETTLE,
            evidence=tuple(map(_evidence, pair)),
        )


def _finding(book: CheckedBook, found: FactFinding) -> Finding:
    subject = book.graph.root(found.new.subject).name
    return Finding(
        check=NAME,
        severity="critical" if found.rule == "life" else "warning",
        subject=subject,
        text=found.said,
        recommendation=MEANT,
        evidence=tuple(_evidence(one) for one in dict.fromkeys((found.old, found.new, *found.further[:3]))),
    )


def _evidence(fact: Fact) -> Evidence:
    return Evidence(file=fact.file, paragraph=fact.paragraph, quote=fact.quote)


CHECK = HealthCheck(NAME, TITLE, look)
