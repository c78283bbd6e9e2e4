"""Small books on disk and answers of a model, for the tests of consolidation."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.store import Store
from dramaturg.workshop.consolidation.extraction import extraction_key
from dramaturg.workshop.consolidation.front import Answers, Consolidation
from dramaturg.workshop.consolidation.store import ConsolidationStore
from dramaturg.workshop.consolidation.texts import pieces_of
from dramaturg.workshop.consolidation.values import Batch
from dramaturg.workshop.graph.front import BookGraph
from dramaturg.workshop.graph.store import GraphStore
from dramaturg.workshop.store import KnowledgeBase
from tests.workshop.graph.stories import write

PIECE = 8000


def said(subject: str, predicate: str, target: str = "", quote: str = "", **more: str) -> dict[str, str]:
    return {"subject": subject, "predicate": predicate, "object": target, "quote": quote, **more}


def answer(*facts: dict[str, str], names: Sequence[dict[str, str]] = ()) -> str:
    return json.dumps({"facts": list(facts), "names": list(names)}, ensure_ascii=False)


def prose(project: Path, name: str, text: str, matter: str = "") -> None:
    head = f"---\n{matter}\n---\n" if matter else ""
    write(project, f"manuscript/{name}.md", f"{head}{text}\n")


class Reading:
    """A book, its consolidation, and a model that answers what it is told to, scene by scene."""

    def __init__(self, store: Store, project: Path) -> None:
        self.project = project
        self.clock = StillClock()
        self.graph = BookGraph(GraphStore(store.database, "main"), project, self.clock)
        self.knowledge = KnowledgeBase(store.database, "main")
        self.store = ConsolidationStore(store.database, "main")
        self.front = Consolidation(self.store, self.graph, self.knowledge, project, self.clock)
        self.runs = 0

    async def read(self, said: dict[int, str] | None = None, **answers: str) -> Batch:
        """Reads what waits; `ch01="…"` is the answer for manuscript/ch01.md, and nothing is found in the others."""
        self.runs += 1
        texts = await self.front.waiting(said or {})
        known = {
            extraction_key(text, piece): answers.get(text.path.rpartition("/")[2].removesuffix(".md"), "[]")
            for text in texts
            for piece in pieces_of(text, PIECE)
        }
        return await self.front.merge(f"run-{self.runs}", texts, Answers(known, PIECE))

    async def contradictions(self) -> list[tuple[str, str, str]]:
        """The rule of each open conflict, and what the two facts say."""
        found = (await self.front.conflicts()).conflicts
        return [(one.rule, _short(one.old.said), _short(one.new.said)) for one in found]


def _short(said: str) -> str:
    return said.partition(" (")[0]
