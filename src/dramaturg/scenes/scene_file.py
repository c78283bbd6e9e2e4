"""A scene written as a file of the project, as an author would write it."""

from __future__ import annotations

from pathlib import Path

import yaml

from dramaturg.kernel.authored import write_new_file
from dramaturg.scenes.scene import FOLDER, SceneConfig, scene_from


def write_scene(project: Path, name: str, config: SceneConfig) -> str:
    """Write a new scene file, with what differs from the defaults; its path. Raises InvalidConfig if there is one."""
    values = config.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
    values = {"name": config.name, **values}
    scene_from(values, where=f"{FOLDER}/{name}.yaml")
    text: str = yaml.safe_dump(values, allow_unicode=True, sort_keys=False, width=110)
    return write_new_file(project, f"{FOLDER}/{name}.yaml", text)
