"""The front of threads: pull one, and see everything that rests on a fact."""

from __future__ import annotations

from dramaturg.workshop.graph.entries import told
from dramaturg.workshop.graph.wire import fact_view
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.thread.choice import meant_facts
from dramaturg.workshop.thread.gathering import thread_sources
from dramaturg.workshop.thread.strands import pulled
from dramaturg.workshop.thread.values import PulledThread


class BookThread:
    """The threads of one book."""

    def __init__(self, book: BookSources) -> None:
        self._book = book

    async def pull(self, wanted: str) -> PulledThread:
        """Everything that rests on the fact that is meant; a list to choose from if it may be several, or none is."""
        sources, problems = await thread_sources(self._book)
        graph = sources.graph
        found = meant_facts(graph, wanted)
        if len(found) != 1:
            choices = tuple(fact_view(graph, one) for one in found)
            said = (
                f"{len(found)} facts have these words. Give the number of one, or more of its words."
                if found
                else "No fact has these words."
            )
            return PulledThread(choices=choices, said=said, problems=problems)
        fact = found[0]
        strands = pulled(sources, fact)
        retired = "" if fact.holds else " It no longer holds."
        said = f"{told(graph, fact)}: {_count(len(strands))} on it.{retired}"
        return PulledThread(fact=fact_view(graph, fact), strands=strands, said=said, problems=problems)


def _count(strands: int) -> str:
    if not strands:
        return "nothing in the book rests"
    return "1 place rests" if strands == 1 else f"{strands} places rest"
