"""The enhancement of a scene as a long work: named issues mended at once, or six passes one after the other.

Each pass gives a set of patches. The scene itself is not touched; the writer accepts what they like.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig, ModelError
from dramaturg.kernel.models.bounds import read_answer_with
from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.reasoning import without_reasoning
from dramaturg.kernel.text.counts import counted
from dramaturg.kernel.text.escape import one_line
from dramaturg.kernel.values import Value
from dramaturg.workshop.book.files import digest_of
from dramaturg.workshop.book.pages import read_page
from dramaturg.workshop.book.plain_text import plain_text
from dramaturg.workshop.patches.patch import Patch, PatchSource
from dramaturg.workshop.patches.review import ProposedSet
from dramaturg.workshop.rehearsal.revision_cues import PatchCue
from dramaturg.workshop.revision.analysis import NAME as ANALYSIS
from dramaturg.workshop.revision.analysis import SceneAnalysis
from dramaturg.workshop.revision.measures import ProfileChange, profile_change, rules_of
from dramaturg.workshop.revision.patch_answer import read_patches
from dramaturg.workshop.revision.prompts import RevisionPrompts
from dramaturg.workshop.revision.proposals import SceneProposals
from dramaturg.workshop.revision.verdict import Dimension
from dramaturg.workshop.revision.yardsticks import NO_SCENE, SceneYardsticks, has_scenes, yardsticks
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.works.context import WorkContext
from dramaturg.workshop.works.work import Cell, LongWork, WorkPlan, WorkRequest, WorkResult

NAME = "enhancement"
READER = "patches"
PATCH_TOKENS = 3000
MOST_ISSUES = 20
MOST_LOOKED = 20
LONGEST_INSTEAD = 160
PassName = Literal["structure", "voice", "prose", "dialogue", "continuity", "polish", "action"]
PASSES: tuple[PassName, ...] = ("structure", "voice", "prose", "dialogue", "continuity", "polish")
_STICKS: Mapping[str, Dimension] = {
    "structure": "beat_compliance",
    "voice": "voice_authenticity",
    "prose": "prose_quality",
    "dialogue": "character_consistency",
    "continuity": "continuity",
}


class EnhancementRequest(WorkRequest):
    """The scene, and how to revise it. Without issues, those of its last analysis are mended; without a mode and any
    issue, it is revised in six passes."""

    scene: str = Field("", max_length=200, description="such as ch04-sc02; the one changed last if not set")
    mode: Literal["", "action_prompt", "six_pass"] = ""
    issues: tuple[str, ...] = Field((), max_length=MOST_ISSUES, description="what to mend, in the writer's words")


class PassReport(Value):
    """What one pass proposed, and what of its answer could not be used."""

    name: str
    model: str = ""
    patches: tuple[Patch, ...] = ()
    misquoted: int = Field(0, description="changes whose words do not stand in the scene")
    overlapping: int = Field(0, description="changes to words that another one changes already")
    broken: int = Field(0, description="changes without both sides")
    failed: str = Field("", description="why there is no answer")
    instead: str = Field("", description="the beginning of what the model said where it gave no change")


class Enhancement(WorkResult):
    """The patches of every pass, and what all of them together would change in the measured profile."""

    path: str
    digest: str = Field(description="of the file that was read")
    mode: str
    passes: tuple[PassReport, ...]
    measured: ProfileChange

    def proposed_sets(self, run: str) -> tuple[ProposedSet, ...]:
        return tuple(
            ProposedSet(f"{run}/{one.name}", self.path, source_of(one), one.patches)
            for one in self.passes
            if one.patches
        )


class Enhancing(LongWork[EnhancementRequest, Enhancement]):
    """One scene, revised by patches."""

    name = NAME
    noun = "an enhancement of a scene"
    request = EnhancementRequest
    result = Enhancement
    alone = False

    async def plan(self, book: BookSources, request: EnhancementRequest) -> WorkPlan:
        if not request.scene and not has_scenes(book):
            return WorkPlan(blind_spots=(NO_SCENE,))
        found = await yardsticks(book, request.scene)
        issues = await _issues(book, request, found)
        cells = tuple(_cell(book, name, found, issues, ()) for name in _passes(request, issues))
        unseen = tuple(
            f"{name}: {found.sticks[stick].missing}"
            for name, stick in _STICKS.items()
            if len(cells) > 1 and found.sticks[stick].missing
        )
        return WorkPlan(cells=cells, blind_spots=unseen)

    async def play(self, context: WorkContext[EnhancementRequest]) -> Enhancement:
        request, book = context.request, context.book
        found = await yardsticks(book, request.scene)
        issues = await _issues(book, request, found)
        proposals, reports = SceneProposals(found.path, found.exact), []
        names = _passes(request, issues)
        await context.tell_facts(found.facts, found.path)
        for done, name in enumerate(names):
            reports.append(await _played(context, name, found, issues, proposals))
            context.progress(done + 1, len(names), name)
        if all(one.failed for one in reports):
            raise ModelError(f"No pass has an answer: {reports[0].failed}", scene=found.path)
        measured = profile_change(
            _prose(found.path, found.exact), _prose(found.path, proposals.made()), rules_of(book.project), found.path
        )
        model = (await book.model_for("drafting")).name
        return Enhancement(
            said=_said(found.path, reports, measured) + _stand_in(model),
            path=found.path,
            digest=digest_of(found.exact),
            mode="action_prompt" if names == ("action",) else "six_pass",
            passes=tuple(reports),
            measured=measured,
        )

    def show(self, result: Enhancement) -> str:
        rows = [result.said, ""]
        for one in result.passes:
            left = [(one.misquoted, "misquoted"), (one.overlapping, "overlapping"), (one.broken, "broken")]
            lost = "".join(f", {count} {what}" for count, what in left if count)
            said = f". It said: “{one.instead}”" if one.instead else ""
            name = "the issues" if one.name == "action" else one.name
            count = counted(len(one.patches), "patch", "patches")
            rows.append(f"{name}: no answer. {one.failed}" if one.failed else f"{name}: {count}{lost}{said}")
        moved = [row for row in result.measured.measures if row.moved]
        rows += ["", f"words {result.measured.words_before} → {result.measured.words_after}"]
        rows += [
            f"{row.measure.replace('_', ' ')}: {row.before or 'none'} → {row.after or 'none'} ({row.tells})"
            for row in moved
        ]
        return "\n".join(rows) + "\n"


WORK = Enhancing()


async def _played(
    context: WorkContext[EnhancementRequest],
    name: PassName,
    found: SceneYardsticks,
    issues: Sequence[tuple[str, str]],
    proposals: SceneProposals,
) -> PassReport:
    """One pass. A model that fails costs its pass; the others are still made."""
    cell = _cell(context.book, name, found, issues, proposals.patches)
    model = (await context.book.model_for("drafting")).name
    try:
        answer = (await context.ask([cell])).answers.get(name)
        if answer is None:
            return PassReport(name=name, model=model, failed="The model gave no answer.")
        asked = read_answer_with(READER, lambda: read_patches(answer.text), key=name)
    except ModelError as error:
        return PassReport(name=name, model=model, failed=error.message)
    if not answer.text.strip():
        return PassReport(name=name, model=model, failed="The answer was empty.")
    before = (proposals.misquoted, proposals.overlapping)
    patches = proposals.take(asked.changes)
    return PassReport(
        name=name,
        model=model,
        patches=patches,
        misquoted=proposals.misquoted - before[0],
        overlapping=proposals.overlapping - before[1],
        broken=asked.broken,
        instead="" if asked.changes or asked.broken else one_line(without_reasoning(answer.text))[:LONGEST_INSTEAD],
    )


def source_of(report: PassReport) -> PatchSource:
    """Who proposes the patches of a pass."""
    purpose = "action prompt" if report.name == "action" else f"{report.name} pass"
    return PatchSource(name=report.model, purpose=purpose)


def _passes(request: EnhancementRequest, issues: Sequence[tuple[str, str]]) -> tuple[PassName, ...]:
    return PASSES if request.mode == "six_pass" or not issues else ("action",)


async def _issues(
    book: BookSources, request: EnhancementRequest, found: SceneYardsticks
) -> tuple[tuple[str, str], ...]:
    """The issues to mend, each with the words it is about, if it has any."""
    if request.issues:
        return tuple(("", one) for one in request.issues)
    analysis = await last_analysis(book, found.path)
    issues = tuple((one.quote, one.what) for one in analysis.issues) if analysis else ()
    if not issues and request.mode == "action_prompt":
        why = "its last analysis named no issue" if analysis else "it was not analysed yet"
        raise InvalidConfig(
            f"There is nothing to mend in {found.path}: {why}. Name what is wrong, or revise it in six passes.",
            scene=found.path,
        )
    return issues[:MOST_ISSUES]


async def last_analysis(book: BookSources, path: str) -> SceneAnalysis | None:
    """The newest analysis of a scene that was finished."""
    runs = book.resources.runs
    for record in await runs.find(kind=ANALYSIS, limit=MOST_LOOKED):
        if record.name == book.name and record.status == "ended" and runs.can_play(record):
            run, kind = await runs.open_with_kind(record.id)
            result = kind.result(run)
            if isinstance(result, SceneAnalysis) and result.path == path:
                return result
    return None


def _cell(
    book: BookSources,
    name: PassName,
    found: SceneYardsticks,
    issues: Sequence[tuple[str, str]],
    earlier: Sequence[Patch],
) -> Cell:
    prompts = RevisionPrompts(book.project)
    stick = found.sticks[_STICKS[name]] if name in _STICKS else None
    told = "\n".join(f"- {what}" + (f": “{quote}”" if quote else "") for quote, what in issues)
    system = prompts.patches(
        name,
        yardstick=stick.text if stick else "",
        issues=told if name == "action" else "",
        earlier="\n".join(f"- “{one.old}” → “{one.new}”" for one in earlier),
    )
    return Cell(
        key=name,
        use="drafting",
        system=system,
        text=prompts.scene(found.path, found.prose.strip()),
        max_tokens=PATCH_TOKENS,
        cue=PatchCue(name, found.prose, tuple(issues)),
    )


def _prose(path: str, exact: str) -> str:
    plain = plain_text(exact).plain
    return plain.removeprefix(read_page(path, plain).head)


def _said(path: str, reports: Sequence[PassReport], measured: ProfileChange) -> str:
    count = sum(len(one.patches) for one in reports)
    failed = [one.name for one in reports if one.failed]
    lost = f" {len(failed)} passes have no answer ({', '.join(failed)})." if failed else ""
    if not count:
        return f"{path}: No change is proposed; {measured.said}{lost}"
    review = " Review them: dramaturg foreman patches."
    patches = "1 patch" if count == 1 else f"{count} patches"
    return f"{path}: {patches} proposed; nothing is changed yet.{lost}{review} With all of them: {measured.said}"


def _stand_in(model: str) -> str:
    return " The rehearsal company revised: its changes only show the way." if is_stand_in(model) else ""
