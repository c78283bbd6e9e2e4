"""Composing a scene: read one to change it, see what it will mean before it is played, save it as a file."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.scenes.check import SceneCheck
from dramaturg.scenes.scene import PersonsPart, SceneConfig, can_name_folder, named_scene
from dramaturg.scenes.scene_file import write_scene
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.routes.scenes import InlineScene, NewScene, SceneListing

router = api_router(prefix="/v1/scenes", tags=["compose"])
SceneName = Annotated[
    str, Path(min_length=1, max_length=80, description="the name of a file in `scenes/`", examples=["the-apology"])
]


@router.post("/check", summary="Check a scene before it is played", responses=declared_errors(404, 413, 422, 502, 503))
async def check_scene(scene: NewScene, studio: OpenStudio) -> SceneCheck:
    """Who plays, the goal as it is split, what each character will be told, the price as a range. Nothing is written.

    Refused for the reasons for which playing it would be.
    """
    if isinstance(scene, InlineScene):
        return await studio.scenes.check(scene.config, model=scene.model)
    config = named_scene(studio.settings.project, scene.scene)
    return await studio.scenes.check(config, model=scene.model, person=PersonsPart(scene.person, scene.wait))


@router.get("/{name}", summary="Get a scene", responses=declared_errors(404, 422))
def get_scene(name: SceneName, studio: OpenStudio) -> SceneConfig:
    """A scene of this project as its file has it."""
    return named_scene(studio.settings.project, name)


@router.put("/{name}", status_code=201, summary="Save a scene", responses=declared_errors(404, 413, 422, 503))
def save_scene(name: SceneName, scene: InlineScene, studio: OpenStudio) -> SceneListing:
    """Write a scene as a new file in `scenes/`. A file that is there is never overwritten."""
    if not can_name_folder(name):
        raise InvalidConfig(f"'{name}' cannot name a file. Use letters, digits, spaces, '-' and '_'.", scene=name)
    config = scene.config
    write_scene(studio.settings.project, name, config)
    return SceneListing(
        name=name, title=config.title, setting=config.setting, characters=config.characters, max_beats=config.max_beats
    )
