"""Applies the plan of an import. Interrupted half-way, it is finished by the next import."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.store import Artifacts
from dramaturg.workshop.manuscripts.intake.plan import ImportMemory, ImportPlan

MEMORY = "manuscripts/imports.json"
PENDING = "manuscripts/pending-import.json"
MOST_BYTES = 200_000_000


class ImportFiles:
    """The files that an import writes, and what it remembers in `data/`."""

    def __init__(self, project: Path, data: Path) -> None:
        self._project = Artifacts(project)
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

    def finish(self) -> bool:
        """Applies what an interrupted import left; whether there was something."""
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

    def apply(self, plan: ImportPlan) -> None:
        """Writes every file of a plan. The plan is on disk first, so that nothing is left half done."""
        self._data.write_bytes(PENDING, plan.model_dump_json().encode())
        self._apply(plan)

    def _apply(self, plan: ImportPlan) -> None:
        for one in plan.files:
            if one.text is not None:
                self._project.write_text(one.path, one.text)
        for path in plan.removed:
            self._project.path(path).unlink(missing_ok=True)
        self._data.write_bytes(MEMORY, plan.memory.model_dump_json().encode())
        self._data.path(PENDING).unlink(missing_ok=True)
