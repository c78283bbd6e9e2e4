"""`runs`: everything that was played here."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli import revisions, voicing
from dramaturg.cli.edge import (
    at_speaking_pace,
    check_can_write,
    echo,
    in_studio,
    open_studio,
    perform,
    print_json,
    settings_of,
    stdout,
    tell,
)
from dramaturg.cli.fork_options import fork_options
from dramaturg.cli.group import noun
from dramaturg.cli.option_group import command_with
from dramaturg.cli.options import Force, Json, Model, Person, Project, Quiet, RunId
from dramaturg.cli.pace import asked_pace
from dramaturg.kernel.errors import InvalidConfig

if TYPE_CHECKING:
    from dramaturg.kernel.settings import Settings
    from dramaturg.scenes.exports import Format
    from dramaturg.scenes.wire import SceneResult
    from dramaturg.studio import Studio
    from dramaturg.transfer.moves import Exported

app = noun()


@app.command("list")
def list_runs(
    project: Project = Path(),
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Maximum number of runs.")] = 20,
    json: Json = False,
) -> None:
    """List what was played here, newest first: goal, end, beats, models, seed and cost."""
    found = in_studio(project, lambda studio: studio.digests(limit), json=json)
    if json:
        for digest in found:
            print_json(digest)
    elif not found:
        echo("Nothing has been played here yet. Try: dramaturg scene run NAME")
    else:
        from dramaturg.cli.run_table import print_digests

        print_digests(found)


@app.command("cancel")
def cancel_runs(
    runs: Annotated[list[str], typer.Argument(help="Ids of runs, or the start of each.", metavar="RUN…")],
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Stop runs, whichever process plays them. Each can be resumed; one that is over stays as it is."""

    async def work() -> None:
        async with open_studio(settings_of(project)) as studio:
            for run in runs:
                record = await studio.cancel(run)
                if json:
                    print_json({"run": record.id, "status": record.status})
                else:
                    echo(f"Run {record.id} is {record.status}.")

    perform(work, json=json)


@app.command("delete")
def delete_runs(
    runs: Annotated[list[str], typer.Argument(help="Ids of runs, or the start of each.", metavar="RUN…")],
    project: Project = Path(),
    files: Annotated[bool, typer.Option("--files", help="Delete their files in data/ too, sound included.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    json: Json = False,
) -> None:
    """Delete runs and their logs for good. Forks, memories and, unless told otherwise, files stay."""
    from dramaturg.cli.run_deletion import delete_planned

    async def work() -> None:
        if json and not yes:
            raise InvalidConfig("With --json, nobody can be asked for confirmation; add --yes to delete.")
        async with open_studio(settings_of(project)) as studio:
            await delete_planned(studio, runs, files=files, yes=yes, json=json)

    perform(work, json=json)


@app.command("show")
def show_run(
    run: RunId,
    project: Project = Path(),
    debug: Annotated[bool, typer.Option(help="Show every event with its reason, including hidden ones.")] = False,
    json: Json = False,
) -> None:
    """Show the transcript of a run, or its whole log."""
    from dramaturg.cli.runs_view import print_run

    async def work(studio: Studio) -> None:
        found, kind = await studio.runs.open_with_kind(run)
        print_run(found, kind, debug=debug, json=json)

    in_studio(project, work, json=json)


@app.command("export")
def export_run(
    run: RunId,
    project: Project = Path(),
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            help="fountain, vtt, md, html, json or txt.",
            show_default="the file's extension",
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write.", show_default="stdout")
    ] = None,
    log: Annotated[
        Path | None,
        typer.Option("--log", help="Write the whole run to this file instead, for 'dramaturg runs import'."),
    ] = None,
    force: Force = False,
) -> None:
    """Export a run as a screenplay, subtitles, Markdown, a web page, JSON or plain text; or its log, to move it."""
    if log is not None:
        _export_log(run, project, log, force=force)
        return
    from dramaturg.cli.runs_view import export_text
    from dramaturg.kernel.store import Artifacts

    async def work() -> None:
        chosen = _format(form, output)
        if output is not None:
            check_can_write(output, force=force)
        async with open_studio(settings_of(project)) as studio:
            found, text = await export_text(studio, run, chosen)
        if found.damage is not None:
            tell(found.damage.message)
        if output is None:
            echo(text, end="")
        else:
            Artifacts(output.parent).write_text(output.name, text)
            tell(f"Written to {output}")

    perform(work)


def _export_log(run: str, project: Path, log: Path, *, force: bool) -> None:
    async def work() -> Exported:
        check_can_write(log, force=force)
        async with open_studio(settings_of(project)) as studio:
            return await studio.export_log(run, log)

    done = perform(work)
    if done.damage:
        tell(done.damage)
    files = f" and {done.files} files" if done.files else ""
    tell(f"Run {done.run}{_with_parts(done.parts)}: {done.entries} entries{files} written to {log}")


@app.command("import")
def import_run(
    file: Annotated[Path, typer.Argument(help="A file that 'dramaturg runs export --log' wrote.", metavar="FILE")],
    project: Project = Path(),
    as_new: Annotated[bool, typer.Option("--as-new", help="Give the run a new id.")] = False,
) -> None:
    """Import a run with its whole log: it shows, resumes and forks like the original."""
    done = in_studio(project, lambda studio: studio.import_log(file, as_new=as_new))
    if done.is_new:
        tell(f"Run {done.record.id} ({done.record.name}){_with_parts(done.parts)}: {done.entries} entries imported.")
    else:
        tell(f"Run {done.record.id} is here already, with the same {done.entries} entries.")


def _with_parts(count: int) -> str:
    return "" if not count else f" and the {count} runs it consists of" if count > 1 else " and the run it consists of"


def _format(form: str | None, output: Path | None) -> Format:
    from dramaturg.scenes.exports import FORMATS, read_formats

    named = form or (output.suffix.removeprefix(".") if output else "")
    found = read_formats(named)
    if len(found) != 1:
        raise InvalidConfig(f"Choose a format: --format {'|'.join(FORMATS)}.", provided=named)
    return found[0]


@app.command("resume", cls=command_with(asked_pace))
def resume_run(
    run: RunId,
    project: Project = Path(),
    budget: Annotated[
        str | None,
        typer.Option(help="A new limit for the whole run: tokens, such as 20000, or dollars, such as $1.50."),
    ] = None,
    person: Person = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Resume a run that was stopped or killed. No model call that was paid for is repeated."""
    from dramaturg.cli.runs_view import watch_resumed
    from dramaturg.cli.scene_view import print_result
    from dramaturg.scenes.author.typed_budget import limits_from

    async def work() -> tuple[SceneResult | None, Settings]:
        limits = limits_from(budget, "--budget") if budget is not None else None
        settings = at_speaking_pace(settings_of(project), watched=_watched(json, quiet), pace=asked_pace())
        async with open_studio(settings) as studio:
            performance = await studio.adopt(run, limits)
            played = await watch_resumed(studio, performance, json=json, quiet=quiet, pace=asked_pace(), person=person)
            return played, settings

    result, settings = perform(work, json=json)
    if result is not None:
        print_result(result, settings, json=json, quiet=quiet)


@app.command("replay", cls=command_with(asked_pace))
def replay_run(
    run: RunId,
    project: Project = Path(),
    speed: Annotated[
        float, typer.Option(min=0, help="2 is twice as fast as it was played; 0 shows everything at once.")
    ] = 1.0,
    beat: Annotated[int, typer.Option(min=0, help="The beat to start from.")] = 0,
    step: Annotated[bool, typer.Option("--step", help="Wait for Enter before each line.")] = False,
) -> None:
    """Replay a run in the terminal from its log: the same lines, no model."""
    from dramaturg.cli.replay_view import replay

    async def work() -> None:
        async with open_studio(settings_of(project)) as studio:
            found = await studio.scenes.open_run(run)
            result = studio.scenes.result(found)
        folder, pace = project / result.output_path, asked_pace()
        await replay(found, result, folder, speed=speed, beat=beat, step=step, pace=pace)

    perform(work)


@app.command("why")
def explain_line(
    run: RunId,
    line: Annotated[
        str,
        typer.Argument(help="Number of a line, or a piece of its text; or event:2, note:1, end.", metavar="WHAT"),
    ],
    project: Project = Path(),
    prompt: Annotated[bool, typer.Option("--prompt", help="Print the request exactly as it was sent.")] = False,
    test: Annotated[
        bool, typer.Option("--test", help="Ask for the line again, leaving out one cause at a time.")
    ] = False,
    again: Annotated[
        int, typer.Option(min=1, max=20, help="How many times to ask unchanged, to measure the noise.")
    ] = 1,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Start the test without asking for confirmation.")] = False,
    json: Json = False,
) -> None:
    """Explain a line: its prompt, notes and what was heard; with --test, what changes it. Also explains events."""
    from dramaturg.cli.why_view import measure_causes, print_account, print_explained
    from dramaturg.scenes.insight.explanation import explain, subject_of

    async def work() -> None:
        if json and test and not yes:
            raise InvalidConfig("With --json, nobody can be asked for confirmation; add --yes to start the test.")
        async with open_studio(settings_of(project)) as studio:
            found = await studio.scenes.open_run(run)
            asked = subject_of(found.entries, line)
            if asked.line is None or asked.line.kind != "line":
                told = explain(found.entries, asked, project)
                if prompt or test:
                    raise InvalidConfig(f"{told.name} is not a line somebody said; --prompt and --test are for lines.")
                print_explained(told, json=json)
                return
            print_account(studio, found, asked.line, prompt=prompt, json=json)
            if test:
                await measure_causes(studio, found, asked.line, again=again, yes=yes, json=json)

    perform(work, json=json)


@app.command("listen")
def listen_to_run(
    run: RunId,
    project: Project = Path(),
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The WAV file to write.", show_default="in the run's folder")
    ] = None,
    engine: Annotated[str | None, typer.Option(help="The speech engine, instead of the one in the settings.")] = None,
    narrator: Annotated[bool, typer.Option(help="Have a narrator tell what happens.")] = True,
    json: Json = False,
) -> None:
    """Turn a run into an audio play: every line spoken and mixed into one file, with subtitles and chapters."""
    from dramaturg.cli.audio_view import listen

    listen(run, project, out=out, engine=engine, narrator=narrator, json=json)


@app.command("cost")
def show_cost(
    run: RunId,
    project: Project = Path(),
    beats: Annotated[
        bool, typer.Option("--beats", help="By beat, or by scene of an act, instead of by character and purpose.")
    ] = False,
    json: Json = False,
) -> None:
    """Show what a run used: tokens, how many came from the cache, and money."""
    from dramaturg.cli.cost_view import costs_of, print_costs

    print_costs(in_studio(project, lambda studio: costs_of(studio, run), json=json), beats=beats, json=json)


async def _refuse_a_session(studio: Studio, run_id: str) -> None:
    record = await studio.runs.get(run_id)
    if studio.runs.is_private(record):
        kind = studio.runs.kind_of(record)
        raise InvalidConfig(
            f"{record.id} is {kind.noun}, not a scene. Continue it with "
            f"'dramaturg episode play --session {record.id}'; /branch there makes another branch of it.",
            run=record.id,
        )


@app.command("fork", cls=command_with(asked_pace, fork_options))
def fork_run(
    run: RunId,
    beat: Annotated[int, typer.Option(min=0, help="The last beat that both runs share.")],
    project: Project = Path(),
    note: Annotated[str, typer.Option(help="A note to the whole cast, in place of the moderator's.")] = "",
    model: Model = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Play a different continuation from the end of a beat. The original run is not changed."""
    from dramaturg.cli.direction_lines import typed_directions
    from dramaturg.cli.scene_view import print_result, watch_scene

    async def work() -> tuple[SceneResult, Settings]:
        varied = fork_options()
        settings = at_speaking_pace(settings_of(project), watched=_watched(json, quiet), pace=asked_pace())
        async with open_studio(settings) as studio:
            await _refuse_a_session(studio, run)
            forked = await studio.scenes.fork(
                run, beat, note=note, model=model, goal=varied.goal, cards=varied.cards, cast=varied.cast
            )
            if not json and not quiet:
                tell(f"Run {forked.id} continues after beat {beat}.\n", "dim")
            async with typed_directions(studio, forked, json=json, quiet=quiet):
                return await watch_scene(studio, forked, json=json, quiet=quiet, pace=asked_pace()), settings

    result, settings = perform(work, json=json)
    print_result(result, settings, json=json, quiet=quiet)


app.command("voice")(voicing.voice_run)
app.command("retake")(revisions.retake_line)
app.command("choose")(revisions.choose_take)
app.command("edit")(revisions.edit_line)
app.command("strike")(revisions.strike_line)


@app.command("steer")
def steer_run(
    run: RunId,
    words: Annotated[
        list[str] | None,
        typer.Argument(help="What is asked for: event, note, next, … 'help' lists them.", metavar="[DIRECTION]..."),
    ] = None,
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Steer a scene that is being played, here or by another process; without a direction, list what was asked."""
    from dramaturg.cli.steering_view import list_directions, send_direction

    send_direction(run, " ".join(words), project, json=json) if words else list_directions(run, project, json=json)


def _watched(json: bool, quiet: bool) -> bool:
    return stdout().is_terminal and not json and not quiet
