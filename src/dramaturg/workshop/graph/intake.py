"""The intake of a book into its graph, without a model: story bible, front matter and prose.

A file that has not changed is not read again. Of one that has, the facts that still stand there stay, with their new
place; the others are retired, and what is new is recorded. A name that becomes known is looked for everywhere.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.bible import FOLDER as BIBLE
from dramaturg.workshop.book.bible import BiblePage, StoryBible, page_path
from dramaturg.workshop.book.decisions import key_name
from dramaturg.workshop.book.file_cache import FileCache, Listing, markdown_in
from dramaturg.workshop.book.files import ProjectFiles, digest_of
from dramaturg.workshop.book.manuscript import FOLDER as MANUSCRIPT
from dramaturg.workshop.book.manuscript import MOST_BYTES, scene_numbers
from dramaturg.workshop.graph import bible_facts, scene_facts
from dramaturg.workshop.graph.front_matter import StoryMatter, read_matter
from dramaturg.workshop.graph.register import Register
from dramaturg.workshop.graph.scene_facts import NAMED, SceneText
from dramaturg.workshop.graph.story_time import circle_in
from dramaturg.workshop.graph.values import Fact, FactKey, GraphChange, Moved, SourceFile, StoryGraph
from dramaturg.workshop.graph.written_facts import SOURCE as WRITTEN

OWN = frozenset({WRITTEN, scene_facts.PROSE, bible_facts.SOURCE})
"""The sources whose facts are read from files; those of others are never retired here."""
_DIGITS = re.compile(r"(\d{1,18})")


@dataclass(frozen=True, slots=True)
class Intake:
    """What reading the book again changes, and what could not be read."""

    change: GraphChange
    problems: tuple[str, ...] = ()
    read: int = 0
    unchanged: int = 0


@dataclass(frozen=True, slots=True)
class _PageText:
    path: str
    text: str
    matter: StoryMatter


def take_in(graph: StoryGraph, project: Path, cache: FileCache | None = None) -> Intake:
    """What the files of a project add to a graph, and what they no longer say."""
    cache = cache or FileCache(time.time)
    register, known = Register(graph), {one.path: one for one in graph.sources}
    pages, unread = _texts(project, BIBLE, register, cache)
    texts, more = _texts(project, MANUSCRIPT, register, cache)
    for kind in ("text", "matter"):
        cache.keep_only(((kind, str(place)) for place in chain.from_iterable(book_places(project))), kind)
    scenes = _in_reading_order(texts)
    found = _registered(StoryBible(project).pages(cache), pages, scenes, register)
    _check_order(scenes, register)
    names, called = register.names(*NAMED), _called(scenes)
    salt = digest_of("\n".join(names))
    sources = [SourceFile(path, digest_of(page.text)) for page in pages if (path := page.path) in found]
    for position, scene in enumerate(scenes):
        source = SourceFile(scene.path, digest_of(digest_of(scene.text) + salt), position)
        held = known.get(scene.path)
        if held is None or held.digest != source.digest:
            found[scene.path] = scene_facts.scene_facts(scene, called, register, names)
        sources.append(source)
    read = sum(scene.path in found for scene in scenes)
    there = {*unread, *more, *(page.path for page in pages), *(scene.path for scene in scenes)}
    gone = {one.path: one for one in graph.sources if one.path not in there and one.digest}
    sources += [SourceFile(one.path, "", one.position) for one in gone.values()]
    added, retired, moved = _compared(graph, {**dict.fromkeys(gone, ()), **found})
    change = GraphChange(
        register.new,
        register.aliases or None,
        tuple(added),
        tuple(retired),
        tuple(moved),
        tuple(one for one in sources if known.get(one.path) != one),
    )
    return Intake(change, tuple(dict.fromkeys(register.problems)), read, len(scenes) - read)


def read_scenes(project: Path, cache: FileCache | None = None) -> tuple[list[SceneText], tuple[str, ...]]:
    """The scenes of a manuscript in reading order, and what could not be read."""
    register = Register(StoryGraph())
    texts, _ = _texts(project, MANUSCRIPT, register, cache or FileCache(time.time))
    return _in_reading_order(texts), tuple(register.problems)


def read_pages(project: Path, cache: FileCache | None = None) -> tuple[tuple[str, StoryMatter], ...]:
    """The front matter of every page of the story bible that can be read, by path."""
    pages, _ = _texts(project, BIBLE, Register(StoryGraph()), cache or FileCache(time.time))
    return tuple((page.path, page.matter) for page in pages)


def _registered(
    bible: Sequence[BiblePage], pages: Sequence[_PageText], scenes: Sequence[SceneText], register: Register
) -> dict[str, list[Fact]]:
    """The facts of the story bible, once everyone and everything that any file introduces is known.

    Pages and scenes may name what is introduced only later, so that the facts are read a second time.
    """
    for page in pages:
        bible_facts.register_page(page.path, page.matter, register)
    _bible(bible, pages, register)
    for scene in scenes:
        scene_facts.register_scene(scene, register)
    return _bible(bible, pages, register)


def book_places(project: Path) -> tuple[Listing, ...]:
    """The files that a graph is read from, folder by folder."""
    return tuple(markdown_in(project / folder) for folder in (BIBLE, MANUSCRIPT))


def _texts(project: Path, folder: str, register: Register, cache: FileCache) -> tuple[list[_PageText], list[str]]:
    """Every page in a folder, and the paths of those that cannot be read: what was known of them stays."""
    files = ProjectFiles(project)
    found: list[_PageText] = []
    unread: list[str] = []
    for place in markdown_in(project / folder):
        path = place.relative_to(project).as_posix()
        try:
            text = cache.text(place, partial(files.text, path, MOST_BYTES))
        except InvalidConfig as error:
            register.problems.append(error.message)
            unread.append(path)
            continue
        matter = cache.made(("matter", str(place)), [place], partial(read_matter, path, text))
        if matter.problem:
            register.problems.append(matter.problem)
            unread.append(path)
        else:
            found.append(_PageText(path, text, matter))
    return found, unread


def _bible(bible: Sequence[BiblePage], pages: Sequence[_PageText], register: Register) -> dict[str, list[Fact]]:
    """The facts of each page of the story bible; they are few and are always read."""
    templates = {page_path(page.template): page for page in bible}
    found: dict[str, list[Fact]] = {}
    for page in pages:
        template = templates.get(page.path)
        try:
            facts = (
                bible_facts.template_facts(template, page.text, page.matter, register)
                if template is not None
                else bible_facts.page_facts(page.path, page.text, page.matter, register)
            )
        except InvalidConfig as error:
            register.problems.append(f"{page.path}: {error.message}")
            continue
        found[page.path] = list({one.key: one for one in facts}.values())
    return found


def _in_reading_order(texts: Iterable[_PageText]) -> list[SceneText]:
    """By chapter and scene where they are numbered, else by name with its numbers as numbers."""
    scenes = [
        SceneText(one.path, one.path.removeprefix(f"{MANUSCRIPT}/").removesuffix(".md"), one.text, one.matter)
        for one in texts
    ]
    return sorted(scenes, key=lambda one: (*_numbers(one), _natural(one.name), one.path))


def _numbers(scene: SceneText) -> tuple[int, int]:
    named = scene_numbers(scene.name) or (0, 0)
    told = [_DIGITS.search(text) for text in (scene.matter.chapter, scene.matter.scene)]
    return (int(told[0][1]) if told[0] else named[0], int(told[1][1]) if told[1] else named[1])


def _natural(name: str) -> tuple[tuple[int, str], ...]:
    return tuple((int(part), "") if part.isdecimal() else (-1, part.casefold()) for part in _DIGITS.split(name) if part)


def _called(scenes: Sequence[SceneText]) -> Mapping[str, str]:
    """The scenes by all that they may be called: file, path, title."""
    found: dict[str, str] = {}
    for scene in scenes:
        for name in (scene.matter.title, scene.path, f"{scene.name}.md", scene.name.rpartition("/")[2], scene.name):
            if key_name(name):
                found[key_name(name)] = scene.name
    return found


def _check_order(scenes: Sequence[SceneText], register: Register) -> None:
    """Reports scenes that come after one another in a circle; then their order is that of reading."""
    called = _called(scenes)
    after: dict[str, list[str]] = {}
    for scene in scenes:
        after.setdefault(scene.name, []).extend(filter(None, (called.get(key_name(one)) for one in scene.matter.after)))
        for other in filter(None, (called.get(key_name(one)) for one in scene.matter.before)):
            after.setdefault(other, []).append(scene.name)
    circle = circle_in(after)
    if circle:
        way = " after ".join(circle)
        register.problems.append(f"Story time goes in a circle: {way}. Change 'after' or 'before' in one of them.")


def _compared(graph: StoryGraph, found: Mapping[str, Sequence[Fact]]) -> tuple[list[Fact], list[int], list[Moved]]:
    """What is new in the files that were read, what is gone from them, and what has moved."""
    held: dict[str, dict[FactKey, Fact]] = {path: {} for path in found}
    aside = (one for one in graph.facts if one.set_aside)
    for one in (*aside, *graph.current):  # what was set aside is not added again, and what holds comes first
        if one.file in held and one.source in OWN:
            held[one.file][one.key] = one
    added: list[Fact] = []
    moved: list[Moved] = []
    for path, facts in found.items():
        for fact in facts:
            before = held[path].pop(fact.key, None)
            if before is None:
                added.append(fact)
            elif before.holds and (before.paragraph, before.start) != (fact.paragraph, fact.start):
                moved.append(Moved(before.id, fact.paragraph, fact.start))
    return added, [one.id for rest in held.values() for one in rest.values() if one.holds], moved
