"""Composing a scene: see what it will mean before it is played, save it as a new file, change the file of another."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from pydantic import Field

from dramaturg.characters.source_file import LONGEST_SOURCE
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.check import SceneCheck
from dramaturg.scenes.scene import PersonsPart, SceneConfig, can_name_folder, named_scene
from dramaturg.scenes.scene_file import SceneSource, read_scene_source, write_scene, write_scene_source
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.router import api_router
from dramaturg.server.routes.scenes import InlineScene, NewScene, SceneListing

router = api_router(prefix="/v1/scenes", tags=["compose"])
SceneName = Annotated[
    str, Path(min_length=1, max_length=80, description="the name of a file in `scenes/`", examples=["the-apology"])
]


class SceneEdit(WireValue):
    """A new text for a scene's file."""

    text: str = Field(
        max_length=LONGEST_SOURCE, examples=["# A quiet one.\nprompt: Bob is early.\ncharacters: [alice, bob]\n"]
    )
    digest: str = Field(
        max_length=64, description="that of the text which was read", examples=["2c26b46b68ffc68ff99b453c1d304134"]
    )


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


@router.get("/{name}/file", summary="Get a scene's file", responses=declared_errors(404, 422))
def get_scene_source(name: SceneName, studio: OpenStudio) -> SceneSource:
    """The text of the file, the scene in it or why there is none, and the digest that a change needs."""
    return read_scene_source(studio.settings.project, name)


@router.put("/{name}/file", summary="Change a scene's file", responses=declared_errors(404, 409, 413, 422, 503))
def put_scene_source(name: SceneName, edit: SceneEdit, studio: OpenStudio) -> SceneSource:
    """Replaces the text, if it can be played and the file is still the one that was read. Runs keep their scene."""
    return write_scene_source(studio.settings.project, name, edit.text, edit.digest)
