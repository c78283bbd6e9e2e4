"""Several graphs read as one: a book's own, with what the series and other books say beside it.

Who has the same name and kind is the same. The scenes of each book are its own. What comes from elsewhere carries its
book in its path, `first-light:manuscript/ch01-sc01.md`, and comes before every scene of this book.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dramaturg.workshop.book.manuscript import FOLDER as MANUSCRIPT
from dramaturg.workshop.graph.predicates import declared
from dramaturg.workshop.graph.values import Entity, Fact, SourceFile, StoryGraph, folded, in_book

SPAN = 100_000
"""More scenes than a book has, so that positions of different books do not meet."""


@dataclass(frozen=True, slots=True)
class ForeignGraph:
    """The graph of another book or of the series. `back` says how many books it lies before this one."""

    book: str
    graph: StoryGraph
    back: int = 0


def joined(own: StoryGraph, others: Sequence[ForeignGraph]) -> StoryGraph:
    """A graph with the facts of others that hold; its own entities and facts keep their numbers."""
    entities, facts, sources = list(own.entities), list(own.facts), list(own.sources)
    names = _names(own)
    last_entity, last_fact = own.last
    for other in others:
        known: dict[int, int] = {}
        for entity in other.graph.entities:
            found = None if _is_own_scene(entity) else _same(entity, names)
            if found is None:
                last_entity += 1
                found = last_entity
                new = _foreign(entity, found, other.book)
                entities.append(new)
                for name in () if _is_own_scene(entity) else map(folded, new.names):
                    names.setdefault((new.kind, name), []).append(found)
            known[entity.id] = found
        for fact in other.graph.current:
            if _counts(fact):
                last_fact += 1
                facts.append(_moved(fact, last_fact, known, other.book))
        sources += [_placed(one, other) for one in other.graph.sources]
    by_path = tuple(sorted(sources, key=lambda one: one.path))
    return StoryGraph(tuple(entities), tuple(facts), by_path)


def _names(graph: StoryGraph) -> dict[tuple[str, str], list[int]]:
    found: dict[tuple[str, str], list[int]] = {}
    for name, held in graph.names.items():
        for one in held:
            roots = found.setdefault((one.kind, name), [])
            if graph.roots[one.id] not in roots:
                roots.append(graph.roots[one.id])
    return found


def _same(entity: Entity, names: dict[tuple[str, str], list[int]]) -> int | None:
    """The one entity that has a name of this one; None if there is none, or several may be meant."""
    for name in map(folded, entity.names):
        held = names.get((entity.kind, name), [])
        if len(held) == 1:
            return held[0]
    return None


def _is_own_scene(entity: Entity) -> bool:
    """Whether it is a scene or a beat, which belong to their book alone."""
    return entity.kind == "event" and (entity.source.startswith(f"{MANUSCRIPT}/") or entity.source == "beats")


def _foreign(entity: Entity, number: int, book: str) -> Entity:
    source = in_book(book, entity.source)
    if _is_own_scene(entity):
        return Entity(number, entity.kind, in_book(book, entity.name), source=source)
    return replace(entity, id=number, merged_into=None, source=source)


def _counts(fact: Fact) -> bool:
    """Plans, and what only the prose at hand needs, stay in their own book."""
    predicate = declared(fact.predicate)
    return not predicate.evident and fact.modality != "planned" and fact.predicate != "serves_beat"


def _moved(fact: Fact, number: int, known: dict[int, int], book: str) -> Fact:
    return replace(
        fact,
        id=number,
        subject=known[fact.subject],
        object=known[fact.object] if fact.object is not None else None,
        holder=known[fact.holder] if fact.holder is not None else None,
        file=in_book(book, fact.file),
    )


def _placed(one: SourceFile, other: ForeignGraph) -> SourceFile:
    position = one.position - other.back * SPAN if one.position >= 0 else -1 - other.back * SPAN
    return SourceFile(in_book(other.book, one.path), one.digest, position)
