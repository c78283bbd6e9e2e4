"""A book as it goes out: its chapters and scenes in reading order, and what was chosen of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.text.front_matter import split_front_matter
from dramaturg.workshop.book.files import ProjectFiles, digest_of
from dramaturg.workshop.book.manuscript import MOST_BYTES, Manuscript, ManuscriptFile, scene_numbers
from dramaturg.workshop.manuscripts.frame_words import frame_words
from dramaturg.workshop.manuscripts.markdown import Prose, read_prose

_NUMBER = re.compile(r"\d{1,9}")
_CHAPTER_TITLE = re.compile(r"^chapter[_ -]title:[ \t]*(\S[^\r\n]*)$", re.MULTILINE)
_PART = re.compile(r"^part:[ \t]*(\S[^\r\n]*)$", re.MULTILINE)
_RANGE = re.compile(r"(\d{1,4})(?:-(\d{1,4}))?")


@dataclass(frozen=True, slots=True)
class SceneText:
    """A scene as its file stands: `path` below the project, `source` with its front matter."""

    path: str
    title: str
    chapter: str
    source: str
    prose: Prose = field(compare=False)

    @property
    def name(self) -> str:
        return self.path.removeprefix("manuscript/").removesuffix(".md")

    @property
    def digest(self) -> str:
        return digest_of(self.source)


@dataclass(frozen=True, slots=True)
class ChapterText:
    """A chapter: its number or name, its scenes, and the title of the part that it opens."""

    title: str
    scenes: tuple[SceneText, ...]
    part: str = ""


@dataclass(frozen=True, slots=True)
class BookText:
    """What goes out. `contact` stands on the first page of a manuscript, line by line; `remarks` say which of the
    chosen scenes cannot be read, and which have one number."""

    title: str
    author: str = ""
    contact: tuple[str, ...] = ()
    language: str = "en"
    chapters: tuple[ChapterText, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def scenes(self) -> tuple[SceneText, ...]:
        return tuple(scene for chapter in self.chapters for scene in chapter.scenes)

    @property
    def words(self) -> int:
        return sum(len(scene.prose.shown.text.split()) for scene in self.scenes)


@dataclass(frozen=True, slots=True)
class Selection:
    """What of a book goes out: all of it, chapters such as `1-3,5`, scenes by name; drafts only with `drafts`."""

    chapters: str = ""
    scenes: tuple[str, ...] = ()
    planned: bool = False
    scene_titles: bool = False


def scene_text(path: str, source: str, title: str = "", chapter: str = "") -> SceneText:
    head = split_front_matter(source).head
    return SceneText(path, title, chapter, source, read_prose(source, len(head)))


def read_book(project: Path, book: BookText, selection: Selection | None = None) -> BookText:
    """The chosen part of the manuscript of a project. Raises NotFound if nothing is chosen, InvalidConfig if nothing of
    it can be read."""
    manuscript, files = Manuscript(project), ProjectFiles(project)
    listed = sorted(manuscript.files(), key=_reading_order)
    ordered = [one for one in listed if one.problem is None]
    wanted = selection or Selection()
    chosen = [one for one in ordered if _is_chosen(one, wanted, manuscript)]
    unread = [one for one in listed if one.problem and _is_chosen(one, replace(wanted, planned=True), manuscript)]
    left_out = tuple(f"A scene was left out: {one.problem}" for one in unread)
    if not chosen and left_out:
        raise InvalidConfig(left_out[0], path=unread[0].path)
    if not chosen:
        known = ", ".join(one.path for one in ordered[:6]) or "no scenes yet"
        raise NotFound(f"Nothing of the manuscript was chosen (there is: {known}).")
    chapters: list[ChapterText] = []
    for key, group in _grouped(chosen):
        scenes = tuple(
            scene_text(one.path, files.exact(one.path, MOST_BYTES) or "", one.title, one.chapter) for one in group
        )
        part = _given(_PART, scenes[0].source)
        chapters.append(ChapterText(_chapter_title(key, scenes, book.language), scenes, part))
    return replace(book, chapters=tuple(chapters), remarks=(*left_out, *_doubled(chosen), *_titled_twice(chapters)))


def every_scene(project: Path) -> tuple[SceneText, ...]:
    """All scenes of the manuscript that can be read, in reading order."""
    manuscript, files = Manuscript(project), ProjectFiles(project)
    listed = sorted((one for one in manuscript.files() if one.problem is None), key=_reading_order)
    return tuple(
        scene_text(one.path, files.exact(one.path, MOST_BYTES) or "", one.title, one.chapter) for one in listed
    )


def _reading_order(one: ManuscriptFile) -> tuple[int, int, list[int], str]:
    named = scene_numbers(one.path) or (0, 0)
    numbers = [_NUMBER.search(text) for text in (one.chapter, one.scene)]
    chapter = int(numbers[0][0]) if numbers[0] else named[0]
    scene = int(numbers[1][0]) if numbers[1] else named[1]
    return (
        chapter,
        scene,
        [int(part) if part.isdecimal() else -1 for part in re.split(r"(\d{1,9})", one.path)],
        one.path,
    )


def _doubled(chosen: Sequence[ManuscriptFile]) -> Iterator[str]:
    """The scenes that claim one number: all of them go out, in the order of their names."""
    by_number: dict[tuple[int, int], list[str]] = {}
    for one in chosen:
        chapter, scene, *_ = _reading_order(one)
        if _NUMBER.search(one.scene) or scene_numbers(one.path):
            by_number.setdefault((chapter, scene), []).append(one.path)
    for (chapter, scene), paths in by_number.items():
        if len(paths) > 1:
            listed = ", ".join(paths)
            yield f"{len(paths)} files are chapter {chapter}, scene {scene}: {listed}. All go out, in this order."


def _titled_twice(chapters: Sequence[ChapterText]) -> Iterator[str]:
    """The chapters whose scenes call them by several titles; the first is taken."""
    for one in chapters:
        titles = tuple(dict.fromkeys(filter(None, (_given(_CHAPTER_TITLE, scene.source) for scene in one.scenes))))
        if len(titles) > 1:
            listed = ", ".join(f"“{title}”" for title in titles)
            yield f"One chapter has {len(titles)} titles: {listed}. It goes out as “{one.title}”."


def _is_chosen(one: ManuscriptFile, selection: Selection, manuscript: Manuscript) -> bool:
    if not one.is_drafted and not selection.planned:
        return False
    if selection.scenes and one.path not in {manuscript.path_of(name) for name in selection.scenes}:
        return False
    return not selection.chapters or _chapter_number(one) in _numbers(selection.chapters)


def _chapter_number(one: ManuscriptFile) -> int:
    found = _NUMBER.search(one.chapter)
    return int(found[0]) if found else (scene_numbers(one.path) or (0, 0))[0]


def _numbers(text: str) -> frozenset[int]:
    found: set[int] = set()
    for part in filter(None, (one.strip() for one in text.split(","))):
        match = _RANGE.fullmatch(part)
        if match is None:
            raise InvalidConfig(f"'{text}' names no chapters. Write them as 1-3,5.", chapters=text)
        found.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    return frozenset(found)


def _grouped(chosen: Sequence[ManuscriptFile]) -> Iterator[tuple[str, list[ManuscriptFile]]]:
    group: list[ManuscriptFile] = []
    for one in chosen:
        if group and _chapter_number(one) != _chapter_number(group[0]):
            yield _key(group[0]), group
            group = []
        group.append(one)
    if group:
        yield _key(group[0]), group


def _key(one: ManuscriptFile) -> str:
    return one.chapter or str(_chapter_number(one) or "")


def _chapter_title(key: str, scenes: tuple[SceneText, ...], language: str) -> str:
    """The title that the first scene's front matter gives its chapter, else its number, in the book's language."""
    given = _given(_CHAPTER_TITLE, scenes[0].source)
    if given or key == "0":  # what stands before the first chapter has no heading
        return given
    return f"{frame_words(language).chapter} {key}" if key.isdecimal() else key


def _given(field: re.Pattern[str], source: str) -> str:
    found = field.search(split_front_matter(source).fields or "")
    return found[1].strip().strip("\"'") if found else ""
