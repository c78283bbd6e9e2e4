"""`episode list`, `rehearse`, `export` and `import`: what is here, how it holds, and the way in and out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import typer
from rich.table import Table
from rich.text import Text

from dramaturg.cli.chat import PlayOptions, persona_of
from dramaturg.cli.edge import AUTHOR, perform, say, settings_of, stdout, tell
from dramaturg.episodes.rehearsal_room import RehearsalReport, Rehearsals, rehearsals_of, rehearse
from dramaturg.episodes.story_beats import StoryBeat
from dramaturg.episodes.suggestion import Repertoire
from dramaturg.episodes.tavern_chat import MAX_CHAT, read_chat, write_chat
from dramaturg.episodes.template import EpisodeTemplate, known_templates, named_template
from dramaturg.episodes.views import SessionRecord, SessionView
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.models.profiles import REHEARSAL
from dramaturg.studio import Studio

LATEST = 5
BEATS = (StoryBeat.COMPLICATION, StoryBeat.ESCALATION, StoryBeat.PIVOT, StoryBeat.RESOLUTION)


@dataclass(frozen=True, slots=True)
class RehearseOptions:
    """How often each temper plays, how long at most, and who plays both sides."""

    times: int = 1
    turns: int = 20
    model: str | None = None
    players: str = REHEARSAL
    json: bool = False


def list_episodes(project: Path, json: bool) -> None:
    async def work() -> tuple[Repertoire, tuple[SessionRecord, ...]]:
        async with Studio.open(settings_of(project)) as studio:
            return await studio.episodes.publish(), await studio.episodes.sessions(limit=100)

    repertoire, sessions = perform(work, json=json)
    if json:
        said = [one.model_dump(mode="json", exclude={"director_state"}) for one in sessions]
        say({**repertoire.model_dump(mode="json"), "sessions": said})
        return
    for file in repertoire.unreadable:
        tell(f"Left out: {file.problem}", "yellow")
    if not repertoire.templates:
        typer.echo("There are no episodes here yet. They are YAML files in episodes/; see docs/episodes.md.")
        return
    out = stdout()
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("name", "with", "over when", "title", "series"):
        table.add_column(column, no_wrap=column == "name")
    for one in repertoire.templates:
        series = next(
            (
                f"{each.shown_title} {each.number_of(one.name)}/{len(each.episodes)}"
                for each in repertoire.series
                if one.name in each.episodes
            ),
            "",
        )
        table.add_row(one.name, one.character, _ends(one), Text(one.shown_title), Text(series))
    out.print(table)
    if sessions:
        out.print(Text("\nGo on with: dramaturg episode play --session ID", "dim"), soft_wrap=True)
        for record in sessions[:LATEST]:
            when = datetime.fromtimestamp(record.updated_at, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
            out.print(
                Text(f"  {record.id}  {record.template}, turn {record.turn_count}, {when}", "dim"), soft_wrap=True
            )


def _ends(template: EpisodeTemplate) -> str:
    criteria = template.criteria
    if template.completion_mode == "turn_limited":
        return f"{template.turns} turns"
    if template.completion_mode == "beat_gated":
        return f"the {'resolution' if criteria.require_resolution else criteria.required_beat} is played"
    if template.completion_mode == "objective":
        return str(criteria.objective_key or "").replace("_", " ")
    return "never"


def rehearse_episodes(names: Sequence[str], project: Path, options: RehearseOptions) -> None:
    async def work() -> Rehearsals:
        settings = settings_of(project)
        wanted = list(names) or list(known_templates(settings.project))
        templates = [named_template(settings.project, name) for name in wanted]
        if not templates:
            raise InvalidConfig("There are no episodes here yet. They are YAML files in episodes/.")
        reports: list[RehearsalReport] = []
        async with Studio.open(settings) as studio:
            await studio.gateway.ready()
            players = studio.gateway.open(options.players)
            for template in templates:
                report = await rehearse(
                    studio.episodes,
                    template,
                    players,
                    times=options.times,
                    most_turns=options.turns,
                    model=options.model,
                )
                reports.append(report)
                if options.json:
                    say({"type": "rehearsed", **report.model_dump(mode="json")})
                else:
                    show_report(report)
        return rehearsals_of(reports)

    done = perform(work, json=options.json)
    if options.json:
        say(done.model_dump(mode="json"))
    elif len(done.reports) > 1:
        rates = ", ".join(f"{mode} {rate:.0%}" for mode, rate in done.completion_rates.items())
        stdout().print(Text(f"Complete, by mode: {rates}. Leaks: {done.leaks}.", "bold"), soft_wrap=True)
    if done.leaks:
        tell("Something hidden was shown to a player. The report names where it comes from.", "red")
        raise typer.Exit(AUTHOR)


def show_report(report: RehearsalReport) -> None:
    """One template's report, as people read it."""
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
    out.print(
        Text(f"Beats: the turns of {', '.join(BEATS)}. Tension: on average, seen and wanted.", "dim"), soft_wrap=True
    )
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


def export_session(session: str, to: Path, project: Path, *, force: bool) -> None:
    async def work() -> tuple[str, bytes, int]:
        async with Studio.open(settings_of(project)) as studio:
            record = await studio.runs.get(session)
            chat = await studio.episodes.chat(record.id)
            return record.id, write_chat(chat), len(chat.messages)

    found, data, count = perform(work)
    try:
        with to.open("wb" if force else "xb") as file:
            file.write(data)
    except FileExistsError:
        tell(f"dramaturg: {to} is there already. Say --force to overwrite it.")
        raise typer.Exit(AUTHOR) from None
    except OSError as error:
        tell(f"dramaturg: {to} cannot be written: {error.strerror}.")
        raise typer.Exit(AUTHOR) from None
    typer.echo(f"{count} messages of session {found} are in {to}.")


def import_session(file: Path, episode: str, project: Path, options: PlayOptions) -> None:
    async def work() -> tuple[SessionView, tuple[str, ...]]:
        chat = read_chat(_bytes(file), partial(_unreadable, file.name))
        async with Studio.open(settings_of(project)) as studio:
            taken = await studio.episodes.take_in(chat, episode, persona_of(options), model=options.model)
            await studio.episodes.settle(taken[0].id)
            return taken

    view, remarks = perform(work, json=options.json)
    if options.json:
        say({**view.model_dump(mode="json"), "remarks": list(remarks)})
        return
    for remark in remarks:
        tell(remark, "dim")
    where = "" if project == Path() else f" --project {project}"
    typer.echo(f"{len(view.messages)} messages. Go on with: dramaturg episode play --session {view.id}{where}")


def _bytes(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(MAX_CHAT + 1)
    except OSError as error:
        raise InvalidConfig(f"{file} cannot be read: {error.strerror}.", file=str(file)) from error


def _unreadable(name: str, reason: str, remedy: str) -> InvalidConfig:
    return InvalidConfig(f"Chat '{name}' cannot be read: {reason}. {remedy}", file=name, reason=reason)
