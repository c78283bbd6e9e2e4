"""The places of a book that something may be waived at: the book, a chapter, a scene, or a name."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.bible import BEATS
from dramaturg.workshop.book.decisions import key_name
from dramaturg.workshop.book.manuscript import Manuscript, scene_numbers
from dramaturg.workshop.book.scaffolds import Scaffolds
from dramaturg.workshop.graph.values import StoryGraph
from dramaturg.workshop.health.values import Finding
from dramaturg.workshop.health.waivers import EVERYWHERE, chapter_in, names_of

MOST_NAMED = 12


def check_place(place: str, project: Path, graph: StoryGraph, findings: Iterable[Finding]) -> None:
    """Raises InvalidConfig, with what there is, for a place that the book does not have."""
    scenes = [one.path for one in Manuscript(project).files()] + [one.path for one in Scaffolds(project).files()]
    stems = dict.fromkeys(path.removesuffix(".md").rpartition("/")[2] for path in scenes)
    wanted, chapter = key_name(place), chapter_in(place)
    chapters = {numbers[0] for stem in stems if (numbers := scene_numbers(stem))}
    if chapter is not None and chapter in chapters:
        return
    people = [name for one in graph.entities for name in one.names]
    found = {name for finding in findings for name in names_of(finding)}
    known = {EVERYWHERE, *found, *map(key_name, (*scenes, *stems, *people, *(beat.name for beat in BEATS)))}
    if wanted in known:
        return
    shown = {key_name(one): one for one in (*people, *stems)}
    near = [shown[one] for one in get_close_matches(wanted, shown, n=3)]
    listed = ", ".join(dict.fromkeys([*near, EVERYWHERE, *stems, *people][:MOST_NAMED]))
    raise InvalidConfig(
        f"There is no scene, chapter or name '{place}' in this book (there is: {listed}). Nothing was waived.",
        place=place,
    )
