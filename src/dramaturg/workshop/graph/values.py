"""The values of the knowledge graph: entities, facts, the files they were read from, and changes to them.

A fact is never deleted: it is retired, and stays with its evidence. Merging two entities moves no fact; the merged one
points to the other, and splitting takes that pointer away.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias

EntityKind: TypeAlias = Literal["character", "location", "event", "theme", "symbol", "rule", "object"]
Modality: TypeAlias = Literal["narrated", "claimed", "believed", "dreamed", "planned"]
FactKey: TypeAlias = tuple[int, str, int | None, str, str, int | None, str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class Entity:
    """Someone or something of the book. One that was merged is the same as the entity it was merged into.

    In a change, a negative id stands for an entity that has no number yet. One that is `withdrawn` was brought by
    something that was undone: its number stays, and nobody is called by its names any more.
    """

    id: int
    kind: EntityKind
    name: str
    aliases: tuple[str, ...] = ()
    merged_into: int | None = None
    source: str = ""
    recorded_at: float = 0.0
    withdrawn: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)


@dataclass(frozen=True, slots=True)
class Fact:
    """What the book says: subject, predicate, and an entity or a text as object, with the words that say it.

    `holder` is who claims, believes, dreams or plans it. The story time is as the writer wrote it. The place in the
    book is a paragraph of `file` and the character at which the quotation starts there. One that is `set_aside` is
    retired because it contradicts another, though its file still says it: it is not read in again.
    """

    id: int
    subject: int
    predicate: str
    object: int | None = None
    value: str = ""
    modality: Modality = "narrated"
    holder: int | None = None
    time_from: str = ""
    time_to: str = ""
    file: str = ""
    paragraph: int = 0
    start: int = 0
    quote: str = ""
    source: str = ""
    recorded_at: float = 0.0
    retired_at: float | None = None
    set_aside: bool = False

    @property
    def holds(self) -> bool:
        return self.retired_at is None

    @property
    def key(self) -> FactKey:
        """What makes it this fact: everything but its number, its dates and its place in the file."""
        return (
            self.subject,
            self.predicate,
            self.object,
            self.value,
            self.modality,
            self.holder,
            self.time_from,
            self.time_to,
            self.file,
            self.quote,
            self.source,
        )


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that facts were read from. `position` is its place in reading order; a page of the bible has none (-1)."""

    path: str
    digest: str
    position: int = -1


@dataclass(frozen=True, slots=True)
class Moved:
    """The new place of a fact whose words stand elsewhere in their file now."""

    fact: int
    paragraph: int
    start: int


@dataclass(frozen=True, slots=True)
class GraphChange:
    """New entities and facts, further aliases, facts to retire or move, and the files as they are now."""

    entities: tuple[Entity, ...] = ()
    aliases: Mapping[int, tuple[str, ...]] | None = None
    facts: tuple[Fact, ...] = ()
    retired: tuple[int, ...] = ()
    moved: tuple[Moved, ...] = ()
    sources: tuple[SourceFile, ...] = ()

    def __bool__(self) -> bool:
        return any((self.entities, self.aliases, self.facts, self.retired, self.moved, self.sources))


@dataclass(frozen=True)
class StoryGraph:
    """Everything that is known: entities and facts by number, retired ones included, and the files they are from."""

    entities: tuple[Entity, ...] = ()
    facts: tuple[Fact, ...] = ()
    sources: tuple[SourceFile, ...] = ()

    @cached_property
    def by_id(self) -> Mapping[int, Entity]:
        return {one.id: one for one in self.entities}

    @cached_property
    def roots(self) -> Mapping[int, int]:
        """The entity that each one is part of: itself, unless it was merged."""
        found: dict[int, int] = {}
        for one in self.entities:
            here, seen = one, {one.id}
            while here.merged_into is not None and here.merged_into in self.by_id and here.merged_into not in seen:
                here = self.by_id[here.merged_into]
                seen.add(here.id)
            found[one.id] = here.id
        return found

    @cached_property
    def names(self) -> Mapping[str, tuple[Entity, ...]]:
        """The entities that bear each name, compared without case; an alias may belong to several."""
        found: dict[str, list[Entity]] = {}
        for one in self.entities:
            for name in () if one.withdrawn else dict.fromkeys(map(folded, one.names)):
                found.setdefault(name, []).append(one)
        return {name: tuple(held) for name, held in found.items()}

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """The place of each file in reading order."""
        return {one.path: one.position for one in self.sources}

    @cached_property
    def by_words(self) -> Mapping[tuple[str, str], int]:
        """The facts that hold and have words instead of an object, by their file and these words."""
        return {(one.file, one.value): one.id for one in self.current if one.object is None and one.file}

    @cached_property
    def by_decision(self) -> Mapping[str, int]:
        """The facts that hold and were decided, by their source."""
        return {one.source: one.id for one in self.current if one.source.startswith("decision ")}

    @property
    def current(self) -> Iterable[Fact]:
        """The facts that hold."""
        return (one for one in self.facts if one.retired_at is None)

    def root(self, entity: int) -> Entity:
        return self.by_id[self.roots[entity]]

    def changed(self, change: GraphChange, at: float) -> StoryGraph:
        """The graph after a change, as the store would keep it."""
        new = numbered(change, self.last, at)
        retired, moved = frozenset(new.retired), {one.fact: one for one in new.moved}
        more = new.aliases or {}
        facts = tuple(_after(one, retired, moved, at) for one in self.facts) if retired or moved else self.facts
        entities = tuple(
            replace(one, aliases=more[one.id]) if one.id in more else one for one in (*self.entities, *new.entities)
        )
        sources = {one.path: one for one in (*self.sources, *new.sources)}
        by_path = tuple(sorted(sources.values(), key=lambda one: one.path))
        return StoryGraph(entities, (*facts, *new.facts), by_path)

    @property
    def last(self) -> tuple[int, int]:
        """The highest number of an entity and of a fact."""
        return max((one.id for one in self.entities), default=0), max((one.id for one in self.facts), default=0)


def numbered(change: GraphChange, last: tuple[int, int], at: float) -> GraphChange:
    """The change with numbers for what is new: those after the last ones."""
    known = {one.id: last[0] + place for place, one in enumerate(change.entities, start=1)}

    def real(entity: int | None) -> int | None:
        return entity if entity is None or entity > 0 else known[entity]

    entities = tuple(
        replace(one, id=known[one.id], merged_into=real(one.merged_into), recorded_at=at) for one in change.entities
    )
    facts = tuple(
        replace(
            one,
            id=last[1] + place,
            subject=real(one.subject) or 0,
            object=real(one.object),
            holder=real(one.holder),
            recorded_at=at,
        )
        for place, one in enumerate(change.facts, start=1)
    )
    return replace(change, entities=entities, facts=facts)


def in_book(book: str, path: str) -> str:
    """A path of another book of the series, as facts that come from there carry it."""
    return f"{book}:{path}"


def book_of(path: str) -> str:
    """The book of the series that a path is from; empty for one of this book."""
    book, mark, _ = path.partition(":")
    return book if mark and "/" not in book else ""


def folded(name: str) -> str:
    """A name as it is compared: without case and surplus spaces."""
    return " ".join(name.split()).casefold()


def _after(fact: Fact, retired: frozenset[int], moved: Mapping[int, Moved], at: float) -> Fact:
    if fact.id in retired and fact.retired_at is None:
        fact = replace(fact, retired_at=at)
    place = moved.get(fact.id)
    return replace(fact, paragraph=place.paragraph, start=place.start) if place else fact
