"""What came of rehearsing an episode: who played, what was reached and found, and what was shown that should not be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import Field, JsonValue

from dramaturg.episodes.events import Trigger
from dramaturg.episodes.rehearsal.cues import Temper
from dramaturg.episodes.story_beats import StoryBeat
from dramaturg.episodes.template import CompletionMode, EpisodeTemplate
from dramaturg.episodes.wire import EvaluationStatus
from dramaturg.kernel.values import Value


class Leak(Value):
    """Something hidden that a player was shown: where it comes from, and the words."""

    source: str
    words: str
    turn: int


class RehearsedLine(Value):
    """Something that was said in a rehearsal; `speaker` is empty for the player."""

    speaker: str = ""
    text: str


class UnfoundClue(Value):
    """A clue that no player found."""

    id: str
    text: str


class RehearsedSession(Value):
    """One player's session."""

    temper: Temper
    turns: int
    completed: bool
    trigger: Trigger | None = None
    completed_turn: int | None = None
    beats: Mapping[str, int] = Field(default_factory=dict, description="the turn at which each beat was reached")
    quotes: Mapping[str, str] = Field(default_factory=dict, description="the words that showed a beat, where some did")
    clues: Mapping[str, str] = Field(default_factory=dict, description="the clues that came out, and the words")
    talk: tuple[RehearsedLine, ...] = ()
    tension: tuple[float, ...] = ()
    target: tuple[float, ...] = ()
    evaluation_status: EvaluationStatus = "none"
    evaluation: Mapping[str, JsonValue] | None = None
    suggestion: str = ""
    signals: Mapping[str, int] = Field(default_factory=dict)
    leaks: tuple[Leak, ...] = ()
    errors: tuple[str, ...] = ()


class RehearsalReport(Value):
    """The results of rehearsing one template. An open episode is not expected to be completed."""

    template: str
    completion_mode: CompletionMode
    sessions: tuple[RehearsedSession, ...]
    completion_rate: float
    beats_never_reached: tuple[str, ...]
    clues_never_found: tuple[UnfoundClue, ...] = ()
    mean_gap: float = Field(description="the average distance between observed and target tension")
    evaluations_given: int
    leaks: int


class Rehearsals(Value):
    """The results of rehearsing several templates, and how many were completed in each mode."""

    reports: tuple[RehearsalReport, ...]
    completion_rates: Mapping[CompletionMode, float]
    leaks: int


def rehearsals_of(reports: Sequence[RehearsalReport]) -> Rehearsals:
    ends: dict[CompletionMode, list[bool]] = {}
    for report in reports:
        ends.setdefault(report.completion_mode, []).extend(one.completed for one in report.sessions)
    return Rehearsals(
        reports=tuple(reports),
        completion_rates={mode: round(sum(found) / len(found), 2) for mode, found in ends.items() if found},
        leaks=sum(report.leaks for report in reports),
    )


def report_of(template: EpisodeTemplate, played: Sequence[RehearsedSession]) -> RehearsalReport:
    """The results of these sessions together."""
    reached = {beat for one in played for beat in one.beats}
    gaps = [abs(a - b) for one in played for a, b in zip(one.tension, one.target, strict=False)]
    found = {clue for one in played for clue in one.clues}
    ledger = template.clue_ledger
    return RehearsalReport(
        template=template.name,
        completion_mode=template.completion_mode,
        sessions=tuple(played),
        completion_rate=round(sum(one.completed for one in played) / len(played), 2) if played else 0.0,
        beats_never_reached=tuple(beat.value for beat in StoryBeat if beat.value not in reached),
        clues_never_found=tuple(
            UnfoundClue(id=clue.id, text=clue.text) for clue in (ledger.clues if ledger else ()) if clue.id not in found
        ),
        mean_gap=round(sum(gaps) / len(gaps), 3) if gaps else 0.0,
        evaluations_given=sum(one.evaluation_status == "ready" for one in played),
        leaks=sum(len(one.leaks) for one in played),
    )
