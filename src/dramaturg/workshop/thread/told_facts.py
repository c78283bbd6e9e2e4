"""The facts that a text tells, for the receipt of a prompt that contains it."""

from __future__ import annotations

from dramaturg.workshop.book.knowledge import KnowledgeEntry
from dramaturg.workshop.graph.entries import fact_entry
from dramaturg.workshop.graph.names import NameIndex
from dramaturg.workshop.graph.predicates import declared
from dramaturg.workshop.graph.values import StoryGraph
from dramaturg.workshop.thread.words import FactWords, words_of

MOST_TOLD = 200


def facts_told(graph: StoryGraph, text: str) -> tuple[KnowledgeEntry, ...]:
    """The facts whose evidence stands in a text, or whose words do, beside whom they are about."""
    known = set(words_of(text))
    named = {one.name for one in NameIndex(name for one in graph.entities for name in one.names).find(text)}
    subjects = {
        graph.roots[one.id]
        for one in graph.entities
        if any(name in named or known & set(words_of(name)) for name in one.names)
    }
    found = []
    for fact in graph.current:
        if declared(fact.predicate).evident or graph.roots[fact.subject] not in subjects:
            continue
        if (fact.quote and fact.quote in text) or any(FactWords.of(graph, fact).sentences_in(text, is_known=True)):
            found.append(fact_entry(graph, fact))
    return tuple(found[:MOST_TOLD])
