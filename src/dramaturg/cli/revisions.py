"""`runs retake`, `choose`, `edit` and `strike`: lines that were said, taken again and changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dramaturg.cli.edge import echo, in_studio, open_studio, perform, print_json, settings_of, tell
from dramaturg.cli.options import Json, Project, Quiet, RunId

if TYPE_CHECKING:
    from dramaturg.scenes.revision.changes import LineChange
    from dramaturg.scenes.revision.wire import LineTakes, RevisedScene
    from dramaturg.scenes.wire import SceneResult

LineText = Annotated[str, typer.Argument(help="Number of a line, or a piece of its text.", metavar="LINE")]
PlayOn = Annotated[
    bool,
    typer.Option("--play-on", help="Leave this run as it is, and play on from the changed line in a fork of it."),
]


def retake_line(
    run: RunId,
    line: LineText,
    project: Project = Path(),
    takes: Annotated[int, typer.Option(min=1, max=10, help="How many more takes to ask for.")] = 1,
    json: Json = False,
) -> None:
    """Ask for a line again, with exactly what its speaker had heard. All takes are kept; the line stays as it is."""
    _print_takes(in_studio(project, lambda studio: studio.scenes.revisions.retake(run, line, takes), json=json), json)


def choose_take(
    run: RunId,
    line: LineText,
    take: Annotated[int | None, typer.Argument(help="The take to choose; without it, the takes are listed.")] = None,
    project: Project = Path(),
    play_on: PlayOn = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Choose which take of a line stands. Take 1 is what was said, also of a line that was struck."""
    if take is None:
        _print_takes(in_studio(project, lambda studio: studio.scenes.revisions.takes(run, line), json=json), json)
        return
    from dramaturg.scenes.revision.changes import Choice

    _revise(run, line, Choice(take), project, play_on=play_on, json=json, quiet=quiet)


def edit_line(
    run: RunId,
    line: LineText,
    text: Annotated[str, typer.Argument(help="The new words; tone, target and gesture stay.")],
    project: Project = Path(),
    play_on: PlayOn = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Change the words of a line. What rested on the old ones is judged again; the old ones are kept as a take."""
    from dramaturg.scenes.revision.changes import Edit

    _revise(run, line, Edit(text), project, play_on=play_on, json=json, quiet=quiet)


def strike_line(
    run: RunId,
    line: LineText,
    project: Project = Path(),
    play_on: PlayOn = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Strike a line from the transcript. The log keeps it; 'runs choose RUN LINE 1' brings it back."""
    from dramaturg.scenes.revision.changes import Strike

    _revise(run, line, Strike(), project, play_on=play_on, json=json, quiet=quiet)


def _revise(run: str, line: str, change: LineChange, project: Path, *, play_on: bool, json: bool, quiet: bool) -> None:
    if play_on:
        _play_on(run, line, change, project, json=json, quiet=quiet)
        return
    revised = in_studio(project, lambda studio: studio.scenes.revisions.revise(run, line, change), json=json)
    if json:
        print_json(revised.model_dump(mode="json", by_alias=True))
    else:
        _print_revised(revised)


def _play_on(run: str, line: str, change: LineChange, project: Path, *, json: bool, quiet: bool) -> None:
    from dramaturg.cli.edge import at_speaking_pace, stdout
    from dramaturg.cli.scene_view import print_result, watch_scene

    settings = at_speaking_pace(settings_of(project), watched=stdout().is_terminal and not json and not quiet)

    async def work() -> SceneResult:
        async with open_studio(settings) as studio:
            forked = await studio.scenes.revisions.play_on(run, line, change)
            if not json and not quiet:
                tell(f"Run {forked.id} plays on from the changed line.\n", "dim")
            return await watch_scene(studio, forked, json=json, quiet=quiet)

    print_result(perform(work, json=json), settings, json=json, quiet=quiet)


def _print_takes(takes: LineTakes, json: bool) -> None:
    from dramaturg.cli.cost_view import money

    if json:
        print_json(takes.model_dump(mode="json", by_alias=True))
        return
    for one in takes.takes:
        mark = "*" if one.stands else " "
        whose = "the author's words" if one.by == "author" else f"{one.tokens:,} tokens, {money(one.usd)}"
        echo(f"{mark} take {one.take} ({whose}): {one.text or f'{takes.speaker} is silent'}")
    if takes.stands is None:
        echo("  The line was struck.")
    if len(takes.takes) > 1:
        tell(f"\nChoose with: dramaturg runs choose {takes.run} {takes.line} TAKE", "dim")


def _print_revised(revised: RevisedScene) -> None:
    number, data = revised.takes.line, revised.metadata
    echo(f"{number}. {revised.text or '(not in the transcript any more)'}")
    later = next((one.followed for one in revised.revisions if one.line == number), 0)
    if later:
        echo(f"{later} later lines answered the earlier words and stand as they were said.")
    echo("Goal: achieved." if data.goal_achieved else f"Goal: not achieved ({data.reason}).")
    if later:
        tell("To play on from this line instead, make the same change with --play-on.", "dim")
    if not data.goal_achieved:
        tell(f"To play on from where the scene stopped: dramaturg runs resume {revised.run}", "dim")
