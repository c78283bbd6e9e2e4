"""The plan of a scene as a long work: read the book, ask one question, keep what holds, write the file."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig, ModelError, PromptError
from dramaturg.kernel.files import leads_out
from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.prompts.template import Template, load_template
from dramaturg.kernel.runs.events import Audience, Event
from dramaturg.kernel.text.counts import counted
from dramaturg.workshop.book.files import PlannedChange, ProjectFiles, digest_of
from dramaturg.workshop.book.scaffold import FIELDS, MOST_WORDS, Scaffold, read_scaffold
from dramaturg.workshop.book.scaffolds import Scaffolds, scaffold_path
from dramaturg.workshop.events import FileKept
from dramaturg.workshop.rehearsal.scaffold_cue import KnownPromise, NumberedPassage, ScaffoldCue
from dramaturg.workshop.scaffold.enrichment import enrichment_of
from dramaturg.workshop.scaffold.material import SceneMaterial, scene_material
from dramaturg.workshop.scaffold.proposal import ScaffoldClaim, planned
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.works.context import WorkContext
from dramaturg.workshop.works.work import Cell, LongWork, WorkPlan, WorkRequest, WorkResult

NAME = "scaffold"
PLAN_TOKENS = 1500
MOST_NAMES = 40
OWN = Path("prompts") / "scaffold"


class ScaffoldRequest(WorkRequest):
    """The scene to plan, and what the plan may draw on. What its file settles already is not planned again."""

    scene: str = Field("", max_length=200, description="such as ch04-sc02")
    title: str = Field("", max_length=200)
    enrichment: tuple[str, ...] = Field((), max_length=20, description="beat_sheet, character_arcs …; all if not set")
    word_target: int | None = Field(None, ge=1, le=MOST_WORDS)


class ScaffoldMade(WorkResult):
    """The plan, where it is, which fields are new, and what of the proposal was left out, with the reason."""

    path: str
    kept_at: str = Field("", description="where it was saved instead, if the writer changed the file meanwhile")
    scaffold: Scaffold
    filled: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()


class ScaffoldPlanned(Event):
    """The plan before it is written to its file, and the digest of the file that it was made for."""

    audience: ClassVar[Audience] = "hidden"
    type: Literal["scaffold.planned"] = "scaffold.planned"
    scaffold: Scaffold
    before: str = Field("", description="empty if there was no file")
    filled: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    remark: str = Field("", description="who planned it, or why nobody did")


class ScaffoldWork(LongWork[ScaffoldRequest, ScaffoldMade]):
    """The scaffold of one scene."""

    name = NAME
    noun = "a scaffold of a scene"
    request = ScaffoldRequest
    result = ScaffoldMade
    events = (ScaffoldPlanned, FileKept)
    alone = False

    async def plan(self, book: BookSources, request: ScaffoldRequest) -> WorkPlan:
        if not request.scene.strip():
            return WorkPlan(blind_spots=("any scene: none is named",))
        found = await _material(book, request, ask_notebooks=False)
        return WorkPlan(cells=_cells(book, request, found), blind_spots=found.unseen)

    async def play(self, context: WorkContext[ScaffoldRequest]) -> ScaffoldMade:
        known = next((one for one in context.own if isinstance(one, ScaffoldPlanned)), None)
        made = known or await self._planned(context)
        if known is None:
            await context.tell(made)
        kept_at = await self._write(context, made)
        return ScaffoldMade(
            said=_said(made, kept_at) + made.remark,
            path=made.scaffold.path,
            kept_at=kept_at,
            scaffold=made.scaffold,
            filled=made.filled,
            left_out=made.left_out,
            unseen=made.unseen,
        )

    async def _planned(self, context: WorkContext[ScaffoldRequest]) -> ScaffoldPlanned:
        book, request = context.book, context.request
        found = await _material(book, request)
        cells, claim, remark = _cells(book, request, found), None, ""
        try:
            claim = (await context.ask_for(ScaffoldClaim, cells)).answers.get(NAME) if cells else None
        except ModelError as error:
            remark = f" No model planned it: {error.message}"
        made = planned(found, claim, title=request.title, words=request.word_target)
        model = (await book.model_for("drafting")).name
        return ScaffoldPlanned(
            scaffold=made.scaffold,
            before=found.was.digest if found.was else "",
            filled=made.filled,
            left_out=made.left_out,
            unseen=found.unseen,
            remark=remark + (_stand_in(model) if cells else ""),
        )

    async def _write(self, context: WorkContext[ScaffoldRequest], made: ScaffoldPlanned) -> str:
        """Writes the file, or a new one beside it if the writer changed it meanwhile; returns the path of that one.

        What the file held is in the log before, so that the writer can undo it.
        """
        kept = next((one for one in context.own if isinstance(one, FileKept)), None)
        files = ProjectFiles(context.book.project)
        if kept is not None and files.holds(kept.kept_at or kept.path, kept.made):
            return kept.kept_at or ""
        change = await asyncio.to_thread(_change, context.book.project, made)
        if change is None:
            return ""
        await context.tell(FileKept.of(context.id, change))
        await asyncio.to_thread(files.put, change)
        return change.kept_at or ""

    def show(self, result: ScaffoldMade) -> str:
        return scaffold_rows(result.scaffold, result.said, result.left_out)


WORK = ScaffoldWork()


def scaffold_rows(scaffold: Scaffold, said: str = "", remarks: Sequence[str] = ()) -> str:
    """A scaffold for a terminal: each field, and where it came from."""
    rows = [said, ""] if said else []
    for name in FIELDS:
        source = f"  ({scaffold.sources[name]})" if name in scaffold.sources else ""
        rows.append(f"{name.replace('_', ' ')}: {scaffold.text_of(name) or 'open'}{source}")
    rows += [f"{name}: {' '.join(text.split())}" for name, text in scaffold.notes.items()]
    return "\n".join([*rows, *(f"- {one}" for one in remarks)]) + "\n"


async def _material(book: BookSources, request: ScaffoldRequest, *, ask_notebooks: bool = True) -> SceneMaterial:
    wanted = enrichment_of(request.enrichment)
    if not request.scene.strip():
        raise InvalidConfig("Which scene is to be planned? Name it, such as ch04-sc02.")
    found = await scene_material(
        book,
        scaffold_path(request.scene).rpartition("/")[2].removesuffix(".md"),
        wanted,
        request.title,
        ask_notebooks=ask_notebooks,
    )
    if found.was is not None and found.was.problem:
        raise InvalidConfig(found.was.problem, path=found.was.path)
    return found


def _cells(book: BookSources, request: ScaffoldRequest, found: SceneMaterial) -> tuple[Cell, ...]:
    """The one question; none if the writer has settled everything."""
    settled = found.settled
    if not [name for name in settled.open_fields if name != "word_target"]:
        return ()
    system = _template(book.project).render(
        scene=found.scaffold_id,
        title=request.title or settled.title,
        settled="\n".join(f"- {name}: {' '.join(text.split())}" for name, text in settled.fields.items()),
        sources="\n".join(f"[{one.id}] {one.place}: {one.text}" for one in found.sources)
        or "(The book says nothing yet.)",
        beats=", ".join(beat.name for beat in found.beats),
        names=", ".join(found.names[:MOST_NAMES]),
    )
    return (
        Cell(
            key=NAME,
            use="drafting",
            system=system.strip(),
            text=f"Plan {found.scaffold_id}. Open: {', '.join(settled.open_fields)}.",
            max_tokens=PLAN_TOKENS,
            temperature=0.6,
            cue=_cue(request, found),
        ),
    )


def _cue(request: ScaffoldRequest, found: SceneMaterial) -> ScaffoldCue:
    promises = {
        one.name: one.planted.quote for one in found.promises if one.planted and one.state not in ("paid", "dropped")
    }
    return ScaffoldCue(
        title=request.title or found.settled.title,
        beat=found.beats[0].name if found.beats and found.is_placed else "",
        protagonist=found.protagonist,
        names=found.names,
        places=found.places,
        passages=tuple(NumberedPassage(one.id, one.kind, one.place, one.text) for one in found.sources),
        promises=tuple(KnownPromise(name, quote) for name, quote in promises.items()),
    )


def _change(project: Path, made: ScaffoldPlanned) -> PlannedChange | None:
    """What a plan changes; nothing if its file says it already."""
    scaffolds, path = Scaffolds(project), made.scaffold.path
    now = scaffolds.exact(path)
    if now is not None and digest_of(now) != made.before and read_scaffold(path, now) == made.scaffold:
        return None
    change = scaffolds.plan(made.scaffold, seen=made.before or None)
    return None if change.before == change.text else change


def _said(made: ScaffoldPlanned, kept_at: str) -> str:
    scaffold = made.scaffold
    left = f" {counted(len(made.left_out), 'proposal')} left out." if made.left_out else ""
    still = f" Open: {', '.join(scaffold.open_fields)}." if scaffold.open_fields else ""
    if kept_at:
        return f"{scaffold.path} was changed meanwhile and stays; the plan is in {kept_at}.{left}"
    if not made.filled:
        return f"{scaffold.path}: nothing new; what you settled stays.{left}{still}"
    did = "filled in what was open" if made.before else "planned"
    return f"{scaffold.path}: {did} ({counted(len(made.filled), 'field')}, each with its source).{left}{still}"


def _stand_in(model: str) -> str:
    return " The rehearsal company planned: it copies your own words and invents nothing." if is_stand_in(model) else ""


def _template(project: Path) -> Template:
    own = project / OWN / "plan.md"
    if own.is_file():
        if leads_out(own, project):
            raise PromptError(f"{own} is a link out of the project. Copy the file itself there.", file=own.name)
        return load_template(project / OWN, "plan.md")
    return load_template(files("dramaturg.workshop") / "prompts" / "scaffold", "plan.md")
