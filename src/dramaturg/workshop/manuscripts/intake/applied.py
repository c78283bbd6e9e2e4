"""The files of an import: its plan in `data/` until it is done, what it changes, and what it remembers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.store import Artifacts
from dramaturg.workshop.book.files import PlannedChange, ProjectFiles, digest_of
from dramaturg.workshop.book.manuscript import MOST_BYTES as MOST_SCENE
from dramaturg.workshop.events import FileKept
from dramaturg.workshop.manuscripts.intake.plan import ImportMemory, ImportPlan

MEMORY = "manuscripts/imports.json"
PENDING = "manuscripts/pending-import.json"
PLANS = "manuscripts/plans"
_PLAN = re.compile(r"[0-9a-z]{1,64}")


class ImportFiles:
    """The files that an import writes, and what it remembers in `data/`."""

    def __init__(self, project: Path, data: Path) -> None:
        self._project = Artifacts(project)
        self._files = ProjectFiles(project)
        self._data = Artifacts(data, private=True)

    def memory(self) -> ImportMemory:
        """What was imported before. Raises InvalidConfig if the record is damaged."""
        place = self._data.path(MEMORY)
        if not place.is_file():
            return ImportMemory()
        try:
            return ImportMemory.model_validate_json(place.read_bytes())
        except ValidationError as error:
            raise InvalidConfig(f"{place} is damaged. Move it away; the next import then compares files.") from error

    def stage(self, plan: ImportPlan) -> str:
        """Saves a plan for the run that carries it out; returns its name."""
        data = plan.model_dump_json().encode()
        name = hashlib.sha256(data).hexdigest()[:24]
        self._data.write_bytes(_staged(name), data)
        return name

    def staged(self, name: str) -> ImportPlan:
        """A plan that was saved. Raises NotFound if it is not there, or is damaged."""
        try:
            return ImportPlan.model_validate_json(self._data.path(_staged(name)).read_bytes())
        except (OSError, ValidationError) as error:
            raise NotFound(
                f"There is no import planned as '{name}'. Import the manuscript again.", plan=name
            ) from error

    def discard(self, name: str) -> None:
        """Removes a plan that is carried out."""
        self._data.path(_staged(name)).unlink(missing_ok=True)

    def changes(self, plan: ImportPlan, act: str) -> tuple[FileKept, ...]:
        """What a plan does to each file, with what that holds now."""
        texts = {one.path: one.text for one in plan.files if one.text is not None}
        before = {path: self._files.exact(path, MOST_SCENE) for path in (*texts, *plan.removed)}
        new = [
            FileKept.of(act, PlannedChange(path=path, before=before[path], text=text))
            for path, text in texts.items()
            if before[path] != text
        ]
        gone = [
            FileKept(act=act, path=path, before=before[path], digest="", made="")
            for path in plan.removed
            if before[path] is not None and path not in texts
        ]
        return (*new, *gone)

    def carry_out(self, plan: ImportPlan, was: ImportMemory, changes: Sequence[FileKept]) -> tuple[str, ...]:
        """Makes the changes that are not made yet, all or none, and remembers the import; the files that the writer
        changed meanwhile, which stay. Doing it again changes nothing.

        Raises InvalidConfig if another import came in between.
        """
        now = self.memory()
        if now not in (was, plan.memory):
            raise InvalidConfig("Another manuscript was imported since this one was planned. Import it again.")
        if now == plan.memory != was:
            return ()
        texts = {one.path: one.text for one in plan.files if one.text is not None}
        states = {one.path: self._state(one) for one in changes}
        todo = [one for one in changes if states[one.path] == "before"]
        left = tuple(path for path, state in states.items() if state == "changed")
        self._files.put_all(
            [PlannedChange(path=one.path, before=one.before, text=texts[one.path] or "") for one in todo if one.made]
        )
        for one in todo:
            if not one.made:
                self._project.path(one.path).unlink(missing_ok=True)
        self.remember(ImportMemory(scenes=tuple(one for one in plan.memory.scenes if one.path not in left)))
        return left

    def _state(self, change: FileKept) -> Literal["before", "made", "changed"]:
        held = self._files.exact(change.path, MOST_SCENE)
        if (digest_of(held) if held is not None else "") == change.made:
            return "made"
        return "before" if held == change.before else "changed"

    def remember(self, memory: ImportMemory) -> None:
        """What the next import compares with."""
        self._data.write_bytes(MEMORY, memory.model_dump_json().encode())

    def forget(self, was: ImportMemory, after: str, changed: Collection[str]) -> None:
        """An import was undone: what was remembered before it holds again, or at least nothing of its files."""
        now = self.memory()
        back = was if digest_of(now.model_dump_json()) == after else None
        kept = tuple(one for one in now.scenes if one.path not in changed)
        self.remember(back or ImportMemory(scenes=kept))

    def finish(self) -> bool:
        """Applies what an interrupted import of an earlier version left; whether there was something."""
        place = self._data.path(PENDING)
        if not place.is_file():
            return False
        try:
            plan = ImportPlan.model_validate_json(place.read_bytes())
        except ValidationError:
            place.unlink(missing_ok=True)
            return False
        self._apply(plan)
        return True

    def _apply(self, plan: ImportPlan) -> None:
        for one in plan.files:
            if one.text is not None:
                self._project.write_text(one.path, one.text)
        for path in plan.removed:
            self._project.path(path).unlink(missing_ok=True)
        self.remember(plan.memory)
        self._data.path(PENDING).unlink(missing_ok=True)


def _staged(name: str) -> str:
    if not _PLAN.fullmatch(name):
        raise NotFound(f"There is no import planned as '{name[:80]}'. Import the manuscript again.")
    return f"{PLANS}/{name}.json"
