"""What the plan of a scene may rest on: passages of the book, each with a number and the place it is from."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from dramaturg.kernel.errors import NotebookUnavailable
from dramaturg.kernel.text.words import words
from dramaturg.workshop.book.bible import BEATS, Beat, BiblePage, StoryBible, TemplateName, page_path, rules_of
from dramaturg.workshop.book.decisions import key_name
from dramaturg.workshop.book.scaffold import Scaffold
from dramaturg.workshop.book.scaffolds import ScaffoldFile, Scaffolds, reading_order
from dramaturg.workshop.book.snapshot import project_of
from dramaturg.workshop.graph.entries import scene_entries
from dramaturg.workshop.graph.network import has_network
from dramaturg.workshop.graph.values import StoryGraph, folded
from dramaturg.workshop.promises.material import promise_book, read_promises
from dramaturg.workshop.promises.standing import PromiseBook
from dramaturg.workshop.promises.wire import Promise
from dramaturg.workshop.scaffold.enrichment import Enrichment
from dramaturg.workshop.sources import BookSources

LONGEST = 700
NEAR_SCENES = 3
MOST_FACTS, MOST_PASSAGES, MOST_LATER_BEATS = 24, 3, 4
DEFAULT_WORDS = 1500
_LATE = ("overdue", "due")


@dataclass(frozen=True, slots=True)
class Source:
    """A passage that a plan may rest on. `place` is where the writer finds it."""

    number: int
    kind: Enrichment
    place: str
    text: str

    @property
    def id(self) -> str:
        return f"S{self.number}"


@dataclass(frozen=True, slots=True)
class SceneMaterial:
    """Everything that is known for the plan of one scene.

    `was` is its file as it stands; `beats` are those it can be aligned with, the likeliest first; it `is_placed` if the
    scenes before it tell its beat. `names` and `places` are those of the book; `unseen` could not be looked at.
    """

    scaffold_id: str
    was: ScaffoldFile | None
    sources: tuple[Source, ...]
    beats: tuple[Beat, ...]
    is_placed: bool
    names: tuple[str, ...]
    places: tuple[str, ...]
    protagonist: str
    book: PromiseBook
    promises: tuple[Promise, ...]
    words: int
    words_from: str
    unseen: tuple[str, ...] = ()

    @property
    def settled(self) -> Scaffold:
        """What the writer has settled already."""
        held = self.was.scaffold if self.was else None
        return held or Scaffold(scaffold_id=self.scaffold_id)

    def named(self, ids: Iterable[str]) -> tuple[Source, ...]:
        wanted = {one.strip().strip("[]").upper() for one in ids}
        return tuple(one for one in self.sources if one.id in wanted)

    def is_known(self, name: str) -> bool:
        """Whether somebody of the book is called this; everybody is, in a book that names nobody."""
        wanted = folded(name)
        return not self.names or any(wanted == known or wanted in known.split() for known in map(folded, self.names))


async def scene_material(
    book: BookSources, scaffold_id: str, wanted: Sequence[Enrichment], title: str = "", *, ask_notebooks: bool = True
) -> SceneMaterial:
    """Reads the book for a plan. Notebooks are asked only on request: some of them are elsewhere."""
    graph = (await book.graph.preview()).graph
    found = await asyncio.to_thread(_read, book, scaffold_id, wanted, graph)
    more: list[tuple[Enrichment, str, str]] = []
    unseen: list[str] = []
    if "graph" in wanted and has_network():
        near = _nearest_written(found.book, scaffold_id)
        entries = scene_entries(await book.graph.preview())(near) if near else ()
        more += [("graph", one.source or "the knowledge graph", one.value) for one in entries[:MOST_FACTS]]
    elif "graph" in wanted:
        unseen.append("the knowledge graph (its extra is not installed)")
    if "notebooks" in wanted and ask_notebooks:
        question = " ".join([title, *(one.text for one in found.sources if one.kind == "beat_sheet")][:3])[:LONGEST]
        for place, text in await _notebooks(book, question, unseen):
            more.append(("notebooks", place, text))
    rows = [*((one.kind, one.place, one.text) for one in found.sources), *more]
    return replace(found, sources=tuple(_numbered(rows)), unseen=tuple(unseen))


def _read(book: BookSources, scaffold_id: str, wanted: Sequence[Enrichment], graph: StoryGraph) -> SceneMaterial:
    project = book.project
    pages = {page.template: page for page in StoryBible(project).pages(book.cache)}
    known = promise_book(project, book.cache)
    promises = read_promises(project, book.cache).promises
    was = Scaffolds(project).find(scaffold_id)
    beats, placed = _beats(known, scaffold_id, was.scaffold if was else None, pages.get("beat_sheet"))
    reading = _Reading(scaffold_id, pages, beats, known, promises)
    rows = [row for kind in wanted for row in reading.rows(kind)]
    target, target_from = _words(known)
    protagonist = project_of(project, book.resources.settings.workshop, tuple(pages.values())).protagonist
    cast = (name for plan in known.scaffolds if plan.scaffold_id != scaffold_id for name in plan.cast)
    return SceneMaterial(
        scaffold_id=scaffold_id,
        was=was,
        sources=tuple(_numbered(rows)),
        beats=beats,
        is_placed=placed,
        names=tuple(dict.fromkeys(filter(None, (protagonist, *_entities(graph, "character"), *cast)))),
        places=tuple(_entities(graph, "location")),
        protagonist=protagonist,
        book=known,
        promises=promises,
        words=target,
        words_from=target_from,
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    """The book as one plan reads it; a method for each kind of passage, by place and text."""

    scaffold_id: str
    pages: Mapping[TemplateName, BiblePage]
    beats: Sequence[Beat]
    book: PromiseBook
    promises: Sequence[Promise]

    def rows(self, kind: Enrichment) -> Iterator[tuple[Enrichment, str, str]]:
        """The passages of a kind; none of those that are asked for elsewhere."""
        read = _READERS.get(kind)
        yield from ((kind, place, text) for place, text in read(self)) if read else ()

    def beat_sheet(self) -> Iterator[tuple[str, str]]:
        return self._told(self.beats)

    def character_arcs(self) -> Iterator[tuple[str, str]]:
        return self._fields("protagonist")

    def theme(self) -> Iterator[tuple[str, str]]:
        return self._fields("theme")

    def world_rules(self) -> Iterator[tuple[str, str]]:
        rules = rules_of(self._held("world_rules").get("fundamental_rules", ""))
        return ((_page("world_rules", f"rule {place}"), text) for place, text in enumerate(rules, start=1))

    def earlier_scenes(self) -> Iterator[tuple[str, str]]:
        return _scenes(self.book, self.scaffold_id, later=False)

    def later_scenes(self) -> Iterator[tuple[str, str]]:
        yield from _scenes(self.book, self.scaffold_id, later=True)
        last = self.beats[0].number if self.beats else len(BEATS)
        yield from self._told([beat for beat in BEATS if beat.number > last][:MOST_LATER_BEATS])

    def open_promises(self) -> Iterator[tuple[str, str]]:
        here = reading_order(self.scaffold_id)
        for one in sorted(self.promises, key=lambda one: one.state not in _LATE):
            if one.planted and one.state not in ("paid", "dropped") and reading_order(one.planted.scene) < here:
                what = f": {one.what}" if one.what else ""
                yield f"{one.planted.scene}, {one.name} ({one.state})", f"{one.name}{what} “{one.planted.quote}”"

    def _fields(self, template: TemplateName) -> Iterator[tuple[str, str]]:
        return ((_page(template, name.replace("_", " ")), text) for name, text in self._held(template).items())

    def _told(self, beats: Sequence[Beat]) -> Iterator[tuple[str, str]]:
        held = self._held("beat_sheet")
        for beat in beats:
            if text := held.get(f"beat_{beat.number}", ""):
                yield _page("beat_sheet", f"{beat.number}. {beat.name}"), text

    def _held(self, template: TemplateName) -> Mapping[str, str]:
        return self.pages[template].fields if template in self.pages else {}


_READERS: Mapping[Enrichment, Callable[[_Reading], Iterator[tuple[str, str]]]] = {
    "beat_sheet": _Reading.beat_sheet,
    "character_arcs": _Reading.character_arcs,
    "theme": _Reading.theme,
    "world_rules": _Reading.world_rules,
    "earlier_scenes": _Reading.earlier_scenes,
    "later_scenes": _Reading.later_scenes,
    "promises": _Reading.open_promises,
}


def _scenes(book: PromiseBook, scaffold_id: str, *, later: bool) -> Iterator[tuple[str, str]]:
    """The scenes next to this one: the end of what is written, the goal of what is planned."""
    here, plans = reading_order(scaffold_id), {one.scaffold_id: one for one in book.scaffolds}
    some = [one for one in book.scenes if (reading_order(one.name) > here if later else reading_order(one.name) < here)]
    for scene in some[:NEAR_SCENES] if later else some[-NEAR_SCENES:]:
        plan = plans.get(scene.name)
        if scene.is_drafted:
            prose = book.prose(scene.name).strip()
            yield f"manuscript/{scene.name}.md", prose[:LONGEST] if later else f"…{prose[-LONGEST:]}"
        elif plan is not None and (plan.scene_goal or plan.title):
            yield plan.path, ". ".join(filter(None, (plan.title, plan.scene_goal, ", ".join(plan.callbacks))))


def _beats(
    book: PromiseBook, scaffold_id: str, was: Scaffold | None, sheet: BiblePage | None
) -> tuple[tuple[Beat, ...], bool]:
    """The beats that a scene can be aligned with, the likeliest first: between those of the scenes around it; and
    whether a scene before it tells."""
    if was is not None and (own := beat_named(was.beat_alignment)):
        return (own,), True
    here, filled = reading_order(scaffold_id), sheet.fields if sheet else {}
    of_scenes = [(reading_order(one.name), beat) for one in book.scenes if (beat := beat_named(one.beat))]
    before = max((beat.number for place, beat in of_scenes if place < here), default=0)
    after = min((beat.number for place, beat in of_scenes if place > here), default=len(BEATS))
    fits = [beat for beat in BEATS if before <= beat.number <= max(after, before)]
    fits.sort(key=lambda beat: (f"beat_{beat.number}" not in filled, beat.number == before, beat.number))
    return tuple(fits), before > 0 or here[:2] == (1, 1)


def beat_named(text: str) -> Beat | None:
    """The beat of the sheet that a text names: `Midpoint - False Victory`, `9. Midpoint`, `beat_9`."""
    key = f"_{key_name(text)}_"
    named = [beat for beat in BEATS if f"_{key_name(beat.name)}_" in key]
    numbered = [beat for beat in BEATS if key.startswith((f"_beat_{beat.number}_", f"_{beat.number}_"))]
    found = max(named, key=lambda beat: len(beat.name), default=None) if named else None
    return found or (numbered[0] if numbered else None)


def _words(book: PromiseBook) -> tuple[int, str]:
    """How long a scene of this book is, and how that is known."""
    written = [count for one in book.scenes if one.is_drafted and (count := len(words(book.prose(one.name))))]
    if len(written) < 2:
        return DEFAULT_WORDS, "the usual length of a scene"
    usual = max(50, round(median(written) / 50) * 50)
    return usual, f"the median of the {len(written)} scenes of manuscript/"


async def _notebooks(book: BookSources, question: str, unseen: list[str]) -> list[tuple[str, str]]:
    shelf, found = book.notebooks(), []
    for listing in shelf.listings() if question.strip() else ():
        try:
            passages = await shelf.ask(listing.id, question)
        except NotebookUnavailable as error:
            unseen.append(f"the notebook {listing.id}: {error.message}")
            continue
        found += [(f"notebooks/{listing.id}, {one.cited}", one.text[:LONGEST]) for one in passages[:MOST_PASSAGES]]
    return found


def _nearest_written(book: PromiseBook, scaffold_id: str) -> str:
    """The file of the scene itself or of the last one written before it."""
    here = reading_order(scaffold_id)
    before = [one.name for one in book.scenes if one.is_drafted and reading_order(one.name) <= here]
    return f"manuscript/{before[-1]}.md" if before else ""


def _entities(graph: StoryGraph, kind: str) -> Iterator[str]:
    for one in graph.entities:
        if one.kind == kind and not one.withdrawn and graph.roots[one.id] == one.id:
            yield from one.names


def _numbered(rows: Iterable[tuple[Enrichment, str, str]]) -> Iterator[Source]:
    kept = (row for row in dict.fromkeys((kind, place, " ".join(text.split())[:LONGEST]) for kind, place, text in rows))
    for number, (kind, place, text) in enumerate(kept, start=1):
        yield Source(number, kind, place, text)


def _page(template: TemplateName, field: str) -> str:
    return f"{page_path(template)}, {field}"
