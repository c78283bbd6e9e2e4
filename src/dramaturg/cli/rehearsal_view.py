"""A rehearsal in a terminal: played as a run, and its report."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from dramaturg.cli.edge import print_json, stdout, tell
from dramaturg.cli.interruption import resumable
from dramaturg.episodes.rehearsal_report import RehearsalReport
from dramaturg.episodes.rehearsal_run import RehearsalRun
from dramaturg.episodes.story_beats import StoryBeat
from dramaturg.studio import Studio

BEATS = (StoryBeat.COMPLICATION, StoryBeat.ESCALATION, StoryBeat.PIVOT, StoryBeat.RESOLUTION)


async def watch_rehearsal(studio: Studio, run: RehearsalRun, *, json: bool) -> RehearsalReport:
    """Play a rehearsal and print its report. If it is interrupted or fails, say how to resume it."""
    if not json:
        tell(f"Rehearsing {run.record.name}, run {run.id}", "dim")
    async with resumable(studio, run.id, "rehearsal", json=json):
        await studio.start(run)
    report = studio.episodes.rehearsals.kind.result(run)
    if json:
        print_json({"type": "rehearsed", "run": run.id, **report.model_dump(mode="json")})
    else:
        print_report(report)
    return report


def print_report(report: RehearsalReport) -> None:
    """One episode's report."""
    out = stdout()
    completed = sum(one.completed for one in report.sessions)
    out.print(Text(report.template, "bold"))
    out.print(Text(f"{report.completion_mode}: {completed} of {len(report.sessions)} complete", "dim"))
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("player", "turns", "ends by", "beats", "tension", "result"):
        table.add_column(column, no_wrap=True, justify="right" if column == "turns" else "left")
    for one in report.sessions:
        table.add_row(
            one.temper.replace("_", " "),
            str(one.turns),
            (one.trigger or "–").replace("_", " "),
            " ".join(str(one.beats.get(beat, "–")) for beat in BEATS),
            f"{_mean(one.tension):.2f}/{_mean(one.target):.2f}",
            _result(one.evaluation_status, one.evaluation),
        )
    out.print(table)
    out.print(Text(f"Beats: the turn of {', '.join(BEATS)}. Tension: average, measured/target.", "dim"), soft_wrap=True)
    never = ", ".join(report.beats_never_reached) or "none"
    told = [
        f"Beats never reached: {never}.",
        f"Tension was off by {report.mean_gap:.2f} on average.",
        f"Evaluations given: {report.evaluations_given}.",
        f"Leaks: {report.leaks}.",
    ]
    out.print(Text(" ".join(told)), soft_wrap=True)
    for session in report.sessions:
        for leak in session.leaks:
            out.print(Text(f"  {session.temper}, turn {leak.turn}: “{leak.words}” ({leak.source})", "red"))
        for error in session.errors:
            out.print(Text(f"  {session.temper}: {error}", "red"), soft_wrap=True)
    out.print()


def _mean(levels: Sequence[float]) -> float:
    return sum(levels) / len(levels) if levels else 0.0


def _result(status: str, result: object) -> str:
    if status != "ready" or not isinstance(result, dict):
        return {"not_ready": "not ready", "ready": "ready"}.get(status, "–")
    return str(
        result.get("title")
        or ("summary" if "summary" in result else "clues " + str(len(result.get("clues_found", ()))))
    )
