"""`episode`: talk with a character."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dramaturg.cli.table.options import Json, Project

app = typer.Typer(help="Talk with a character, under a director nobody sees.", no_args_is_help=True)


@app.command("list")
def episode_list(project: Project = Path(), json: Json = False) -> None:
    """The episodes of this project, and the latest sessions."""
    from dramaturg.cli.episode import list_episodes

    list_episodes(project, json)


@app.command("play")
def episode_play(
    name: Annotated[str | None, typer.Argument(help="Name of an episode in episodes/.")] = None,
    project: Project = Path(),
    player: Annotated[str, typer.Option(help="Who plays: whose memories these are.")] = "me",
    persona: Annotated[str, typer.Option(help="How you are called, and who you are: 'Anna: a nurse'.")] = "",
    model: Annotated[str | None, typer.Option(help="Who plays: provider/model, a provider, or 'rehearsal'.")] = None,
    session: Annotated[str | None, typer.Option(help="Go on with this session.", metavar="ID")] = None,
    json: Json = False,
) -> None:
    """Talk with the character of an episode. From a pipe, a line is a message."""
    from dramaturg.cli.chat import PlayOptions, play_episode

    play_episode(name, project, PlayOptions(player, persona, model, session, json))


@app.command("rehearse")
def episode_rehearse(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="Episodes; all, if none.")] = None,
    project: Project = Path(),
    times: Annotated[int, typer.Option("-n", min=1, max=100, help="How often each player plays it.")] = 1,
    turns: Annotated[int, typer.Option(min=1, max=200, help="How long at most.")] = 20,
    model: Annotated[str | None, typer.Option(help="Who plays the character.")] = None,
    players: Annotated[str, typer.Option(help="Who plays the players.")] = "rehearsal",
    json: Json = False,
) -> None:
    """Play episodes against simulated players: eager, shy, hostile, silent, off topic, and one who pries."""
    from dramaturg.cli.episode import RehearseOptions, rehearse_episodes

    rehearse_episodes(names or (), project, RehearseOptions(times, turns, model, players, json))


@app.command("export")
def episode_export(
    session: Annotated[str, typer.Argument(help="Id of a session, or enough of its beginning.")],
    to: Annotated[Path, typer.Option("--to", help="The file, FILE.jsonl.")],
    project: Project = Path(),
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")] = False,
) -> None:
    """Write a session as a chat that SillyTavern reads, swipes and all."""
    from dramaturg.cli.episode import export_session

    export_session(session, to, project, force=force)


@app.command("import")
def episode_import(
    file: Annotated[Path, typer.Argument(help="A chat of SillyTavern, JSONL.")],
    episode: Annotated[str, typer.Option("--as", help="The episode it goes on as.")],
    project: Project = Path(),
    player: Annotated[str, typer.Option(help="Who plays: whose memories these are.")] = "me",
    persona: Annotated[str, typer.Option(help="How you are called, and who you are: 'Anna: a nurse'.")] = "",
    model: Annotated[str | None, typer.Option(help="Who plays the character.")] = None,
    json: Json = False,
) -> None:
    """Take a chat of another program in, and go on with it."""
    from dramaturg.cli.chat import PlayOptions
    from dramaturg.cli.episode import import_session

    import_session(file, episode, project, PlayOptions(player, persona, model, None, json))
