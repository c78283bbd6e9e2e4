"""The plans of the scenes: `scaffolds/`, one Markdown file per scene, named like the scene it plans."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path, PurePosixPath

from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.values import Value
from dramaturg.workshop.book.file_cache import FileCache, markdown_in
from dramaturg.workshop.book.files import PlannedChange, ProjectFiles, digest_of
from dramaturg.workshop.book.manuscript import Manuscript, scene_id, scene_numbers
from dramaturg.workshop.book.scaffold import Scaffold, read_scaffold
from dramaturg.workshop.book.scaffold_text import scaffold_text

FOLDER = "scaffolds"
MOST_BYTES = 200_000
MOST_FILES = 2000


class ScaffoldFile(Value):
    """A file of `scaffolds/`: its scaffold, or the reason why it cannot be read."""

    path: str
    digest: str = Field("", description="of the file's bytes, to detect later changes")
    scaffold: Scaffold | None = None
    changed_at: float = 0.0
    problem: str | None = None

    @property
    def scaffold_id(self) -> str:
        return scene_id(self.path)


class Scaffolds:
    """The files of `scaffolds/`, read on every access unless there is a cache."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._files = ProjectFiles(project)

    def files(self, cache: FileCache | None = None) -> tuple[ScaffoldFile, ...]:
        """Every scaffold in reading order; with a cache, only those that have changed are read again."""
        listing = markdown_in(self._project / FOLDER)
        paths = listing[:MOST_FILES]
        if cache is None:
            return _in_order(self._read(path) for path in paths)
        return cache.made(("scaffolds", self._project), listing, lambda: self._each(paths, cache))

    def _each(self, paths: Sequence[Path], cache: FileCache) -> tuple[ScaffoldFile, ...]:
        found = [cache.read(("scaffold", str(path)), [path], partial(self._read, path)) for path in paths]
        cache.keep_only((("scaffold", str(path)) for path in paths), "scaffold")
        return _in_order(found)

    def find(self, scene: str) -> ScaffoldFile | None:
        """The file of a scene's scaffold, by any name of the scene; None if there is none. Raises InvalidConfig for a
        name that is none."""
        path = scaffold_path(scene)
        place = self._project / path
        return self._read(place) if path and place.is_file() else None

    def scaffold(self, scene: str) -> Scaffold:
        """The scaffold of a scene. Raises NotFound, or InvalidConfig if it cannot be read."""
        found = self.find(scene)
        if found is None:
            there = ", ".join(one.scaffold_id for one in self.files()[:8]) or "none yet"
            raise NotFound(f"There is no scaffold {scaffold_path(scene) or scene} (there is: {there}).", scene=scene)
        if found.scaffold is None:
            raise InvalidConfig(found.problem or f"{found.path} cannot be read.", path=found.path)
        return found.scaffold

    def exact(self, path: str) -> str | None:
        """The text of a file as it stands; None if there is none. Raises InvalidConfig if it cannot be read."""
        return self._files.exact(path, MOST_BYTES)

    def plan(self, scaffold: Scaffold, *, seen: str | None) -> PlannedChange:
        """The change that sets the fields of a scaffold; the rest of the writer's file stays as it is, to the byte.

        If the file has changed since it was `seen`, it stays and the new text is saved next to it.
        """
        exact = self.exact(scaffold.path)
        if (digest_of(exact) if exact is not None else "") == (seen or ""):
            return PlannedChange(path=scaffold.path, before=exact, text=scaffold_text(scaffold, exact))
        beside = self._files.free(f"{FOLDER}/{scaffold.scaffold_id}.from-foreman")
        return PlannedChange(path=scaffold.path, before=exact, text=scaffold_text(scaffold), kept_at=beside)

    def _read(self, place: Path) -> ScaffoldFile:
        path, changed_at = place.relative_to(self._project).as_posix(), place.lstat().st_mtime
        try:
            text = self._files.exact(path, MOST_BYTES) or ""
            plan = read_scaffold(path, text)
            return ScaffoldFile(path=path, digest=digest_of(text), scaffold=plan, changed_at=changed_at)
        except InvalidConfig as error:
            return ScaffoldFile(path=path, problem=error.message, changed_at=changed_at)


def scaffold_path(scene: str) -> str:
    """Where the scaffold of a scene lies, below the project; empty without a scene. Raises InvalidConfig for a name
    that is none."""
    named = scene.strip().removeprefix(f"{FOLDER}/")
    if not named:
        return ""
    return f"{FOLDER}/{PurePosixPath(Manuscript.named(named)).stem}.md"


def _in_order(files: Iterable[ScaffoldFile]) -> tuple[ScaffoldFile, ...]:
    return tuple(sorted(files, key=lambda one: reading_order(one.path)))


def reading_order(path: str) -> tuple[int, int, str]:
    """Where a scene or its scaffold stands in the book, by its name; one without numbers comes last."""
    numbers = scene_numbers(scene_id(path))
    return (*numbers, path) if numbers else (1_000_000, 0, path)
