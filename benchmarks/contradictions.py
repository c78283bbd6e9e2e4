"""Contradictions planted in three short books, and innocent look-alikes: caught, missed, and false alarms.

Each book is read twice: with what a careful reader wrote down of it (`answers.txt`), and by the rehearsal company.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.store import open_store
from dramaturg.workshop.consolidation.extraction import extraction_key, extraction_request
from dramaturg.workshop.consolidation.front import Answers, Consolidation
from dramaturg.workshop.consolidation.store import ConsolidationStore
from dramaturg.workshop.consolidation.texts import PIECE, StoryText, pieces_of
from dramaturg.workshop.consolidation.values import Counts
from dramaturg.workshop.consolidation.wire import ConflictView
from dramaturg.workshop.foreman.prompt_files import PromptFiles
from dramaturg.workshop.graph.front import BookGraph
from dramaturg.workshop.graph.store import GraphStore
from dramaturg.workshop.store import KnowledgeBase

BOOKS = Path(__file__).parent / "continuity"
NAMES = ("tidewater", "station", "montiel", "verrier")
READERS = ("careful reader", "rehearsal company")
_FIELDS = ("subject", "predicate", "object", "modality", "by", "time", "quote")


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one book and one reader."""

    counts: Counts
    caught: tuple[str, ...]
    missed: tuple[str, ...]
    false: tuple[ConflictView, ...]
    innocent: int
    words: int


def careful_answers(book: Path) -> dict[str, str]:
    """The answers that were written by hand, by scene."""
    found: dict[str, dict[str, list[dict[str, str]]]] = {}
    scene = ""
    for line in _lines(book / "answers.txt"):
        if line.startswith("= "):
            scene = line[2:].strip()
            found[scene] = {"facts": [], "names": []}
            continue
        parts = [part.strip() for part in line.split(" ;")]
        if parts[0] == "NAME":
            found[scene]["names"].append(dict(zip(("name", "alias", "quote"), parts[1:], strict=True)))
        else:
            head, quote = parts[:6], " ;".join(parts[6:])
            found[scene]["facts"].append(dict(zip(_FIELDS, (*head, quote), strict=True)))
    return {name: json.dumps(held, ensure_ascii=False) for name, held in found.items()}


async def read(name: str, reader: str) -> Result:
    """Reads one book into a graph of its own."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        shutil.copytree(BOOKS / name / "manuscript", project / "manuscript")
        store = await open_store(Settings(project=project))
        try:
            graph = BookGraph(GraphStore(store.database, "main"), project, StillClock())
            knowledge, kept = KnowledgeBase(store.database, "main"), ConsolidationStore(store.database, "main")
            front = Consolidation(kept, graph, knowledge, project, StillClock())
            texts = await front.waiting({})
            written = careful_answers(BOOKS / name)
            prompts = PromptFiles(project)
            known = (await graph.read()).graph
            answers: dict[str, str] = {}
            for text in texts:
                for piece in pieces_of(text, PIECE["full"]):
                    request = extraction_request(text, piece, known, prompts, reads_cues=True)
                    cue = request.cue.answer().text if request.cue else ""
                    answers[extraction_key(text, piece)] = written[text.scene] if reader == READERS[0] else cue
            batch = await front.merge("benchmark", texts, Answers(answers, PIECE["full"]))
            found = (await front.conflicts()).conflicts
            return _judged(name, batch.counts, found, texts)
        finally:
            await store.close()


def _judged(name: str, counts: Counts, found: tuple[ConflictView, ...], texts: tuple[StoryText, ...]) -> Result:
    caught, missed = [], []
    right: set[int] = set()
    for line in _lines(BOOKS / name / "planted.txt"):
        rule, subject, what = (part.strip() for part in line.split(" ; ", 2))
        held = [one.id for one in found if one.rule == rule and subject in (one.old.subject, one.new.subject)]
        right.update(held)
        (caught if held else missed).append(what)
    words = sum(len(text.text[text.offset :].split()) for text in texts)
    false = tuple(one for one in found if one.id not in right)
    return Result(counts, tuple(caught), tuple(missed), false, len(_lines(BOOKS / name / "innocent.txt")), words)


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip() and line[0] != "#"]


def main() -> None:
    print("| book | words | reader | facts kept | refused | planted | caught | innocent | false alarms |")
    print("|---|--:|---|--:|--:|--:|--:|--:|--:|")
    notes = []
    for reader in READERS:
        for name in NAMES:
            one = asyncio.run(read(name, reader))
            planted, refused = len(one.caught) + len(one.missed), sum(one.counts.refused.values())
            print(
                f"| {name} | {one.words} | {reader} | {one.counts.added} | {refused} | {planted} | {len(one.caught)} "
                f"| {one.innocent} | {len(one.false)} |"
            )
            notes += [f"- {name}, {reader}: missed: {what}" for what in one.missed if reader == READERS[0]]
            notes += [f"- {name}, {reader}: false alarm: {alarm.said}" for alarm in one.false]
            notes += [f"- {name}, {reader}: refused: {one.counts.refused}" for _ in range(1) if refused]
    print()
    print("\n".join(notes))
