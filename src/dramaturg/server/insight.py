"""Looking into runs over HTTP, for the author: why, tested causes, takes side by side. Shows what is hidden."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.runs.ids import ALPHABET, CHANCE_CHARS, TIME_CHARS
from dramaturg.kernel.settings import AgentMode
from dramaturg.kernel.store import Status
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.insight.ablation import Ablation, ablation_of
from dramaturg.scenes.insight.account import Account, account_of, find_line, speaker_of
from dramaturg.scenes.insight.explaining import Explanation, explain, what_is_asked
from dramaturg.scenes.insight.takes import Slate, Take, slates, take_table
from dramaturg.scenes.scene import named_scene
from dramaturg.scenes.state import scene_state
from dramaturg.server.deps import OneScene, OpenStudio, RunId
from dramaturg.server.errors import refusals
from dramaturg.server.wire import EXAMPLE_RUN, StartedRun
from dramaturg.studio import WHY

router = APIRouter(prefix="/v1", tags=["insight"])
MOST_TAKES = 20
MOST_AGAIN = 20
LONGEST_WORDS = 500
Asked = Annotated[
    str,
    Path(
        max_length=LONGEST_WORDS,
        description="the number of a line, or words that no other line has; or event:2, note:1, end",
        examples=["3", "end"],
    ),
]


class Why(WireValue):
    """Why something is in a run: the account of a line that somebody said, or the explanation of what nobody said."""

    account: Account | None = None
    explanation: Explanation | None = None


class WhyTest(WireValue):
    """How the causes of a line are to be tested."""

    again: int = Field(1, ge=1, le=MOST_AGAIN, description="how often it is asked unchanged, as the noise floor")


class WhyFound(WireValue):
    """What a test of a line has found; `ablation` is null until it is finished."""

    run: str = Field(description="the id of the test", examples=[EXAMPLE_RUN])
    status: Status = Field(description="how the test stands")
    ablation: Ablation | None


class TakesRequest(WireValue):
    """A scene of this project, to be played several times: every way of playing with every model with every seed."""

    scene: str = Field(min_length=1, max_length=80, examples=["the-second-signature"])
    count: int = Field(3, ge=1, le=MOST_TAKES, description="how many seeds, where none are named")
    seeds: tuple[int, ...] = Field((), max_length=MOST_TAKES, description="the seeds, instead of a count")
    models: tuple[str, ...] = Field((), max_length=MOST_TAKES, description="who plays; the project's choice if empty")
    agents: tuple[AgentMode, ...] = Field((), max_length=4, description="how models play; as the settings say if empty")


class TakesStarted(WireValue):
    """Takes that are on their way."""

    takes: str = Field(description="the id under which they can be compared", examples=[EXAMPLE_RUN])
    runs: tuple[StartedRun, ...]
    link: str = Field(description="where they are compared")


class TakeSummary(WireValue):
    """The takes of a scene side by side, as far as they have come; the first is what the others are held against."""

    takes_id: str = Field(examples=[EXAMPLE_RUN])
    scene: str
    playing: int = Field(description="how many are still being played")
    reached: int = Field(description="how many have reached the goal")
    pass_rate: float = Field(description="the share of all takes that has reached the goal")
    takes: tuple[Take, ...]


@router.get("/runs/{run_id}/why/{what}", summary="Why it was said, or happened", responses=refusals(404, 422))
async def explain_line(
    run: OneScene,
    what: Asked,
    studio: OpenStudio,
    test: Annotated[bool, Query(description="refused here: a test asks models, so it is begun with POST")] = False,
) -> Why:
    """As the log has it; no model is asked and nothing is guessed. For the author: what is hidden is shown here.

    A line has an account: prompt, plan, notes, what was heard, the answers. An event, a note and the end have an
    explanation.
    """
    if test:
        raise InvalidConfig(
            "A test asks models and may cost money, so GET does not begin it. POST to the same address."
        )
    asked = what_is_asked(run.entries, what)
    if asked.line is not None and asked.line.kind == "line":
        return Why(account=account_of(run.entries, asked.line))
    return Why(explanation=explain(run.entries, asked, studio.settings.project))


@router.post(
    "/runs/{run_id}/why/{what}",
    status_code=202,
    summary="Test what a line rested on",
    responses={
        202: {"description": "The test has begun; it is a run of its own."},
        **refusals(404, 413, 422, 502, 503),
    },
)
async def question_line(
    run: OneScene, what: Asked, response: Response, studio: OpenStudio, wanted: WhyTest | None = None
) -> StartedRun:
    """Ask the beat again without one cause at a time, and unchanged, as a new run; its link `ablation` has the result.

    The scene's own run stays as it is.
    """
    line = find_line(run.entries, what)
    speaker_of(scene_state(run.entries), line)
    why = await studio.question(run, line, again=(wanted or WhyTest()).again)
    studio.start(why)
    started = StartedRun.of(why.record)
    response.headers["Location"] = started.links.me
    return started


@router.get("/runs/{run_id}/ablation", summary="What a test has found", responses=refusals(404, 422))
async def get_ablation(run_id: RunId, studio: OpenStudio) -> WhyFound:
    """The causes of a line, the strongest first, once the test is finished."""
    run = await studio.runs.open(run_id)
    if run.kind != WHY:
        raise NotFound(f"Run {run.id} is of kind '{run.kind}' and tests no line.", run=run.id)
    return WhyFound(run=run.id, status=run.record.status, ablation=ablation_of(run.entries))


@router.post(
    "/takes",
    status_code=202,
    summary="Play a scene several times",
    responses={202: {"description": "All takes have begun."}, **refusals(404, 413, 422, 502, 503)},
)
async def play_takes(takes: TakesRequest, response: Response, studio: OpenStudio) -> TakesStarted:
    """Start a row of takes, each an ordinary run. Nothing is started where one of them could not be played."""
    config = named_scene(studio.settings.project, takes.scene)
    wanted = _slates(takes, next(seed for seed in (config.seed, studio.settings.seed, 1) if seed is not None))
    batch, runs = await studio.open_takes(config, wanted)
    for run in runs:
        studio.start(run)
    link = f"/v1/takes/{batch}"
    response.headers["Location"] = link
    return TakesStarted(takes=batch, runs=tuple(StartedRun.of(run.record) for run in runs), link=link)


@router.get("/takes/{takes_id}", summary="Takes side by side", responses=refusals(404, 422))
async def get_takes(
    takes_id: Annotated[
        str,
        Path(
            pattern=f"^[{ALPHABET}]{{{TIME_CHARS + CHANCE_CHARS}}}$",
            description="the id the takes were started under",
            examples=[EXAMPLE_RUN],
        ),
    ],
    studio: OpenStudio,
) -> TakeSummary:
    """Goal, beats, cost and where each take parts from the first; of those still playing, so far."""
    runs: list[SceneRun] = await studio.takes(takes_id)
    if not runs:
        raise NotFound(f"There are no takes '{takes_id}' here.", takes=takes_id)
    table = take_table(runs[0].name, {run.id: run.entries for run in runs})
    return TakeSummary(
        takes_id=takes_id,
        scene=table.scene,
        playing=sum(run.record.status == "playing" for run in runs),
        reached=table.reached,
        pass_rate=table.pass_rate,
        takes=table.takes,
    )


def _slates(takes: TakesRequest, first_seed: int) -> tuple[Slate, ...]:
    wanted = slates(takes.models, takes.seeds, takes.agents, count=takes.count, first_seed=first_seed)
    if len(wanted) > MOST_TAKES:
        raise InvalidConfig(
            f"That would be {len(wanted)} takes; {MOST_TAKES} are started at once. Name fewer seeds, models or agents.",
            takes=len(wanted),
        )
    return wanted
