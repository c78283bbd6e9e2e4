"""`scene run` and `runs resume`: start, watch, and say where everything is."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

from dramaturg.cli.edge import MODEL, fail, perform, say, settings_of, stdout, tell
from dramaturg.cli.ensemble import resume_session
from dramaturg.cli.live import LiveView
from dramaturg.cli.why import show_why
from dramaturg.ensemble.kiosk import KIND as ENSEMBLE
from dramaturg.kernel.errors import DramaturgError
from dramaturg.kernel.runs import Entry, Event, public
from dramaturg.kernel.settings import Settings
from dramaturg.scenes.events import SceneRun
from dramaturg.scenes.exports import read_formats
from dramaturg.scenes.scene import find_scene
from dramaturg.scenes.wire import SceneResult, result_of
from dramaturg.studio import WHY, Studio


@dataclass(frozen=True, slots=True)
class Options:
    """How a scene is played and shown from the command line."""

    model: str | None = None
    seed: int | None = None
    json: bool = False
    quiet: bool = False
    also: str = ""


def run_scene(scene: str, project: Path, options: Options) -> None:
    async def work() -> SceneResult:
        settings = _paced(settings_of(project), options)
        config, also = find_scene(project, scene), read_formats(options.also)
        async with Studio.open(settings) as studio:
            studio.also = also
            if not options.model and not options.json and not options.quiet and not settings.models.default:
                tell((await studio.choose()).reason + "\n", "dim")
            run = await studio.open_scene(config, model=options.model, seed=options.seed)
            return await _watch(studio, run, studio.start(run), options)

    _finish(perform(work, json=options.json), project, options)


def resume_run(run_id: str, project: Path, options: Options) -> None:
    async def work() -> SceneResult | None:
        async with Studio.open(_paced(settings_of(project), options)) as studio:
            run = await studio.adopt(run_id)
            if run.kind == WHY:
                await studio.start(run)
                show_why(run, json=options.json)
                return None
            if run.kind == ENSEMBLE:
                await resume_session(studio, run, json=options.json)
                return None
            return await _watch(studio, run, studio.start(run), options)

    result = perform(work, json=options.json)
    if result is not None:
        _finish(result, project, options)


def fork_run(run_id: str, beat: int, note: str, project: Path, options: Options) -> None:
    async def work() -> SceneResult:
        async with Studio.open(_paced(settings_of(project), options)) as studio:
            run = await studio.fork_scene(run_id, beat, note=note, model=options.model)
            if not options.json and not options.quiet:
                tell(f"Run {run.id} plays on after beat {beat}.\n", "dim")
            return await _watch(studio, run, studio.start(run), options)

    _finish(perform(work, json=options.json), project, options)


def _paced(settings: Settings, options: Options) -> Settings:
    """Where somebody watches, the company speaks at the pace of speech."""
    if options.json or options.quiet or not stdout().is_terminal or settings.scenes.pace is not None:
        return settings
    return settings.model_copy(update={"scenes": settings.scenes.model_copy(update={"pace": 1.0})})


async def _watch(studio: Studio, run: SceneRun, task: asyncio.Task[None], options: Options) -> SceneResult:
    view = None if options.json or options.quiet else LiveView(stdout())
    shown = 0

    def show(entry: Entry[Event]) -> None:
        nonlocal shown
        shown = entry.seq
        if options.json:
            say(entry.model_dump(mode="json", by_alias=True))
        elif view:
            view.show(entry.event)

    try:
        async for entry in studio.runs.tail(run.id, audience="public"):
            show(entry)
        await task
    except asyncio.CancelledError:
        await studio.engine.cancel(run.id)
        for entry in public(run.entries[shown:]):  # what was played and not yet printed
            show(entry)
        if not options.json:
            tell(f"\nStopped. Nothing is lost. Play on with: {_resume_command(run, studio)}")
        raise
    except DramaturgError as error:
        if not options.json:
            tell(f"\nThe scene stopped. When that is mended, play on with: {_resume_command(run, studio)}")
        fail(error, json=options.json)
    return result_of(run.id, run.entries)


def _resume_command(run: SceneRun, studio: Studio) -> str:
    project = studio.settings.project
    where = "" if project == Path() else f" --project {project}"
    return f"dramaturg runs resume {run.id}{where}"


def _finish(result: SceneResult, project: Path, options: Options) -> None:
    import typer

    folder = project / result.output_path
    if options.json:
        say(result.model_dump(mode="json", by_alias=True))
    elif options.quiet:
        typer.echo(folder / "transcript.txt")
    else:
        LiveView(stdout()).farewell(result, folder)
    if not result.success:
        raise typer.Exit(MODEL if result.metadata.reason == "cast_unavailable" else 0)
