"""An import as a long work: what the files hold is logged, they are written all or none, and the import is remembered.

The texts are in the plan that the writer saw, in `data/`; a process that dies leaves it to the next one.
"""

from __future__ import annotations

import asyncio
from typing import ClassVar, Literal

from pydantic import Field

from dramaturg.kernel.runs.events import Audience, Event
from dramaturg.kernel.values import Value
from dramaturg.workshop.book.files import digest_of
from dramaturg.workshop.events import FileKept
from dramaturg.workshop.manuscripts.intake.applied import ImportFiles
from dramaturg.workshop.manuscripts.intake.plan import ChangeKind, ImportMemory, ImportPlan
from dramaturg.workshop.works.context import WorkContext
from dramaturg.workshop.works.work import LongWork, WorkRequest, WorkResult

NAME = "import"
NOTHING = "No plan of an import was named, so that nothing came in. Start one with: dramaturg foreman import PATH"


class ImportWork(WorkRequest):
    """The plan to carry out."""

    plan: str = Field("", max_length=64, description="the name of a plan that was made of a manuscript")


class ImportedRow(Value):
    """What became of one file."""

    path: str
    kind: ChangeKind
    was: str = ""


class Imported(WorkResult):
    """What came in, and the files that the writer changed meanwhile, which stay as they are."""

    files: tuple[ImportedRow, ...] = ()
    left: tuple[str, ...] = ()


class ImportBegan(Event):
    """What was remembered of earlier imports, and the digest of what is remembered after this one."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["import.began"] = "import.began"
    was: ImportMemory
    after: str


class ImportedManuscript(LongWork[ImportWork, Imported]):
    """A manuscript that comes in."""

    name = NAME
    noun = "an import of a manuscript"
    request = ImportWork
    result = Imported
    events = (ImportBegan, FileKept)

    async def play(self, context: WorkContext[ImportWork]) -> Imported:
        if not context.request.plan:
            return Imported(said=NOTHING)
        settings = context.book.resources.settings
        files = ImportFiles(settings.project, settings.data)
        plan = await asyncio.to_thread(files.staged, context.request.plan)
        began = next((one for one in context.own if isinstance(one, ImportBegan)), None)
        if began is None:
            began = ImportBegan(was=files.memory(), after=digest_of(plan.memory.model_dump_json()))
            await context.tell(began, *await asyncio.to_thread(files.changes, plan, context.id))
        changes = tuple(one for one in context.own if isinstance(one, FileKept))
        left = await asyncio.to_thread(files.carry_out, plan, began.was, changes)
        rows = tuple(ImportedRow(path=one.path, kind=one.kind, was=one.was) for one in plan.files)
        return Imported(said=_said(plan, left), files=rows, left=left)


WORK = ImportedManuscript()


def _said(plan: ImportPlan, left: tuple[str, ...]) -> str:
    kinds = dict.fromkeys(one.kind for one in plan.files)
    counts = ", ".join(f"{plan.count(kind)} {kind}" for kind in kinds)
    stay = f" Changed meanwhile, and left alone: {', '.join(left)}." if left else ""
    return f"Imported a manuscript: {counts}.{stay}"
