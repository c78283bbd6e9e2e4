"""The file of a scene as its author edits it: written anew, or read with its digest and written over what was read."""

from __future__ import annotations

from pathlib import Path

import yaml
from pydantic import Field

from dramaturg.authored import known_files, shown_path, write_new_file
from dramaturg.characters.load import RESERVED, is_reserved, same_name
from dramaturg.characters.source_file import read_source_file, write_source_file
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.scene import FOLDER, FORM, SceneConfig, scene_from, scene_path


class SceneSource(WireValue):
    """The text of a scene's file and the scene in it, secrets included. `problem` says why there is none, if so."""

    name: str = Field(description="the name of the file", examples=["the-apology"])
    file: str = Field(description="its path in the project", examples=["scenes/the-apology.yaml"])
    text: str = Field(examples=["# A quiet one.\nprompt: Bob is late.\ncharacters: [alice, bob]\n"])
    digest: str = Field(
        description="send it back with a change: it is refused if the file has changed since",
        examples=["2c26b46b68ffc68ff99b453c1d304134"],
    )
    scene: SceneConfig | None = None
    problem: str = ""


def write_scene(project: Path, name: str, config: SceneConfig) -> str:
    """Write a new scene file, with what differs from the defaults; its path.

    Raises InvalidConfig for a name that no file can have, or if there is a scene of that name.
    """
    check_new_scene(project, name)
    values = config.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
    values = {"name": config.name, **values}
    scene_from(values, where=f"{FOLDER}/{name}.yaml")
    text: str = yaml.safe_dump(values, allow_unicode=True, sort_keys=False, width=110)
    return write_new_file(project, f"{FOLDER}/{name}.yaml", text)


def check_new_scene(project: Path, name: str) -> None:
    """Raises InvalidConfig for a name that some systems reserve, or that a scene has already, in capitals or not."""
    if is_reserved(name):
        raise InvalidConfig(f"'{name}' cannot name a scene: {RESERVED}. Choose another name.", scene=name)
    known = known_files(project / FOLDER)
    if taken := next((path for one, path in known.items() if same_name(one, name)), None):
        raise InvalidConfig(
            f"{FOLDER}/{taken.name} exists already. Choose another name; nothing was written.", scene=name
        )


def read_scene_source(project: Path, name: str) -> SceneSource:
    """Raises NotFound, or InvalidConfig for a file that is no text or not in the project."""
    source = read_source_file(scene_path(project, name), project)
    scene, problem = None, ""
    try:
        scene = _scene(source.text, source.where)
    except InvalidConfig as error:
        problem = error.message
    return SceneSource(
        name=name, file=source.where, text=source.text, digest=source.digest, scene=scene, problem=problem
    )


def write_scene_source(project: Path, name: str, text: str, digest: str) -> SceneSource:
    """Raises NotFound, InvalidConfig for what cannot be played, AlreadyUsed if the file has changed since then."""
    path = scene_path(project, name)
    where = shown_path(path, project)
    write_source_file(path, project, text, digest, lambda given: _scene(given, where))
    return read_scene_source(project, name)


def _scene(text: str, where: str) -> SceneConfig:
    return scene_from(FORM.parse(text, where), where=where, default_name=Path(where).stem)
