"""`runs`: look at what was played."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dramaturg.cli.table.options import Json, Project

app = typer.Typer(help="Look at what was played, and take up what was broken off.", no_args_is_help=True)


@app.command("list")
def runs_list(
    project: Project = Path(),
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many at most.")] = 20,
    json: Json = False,
) -> None:
    """What was played here, newest first."""
    from dramaturg.cli.runs import list_runs

    list_runs(project, limit, json)


@app.command("show")
def runs_show(
    run: Annotated[str, typer.Argument(help="Id of a run, or enough of its beginning.")],
    project: Project = Path(),
    debug: Annotated[bool, typer.Option(help="Every event with its reason, hidden ones too.")] = False,
    json: Json = False,
) -> None:
    """The transcript of a run, or its whole log."""
    from dramaturg.cli.runs import show_run

    show_run(run, project, debug, json)


@app.command("export")
def runs_export(
    run: Annotated[str, typer.Argument(help="Id of a run, or enough of its beginning.")],
    project: Project = Path(),
    form: Annotated[
        str | None,
        typer.Option("--format", "-f", help="fountain, vtt, md, html, json or txt; else by the file's name."),
    ] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A file.", show_default="stdout")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")] = False,
) -> None:
    """A run as a screenplay, subtitles, Markdown, a web page, JSON or plain text."""
    from dramaturg.cli.export import export

    export(run, project, form, output, force=force)


@app.command("resume")
def runs_resume(
    run: Annotated[str, typer.Argument(help="Id of a run, or enough of its beginning.")],
    project: Project = Path(),
    json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only where the transcript is.")] = False,
) -> None:
    """Play on a run that was stopped or killed. Nothing that was paid for is asked again."""
    from dramaturg.cli.scene import Options, resume_run

    resume_run(run, project, Options(json=json, quiet=quiet))


@app.command("replay")
def runs_replay(
    run: Annotated[str, typer.Argument(help="Id of a run, or enough of its beginning.")],
    project: Project = Path(),
    speed: Annotated[float, typer.Option(min=0, help="2 is twice as fast as it was; 0 shows it at once.")] = 1.0,
    beat: Annotated[int, typer.Option(min=0, help="Begin at this beat.")] = 0,
    step: Annotated[bool, typer.Option("--step", help="Wait for Enter before each line.")] = False,
) -> None:
    """Play a run again in the terminal, from its log: the same lines, no model."""
    from dramaturg.cli.replay import replay_run

    replay_run(run, project, speed=speed, beat=beat, step=step)


@app.command("why")
def runs_why(
    run: Annotated[str, typer.Argument(help="Id of a run, or enough of its beginning.")],
    line: Annotated[
        str, typer.Argument(help="Number of a line, or a piece of it; or event:2, note:1, end.", metavar="WHAT")
    ],
    project: Project = Path(),
    prompt: Annotated[bool, typer.Option("--prompt", help="Print the request as it was sent, to the byte.")] = False,
    test: Annotated[bool, typer.Option("--test", help="Ask the beat again without one cause at a time.")] = False,
    again: Annotated[int, typer.Option(min=1, max=20, help="How often to ask unchanged, as the noise floor.")] = 1,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Begin the test without a question.")] = False,
    json: Json = False,
) -> None:
    """Why a line was said: prompt, notes, what was heard; with --test, what moves it. Also why something happened."""
    from dramaturg.cli.why import WhyOptions, why_line

    why_line(run, line, project, WhyOptions(prompt=prompt, test=test, again=again, yes=yes, json=json))


@app.command("listen")
def runs_listen(
    run: Annotated[str, typer.Argument(help="Id of a run, or enough of its beginning.")],
    project: Project = Path(),
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A WAV file.", show_default="in the run's folder")
    ] = None,
    engine: Annotated[str | None, typer.Option(help="The speech engine, instead of the settings' own.")] = None,
    narrator: Annotated[bool, typer.Option(help="Let a narrator tell what happens.")] = True,
    json: Json = False,
) -> None:
    """A run as an audio play: every line spoken, mixed into one file, with subtitles and chapters."""
    from dramaturg.cli.listen import ListenOptions, listen_to_run

    listen_to_run(run, project, ListenOptions(out, engine, narrator, json))


@app.command("cost")
def runs_cost(
    run: Annotated[str, typer.Argument(help="Id of a run, or enough of its beginning.")],
    project: Project = Path(),
    beats: Annotated[bool, typer.Option("--beats", help="By beat instead of by character and purpose.")] = False,
    json: Json = False,
) -> None:
    """What a run used: tokens, the share read from a cache, money."""
    from dramaturg.cli.costs import show_costs

    show_costs(run, project, beats=beats, json=json)


@app.command("fork")
def runs_fork(
    run: Annotated[str, typer.Argument(help="Id of a run, or enough of its beginning.")],
    beat: Annotated[int, typer.Option(min=0, help="The last beat that both runs share.")],
    project: Project = Path(),
    note: Annotated[str, typer.Option(help="A word to the whole cast, in place of the moderator's.")] = "",
    model: Annotated[str | None, typer.Option(help="Who plays from here on.")] = None,
    json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only where the transcript is.")] = False,
) -> None:
    """Play a run on from the end of a beat, otherwise. The run itself stays as it is."""
    from dramaturg.cli.scene import Options, fork_run

    fork_run(run, beat, note, project, Options(model=model, json=json, quiet=quiet))
