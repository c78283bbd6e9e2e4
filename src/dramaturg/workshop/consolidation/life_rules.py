"""Rules for life and death, ages and dates."""

from __future__ import annotations

from collections.abc import Iterator

from dramaturg.workshop.consolidation.comparison import age_of
from dramaturg.workshop.consolidation.standing import Finding, StandingFacts
from dramaturg.workshop.consolidation.timeline import EARLIER, years_between
from dramaturg.workshop.graph.predicates import PARENTS, PRESENCE
from dramaturg.workshop.graph.story_time import compared
from dramaturg.workshop.graph.values import Fact

ACTS = ("is_alive", *PRESENCE, "travels_to", "carries", "killed")
"""What only the living do. A body can be at a place, and a letter can speak for the dead."""
DEATHS = ("is_dead", "died_on")
BIRTHDAY = 1
"""How many years an age may be off: nobody says whether the birthday is past."""


def life_and_death(new: Fact, standing: StandingFacts) -> Iterator[Finding]:
    """Someone who acts after their death."""
    me = standing.root(new.subject)
    if new.predicate in ACTS:
        for death in (*standing.of(me, *DEATHS), *standing.about(me, "killed")):
            if _is_after(new, death, standing):
                yield Finding("life", death, new, f"{standing.told(death)}; but later, {standing.told(new)}.")
    if new.predicate in DEATHS or new.predicate == "killed":
        who = standing.root(new.object) if new.predicate == "killed" else me
        for act in standing.of(who, *ACTS):
            if _is_after(act, new, standing):
                yield Finding("life", act, new, f"{standing.told(new)}; but later, {standing.told(act)}.")


def _is_after(act: Fact, death: Fact, standing: StandingFacts) -> bool:
    """Whether an act is later than a death: in story time, else in reading order."""
    if EARLIER in (act.time_from, standing.moment(act)):
        return False
    dead_at = standing.moment(death)
    if dead_at == EARLIER:
        dead_at = standing.scene_time(death)  # told as past there, so it was before
    if dead_at and act.time_from:
        return compared(dead_at, act.time_from) == -1
    dead_in, acts_in = standing.positions.get(death.file, -1), standing.positions.get(act.file, -1)
    if dead_at or act.time_from or acts_in < 0:
        return False
    return dead_in < acts_in and (dead_in >= 0 or death.predicate == "is_dead")


def ages(new: Fact, standing: StandingFacts) -> Iterator[Finding]:
    """Ages and a year of birth that do not add up."""
    me = standing.root(new.subject)
    if new.predicate == "age":
        for old in standing.of(me, "age"):
            if _ages_differ(old, new, standing):
                yield Finding("age", old, new, f"{standing.told(old)}; but {standing.told(new)}.")
        for born in standing.of(me, "born_on"):
            if _is_wrong_age(born, new):
                yield Finding("age", born, new, f"{standing.told(born)}; but {standing.told(new)}.")
    elif new.predicate == "born_on":
        for old in standing.of(me, "age"):
            if _is_wrong_age(new, old):
                yield Finding("age", old, new, f"{standing.told(old)}; but {standing.told(new)}.")


def _ages_differ(old: Fact, new: Fact, standing: StandingFacts) -> bool:
    mine, theirs = age_of(old.value), age_of(new.value)
    if mine is None or theirs is None or EARLIER in (old.time_from, new.time_from):
        return False
    years = years_between(old.time_from, new.time_from)
    if years is not None:
        return abs(theirs - mine - years) > BIRTHDAY
    if old.time_from or new.time_from:
        return compared(old.time_from, new.time_from) == 0 and mine != theirs
    first, second = (standing.positions.get(one.file, -1) for one in (old, new))
    if first == second:
        return mine != theirs
    return theirs < mine if first < second else mine < theirs


def _is_wrong_age(born: Fact, age: Fact) -> bool:
    years, told = years_between(born.value, age.time_from), age_of(age.value)
    return years is not None and told is not None and not (years - BIRTHDAY <= told <= years)


def dates(new: Fact, standing: StandingFacts) -> Iterator[Finding]:
    """Births after deaths, deeds before birth, parents younger than their children."""
    me = standing.root(new.subject)
    if new.predicate == "born_on":
        later = (one for one in standing.of(me, "died_on", *PRESENCE) if _when(one))
        yield from (_dated(old, new, standing) for old in later if compared(_when(old), new.value) == -1)
        yield from _generations(new, me, standing)
    elif new.predicate in ("died_on", *PRESENCE) and _when(new):
        births = standing.of(me, "born_on")
        yield from (_dated(old, new, standing) for old in births if compared(_when(new), old.value) == -1)
    elif new.predicate in (*PARENTS, "child_of"):
        parent, child = (new.subject, new.object) if new.predicate in PARENTS else (new.object, new.subject)
        for elder in standing.of(standing.root(parent), "born_on"):
            for younger in standing.of(standing.root(child), "born_on"):
                if _is_no_parent(elder.value, younger.value):
                    said = f"{standing.told(new)}; but {_both(elder, younger, standing)}."
                    yield Finding("date", elder, new, said, (younger,))


def _when(fact: Fact) -> str:
    """The date of a death, or of a deed."""
    return fact.value if fact.predicate == "died_on" else fact.time_from


def _generations(born: Fact, me: int | None, standing: StandingFacts) -> Iterator[Finding]:
    """A birth that makes a parent no older than a child."""
    children: list[tuple[int | None, Fact]] = [(kin.object, kin) for kin in standing.of(me, *PARENTS)]
    children += [(kin.subject, kin) for kin in standing.about(me, "child_of")]
    parents: list[tuple[int | None, Fact]] = [(kin.subject, kin) for kin in standing.about(me, *PARENTS)]
    parents += [(kin.object, kin) for kin in standing.of(me, "child_of")]
    for other, kin in children:
        for birth in standing.of(standing.root(other), "born_on"):
            if _is_no_parent(born.value, birth.value):
                yield Finding("date", birth, born, f"{_both(born, birth, standing)}; but {standing.told(kin)}.", (kin,))
    for other, kin in parents:
        for birth in standing.of(standing.root(other), "born_on"):
            if _is_no_parent(birth.value, born.value):
                yield Finding("date", birth, born, f"{_both(birth, born, standing)}; but {standing.told(kin)}.", (kin,))


def _is_no_parent(elder: str, younger: str) -> bool:
    return compared(elder, younger) in (0, 1)


def _both(one: Fact, other: Fact, standing: StandingFacts) -> str:
    return f"{standing.told(one)} and {standing.told(other)}"


def _dated(old: Fact, new: Fact, standing: StandingFacts) -> Finding:
    return Finding("date", old, new, f"{standing.told(old)}; but {standing.told(new)}.")


RULES = (life_and_death, ages, dates)
