"""The JSON that clients receive, as documented: results, metadata, errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Annotated, Final, Literal

from pydantic import Field

from dramaturg.kernel.errors import DramaturgError
from dramaturg.kernel.runs.costs import answers
from dramaturg.kernel.runs.events import Entry, Event, ModelAnswered, RunAdopted, RunForked, RunPaused, RunStopped
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.directions.events import DirectionTaken, GoalChanged
from dramaturg.scenes.director.goals import Goal
from dramaturg.scenes.director.verdict import Evidence
from dramaturg.scenes.events import (
    NO_CAST,
    BeatClosed,
    BeatPlayed,
    CastMember,
    CueGiven,
    LineCut,
    LineEdited,
    LineGlossed,
    LinePlanned,
    LineSpoken,
    LineStruck,
    ResponseGiven,
    SceneEnded,
    SceneForked,
    SceneOpened,
    SceneReopened,
    TakeAdded,
    TakeChosen,
)
from dramaturg.scenes.line import Line
from dramaturg.scenes.response import NO_ANSWER
from dramaturg.scenes.revision_events import Revision
from dramaturg.scenes.scene import SceneConfig
from dramaturg.scenes.state import SceneState, scene_state
from dramaturg.scenes.transcript import render_transcript
from dramaturg.scenes.word_share import WordCount, count_words

SCHEMA: Final = "dramaturg.scene/1"


class SceneError(WireValue):
    """A beat at which a character could not answer."""

    beat: int
    character: str
    error: str


class SceneLeak(WireValue):
    """A line that contains something its speaker could not know."""

    line: int
    speaker: str
    source: str
    words: tuple[str, ...]


class UnscoredBeat(WireValue):
    """A beat that the judge could not be asked about, and why."""

    beat: int
    reason: str


class SceneCosts(WireValue):
    """The usage of a run. `estimatedUSD` is null if a price is unknown."""

    total_tokens: int
    estimated_usd: float | None = Field(alias="estimatedUSD")


class SceneMetadata(WireValue):
    """The facts of a performance. `duration` is in milliseconds.

    `revisions` are lines that their author changed, `directions` how many of the author's directions changed it, and
    `people` the parts that a person plays.
    """

    name: str
    duration: int
    total_beats: int
    character_count: int
    goal_achieved: bool
    reason: str | None = None
    errors: tuple[SceneError, ...] = ()
    leaks: tuple[SceneLeak, ...] = ()
    unscored: tuple[UnscoredBeat, ...] = Field((), exclude_if=lambda beats: not beats)
    revisions: tuple[Revision, ...] = Field((), exclude_if=lambda revisions: not revisions)
    directions: int = Field(0, exclude_if=lambda count: not count)
    words: WordCount = Field(default_factory=WordCount)
    people: tuple[str, ...] = Field((), exclude_if=lambda names: not names)
    costs: SceneCosts


class SceneResult(WireValue):
    """The result of a scene: the full transcript, its metadata, and the folder it was written to."""

    success: bool
    transcript: str
    metadata: SceneMetadata
    output_path: str
    run: str


class GoalRecord(WireValue):
    """A sub-goal and, if it was met, the words that met it."""

    goal: Goal
    evidence: Evidence | None = None


class SceneDocument(WireValue):
    """`scene.json`: the whole scene for programs to consume."""

    schema_name: Literal["dramaturg.scene/1"] = Field(SCHEMA, alias="schema")
    run: str
    config: SceneConfig
    cast: tuple[CastMember, ...]
    goals: tuple[GoalRecord, ...]
    lines: tuple[Line, ...]
    metadata: SceneMetadata


PublicSceneEvent = Annotated[
    SceneOpened
    | SceneForked
    | LineSpoken
    | LineCut
    | LineGlossed
    | TakeChosen
    | LineEdited
    | LineStruck
    | BeatPlayed
    | GoalChanged
    | SceneEnded
    | SceneReopened
    | RunPaused,
    Field(discriminator="type"),
]


class PublicEntry(Entry[PublicSceneEvent]):
    """A public entry of a scene's log, as streams and `--json` output it."""


def metadata_of(entries: Sequence[Entry[Event]], state: SceneState) -> SceneMetadata:
    """The metadata from the log, also of a scene that was stopped."""
    paid = answers(entries)
    prices = [answered.answer.cost_usd for answered in paid]
    known = [price for price in prices if price is not None]
    stopped = entries[-1].event if entries and isinstance(entries[-1].event, RunStopped) else None
    ended = state.ended
    reason = ended.reason if ended else (stopped.code.lower() or stopped.reason if stopped else "unfinished")
    return SceneMetadata(
        name=state.scene.config.name,
        duration=round(1000 * playing_time(entries)),
        total_beats=ended.beats if ended else state.beat,
        character_count=len(state.cast),
        goal_achieved=bool(ended and ended.goal_achieved),
        reason=reason,
        errors=_errors(entries, state),
        leaks=tuple(
            SceneLeak(line=found.number, speaker=found.speaker, source=found.leak.source, words=found.leak.words)
            for found in state.leaks
        ),
        unscored=tuple(UnscoredBeat(beat=beat, reason=why) for beat, why in state.unscored.items()),
        revisions=tuple(state.revised.values()),
        directions=state.steering.followed,
        words=count_words(entries, state),
        people=state.people,
        costs=SceneCosts(
            total_tokens=sum(answered.answer.usage.total_tokens for answered in paid),
            estimated_usd=round(sum(known), 6) if len(known) == len(prices) else None,
        ),
    )


def _errors(entries: Sequence[Entry[Event]], state: SceneState) -> tuple[SceneError, ...]:
    """Failures, and answers that were none: a model that never plays is not only a silent character."""
    given = [entry.event for entry in entries if isinstance(entry.event, ResponseGiven)]
    silent = [(one.beat, one.character, why) for one in given for why in one.warnings if why in NO_ANSWER]
    found = [*((one.beat, one.character, one.error) for one in state.failures), *silent]
    return tuple(SceneError(beat=beat, character=who, error=why) for beat, who, why in sorted(found, key=itemgetter(0)))


def playing_time(entries: Sequence[Entry[Event]]) -> float:
    """Seconds from the first entry to the last, without the time in which nobody played.

    That is after a stop, before a fork or an adoption, while its author changed lines or was waited for between
    two beats, and while a provider was busy.
    """
    if not entries:
        return 0.0
    last = entries[-1].at
    waits = [(entry.at, min(entry.event.until, last)) for entry in entries if isinstance(entry.event, RunPaused)]
    return last - entries[0].at - _length_of([*_idle(entries), *waits])


def _idle(entries: Sequence[Entry[Event]]) -> Iterator[tuple[float, float]]:
    """The spans between two entries in which nobody played."""
    between = True
    for before, after in pairwise(entries):
        waited = between and type(after.event) is DirectionTaken
        if waited or type(before.event) is RunStopped or _follows_a_pause(after.event):
            yield before.at, after.at
        if type(after.event) in (BeatClosed, CueGiven, LinePlanned):
            between = type(after.event) is BeatClosed


def _length_of(spans: Iterable[tuple[float, float]]) -> float:
    """The seconds in any of these spans; what several of them share counts once."""
    total, reached = 0.0, float("-inf")
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


_AFTER_A_PAUSE = (RunForked, RunAdopted, TakeAdded, TakeChosen, LineEdited, LineStruck, SceneReopened)


def _follows_a_pause(event: Event) -> bool:
    """Whether it begins something new: an adoption, a revision, or a question about a scene that was played already."""
    return type(event) in _AFTER_A_PAUSE or (type(event) is ModelAnswered and "#" in event.key)


def result_of(run_id: str, entries: Sequence[Entry[Event]], state: SceneState | None = None) -> SceneResult:
    """The result of a run, ended or stopped. Pass `state` to avoid folding the log again."""
    state = state or scene_state(entries)
    metadata = metadata_of(entries, state)
    success = state.ended is not None and state.ended.reason != NO_CAST
    return SceneResult(
        success=success,
        transcript=render_transcript(entries, state, metadata),
        metadata=metadata,
        output_path=f"data/{state.scene.folder}/",
        run=run_id,
    )


def document_of(
    run_id: str,
    entries: Sequence[Entry[Event]],
    state: SceneState | None = None,
    metadata: SceneMetadata | None = None,
) -> SceneDocument:
    """The scene document. Pass `state` and `metadata` to avoid computing them again."""
    state = state or scene_state(entries)
    shown = {evidence.goal: evidence for evidence in state.verdict.met}
    return SceneDocument(
        run=run_id,
        config=state.scene.config,
        cast=state.cast,
        goals=tuple(GoalRecord(goal=goal, evidence=shown.get(goal.id)) for goal in state.goals),
        lines=state.lines,
        metadata=metadata or metadata_of(entries, state),
    )


def error_of(error: DramaturgError) -> dict[str, object]:
    """An error in the shape that the command line's --json and the server share."""
    return {
        "success": False,
        "error": {"code": error.code, "message": error.message, "context": dict(error.context)},
    }
