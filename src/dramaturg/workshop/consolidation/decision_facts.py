"""Decisions as facts, without a model: the key says whom or what a decision is about, and what it says of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.bible import BEATS, BiblePage
from dramaturg.workshop.book.decisions import Category, Decision, key_name
from dramaturg.workshop.book.knowledge import field_of, known_facts
from dramaturg.workshop.graph.predicates import PREDICATES
from dramaturg.workshop.graph.register import Register, checked
from dramaturg.workshop.graph.values import Entity, EntityKind, Fact

SOURCE = "decision"
_PREDICATES: Mapping[str, str] = {
    "flaw": "fatal_flaw",
    "lie": "the_lie",
    "eyes": "eye_colour",
    "eye_color": "eye_colour",
    "eye": "eye_colour",
    "hair": "hair_colour",
    "hair_color": "hair_colour",
    "born": "born_on",
    "birth": "born_on",
    "birthday": "born_on",
    "birth_date": "born_on",
    "died": "died_on",
    "death": "died_on",
    "job": "occupation",
    "profession": "occupation",
    "spouse": "married_to",
    "wife": "married_to",
    "husband": "married_to",
    "mother": "child_of",
    "father": "child_of",
    "home": "lives_in",
    "trait": "has_trait",
}
_KINDS: Mapping[Category, EntityKind] = {"world": "rule", "structure": "event"}
_BEATS = {key_name(beat.name): beat.name for beat in BEATS} | {f"beat_{beat.number}": beat.name for beat in BEATS}


@dataclass(frozen=True, slots=True)
class DecisionFacts:
    """What decisions add to the graph: facts, those that are in it now, and the facts of those that no longer hold."""

    facts: tuple[Fact, ...] = ()
    promoted: tuple[int, ...] = ()
    unmapped: int = 0


def source_of(decision: Decision) -> str:
    return f"{SOURCE} {decision.id}"


def decision_facts(
    decisions: Sequence[Decision], pages: Sequence[BiblePage], protagonist: str, register: Register
) -> DecisionFacts:
    """The facts of decisions that are not in the graph yet.

    A decision that says what its field of the story bible says is that field. One that differs from it waits until the
    writer settles which holds. Preferences, constraints and voices are no facts of the story.
    """
    facts: list[Fact] = []
    promoted: list[int] = []
    differing = {one.key for one in known_facts(pages, decisions, protagonist).disagreements}
    written = {(page.template, name) for page in pages for name in page.fields}
    unmapped = 0
    for one in decisions:
        if one.is_promoted or one.kind == "preference" or one.category in ("constraint", "preference", "voice"):
            continue
        place = field_of(one.key, protagonist)
        if one.key in differing:
            unmapped += 1
        elif place in written:
            promoted.append(one.id)
        elif (fact := _fact(one, protagonist, register)) is not None:
            facts.append(fact)
            promoted.append(one.id)
        else:
            unmapped += 1
    return DecisionFacts(tuple(facts), tuple(promoted), unmapped)


def outdated(facts: Iterable[Fact], decisions: Sequence[Decision]) -> list[int]:
    """The facts of decisions that were replaced or taken back."""
    held = {source_of(one) for one in decisions}
    return [one.id for one in facts if one.holds and one.source.startswith(f"{SOURCE} ") and one.source not in held]


def _fact(decision: Decision, protagonist: str, register: Register) -> Fact | None:
    try:
        subject, predicate = _meant(decision, protagonist, register)
        fact = _with_object(decision, subject, predicate, register) if subject is not None else None
    except InvalidConfig:
        return None
    problems = len(register.problems)
    kept = checked(fact, register, decision.key) if fact is not None else None
    del register.problems[problems:]
    return kept


def _with_object(decision: Decision, subject: Entity, predicate: str, register: Register) -> Fact:
    kind, target = PREDICATES[predicate].object_kind, None
    if kind is not None and len(decision.value) <= 60:
        target = (register.known(decision.value) or register.entity(kind, decision.value, SOURCE)).id
    return Fact(
        0, subject.id, predicate, target, "" if target is not None else decision.value,
        quote=decision.value[:300], source=source_of(decision),
    )  # fmt: skip


def _meant(decision: Decision, protagonist: str, register: Register) -> tuple[Entity | None, str]:
    """Whom a decision is about and the predicate that it means: `mickey_fatal_flaw`, `tide`, `midpoint`."""
    if decision.category == "structure":
        beat = _BEATS.get(decision.key)
        return (register.entity("event", beat, SOURCE), "described_as") if beat else (None, "")
    parts = decision.key.split("_")
    cuts = [(parts[:cut], _predicate("_".join(parts[cut:]))) for cut in range(1, len(parts))]
    for name, predicate in reversed(cuts):  # the longest name that somebody bears
        who = _named(name, protagonist, register)
        if who is not None:
            return who, predicate if predicate in PREDICATES else "described_as"
    for name, predicate in cuts:  # else the longest predicate that there is
        if predicate in PREDICATES and decision.category == "character":
            return register.entity("character", " ".join(name).title(), SOURCE), predicate
    predicate = _predicate(decision.key)
    if predicate in PREDICATES and protagonist and decision.category == "character":
        return register.entity("character", protagonist, SOURCE), predicate
    kind = _KINDS.get(decision.category)
    return (register.entity(kind, decision.key.replace("_", " "), SOURCE), "states") if kind else (None, "")


def _predicate(key: str) -> str:
    return _PREDICATES.get(key, key)


def _named(parts: Sequence[str], protagonist: str, register: Register) -> Entity | None:
    name = "_".join(parts)
    if name in ("protagonist", "hero", "main_character") and protagonist:
        return register.entity("character", protagonist, SOURCE)
    return register.keyed(name)
