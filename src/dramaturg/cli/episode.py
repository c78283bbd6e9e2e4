"""`episode`: talk with a character."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import (
    AUTHOR,
    at_speaking_pace,
    check_can_write,
    echo,
    in_studio,
    open_studio,
    perform,
    print_json,
    project_option,
    settings_of,
    stdout,
    tell,
    write_out,
)
from dramaturg.cli.group import noun
from dramaturg.cli.option_group import command_with
from dramaturg.cli.options import Force, Json, Model, Project, SessionId
from dramaturg.cli.voice_option import asked_voice
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.text.counts import counted

if TYPE_CHECKING:
    from dramaturg.episodes.events import Persona
    from dramaturg.episodes.rehearsal_report import Rehearsals
    from dramaturg.episodes.suggestion import Repertoire
    from dramaturg.episodes.views import SessionRecord, SessionView
    from dramaturg.studio import Studio

app = noun()
Player = Annotated[str, typer.Option("--player", help="The player's id; memories are kept per player.")]
PersonaText = Annotated[
    str, typer.Option("--persona", help="Your name, and who you are: 'Anna: a nurse on her first night'.")
]


@app.command("list")
def list_episodes(project: Project = Path(), json: Json = False) -> None:
    """List the project's episodes and the latest sessions."""
    from dramaturg.cli.episode_view import print_repertoire, print_sessions

    async def work(studio: Studio) -> tuple[Repertoire, tuple[SessionRecord, ...]]:
        return await studio.episodes.publish(), await studio.episodes.sessions(limit=100)

    repertoire, sessions = in_studio(project, work, json=json)
    if json:
        said = [one.model_dump(mode="json", exclude={"director_state"}) for one in sessions]
        print_json({**repertoire.model_dump(mode="json"), "sessions": said})
        return
    for file in repertoire.unreadable:
        tell(f"Left out: {file.problem}", "yellow")
    if not repertoire.templates:
        echo("There are no episodes here yet. They are YAML files in episodes/; see docs/episodes.md.")
    else:
        print_repertoire(repertoire)
    print_sessions(sessions)


@app.command("play", cls=command_with(asked_voice))
def play_episode(
    name: Annotated[str | None, typer.Argument(help="Name of an episode in episodes/.")] = None,
    project: Project = Path(),
    player: Player = "me",
    persona: PersonaText = "",
    model: Model = None,
    session: Annotated[str | None, typer.Option(help="Continue this session.", metavar="ID")] = None,
    card: Annotated[
        str | None,
        typer.Option(help="Talk with this card: a PNG, JSON, CharX or Markdown file, or a character of the project."),
    ] = None,
    json: Json = False,
) -> None:
    """Talk with the character of an episode, or with any card. Through a pipe, each line is a message."""
    from dramaturg.cli.card_choice import chosen_character
    from dramaturg.cli.episode_chat import EpisodeChat
    from dramaturg.cli.line_reader import is_typed
    from dramaturg.episodes.card_talk import card_talk
    from dramaturg.episodes.front import CardEpisode

    async def work() -> SessionView:
        watched = stdout().is_terminal and is_typed() and not json
        settings = at_speaking_pace(settings_of(project), watched=watched)
        if sum(one is not None for one in (name, session, card)) != 1:
            raise InvalidConfig(
                "Name an episode, or a session to continue with --session ID, or a card to talk with: --card FILE. "
                "'dramaturg episode list' shows episodes and sessions."
            )
        chosen = chosen_character(project, card) if card is not None else None
        async with open_studio(settings) as studio:
            if not json and not session and not (model or settings.models.default):
                tell((await studio.choose()).reason + "\n", "dim")
            chat = EpisodeChat(studio, json=json)
            if session is not None:
                return await chat.resume(session, model=model, persona=persona, voice=asked_voice())
            who = await _known_persona(studio, player, persona)
            if chosen is None:
                return await chat.play(name or "", who, model, voice=asked_voice())
            character, is_own = chosen
            for remark in character.remarks:
                tell(remark, "yellow")
            talk = card_talk(character.card)
            return await chat.play(talk if is_own else CardEpisode(talk, character), who, model, voice=asked_voice())

    view = perform(work, json=json)
    if json:
        print_json(view.model_dump(mode="json"))


@app.command("rehearse")
def rehearse_episodes(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="Episodes; all, if omitted.")] = None,
    project: Project = Path(),
    times: Annotated[int, typer.Option("-n", min=1, max=100, help="How often each simulated player plays.")] = 1,
    turns: Annotated[int, typer.Option(min=1, max=200, help="Maximum number of turns.")] = 20,
    model: Annotated[str | None, typer.Option(help="The model that plays the character.")] = None,
    director: Annotated[str | None, typer.Option(help="The model that directs and judges.")] = None,
    players: Annotated[str, typer.Option(help="The model that plays the players.")] = "rehearsal",
    json: Json = False,
) -> None:
    """Test episodes with simulated players: eager, shy, hostile, silent, off topic, and prying. Each is a run."""
    from dramaturg.cli.rehearsal_view import watch_rehearsal
    from dramaturg.episodes.rehearsal_report import rehearsals_of
    from dramaturg.episodes.template import known_templates, named_template

    async def work() -> Rehearsals:
        settings = settings_of(project)
        wanted = names or list(known_templates(settings.project))
        for name in wanted:
            named_template(settings.project, name)
        if not wanted:
            raise InvalidConfig("There are no episodes here yet. They are YAML files in episodes/.")
        reports = []
        async with open_studio(settings) as studio:
            await studio.gateway.ready()
            for name in wanted:
                run = await studio.episodes.rehearsals.open(
                    name, times=times, most_turns=turns, model=model, director=director, players=players
                )
                reports.append(await watch_rehearsal(studio, run, json=json))
        return rehearsals_of(reports)

    done = perform(work, json=json)
    if json:
        print_json(done.model_dump(mode="json"))
    elif len(done.reports) > 1:
        rates = ", ".join(f"{mode} {rate:.0%}" for mode, rate in done.completion_rates.items())
        stdout().print(f"Completed, by mode: {rates}. Leaks: {done.leaks}.", style="bold", soft_wrap=True)
    if done.leaks:
        tell("Something hidden was shown to a player. The report says where it came from.", "red")
        raise typer.Exit(AUTHOR)


@app.command("export")
def export_session(
    session: SessionId,
    to: Annotated[Path, typer.Option("--to", help="The file to write, FILE.jsonl.")],
    project: Project = Path(),
    force: Force = False,
) -> None:
    """Export a session as a chat for SillyTavern, swipes included."""
    from dramaturg.episodes.tavern_chat import write_chat

    async def work() -> str:
        async with open_studio(settings_of(project)) as studio:
            record = await studio.runs.get(session)
            chat = await studio.episodes.chat(record.id)
        check_can_write(to, force=force)
        write_out(to, write_chat(chat))
        return f"Exported {counted(len(chat.messages), 'message')} of session {record.id} to {to}."

    echo(perform(work))


@app.command("import")
def import_session(
    file: Annotated[Path, typer.Argument(help="A chat from SillyTavern, as JSONL.")],
    episode: Annotated[str, typer.Option("--as", help="The episode that the chat continues as.")],
    project: Project = Path(),
    player: Player = "me",
    persona: PersonaText = "",
    model: Annotated[str | None, typer.Option(help="The model that plays the character.")] = None,
    json: Json = False,
) -> None:
    """Import a chat from another program as a session that you can continue."""
    from dramaturg.episodes.tavern_chat import read_chat

    async def work() -> tuple[SessionView, tuple[str, ...]]:
        settings = settings_of(project)
        chat = read_chat(_bytes(file), partial(_unreadable, file.name))
        async with open_studio(settings) as studio:
            taken = await studio.episodes.take_in(chat, episode, _persona(player, persona), model=model)
            await studio.episodes.settle(taken[0].id)
            return taken

    view, remarks = perform(work, json=json)
    if json:
        print_json({**view.model_dump(mode="json"), "remarks": list(remarks)})
        return
    for remark in remarks:
        tell(remark, "dim")
    resume = f"dramaturg episode play --session {view.id}{project_option(project)}"
    echo(f"Imported {counted(len(view.messages), 'message')}. Continue with: {resume}")


async def _known_persona(studio: Studio, player: str, persona: str) -> Persona:
    """What the player says of themselves, or else what is known of them."""
    known = await studio.episodes.players.get(player) if not persona.strip() else None
    return known or _persona(player, persona)


def _persona(player: str, persona: str) -> Persona:
    """'Anna: a nurse on her first night' is a name, and what the character knows about them."""
    from dramaturg.episodes.events import Persona

    name, _, about = persona.partition(":")
    return Persona(id=player, name=name.strip(), about=about.strip())


def _bytes(file: Path) -> bytes:
    from dramaturg.episodes.tavern_chat import MAX_CHAT

    try:
        with file.open("rb") as opened:
            return opened.read(MAX_CHAT + 1)
    except OSError as error:
        raise InvalidConfig(f"{file} cannot be read: {error.strerror}.", file=str(file)) from error


def _unreadable(name: str, reason: str, remedy: str) -> InvalidConfig:
    return InvalidConfig(f"Chat '{name}' cannot be read: {reason}. {remedy}", file=name, reason=reason)
