"""Insight into runs, for the author: why a line was said, tests of its causes, takes compared. Shows hidden events."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query, Response
from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.settings import AgentMode
from dramaturg.kernel.store import Status
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.insight.ablation import Ablation, ablation_of
from dramaturg.scenes.insight.account import Account, account_of, find_line, speaker_of
from dramaturg.scenes.insight.explanation import Explanation, explain, subject_of
from dramaturg.scenes.insight.takes import Take, TakeSetup, take_setups, take_table
from dramaturg.scenes.scene import named_scene
from dramaturg.scenes.state import scene_state
from dramaturg.server.http.bodies import EXAMPLE_RUN, RunReference
from dramaturg.server.http.deps import ID_PATTERN, OneScene, OpenStudio, RunId
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router

router = api_router(prefix="/v1", tags=["insight"])
MOST_TAKES = 20
MOST_AGAIN = 20
LONGEST_WORDS = 500
LineReference = Annotated[
    str,
    Path(
        max_length=LONGEST_WORDS,
        description="the number of a line, or words found in no other line; or event:2, note:1, end",
        examples=["3", "end"],
    ),
]


class WhyAnswer(WireValue):
    """Why something is in a run: an account of a spoken line, or an explanation of anything else."""

    account: Account | None = None
    explanation: Explanation | None = None


class AblationRequest(WireValue):
    """How to test the causes of a line."""

    again: int = Field(1, ge=1, le=MOST_AGAIN, description="how many unchanged repetitions to make, as the noise floor")


class AblationResult(WireValue):
    """The result of testing a line; `ablation` is null until the test has finished."""

    run: str = Field(description="the id of the test", examples=[EXAMPLE_RUN])
    status: Status = Field(description="the status of the test")
    ablation: Ablation | None


class TakesRequest(WireValue):
    """A scene of this project to play several times: every combination of agent, model and seed."""

    scene: str = Field(min_length=1, max_length=80, examples=["the-second-signature"])
    count: int = Field(3, ge=1, le=MOST_TAKES, description="how many seeds, if none are given")
    seeds: tuple[int, ...] = Field((), max_length=MOST_TAKES, description="the seeds, instead of a count")
    models: tuple[str, ...] = Field(
        (), max_length=MOST_TAKES, description="the models that play; the project's default if empty"
    )
    agents: tuple[AgentMode, ...] = Field(
        (), max_length=4, description="how models play; as set in the project if empty"
    )


class TakeBatch(WireValue):
    """A batch of takes that has been started."""

    takes: str = Field(description="the id of the batch", examples=[EXAMPLE_RUN])
    runs: tuple[RunReference, ...]
    link: str = Field(description="the address of their comparison")


class TakeComparison(WireValue):
    """The takes of a scene so far, each compared with the first."""

    takes_id: str = Field(examples=[EXAMPLE_RUN])
    scene: str
    playing: int = Field(description="how many are still being played")
    reached: int = Field(description="how many have reached the goal")
    pass_rate: float = Field(description="the share of takes that have reached the goal")
    takes: tuple[Take, ...]


@router.get("/runs/{run_id}/why/{what}", summary="Explain a line or an event", responses=declared_errors(404, 422))
async def explain_line(
    run: OneScene,
    what: LineReference,
    studio: OpenStudio,
    test: Annotated[
        bool, Query(description="not allowed here: a test calls models, so it is started with POST")
    ] = False,
) -> WhyAnswer:
    """Taken from the log: no model is called and nothing is guessed. For the author: hidden events are shown.

    A line has an account: prompt, plan, notes, what was heard, the answers. An event, a note and the end have an
    explanation.
    """
    if test:
        raise InvalidConfig(
            "A test calls models and may cost money, so GET does not start it. Use POST with the same address."
        )
    asked = subject_of(run.entries, what)
    if asked.line is not None and asked.line.kind == "line":
        return WhyAnswer(account=account_of(run.entries, asked.line))
    return WhyAnswer(explanation=explain(run.entries, asked, studio.settings.project))


@router.post(
    "/runs/{run_id}/why/{what}",
    status_code=202,
    summary="Test the causes of a line",
    responses={
        202: {"description": "The test has started as a run of its own."},
        **declared_errors(404, 413, 422, 502, 503),
    },
)
async def question_line(
    run: OneScene, what: LineReference, response: Response, studio: OpenStudio, wanted: AblationRequest | None = None
) -> RunReference:
    """Replay the beat in a new run, unchanged and with one cause removed at a time; its `ablation` link has the result.

    The scene's own run does not change.
    """
    line = find_line(run.entries, what)
    speaker_of(scene_state(run.entries), line)
    why = await studio.scenes.question(run, line, again=(wanted or AblationRequest()).again)
    studio.start(why)
    started = RunReference.of(why.record, studio.scenes.why_kind)
    response.headers["Location"] = started.links.me
    return started


@router.get("/runs/{run_id}/ablation", summary="Get the result of a test", responses=declared_errors(404, 422))
async def get_ablation(run_id: RunId, studio: OpenStudio) -> AblationResult:
    """The causes of a line, strongest first, once the test has finished."""
    run = await studio.scenes.open_test(run_id)
    return AblationResult(run=run.id, status=run.record.status, ablation=ablation_of(run.entries))


@router.post(
    "/takes",
    status_code=202,
    summary="Play a scene several times",
    responses={202: {"description": "All takes have started."}, **declared_errors(404, 413, 422, 502, 503)},
)
async def play_takes(takes: TakesRequest, response: Response, studio: OpenStudio) -> TakeBatch:
    """Start a batch of takes, each an ordinary run. If one of them cannot be played, nothing is started."""
    config = named_scene(studio.settings.project, takes.scene)
    wanted = _take_setups(takes, next(seed for seed in (config.seed, studio.settings.seed, 1) if seed is not None))
    batch, runs = await studio.scenes.open_takes(config, wanted)
    for run in runs:
        studio.start(run)
    link = f"/v1/takes/{batch}"
    response.headers["Location"] = link
    return TakeBatch(
        takes=batch, runs=tuple(RunReference.of(run.record, studio.scenes.kind) for run in runs), link=link
    )


@router.get("/takes/{takes_id}", summary="Compare takes", responses=declared_errors(404, 422))
async def get_takes(
    takes_id: Annotated[
        str,
        Path(
            pattern=ID_PATTERN,
            description="the id of a batch of takes",
            examples=[EXAMPLE_RUN],
        ),
    ],
    studio: OpenStudio,
) -> TakeComparison:
    """Goal, beats, cost and where each take departs from the first. Takes still playing are shown so far."""
    runs: list[SceneRun] = await studio.scenes.takes(takes_id)
    if not runs:
        raise NotFound(f"There are no takes '{takes_id}' here.", takes=takes_id)
    table = take_table(runs[0].name, {run.id: run.entries for run in runs})
    return TakeComparison(
        takes_id=takes_id,
        scene=table.scene,
        playing=sum(run.record.status == "playing" for run in runs),
        reached=table.reached,
        pass_rate=table.pass_rate,
        takes=table.takes,
    )


def _take_setups(takes: TakesRequest, first_seed: int) -> tuple[TakeSetup, ...]:
    wanted = take_setups(takes.models, takes.seeds, takes.agents, count=takes.count, first_seed=first_seed)
    if len(wanted) > MOST_TAKES:
        raise InvalidConfig(
            f"That makes {len(wanted)} takes; at most {MOST_TAKES} can be started at once. "
            "Use fewer seeds, models or agents.",
            takes=len(wanted),
        )
    return wanted
