"""A book as the checks are given it, read from its files and its graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dramaturg.kernel.text.digits import whole_number
from dramaturg.workshop.book.file_cache import FileCache
from dramaturg.workshop.book.files import digest_of
from dramaturg.workshop.consolidation.values import FactConflict
from dramaturg.workshop.graph.bible_facts import NAMELESS
from dramaturg.workshop.graph.front_matter import StoryMatter
from dramaturg.workshop.graph.intake import read_pages, read_scenes
from dramaturg.workshop.graph.scene_facts import SceneText
from dramaturg.workshop.graph.values import StoryGraph, folded
from dramaturg.workshop.health.book import CheckedBook
from dramaturg.workshop.health.records import ExtractedRecord, scene_records
from dramaturg.workshop.health.story_clock import Duration, duration

TRAVEL = ("travel", "travel_times", "ways", "roads")
TARGET = ("target_words", "words_planned", "length")


def checked_book(
    project: Path,
    graph: StoryGraph,
    extracted: Mapping[str, ExtractedRecord] | None = None,
    problems: Sequence[str] = (),
    title: str = "",
    cache: FileCache | None = None,
    conflicts: tuple[FactConflict, ...] = (),
) -> CheckedBook:
    """Everything the checks need. `graph` is the one of the files as they are now."""
    scenes, unread = read_scenes(project, cache)
    pages = read_pages(project, cache)
    core = _core(graph)
    return CheckedBook(
        records=scene_records(graph, scenes, extracted),
        graph=graph,
        texts=tuple(scenes),
        title=title,
        protagonist=core.get("protagonist", ""),
        flaw=core.get("fatal_flaw", ""),
        theme=core.get("theme", ""),
        travel=travel_times(pages, graph),
        target_words=_target(pages),
        problems=tuple(dict.fromkeys((*problems, *unread))),
        settled=tuple(one for one in conflicts if not one.is_open),
        waiting=tuple(one for one in conflicts if one.is_open),
        refused=sum(one.refused for one in (extracted or {}).values()),
        digest=book_digest(scenes, pages),
    )


def book_digest(scenes: Iterable[SceneText], pages: Iterable[tuple[str, StoryMatter]]) -> str:
    """A value that is another after any change to a scene, or to the front matter of a page of the bible."""
    parts = [f"{scene.path} {digest_of(scene.text)}" for scene in scenes]
    parts += [f"{path} {digest_of(matter.head)}" for path, matter in pages]
    return digest_of("\n".join(parts))


def _core(graph: StoryGraph) -> Mapping[str, str]:
    """The protagonist, their flaw, and the theme."""
    found: dict[str, str] = {}
    for fact in graph.current:
        subject = graph.root(fact.subject)
        if fact.predicate == "fatal_flaw" and fact.modality == "narrated" and "fatal_flaw" not in found:
            found["fatal_flaw"] = fact.value
            if subject.name != NAMELESS:
                found["protagonist"] = subject.name
        elif fact.predicate == "states" and subject.kind == "theme" and "theme" not in found:
            found["theme"] = fact.value
    return found


def travel_times(pages: Iterable[tuple[str, StoryMatter]], graph: StoryGraph) -> Mapping[frozenset[str], Duration]:
    """How long each way takes, the same in both directions: `travel: {Varn: 6 days}` on the page of a place, or a fact
    with `road_to`."""
    found: dict[frozenset[str], Duration] = {}
    for fact in graph.current:
        if fact.predicate == "road_to" and fact.object is not None and (length := duration(fact.value, fact.file)):
            found[frozenset((graph.root(fact.subject).name, graph.root(fact.object).name))] = length
    for path, matter in pages:
        for name in TRAVEL:
            ways = matter.said.get(name)
            if not isinstance(ways, Mapping) or not matter.name:
                continue
            for to, takes in ways.items():
                told = duration(str(takes), path)
                if told is not None:
                    found[frozenset((_place(graph, matter.name), _place(graph, str(to))))] = told
    return found


def _place(graph: StoryGraph, name: str) -> str:
    held = {graph.roots[one.id] for one in graph.names.get(folded(name), ()) if one.kind == "location"}
    return graph.by_id[held.pop()].name if len(held) == 1 else " ".join(name.split())


def _target(pages: Iterable[tuple[str, StoryMatter]]) -> int:
    """How many words the finished book shall have, if a page says so."""
    for _, matter in pages:
        for name in TARGET:
            number = whole_number(str(matter.said.get(name, "")).replace(",", "").replace("_", ""))
            if number:
                return number
    return 0
