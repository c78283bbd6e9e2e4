"""The analysis of a scene as a long work: a judge for each dimension, whose quotations are checked."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from dramaturg.kernel.errors import ModelError
from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.workshop.book.files import digest_of
from dramaturg.workshop.rehearsal.revision_cues import VerdictCue
from dramaturg.workshop.revision.prompts import RevisionPrompts
from dramaturg.workshop.revision.verdict import (
    QUESTIONS,
    Dimension,
    DimensionClaim,
    DimensionScore,
    SceneIssue,
    abstained,
    check_claim,
    unscored,
)
from dramaturg.workshop.revision.yardsticks import NO_SCENE, PromiseCheck, SceneYardsticks, has_scenes, yardsticks
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.voice.antipatterns import RuleCount
from dramaturg.workshop.works.context import WorkContext
from dramaturg.workshop.works.work import Cell, LongWork, WorkPlan, WorkRequest, WorkResult

NAME = "analysis"
VERDICT_TOKENS = 1200
NO_ANSWER = "The judge gave no answer that can be used."


class AnalysisRequest(WorkRequest):
    """The scene to analyse."""

    scene: str = Field("", max_length=200, description="such as ch04-sc02; the one changed last if not set")


class SceneAnalysis(WorkResult):
    """What the judges say of a scene, as far as its own words bear them out, and what was counted without them."""

    path: str
    digest: str = Field(description="of the file that was read")
    scores: tuple[DimensionScore, ...]
    promises: tuple[PromiseCheck, ...] = ()
    antipatterns: tuple[RuleCount, ...] = ()

    @property
    def issues(self) -> tuple[SceneIssue, ...]:
        return tuple(issue for score in self.scores for issue in score.issues)


class Analysis(LongWork[AnalysisRequest, SceneAnalysis]):
    """One scene, judged on five dimensions."""

    name = NAME
    noun = "an analysis of a scene"
    request = AnalysisRequest
    result = SceneAnalysis
    alone = False

    async def plan(self, book: BookSources, request: AnalysisRequest) -> WorkPlan:
        if not request.scene and not has_scenes(book):
            return WorkPlan(blind_spots=(NO_SCENE,))
        found = await yardsticks(book, request.scene)
        unasked = [f"{name.replace('_', ' ')}: {one.missing}" for name, one in found.sticks.items() if one.missing]
        return WorkPlan(cells=_cells(book, found), blind_spots=tuple(unasked))

    async def play(self, context: WorkContext[AnalysisRequest]) -> SceneAnalysis:
        found = await yardsticks(context.book, context.request.scene)
        cells = _cells(context.book, found)
        await context.tell_facts(found.facts, found.path)
        try:
            asked = await context.ask_for(DimensionClaim, cells)
            answers, why = asked.answers, {key: one.error for key, one in asked.failed.items()}
        except ModelError as error:
            answers, why = {}, {cell.key: error.message for cell in cells}
        scores = tuple(
            abstained(name, stick.missing)
            if stick.missing
            else check_claim(name, answers[name], found.paragraphs)
            if name in answers
            else unscored(name, why.get(name, NO_ANSWER))
            for name, stick in found.sticks.items()
        )
        judge = (await context.book.model_for("judge")).name
        return SceneAnalysis(
            said=_said(found.path, scores) + _stand_in(judge),
            path=found.path,
            digest=digest_of(found.exact),
            scores=scores,
            promises=found.promises,
            antipatterns=found.report.broken,
        )

    def show(self, result: SceneAnalysis) -> str:
        rows = [result.said]
        for one in result.scores:
            rows.append(f"\n{one.dimension.replace('_', ' ')}: {one.band or one.state}. {one.because}".rstrip())
            rows += [f"  [{line.paragraph}] “{line.quote}”" for line in one.evidence]
            rows += [f"  - {issue.what}: “{issue.quote}”" for issue in one.issues]
        rows += [f"\nanti-pattern: {one.says} ({one.hits}, {one.allowed} allowed)" for one in result.antipatterns]
        for promise in result.promises:
            kept = f"“{promise.quote}”" if promise.quote else "not found by its words"
            rows.append(f"{promise.kind} {promise.name}: {kept}")
        return "\n".join(rows) + "\n"


WORK = Analysis()


def _cells(book: BookSources, found: SceneYardsticks) -> tuple[Cell, ...]:
    prompts = RevisionPrompts(book.project)
    scene = prompts.scene(found.path, found.prose.strip())
    return tuple(
        Cell(
            key=name,
            use="judge",
            system=prompts.analysis(QUESTIONS[name], stick.text),
            text=scene,
            max_tokens=VERDICT_TOKENS,
            temperature=0.2,
            cue=VerdictCue(name, found.paragraphs, found.report.hits, found.report.words),
        )
        for name, stick in found.sticks.items()
        if not stick.missing
    )


def _said(path: str, scores: Sequence[DimensionScore]) -> str:
    told = ", ".join(f"{_short(one.dimension)} {one.band or one.state}" for one in scores)
    issues = sum(len(one.issues) for one in scores)
    found = "1 issue with its words" if issues == 1 else f"{issues} issues with their words"
    return f"{path}: {told}; {found}."


def _short(dimension: Dimension) -> str:
    return dimension.split("_")[0]


def _stand_in(judge: str) -> str:
    return " The rehearsal company judged: it counts and does not read." if is_stand_in(judge) else ""
