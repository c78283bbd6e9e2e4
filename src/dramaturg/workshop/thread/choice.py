"""The fact that is meant, by its number or by words of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.text.digits import whole_number
from dramaturg.kernel.text.words import words
from dramaturg.workshop.consolidation.conflicts import said_by
from dramaturg.workshop.graph.entries import told
from dramaturg.workshop.graph.predicates import declared
from dramaturg.workshop.graph.values import Fact, StoryGraph, book_of

MOST_CHOICES = 40
LONGEST_WISH = 400


def meant_facts(graph: StoryGraph, wanted: str) -> tuple[Fact, ...]:
    """The facts that a number such as `12` or `#12`, or words, may mean; of those that say the same, the first.

    A number finds a retired fact too, and none of another book, which has numbers of its own. Raises InvalidConfig
    without a word, NotFound for a number that there is not.
    """
    asked = wanted.strip()
    number = whole_number(asked.removeprefix("#"))
    if number is not None:
        own = [one for one in graph.facts if not book_of(one.file)]
        found = next((one for one in own if one.id == number), None)
        if found is None:
            raise NotFound(f"There is no fact {number} in this book (there are {len(own)}).", fact=number)
        return (found,)
    sought = words(asked[:LONGEST_WISH])
    if not sought:
        raise InvalidConfig("Name a fact by its number, such as #12, or by words of it.")
    return tuple(_found(graph, sought))[:MOST_CHOICES]


def _found(graph: StoryGraph, sought: Sequence[str]) -> Iterable[Fact]:
    known: dict[object, Fact] = {}
    for fact in graph.current:
        if declared(fact.predicate).evident:
            continue
        said = set(words(f"{told(graph, fact)} {fact.predicate}"))
        said |= {word for name in graph.by_id[fact.subject].names for word in words(name)}
        if all(word in said for word in sought):
            known.setdefault(said_by(fact, graph), fact)
    return known.values()


def same_saying(graph: StoryGraph, fact: Fact) -> tuple[Fact, ...]:
    """A fact and all others that hold and say the same, in whatever words."""
    said = said_by(fact, graph)
    return (fact, *(one for one in graph.current if one.id != fact.id and said_by(one, graph) == said))


def going_along(graph: StoryGraph, fact: Fact) -> tuple[Fact, ...]:
    """The facts that stand or fall with one: what somebody knows of it, and what is said of its two ends otherwise."""
    subject, target = graph.roots[fact.subject], graph.roots.get(fact.object or 0)
    value = set(words(fact.value))
    own = {one.id for one in same_saying(graph, fact)}
    found = []
    for one in graph.current:
        if one.id in own or declared(one.predicate).evident or declared(one.predicate).craft:
            continue
        ends = {graph.roots[one.subject], graph.roots.get(one.object or 0)}
        both = target is not None and ends == {subject, target}
        told_of = bool(value) and subject in ends and value <= set(words(f"{one.value} {one.quote}"))
        if both or told_of:
            found.append(one)
    return tuple(found)
