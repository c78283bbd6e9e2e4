"""`players`: who may play over HTTP, and until when."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import in_studio, print_json
from dramaturg.cli.group import noun
from dramaturg.cli.options import Json, Project
from dramaturg.kernel.clock import moment
from dramaturg.kernel.errors import InvalidConfig

if TYPE_CHECKING:
    from dramaturg.episodes.player_token import PlayerToken
    from dramaturg.studio import Studio

app = noun()
_CAN_BE_SENT = re.compile(r"[A-Za-z0-9_.-]{1,80}")
"""A player's id is a part of the token, which is sent in a header."""
PlayerId = Annotated[str | None, typer.Option("--player", help="Only this player.", metavar="ID")]


@app.command("invite")
def invite_player(
    project: Project = Path(),
    player: Annotated[str | None, typer.Option("--player", help="A player who is known already.", metavar="ID")] = None,
    json: Json = False,
) -> None:
    """Print a token for a new player. It is not stored and cannot be shown again."""
    from dramaturg.server.http.player_tokens import PlayerTokens, new_player, new_token_id, secret_of

    async def work(studio: Studio) -> tuple[str, PlayerToken]:
        settings = studio.settings
        if player and not _CAN_BE_SENT.fullmatch(player):
            raise InvalidConfig(
                f"'{player}' cannot be a player's id. Use letters, digits, '-', '_' and '.', up to 80 of them.",
                player=player,
            )
        tokens, who = PlayerTokens(secret_of(settings)), player or new_player()
        stored = await studio.episodes.players.issue_token(who, new_token_id(), settings.players.token_days)
        return tokens.mint(who, stored.id), stored

    token, stored = in_studio(project, work, json=json)
    if json:
        print_json({"player_token": token, "token": stored.model_dump(mode="json")})
    else:
        typer.echo(token)
        typer.echo(f"Token {stored.id}, valid until {_date(stored.expires_at)}. Send it as X-Player-Token.", err=True)


@app.command("tokens")
def list_tokens(
    project: Project = Path(),
    player: PlayerId = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Maximum number of tokens.")] = 50,
    json: Json = False,
) -> None:
    """List the tokens that were given out, newest first."""
    found = in_studio(project, lambda studio: studio.episodes.players.tokens(player, limit), json=json)
    for one in found:
        if json:
            print_json(one.model_dump(mode="json"))
        else:
            state = "revoked" if one.revoked else f"until {_date(one.expires_at)}"
            typer.echo(f"{one.id}  {one.player_id}  {state}")
    if not found and not json:
        typer.echo("No player has been given a token yet. Try: dramaturg players invite")


@app.command("concerns")
def list_concerns(
    project: Project = Path(),
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Maximum number of messages.")] = 50,
    json: Json = False,
) -> None:
    """List the messages that spoke of self-harm or abuse, newest first. Their players were told where to find help."""
    found = in_studio(project, lambda studio: studio.episodes.players.concerns(limit), json=json)
    for one in found:
        if json:
            print_json(one.model_dump(mode="json"))
        else:
            about = one.concern.replace("_", "-")
            typer.echo(f"{_date(one.at)}  {about}  player {one.player_id}, session {one.session_id}, {one.message_id}")
            typer.echo(f"  “{one.quote}”")
    if not found and not json:
        typer.echo("No message has spoken of self-harm or abuse.")


@app.command("revoke")
def revoke_token(
    token: Annotated[str, typer.Argument(help="Id of a token, as listed by 'players tokens'.")],
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Make one token invalid, at once and for good, also for a server that is running."""
    in_studio(project, lambda studio: studio.episodes.players.revoke_token(token), json=json)
    if json:
        print_json({"revoked": token})
    else:
        typer.echo(f"Token {token} is revoked.")


def _date(at: float) -> str:
    return moment(at).strftime("%Y-%m-%d %H:%M UTC")
