"""Every long work there is, with a book and a request to try it on; a new row of the table is tried by itself."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest
from dramaturg.kernel.models.profiles import ModelProfile
from dramaturg.kernel.models.rehearsal.company import RehearsalCompany
from dramaturg.workshop.manuscripts.intake.applied import PLANS
from dramaturg.workshop.manuscripts.intake.plan import ImportMemory, ImportPlan, PlannedFile, RememberedScene
from dramaturg.workshop.works.table import WORKS

BOOK = Path(__file__).parents[3] / "examples" / "the-last-starship"
TABLE: Mapping[str, str] = {**WORKS, "reading": "tests.workshop.works.reading"}


@dataclass(frozen=True)
class WorkCase:
    """One work on the example book; without a request of its own, as it is when nothing is said."""

    name: str
    request: Mapping[str, JsonValue] = field(default_factory=dict)


ASKED: Mapping[str, Mapping[str, JsonValue]] = {"scaffold": {"scene": "ch02-sc01"}, "import": {"plan": "harbour"}}
"""What must be said to works that do nothing unasked."""
CASES = tuple(WorkCase(name, ASKED.get(name, {})) for name in TABLE)


IMPORT = ImportPlan(
    files=(
        PlannedFile(
            path="manuscript/ch05-sc01.md", kind="moved", was="manuscript/ch01-sc01.md", text="Nobody was there.\n"
        ),
        PlannedFile(path="manuscript/ch05-sc02.md", kind="new", text="The tide had gone.\n"),
        PlannedFile(path=".claude/agents/nobody.md", kind="card", text="# Nobody - Character\n"),
    ),
    removed=("manuscript/ch01-sc01.md",),
    memory=ImportMemory(scenes=(RememberedScene(path="manuscript/ch05-sc01.md", body="a", file="b"),)),
)
"""A plan that waits in the book's data: new files, and one that moves."""


def copy_book(folder: Path) -> Path:
    """A copy of the example book with a scene in it, without what was played in it."""
    book = Path(shutil.copytree(BOOK, folder / "book", ignore=shutil.ignore_patterns("data")))
    scene = book / "manuscript" / "ch01-sc01.md"
    if not scene.exists():
        scene.parent.mkdir(exist_ok=True)
        scene.write_text("Elena was very tired. She put the the letter down on the table.\n", encoding="utf-8")
    plan = book / "data" / PLANS / "harbour.json"
    plan.parent.mkdir(parents=True)
    plan.write_text(IMPORT.model_dump_json(), encoding="utf-8")
    return book


class CountingCompany:
    """The rehearsal company, and the keys of what it was asked."""

    def __init__(self) -> None:
        self._company = RehearsalCompany(StillClock())
        self.keys: list[str] = []

    @property
    def name(self) -> str:
        return self._company.name

    @property
    def profile(self) -> ModelProfile:
        return self._company.profile

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        self.keys.append(request.key)
        return await self._company.complete(request)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        self.keys.append(request.key)
        async for piece in self._company.stream(request):
            yield piece


def documents(kind: Any, run: Any) -> list[Any]:
    """What a run is for a program, without the name of the run."""
    return [{**one, "run": ""} if isinstance(one, dict) else one for one in kind.documents(run)]
