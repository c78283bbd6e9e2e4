"""The root of the command line."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dramaturg import __version__
from dramaturg.cli.table import foreman

EPILOG = (
    "Exit codes: 0 done; 2 something the author can mend; 3 a model; 4 the budget; "
    "5 the disk or the database; 130 interrupted."
)

app = typer.Typer(
    name="dramaturg",
    help="A studio for stories that language models perform.",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
scene_app = typer.Typer(help="Play scenes: two to five characters, one situation, one goal.", no_args_is_help=True)
runs_app = typer.Typer(help="Look at what was played, and take up what was broken off.", no_args_is_help=True)
app.add_typer(scene_app, name="scene")
app.add_typer(runs_app, name="runs")
character_app = typer.Typer(help="What characters remember of earlier scenes, and changing it.", no_args_is_help=True)
app.add_typer(character_app, name="character")
voices_app = typer.Typer(help="Who speaks aloud here: list, try and measure voices.", invoke_without_command=True)
app.add_typer(voices_app, name="voices")

ensemble_app = typer.Typer(help="Ask up to six voices: they answer, comment and reply.", no_args_is_help=True)
app.add_typer(ensemble_app, name="ensemble")
app.add_typer(foreman.app, name="foreman")

Project = Annotated[
    Path, typer.Option("--project", "-p", help="The story project's folder.", show_default="this folder")
]
CharacterName = Annotated[str, typer.Argument(help="Name of a card in .claude/agents/.")]
MemoryId = Annotated[str, typer.Argument(metavar="ID", help="Id of a memory, or enough of its beginning.")]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output, and nothing else, on stdout.")]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"dramaturg {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """A studio for stories that language models perform."""


@scene_app.command("run")
def scene_run(
    scene: Annotated[str, typer.Argument(help="Name of a scene in scenes/, or the path of a YAML or JSON file.")],
    project: Project = Path(),
    model: Annotated[str | None, typer.Option(help="Who plays: provider/model, a provider, or 'rehearsal'.")] = None,
    seed: Annotated[int | None, typer.Option(help="Another seed, another performance by the company.")] = None,
    json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only where the transcript is.")] = False,
    also: Annotated[str, typer.Option(help="Also write it as fountain, vtt, md or html; several with commas.")] = "",
) -> None:
    """Play a scene, live."""
    from dramaturg.cli.scene import Options, run_scene

    run_scene(scene, project, Options(model=model, seed=seed, json=json, quiet=quiet, also=also))


@scene_app.command("takes")
def scene_takes(
    scene: Annotated[str, typer.Argument(help="Name of a scene in scenes/, or the path of a YAML or JSON file.")],
    project: Project = Path(),
    count: Annotated[int, typer.Option("-n", min=1, max=200, help="How many takes of each model.")] = 3,
    models: Annotated[str, typer.Option(help="Who plays, several with commas; each plays every seed.")] = "",
    seeds: Annotated[str, typer.Option(help="The seeds, with commas, instead of -n.")] = "",
    agents: Annotated[str, typer.Option(help="How models play: direct, assisted, task; several with commas.")] = "",
    at_once: Annotated[int, typer.Option(min=1, max=64, help="How many are played at once.")] = 4,
    json: Json = False,
) -> None:
    """Play a scene several times and compare the takes."""
    from dramaturg.cli.takes import TakeOptions, play_takes

    play_takes(scene, project, TakeOptions(count, models, seeds, agents, at_once, json))


@runs_app.command("list")
def runs_list(
    project: Project = Path(),
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="How many at most.")] = 20,
    json: Json = False,
) -> None:
    """What was played here, newest first."""
    from dramaturg.cli.runs import list_runs

    list_runs(project, limit, json)


@runs_app.command("show")
def runs_show(
    run: Annotated[str, typer.Argument(help="Id of a run, or enough of its beginning.")],
    project: Project = Path(),
    debug: Annotated[bool, typer.Option(help="Every event with its reason, hidden ones too.")] = False,
    json: Json = False,
) -> None:
    """The transcript of a run, or its whole log."""
    from dramaturg.cli.runs import show_run

    show_run(run, project, debug, json)


@runs_app.command("export")
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


@runs_app.command("resume")
def runs_resume(
    run: Annotated[str, typer.Argument(help="Id of a run, or enough of its beginning.")],
    project: Project = Path(),
    json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print only where the transcript is.")] = False,
) -> None:
    """Play on a run that was stopped or killed. Nothing that was paid for is asked again."""
    from dramaturg.cli.scene import Options, resume_run

    resume_run(run, project, Options(json=json, quiet=quiet))


@runs_app.command("replay")
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


@runs_app.command("why")
def runs_why(
    run: Annotated[str, typer.Argument(help="Id of a run, or enough of its beginning.")],
    line: Annotated[str, typer.Argument(help="Number of a line, or a piece of it that no other line has.")],
    project: Project = Path(),
    prompt: Annotated[bool, typer.Option("--prompt", help="Print the request as it was sent, to the byte.")] = False,
    test: Annotated[bool, typer.Option("--test", help="Ask the beat again without one cause at a time.")] = False,
    again: Annotated[int, typer.Option(min=1, max=20, help="How often to ask unchanged, as the noise floor.")] = 1,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Begin the test without a question.")] = False,
    json: Json = False,
) -> None:
    """Why a line was said: prompt, notes, what was heard; with --test, what moves it."""
    from dramaturg.cli.why import WhyOptions, why_line

    why_line(run, line, project, WhyOptions(prompt=prompt, test=test, again=again, yes=yes, json=json))


@runs_app.command("cost")
def runs_cost(
    run: Annotated[str, typer.Argument(help="Id of a run, or enough of its beginning.")],
    project: Project = Path(),
    beats: Annotated[bool, typer.Option("--beats", help="By beat instead of by character and purpose.")] = False,
    json: Json = False,
) -> None:
    """What a run used: tokens, the share read from a cache, money."""
    from dramaturg.cli.costs import show_costs

    show_costs(run, project, beats=beats, json=json)


@runs_app.command("fork")
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


@character_app.command("show")
def character_show(name: CharacterName, project: Project = Path(), json: Json = False) -> None:
    """Memories with where they come from, mood and bonds."""
    from dramaturg.cli.character import show_character

    show_character(name, project, json)


@character_app.command("edit")
def character_edit(
    name: CharacterName,
    memory: MemoryId,
    text: Annotated[str, typer.Argument(help="What it should say instead, to the character: 'Bob promised you …'")],
    project: Project = Path(),
) -> None:
    """Give a memory other words."""
    from dramaturg.cli.character import edit_memory

    edit_memory(name, memory, text, project)


@character_app.command("forget")
def character_forget(name: CharacterName, memory: MemoryId, project: Project = Path()) -> None:
    """Forget one memory for good."""
    from dramaturg.cli.character import forget_memory

    forget_memory(name, memory, project)


@character_app.command("reset")
def character_reset(
    name: CharacterName,
    project: Project = Path(),
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Forget everything: memories, mood and bonds."""
    from dramaturg.cli.character import reset_character

    reset_character(name, project, yes)


@voices_app.callback()
def voices(context: typer.Context, project: Project = Path(), json: Json = False) -> None:
    """Who speaks aloud here: list, try and measure voices. Without a command, the list."""
    if context.invoked_subcommand is None:
        from dramaturg.cli.voices import list_voices

        list_voices(project, json)


@voices_app.command("say")
def voices_say(
    text: Annotated[str, typer.Argument(help="What to say. Stage directions, Markdown and links are not read.")],
    project: Project = Path(),
    voice: Annotated[str | None, typer.Option(help="A voice of the engine, or a profile's name.")] = None,
    profile: Annotated[str | None, typer.Option(help="How it is said; the voice too, if none is named.")] = None,
    engine: Annotated[str | None, typer.Option(help="kokoro, hibari, elevenlabs, openai-compatible, silent.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A WAV file.", show_default="line.wav")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")] = False,
    json: Json = False,
) -> None:
    """Speak a line into a WAV file."""
    from dramaturg.cli.voices import SayOptions, say_line

    say_line(text, project, SayOptions(voice, profile, engine, out, force, json))


@voices_app.command("check")
def voices_check(
    project: Project = Path(),
    engine: Annotated[str | None, typer.Option(help="Only this engine.", show_default="all offline ones")] = None,
    json: Json = False,
) -> None:
    """Let every voice speak a sentence, and measure it."""
    from dramaturg.cli.voices import check_voices

    check_voices(project, engine, json)


@ensemble_app.command("ask")
def ensemble_ask(
    message: Annotated[str, typer.Argument(help="What they are asked.")],
    project: Project = Path(),
    slots: Annotated[str, typer.Option(help="How many answer, or their numbers with commas.", show_default="all")] = "",
    audio: Annotated[bool, typer.Option(help="Speak every line.")] = True,
    kiosk: Annotated[str, typer.Option(help="Whose conversation this goes on with.")] = "main",
    model: Annotated[str | None, typer.Option(help="Who plays: provider/model, a provider, or 'rehearsal'.")] = None,
    seed: Annotated[int | None, typer.Option(help="Another seed, another performance by the company.")] = None,
    json: Json = False,
) -> None:
    """Ask the ensemble, and watch three turns as they come."""
    from dramaturg.cli.ensemble import AskOptions, ask

    ask(message, project, AskOptions(slots=slots, audio=audio, kiosk=kiosk, model=model, seed=seed, json=json))


@ensemble_app.command("reset")
def ensemble_reset(
    project: Project = Path(), kiosk: Annotated[str, typer.Option(help="Whose conversation begins anew.")] = "main"
) -> None:
    """Let the next question find a table that has not heard the last one."""
    from dramaturg.cli.ensemble import reset

    reset(kiosk, project)


@app.command("new")
def new(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to make.")],
) -> None:
    """Make a small story project that plays at once."""
    from dramaturg.cli.new import new_project

    new_project(folder)


@app.command("serve")
def serve(
    project: Project = Path(),
    host: Annotated[str, typer.Option(help="The address to listen on. There is no authentication yet.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")] = 8321,
) -> None:
    """Serve the project over HTTP, to this machine unless told otherwise."""
    from dramaturg.cli.serve import serve_project

    serve_project(project, host, port)


@app.command("models")
def models(project: Project = Path(), json: Json = False) -> None:
    """The models that can play here, and why others cannot."""
    from dramaturg.cli.models import list_models

    list_models(project, json)


@app.command("doctor")
def doctor(project: Project = Path(), json: Json = False) -> None:
    """Check this machine and this project."""
    from dramaturg.cli.doctor import examine

    examine(project, json)
