"""The manuscript: prose in `manuscript/`, one file per scene. Only complete texts are saved, never over a newer one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache, partial
from pathlib import Path

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.values import Value
from dramaturg.workshop.book.file_cache import FileCache, markdown_in
from dramaturg.workshop.book.files import (
    NEWLINE,
    PlannedChange,
    ProjectFiles,
    digest_of,
    name_below,
    path_below,
    plain_lines,
    written_like,
)
from dramaturg.workshop.book.pages import is_filled, read_page
from dramaturg.workshop.book.plain_text import line_break_of, plain_text

FOLDER = "manuscript"
SUCH_AS = "ch04-sc02"
MOST_BYTES = 2_000_000
MOST_FILES = 2000
_SCENE = re.compile(r"ch(?:apter)?[\s_.-]*0*(\d{1,4})[\s_.,-]*sc(?:ene)?[\s_.-]*0*(\d{1,4})", re.I)


class ManuscriptFile(Value):
    """A file of the manuscript. `beat` and `pov` come from its front matter."""

    path: str
    digest: str
    chapter: str = ""
    scene: str = ""
    beat: str = ""
    title: str = ""
    is_drafted: bool = False
    changed_at: float = 0.0
    problem: str | None = None

    @property
    def scene_id(self) -> str:
        """Its name, which its scaffold has too."""
        return scene_id(self.path)


class ManuscriptFiles(tuple[ManuscriptFile, ...]):
    """The files of a manuscript, by name, and what is asked of all of them every time."""

    @cached_property
    def digests(self) -> Mapping[str, str]:
        """By path."""
        return {one.path: one.digest for one in self}

    @cached_property
    def problems(self) -> tuple[str, ...]:
        """Why files cannot be read."""
        return tuple(one.problem for one in self if one.problem)


class Manuscript:
    """The files of `manuscript/`, read on every access unless there is a cache."""

    def __init__(self, project: Path) -> None:
        self._folder = project / FOLDER
        self._files = ProjectFiles(project)

    def files(self, cache: FileCache | None = None) -> ManuscriptFiles:
        """Every scene, by name; with a cache, only those that have changed are read again."""
        listing = markdown_in(self._folder)
        paths = listing[:MOST_FILES]
        if cache is None:
            return ManuscriptFiles(self._told(path) for path in paths)
        return cache.made(("scenes", self._folder), listing, lambda: self._each(paths, cache))

    def _each(self, paths: Sequence[Path], cache: FileCache) -> ManuscriptFiles:
        found = ManuscriptFiles(
            cache.made(("scene", str(path)), [path], partial(self._told, path, cache)) for path in paths
        )
        cache.keep_only((("scene", str(path)) for path in paths), "scene")
        return found

    def path_of(self, target: str) -> str:
        """The file that a model means: `ch04-sc02`, `Chapter 4, Scene 2` or a path below manuscript/.

        Raises InvalidConfig for anything outside that folder.
        """
        return self.named(target)

    @staticmethod
    def named(target: str) -> str:
        """The same for any book."""
        inside = name_below(FOLDER, target, SUCH_AS)
        found = _SCENE.fullmatch(inside)
        name = f"ch{int(found[1]):02}-sc{int(found[2]):02}" if found else inside
        if name.split("/")[0] in ("story-bible", "notebooks", "data", "Voice Bundle"):
            raise InvalidConfig(f"'{target}' does not lie in {FOLDER}/; prose is saved there and nowhere else.")
        return path_below(FOLDER, name, target, SUCH_AS)

    def prose(self, path: str, cache: FileCache | None = None) -> str:
        """The text of a file without its front matter; empty if there is none or it cannot be read."""
        try:
            if cache is None:
                return self.read(path)
            load = partial(self._files.exact, path, MOST_BYTES)
            text = plain_lines(cache.text(self._folder.parent / path, load))
            return text.removeprefix(read_page(path, text).head)
        except InvalidConfig:
            return ""

    def read(self, path: str) -> str:
        """The text of a file without its front matter. Raises InvalidConfig if there is none or it cannot be read."""
        text = self._files.text(path, MOST_BYTES)
        if text is None:
            raise self._missing(path)
        return text.removeprefix(read_page(path, text).head)

    def plan(self, target: str, text: str, *, seen: str | None) -> PlannedChange:
        """A complete new text for a file. Raises InvalidConfig if the file has changed since it was `seen`."""
        path = self.path_of(target)
        exact = self._files.exact(path, MOST_BYTES)
        _check(path, exact, seen)
        head = read_page(path, plain_lines(exact)).head if exact and not text.lstrip().startswith("---\n") else ""
        return PlannedChange(path=path, before=exact, text=written_like(f"{head}{text.strip()}\n", exact))

    def plan_edit(self, target: str, find: str, replace: str, *, seen: str | None) -> PlannedChange:
        """Replaces a passage that occurs exactly once in a file. Everything else stays as it is, to the byte."""
        path = self.path_of(target)
        exact = self._files.exact(path, MOST_BYTES)
        if exact is None:
            raise self._missing(path)
        _check(path, exact, seen)
        found, find = plain_text(exact), plain_lines(find)
        count = found.plain.count(find)
        if count != 1:
            often = "do not stand" if count == 0 else f"stand {count} times"
            raise InvalidConfig(f"The words to replace {often} in {path}; quote a passage that stands there once.")
        at = found.plain.index(find)
        start, end = found.exact(at), found.exact(at + len(find))
        new = plain_lines(replace).replace(NEWLINE, line_break_of(exact))
        return PlannedChange(path=path, before=exact, text=exact[:start] + new + exact[end:])

    def drafted(self, target: str, *, seen: str | None) -> str | None:
        """The exact text of a file that has prose; None if there is none yet. Raises as `plan` does."""
        path = self.path_of(target)
        exact = self._files.exact(path, MOST_BYTES)
        if exact is None:
            return None
        _check(path, exact, seen)
        now = plain_lines(exact)
        return exact if is_filled(now.removeprefix(read_page(path, now).head)) else None

    def _missing(self, path: str) -> InvalidConfig:
        there = (place.relative_to(self._folder.parent).as_posix() for place in markdown_in(self._folder)[:8])
        known = ", ".join(there) or "nothing yet"
        return InvalidConfig(f"There is no {path} (there is: {known}).", path=path)

    def _told(self, path: Path, cache: FileCache | None = None) -> ManuscriptFile:
        name = path.relative_to(self._folder.parent).as_posix()
        changed_at = path.lstat().st_mtime
        try:
            load = partial(self._files.exact, name, MOST_BYTES)
            text = (load() or "") if cache is None else cache.text(path, load)
            page = read_page(name, plain_lines(text))
        except InvalidConfig as error:
            return ManuscriptFile(path=name, digest="", changed_at=changed_at, problem=error.message)
        found = _SCENE.search(path.stem)
        prose = "".join(passage.text for passage in page.passages)
        return ManuscriptFile(
            path=name,
            digest=digest_of(text),
            chapter=str(page.matter.get("chapter", found[1].lstrip("0") if found else "")),
            scene=str(page.matter.get("scene", found[2].lstrip("0") if found else "")),
            beat=str(page.matter.get("beat", "")),
            title=str(page.matter.get("title", "")),
            is_drafted=page.matter.get("status") != "planned" and is_filled(prose),
            changed_at=changed_at,
        )


@lru_cache(maxsize=8192)
def scene_id(path: str) -> str:
    """The name of a scene or of its scaffold, by the path of its file."""
    name = path.rpartition("/")[2]
    return name.removesuffix(".md") or name


def scene_numbers(name: str) -> tuple[int, int] | None:
    """The chapter and the scene that a file's name tells: `ch04-sc02` is 4 and 2."""
    found = _SCENE.search(name)
    return (int(found[1]), int(found[2])) if found else None


def _check(path: str, now: str | None, seen: str | None) -> None:
    if (digest_of(now) if now is not None else "") != (seen or ""):
        raise InvalidConfig(
            f"{path} was changed meanwhile and stays as it is. Look at both texts, then ask again.",
            path=path,
        )
