"""`foreman voice`: found blind, measured, written down and locked; and `foreman ban`."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import echo, in_studio
from dramaturg.cli.foreman_ask import ask_foreman
from dramaturg.cli.group import noun
from dramaturg.cli.options import Json, Project

if TYPE_CHECKING:
    from dramaturg.workshop.foreman.actions.action import Outcome
    from dramaturg.workshop.front import Workshop
    from dramaturg.workshop.narrative_voice import BanResult

app = noun()
File = Annotated[str, typer.Argument(help="A text or Markdown file of the project.")]


@app.command("tournament")
def start_tournament(
    prompt: Annotated[str, typer.Argument(help="What every voice writes about.", show_default=False)] = "",
    project: Project = Path(),
    agent: Annotated[list[str] | None, typer.Option("--agent", help="A model that takes part; repeatable.")] = None,
    strategy: Annotated[
        list[str] | None, typer.Option("--strategy", help="ACTION, CHARACTER, DIALOGUE, BALANCED or your own.")
    ] = None,
    context: Annotated[str, typer.Option(help="What the passage must know: place, time, point of view.")] = "",
    usd: Annotated[float | None, typer.Option(min=0.0, help="Stop at this many US dollars.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Start without asking, whatever the price.")] = False,
    json: Json = False,
) -> None:
    """Let every agent write one passage with every strategy; a judge scores them. The price is shown before."""
    from dramaturg.cli.foreman_work import do_work
    from dramaturg.kernel.runs import Limits
    from dramaturg.workshop.calibration.tournament.work import TournamentRequest

    request = TournamentRequest(
        test_prompt=prompt, agents=tuple(agent or ()), strategies=tuple(strategy or ()), context=context
    )
    limits = Limits(None, usd or None)
    in_studio(
        project,
        lambda studio: do_work(studio, "tournament", request, yes=yes, json=json, limits=limits),
        json=json,
    )


@app.command("lineup")
def show_lineup(
    tournament: Annotated[str, typer.Argument(help="A tournament; the newest if omitted.", show_default=False)] = "",
    project: Project = Path(),
    pairs: Annotated[bool, typer.Option("--pairs", help="Show two at a time; some pairs come again.")] = False,
    own: Annotated[str, typer.Option("--own", metavar="FILE", help="Hide a page of yours among them.")] = "",
    new: Annotated[bool, typer.Option("--new", help="Shuffle anew.")] = False,
    json: Json = False,
) -> None:
    """Show the passages of a tournament, shuffled and without their authors."""
    from dramaturg.cli.foreman_view import print_value
    from dramaturg.cli.foreman_voice_view import print_lineup

    found = ask_foreman(
        project,
        lambda foreman: foreman.voice.lineup(tournament, way="pairs" if pairs else "all", own=own, new=new),
        json,
    )
    print_value(found) if json else print_lineup(found)


@app.command("choose")
def choose(
    letter: Annotated[str, typer.Argument(help="The letter of the passage that you prefer.")],
    project: Project = Path(),
    pair: Annotated[int, typer.Option(min=0, help="Of this pair; without it, of all.")] = 0,
    json: Json = False,
) -> None:
    """Prefer a passage. The labels stay closed until you select one."""
    from dramaturg.cli.foreman_view import print_value
    from dramaturg.cli.foreman_voice_view import print_next_pair
    from dramaturg.workshop.voice.lineup import Choice

    found = ask_foreman(project, lambda foreman: foreman.voice.choose(Choice(pair=pair, letter=letter)), json)
    print_value(found) if json else print_next_pair(found)


@app.command("select")
def select(
    letter: Annotated[str, typer.Argument(help="The letter of the passage that wins.", show_default=False)] = "",
    project: Project = Path(),
    agent: Annotated[str, typer.Option(help="Who wrote it, if you choose by name; that is not blind.")] = "",
    strategy: Annotated[str, typer.Option(help="How it was written, with --agent.")] = "",
    own: Annotated[str, typer.Option("--own", metavar="LETTER", help="The letter you take for your own page.")] = "",
    notes: Annotated[str, typer.Option(help="What you like in it; kept as a decision.")] = "",
    dislike: Annotated[list[str] | None, typer.Option("--dislike", help="What you do not like; repeatable.")] = None,
    json: Json = False,
) -> None:
    """Choose the voice of the book, and open the labels."""
    from dramaturg.cli.foreman_view import print_value
    from dramaturg.cli.foreman_voice_view import print_report
    from dramaturg.workshop.voice.selection import Selection

    wanted = Selection(
        letter=letter[:2], agent=agent, strategy=strategy, own=own[:2], notes=notes, dislikes=tuple(dislike or ())
    )
    report = ask_foreman(project, lambda foreman: foreman.voice.select(wanted), json)
    print_value(report) if json else print_report(report)


@app.command("report")
def show_report(project: Project = Path(), json: Json = False) -> None:
    """Show who wrote what, how it was judged and measured, and how reliably you chose."""
    from dramaturg.cli.foreman_view import print_value
    from dramaturg.cli.foreman_voice_view import print_report

    report = ask_foreman(project, lambda foreman: foreman.voice.report(), json)
    print_value(report) if json else print_report(report)


@app.command("bundle")
def write_bundle(
    output_dir: Annotated[str, typer.Argument(help="A folder of the project.", show_default="Voice Bundle")] = "",
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Write the gold standard, the sheet of anti-patterns and the guide through the acts."""
    _told(project, lambda foreman: foreman.voice.bundle(output_dir), json)


@app.command("lock")
def lock(project: Project = Path(), json: Json = False) -> None:
    """Lock the voice: it holds from now on."""
    _told(project, lambda foreman: foreman.voice.lock(), json)


@app.command("unlock")
def unlock(project: Project = Path(), json: Json = False) -> None:
    """Unlock the voice, to write its bundle anew."""
    _told(project, lambda foreman: foreman.voice.lock(locked=False), json)


@app.command("check")
def check(
    file: Annotated[str, typer.Argument(help="A file; your own pages if omitted.", show_default=False)] = "",
    project: Project = Path(),
    json: Json = False,
) -> None:
    """Count the anti-patterns: in your own earlier pages first, then in a file."""
    from dramaturg.cli.foreman_view import print_value
    from dramaturg.cli.foreman_voice_view import print_pages

    found = ask_foreman(
        project, lambda foreman: foreman.voice.check(file) if file else foreman.voice.own_report(), json
    )
    print_value(found) if json else print_pages(found)


@app.command("profile")
def profile(file: File, project: Project = Path(), json: Json = False) -> None:
    """Measure a file, with error bands, and compare it with your other pages where that can be told."""
    from dramaturg.cli.foreman_view import print_value
    from dramaturg.cli.foreman_voice_view import print_profile

    found = ask_foreman(project, lambda foreman: foreman.voice.profile(file), json)
    print_value(found) if json else print_profile(found)


@app.command("rules")
def list_rules(project: Project = Path(), json: Json = False) -> None:
    """List every rule, your own bans first."""
    from dramaturg.cli.foreman_view import print_value

    async def work(foreman: Workshop) -> object:
        for rule in foreman.voice.rules():
            if json:
                print_value(rule)
                continue
            allowed = f", {rule.per_1000:g} in 1,000 words allowed" if rule.per_1000 else ""
            echo(f"{rule.id}: {rule.says}{f' ({rule.where})' if rule.where else ''} [{rule.severity}{allowed}]")
        return None

    ask_foreman(project, work, json)


@app.command("waive")
def waive(
    rule: Annotated[str, typer.Argument(help="The name of a rule, as 'rules' lists it.")],
    project: Project = Path(),
    file: Annotated[str, typer.Option(help="Only in this file.")] = "",
    quote: Annotated[str, typer.Option(help="Only for this sentence.")] = "",
    reason: Annotated[str, typer.Option(help="Why; for you, later.")] = "",
    json: Json = False,
) -> None:
    """Let a rule not hold: in this book, in one file, or for one sentence."""
    from dramaturg.workshop.voice.rules import Waiver

    waiver = Waiver(rule=rule[:80], file=file[:400], quote=quote[:400], reason=reason[:400])
    _told(project, lambda foreman: foreman.voice.waive(waiver), json)


def ban(
    words: Annotated[str, typer.Argument(help="A phrase, or a /pattern/.")],
    project: Project = Path(),
    scope: Annotated[str, typer.Option(help="anywhere, narration or dialogue.")] = "anywhere",
    speaker: Annotated[str, typer.Option(help="Only in what this character says.")] = "",
    deduction: Annotated[bool, typer.Option("--deduction", help="Count it instead of forbidding it.")] = False,
    per_1000: Annotated[float, typer.Option(min=0.0, help="How many are allowed in 1,000 words.")] = 0.0,
    lift: Annotated[bool, typer.Option("--lift", help="Lift the ban.")] = False,
    json: Json = False,
) -> None:
    """Keep words out of the book. You see first how often they stand in your own pages."""
    from dramaturg.cli.foreman_view import print_value
    from dramaturg.workshop.voice.rule_files import read_ban

    if lift:
        _told(project, lambda foreman: foreman.voice.unban(words), json)
        return

    severity = "deduction" if deduction or per_1000 else "zero_tolerance"

    async def work(foreman: Workshop) -> BanResult:
        read = read_ban(ban=words, scope=scope, speaker=speaker, severity=severity, per_1000=per_1000)
        return await foreman.voice.ban(read)

    found = ask_foreman(project, work, json)
    if json:
        print_value(found)
        return
    echo(found.said)
    for quote in found.quotes:
        echo(f"  {quote}")


def _told(project: Path, work: Callable[[Workshop], Coroutine[object, object, Outcome]], json: bool) -> None:
    from dramaturg.cli.foreman_view import print_value

    outcome = ask_foreman(project, work, json)
    print_value(outcome) if json else echo(outcome.said)
