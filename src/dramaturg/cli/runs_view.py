"""Runs of every kind in a terminal: shown, and watched when they are resumed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dramaturg.cli.edge import echo, print_json, tell
from dramaturg.kernel.runs import Kind, Performance, Run

if TYPE_CHECKING:
    from dramaturg.scenes.exports import Format
    from dramaturg.scenes.wire import SceneResult
    from dramaturg.studio import Studio


def print_run(run: Run[Any], kind: Kind[Any, Any], *, debug: bool, json: bool) -> None:
    """A run the way its kind is read; with `debug`, its log. Of a damaged log, what precedes the damage."""
    if run.damage is not None:
        tell(run.damage.message)
    if json and debug:
        for entry in run.entries:
            print_json(kind.logged(entry).model_dump(mode="json", by_alias=True))
    elif json:
        for document in kind.documents(run):
            print_json(document)
    else:
        echo(kind.debug(run) if debug else kind.show(run), end="")


async def export_text(studio: Studio, run_id: str, form: Format) -> tuple[Run[Any], str]:
    """A scene, an act or a session in one format. Raises NotFound for a run of another kind."""
    from dramaturg.ensemble.kind import EnsembleKind
    from dramaturg.scenes.acts.kind import ActKind

    found, kind = await studio.runs.open_with_kind(run_id)
    if isinstance(kind, EnsembleKind):
        return found, studio.ensemble.export(found, form)
    if isinstance(kind, ActKind):
        return found, await kind.export(found, form)
    scene = await studio.scenes.open_run(run_id)
    return scene, studio.scenes.export(scene, form)


async def watch_resumed(
    studio: Studio,
    performance: Performance[Any, Any],
    *,
    json: bool,
    quiet: bool,
    pace: float | None = None,
    person: str | None = None,
) -> SceneResult | None:
    """Play a resumed run and print it; the result, if it is a scene. `person` is the part of whoever types here."""
    from dramaturg.cli.act_view import print_act_result, watch_act
    from dramaturg.cli.direction_lines import typed_directions
    from dramaturg.cli.ensemble_view import print_manifest, watch_session
    from dramaturg.cli.rehearsal_view import watch_rehearsal
    from dramaturg.cli.scene_view import watch_scene
    from dramaturg.cli.terminal_seat import seat_at_terminal
    from dramaturg.ensemble.kind import EnsembleKind
    from dramaturg.episodes.rehearsal_run import RehearsalKind
    from dramaturg.scenes.acts.kind import ActKind
    from dramaturg.scenes.kind import SceneKind

    match performance.kind:
        case SceneKind():
            run = performance.run
            seat = await seat_at_terminal(studio, run, person)
            async with typed_directions(studio, run, json=json, quiet=quiet, seat=seat):
                return await watch_scene(studio, run, json=json, quiet=quiet, pace=pace, seat=seat)
        case ActKind():
            result = await watch_act(studio, performance.run, json=json, quiet=quiet, pace=pace)
            print_act_result(result, studio.settings.project, json=json, quiet=quiet)
        case EnsembleKind():
            manifest = await watch_session(studio, performance.run, json=json)
            print_manifest(manifest, studio.settings.project, json=json)
        case RehearsalKind():
            await watch_rehearsal(studio, performance.run, json=json)
        case kind:
            await studio.start(performance)
            print_run(performance.run, kind, debug=False, json=json)
    return None
