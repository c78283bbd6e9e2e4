"""The graph for clients: entities and facts with names instead of numbers, and the evidence in full."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pydantic import Field

from dramaturg.kernel.values import WireValue
from dramaturg.workshop.graph.entries import told
from dramaturg.workshop.graph.network import KnownFact, Meeting, NearFact, Rank, Step
from dramaturg.workshop.graph.values import Entity, EntityKind, Fact, Modality, StoryGraph, book_of


class EntityView(WireValue):
    """Someone or something of the book."""

    id: int
    kind: EntityKind
    name: str
    aliases: tuple[str, ...] = Field((), description="names of what was merged into it included")
    source: str = ""


class FactView(WireValue):
    """A fact with its evidence."""

    id: int
    said: str = Field(description="the fact as a sentence")
    subject: str
    predicate: str
    object: str = Field("", description="the name of an entity, or a text")
    modality: Modality
    holder: str = Field("", description="who claims, believes, dreams or plans it")
    time_from: str = ""
    time_to: str = ""
    file: str = ""
    paragraph: int = 0
    start: int = Field(0, description="the character of the file at which the quotation starts")
    quote: str = ""
    source: str = ""
    book: str = Field("", description="the book of the series that says it; empty for this one")
    recorded_at: float
    retired_at: float | None = None


class RankView(WireValue):
    """A character, how central they are, and in how many facts they stand beside others."""

    entity: EntityView
    rank: float
    facts: int


class RankList(WireValue):
    """The characters, the most central first, and what could not be read of the book."""

    characters: tuple[RankView, ...]
    facts: int
    entities: int
    problems: tuple[str, ...] = ()


class EntityFacts(WireValue):
    """Everything that holds about one entity."""

    entity: EntityView
    facts: tuple[FactView, ...]


class StepView(WireValue):
    """A step from one entity to the next, with the facts that connect them."""

    start: str
    end: str
    facts: tuple[FactView, ...]


class PathView(WireValue):
    """The shortest way between two entities."""

    steps: tuple[StepView, ...]


class KnownFactView(WireValue):
    """A fact that a character knows, and how."""

    fact: FactView
    way: str = Field(description="witnessed, heard, believes, knows, dreamed or holds")


class KnowledgeView(WireValue):
    """What a character knows at a place of the book."""

    character: str
    at: str = Field("", description="a file of the manuscript; empty for the end of the book")
    facts: tuple[KnownFactView, ...]


class NearFactView(WireValue):
    """A fact and its distance to the scene."""

    fact: FactView
    distance: float


class SceneGraph(WireValue):
    """What lies around a scene, the nearest first."""

    scene: EntityView
    facts: tuple[NearFactView, ...]


class MeetingView(WireValue):
    """A scene, its story time, and who was there."""

    scene: str
    time_from: str = ""
    time_to: str = ""
    cast: tuple[str, ...]


class MeetingList(WireValue):
    """The scenes in which some were together."""

    meetings: tuple[MeetingView, ...]


def entity_view(graph: StoryGraph, entity: Entity) -> EntityView:
    root = graph.root(entity.id)
    parts = (one for one in graph.entities if graph.roots[one.id] == root.id)
    names = dict.fromkeys(name for one in parts for name in one.names if name != root.name)
    return EntityView(id=root.id, kind=root.kind, name=root.name, aliases=tuple(names), source=root.source)


def fact_view(graph: StoryGraph, fact: Fact) -> FactView:
    return FactView(
        id=fact.id,
        said=told(graph, fact),
        subject=graph.root(fact.subject).name,
        predicate=fact.predicate,
        object=graph.root(fact.object).name if fact.object is not None else fact.value,
        modality=fact.modality,
        holder=graph.root(fact.holder).name if fact.holder is not None else "",
        time_from=fact.time_from,
        time_to=fact.time_to,
        file=fact.file.partition(":")[2] if book_of(fact.file) else fact.file,
        book=book_of(fact.file),
        paragraph=fact.paragraph,
        start=fact.start,
        quote=fact.quote,
        source=fact.source,
        recorded_at=fact.recorded_at,
        retired_at=fact.retired_at,
    )


def rank_list(graph: StoryGraph, ranks: Iterable[Rank], problems: tuple[str, ...]) -> RankList:
    shown = tuple(
        RankView(entity=entity_view(graph, one.entity), rank=round(one.rank, 6), facts=one.facts) for one in ranks
    )
    held = sum(1 for _ in graph.current)
    return RankList(characters=shown, facts=held, entities=len(set(graph.roots.values())), problems=problems)


def entity_facts(graph: StoryGraph, entity: Entity) -> EntityFacts:
    root = graph.roots[entity.id]
    facts = (
        fact
        for fact in graph.current
        if root in (graph.roots[fact.subject], graph.roots.get(fact.object or 0), graph.roots.get(fact.holder or 0))
    )
    return EntityFacts(entity=entity_view(graph, entity), facts=tuple(fact_view(graph, one) for one in facts))


def path_view(graph: StoryGraph, steps: Sequence[Step]) -> PathView:
    return PathView(
        steps=tuple(
            StepView(start=one.start.name, end=one.end.name, facts=tuple(fact_view(graph, fact) for fact in one.facts))
            for one in steps
        )
    )


def knowledge_view(graph: StoryGraph, who: Entity, at: str, known: Iterable[KnownFact]) -> KnowledgeView:
    facts = tuple(KnownFactView(fact=fact_view(graph, one.fact), way=one.way) for one in known)
    return KnowledgeView(character=graph.root(who.id).name, at=at, facts=facts)


def scene_graph(graph: StoryGraph, scene: Entity, near: Iterable[NearFact]) -> SceneGraph:
    facts = tuple(NearFactView(fact=fact_view(graph, one.fact), distance=one.distance) for one in near)
    return SceneGraph(scene=entity_view(graph, scene), facts=facts)


def meeting_list(meetings: Iterable[Meeting]) -> MeetingList:
    return MeetingList(
        meetings=tuple(
            MeetingView(
                scene=one.scene.name,
                time_from=one.time_from,
                time_to=one.time_to,
                cast=tuple(who.name for who in one.cast),
            )
            for one in meetings
        )
    )
