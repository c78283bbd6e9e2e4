"""The scenes of a project in a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.text import Text

from dramaturg.authored import UnreadableFile, read_folder
from dramaturg.cli.edge import echo, stdout
from dramaturg.kernel.runs.library import MANY
from dramaturg.scenes.check import cast_problem
from dramaturg.scenes.scene import FOLDER, SceneConfig, read_scene
from dramaturg.scenes.transcript import goal_of
from dramaturg.studio import Studio


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedScene:
    """A scene in a list. `problem` says why it cannot be played; the rest is empty if its file cannot be read."""

    name: str
    title: str = ""
    cast: tuple[str, ...] = ()
    goal: str = ""
    runs: int = 0
    reached: int = 0
    favourite: str = ""
    problem: str = ""


async def listed_scenes(studio: Studio) -> list[ListedScene]:
    """Every scene, by name; one that cannot be read does not hide the others."""
    project = studio.settings.project
    found = read_folder(project / FOLDER, lambda path: (path, read_scene(path, project=project)))
    digests = [one for one in await studio.digests(MANY) if one.kind == "scene"]
    runs = Counter(one.name for one in digests)
    reached = Counter(one.name for one in digests if one.goal_achieved)
    favourites = {one.name: one.id for one in reversed(digests) if one.picked}
    listed = {
        path.stem: replace(
            _listed(path.stem, config, runs[config.name], reached[config.name], favourites.get(config.name, "")),
            problem=cast_problem(project, config.characters),
        )
        for path, config in found.values
    }
    listed.update({one.name: _broken(one) for one in found.unreadable})
    return [listed[name] for name in sorted(listed)]


def _listed(name: str, config: SceneConfig, runs: int, reached: int, favourite: str) -> ListedScene:
    return ListedScene(
        name=name,
        title=config.title,
        cast=config.characters,
        goal=goal_of(config),
        runs=runs,
        reached=reached,
        favourite=favourite,
    )


def _broken(file: UnreadableFile) -> ListedScene:
    return ListedScene(name=file.name, problem=file.problem)


def print_scenes(scenes: Sequence[ListedScene]) -> None:
    if not scenes:
        echo("There are no scenes here yet. Write one: dramaturg scene new NAME")
    out = stdout()
    for scene in scenes:
        if scene.problem:
            out.print(Text(scene.name, "bold").append(f"  {scene.problem}", "yellow"), soft_wrap=True)
            continue
        title = f"  {scene.title}" if scene.title.casefold().replace(" ", "-") != scene.name.casefold() else ""
        out.print(Text(scene.name, "bold").append(title), soft_wrap=True)
        out.print(Text(f"  with {', '.join(scene.cast)}; {_played(scene)}", "dim"), soft_wrap=True)
        out.print(Text(f"  {scene.goal}", "dim"))


def _played(scene: ListedScene) -> str:
    if not scene.runs:
        return "not played yet"
    times = "once" if scene.runs == 1 else f"{scene.runs} times"
    reached = (
        f"goal reached in {scene.reached}"
        if scene.runs > 1
        else "goal reached"
        if scene.reached
        else "goal not reached"
    )
    favourite = f", favourite {scene.favourite}" if scene.favourite else ""
    return f"played {times}, {reached}{favourite}"
