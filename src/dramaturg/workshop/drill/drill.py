"""The drill: plant flaws in a copy, run every check on the clean and on the flawed one, and compare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from dramaturg.workshop.drill.book_copy import BookCopy, read_files, write_files
from dramaturg.workshop.drill.planting import (
    Planter,
    plant_dead_walker,
    plant_eye_colour,
    plant_flaw_never_challenged,
    plant_knowledge,
)
from dramaturg.workshop.drill.planting_structure import (
    plant_drifting_name,
    plant_journey,
    plant_moved_beat,
    plant_vanished_prop,
)
from dramaturg.workshop.drill.values import DrillReport, FlawOutcome, NotPlanted, PlantedFlaw
from dramaturg.workshop.graph.intake import take_in
from dramaturg.workshop.graph.values import StoryGraph
from dramaturg.workshop.health.book import CheckedBook
from dramaturg.workshop.health.checks import CHECKS
from dramaturg.workshop.health.material import checked_book
from dramaturg.workshop.health.values import CheckResult, Finding

PLANTERS: tuple[Planter, ...] = (
    Planter("flaw_never_challenged", plant_flaw_never_challenged, ("B1_flaw_challenge",)),
    Planter("moved_beat", plant_moved_beat, ("A2_beat_progress",)),
    Planter("knowledge_from_nowhere", plant_knowledge, ("K3_contradictions",)),
    Planter("impossible_journey", plant_journey, ("A3_timeline",)),
    Planter("vanished_prop", plant_vanished_prop, ("K2_vanished_prop",)),
    Planter("eye_colour", plant_eye_colour, ("K3_contradictions",)),
    Planter("dead_walker", plant_dead_walker, ("K3_contradictions",)),
    Planter("drifting_name", plant_drifting_name, ("K1_name_drift",)),
)


@dataclass(frozen=True, slots=True)
class Flawed:
    """A copy with its flaws: the texts by path, what was planted and what was not."""

    texts: dict[str, str]
    flaws: tuple[PlantedFlaw, ...]
    not_planted: tuple[NotPlanted, ...]


def plant_flaws(book: CheckedBook, texts: dict[str, str], seed: int, *, recorded: bool = True) -> Flawed:
    """Plants one flaw of each kind that the book has a fact for. The same seed plants the same flaws."""
    copy = BookCopy(book, dict(texts), Random(seed), recorded)
    flaws: list[PlantedFlaw] = []
    not_planted: list[NotPlanted] = []
    for planter in PLANTERS:
        found = planter.plant(copy)
        if isinstance(found, str):
            not_planted.append(NotPlanted(kind=planter.kind, reason=found))
            continue
        if planter.kind == "moved_beat":
            flaws = [_moved(one, found.files) for one in flaws]
        flaws.append(found)
    return Flawed(copy.texts, tuple(flaws), tuple(not_planted))


def _moved(flaw: PlantedFlaw, swapped: Sequence[str]) -> PlantedFlaw:
    """A flaw whose file has changed places with another."""
    there = dict(zip(swapped, reversed(swapped), strict=True))
    return flaw.model_copy(update={"files": tuple(there.get(file, file) for file in flaw.files)})


def run_drill(project: Path, *, seed: int, at: float, title: str = "", recorded: bool = True) -> DrillReport:
    """A whole drill. Only copies of the book are changed, and they are gone when it is over."""
    texts = read_files(project)
    clean = copied_book(texts)
    flawed = plant_flaws(clean, texts, seed, recorded=recorded)
    before, after = look_at(clean), look_at(copied_book(flawed.texts))
    return drill_report(clean, flawed, before, after, seed=seed, at=at, title=title, recorded=recorded)


def copied_book(texts: dict[str, str]) -> CheckedBook:
    """The book of some texts, read as any other: its own graph, from its own files."""
    with TemporaryDirectory(prefix="dramaturg-drill-") as folder:
        write_files(Path(folder), texts)
        intake = take_in(StoryGraph(), Path(folder))
        return checked_book(Path(folder), StoryGraph().changed(intake.change, 0.0), problems=intake.problems)


def look_at(book: CheckedBook) -> tuple[CheckResult, ...]:
    """What every check says."""
    return tuple(check.look(book) for check in CHECKS)


def drill_report(
    clean: CheckedBook,
    flawed: Flawed,
    before: Sequence[CheckResult],
    after: Sequence[CheckResult],
    *,
    seed: int,
    at: float,
    title: str,
    recorded: bool,
) -> DrillReport:
    """Which flaws were caught, by which check; which were missed and why; and what was said of the clean copy."""
    alarms = [one for check in before for one in check.findings if one.is_alarm]
    known = {(one.check, one.subject, one.text) for one in alarms}
    new = [one for check in after for one in check.findings if one.is_alarm]
    new = [one for one in new if (one.check, one.subject, one.text) not in known]
    outcomes = tuple(_outcome(flaw, new, after) for flaw in flawed.flaws)
    explained = {one.key for flaw in flawed.flaws for one in new if _follows_from(one, flaw)}
    caught = Counter(name for one in outcomes for name in one.caught_by)
    return DrillReport(
        title=title,
        at=at,
        seed=seed,
        recorded=recorded,
        words=clean.words,
        outcomes=outcomes,
        not_planted=flawed.not_planted,
        false_alarms=tuple(alarms),
        unexplained=tuple(one for one in new if one.key not in explained),
        caught=dict(caught),
        silent=tuple(check.name for check in CHECKS if check.name not in caught),
    )


def catches(finding: Finding, flaw: PlantedFlaw) -> bool:
    """Whether a finding is about a flaw: its check looks for such flaws, it stands in a file that was changed, and it
    names whom or what the flaw is about."""
    said = f"{finding.subject} {finding.text}".casefold()
    return _follows_from(finding, flaw) and flaw.subject.casefold() in said


def _follows_from(finding: Finding, flaw: PlantedFlaw) -> bool:
    return finding.check in _seen_by(flaw) and bool(set(finding.files) & set(flaw.files))


def _seen_by(flaw: PlantedFlaw) -> tuple[str, ...]:
    return next(one.seen_by for one in PLANTERS if one.kind == flaw.kind)


def _outcome(flaw: PlantedFlaw, new: Sequence[Finding], after: Sequence[CheckResult]) -> FlawOutcome:
    found = [one for one in new if catches(one, flaw)]
    if found:
        names = tuple(dict.fromkeys(one.check for one in found))
        return FlawOutcome(flaw=flaw, caught_by=names, said=found[0].text)
    return FlawOutcome(flaw=flaw, missed=_why_missed(flaw, after))


def _why_missed(flaw: PlantedFlaw, after: Sequence[CheckResult]) -> str:
    results = [one for one in after if one.check in _seen_by(flaw)]
    if not results:
        return "No check looks for this yet."
    silent = next((one for one in results if one.status == "cannot_tell"), None)
    if silent is not None:
        return f"{silent.check} cannot tell. {silent.missing}"
    if not flaw.recorded:
        return "It stands in the prose alone, which is not read for this without a model."
    return f"{', '.join(one.check for one in results)} looked, and found nothing there."
