"""The folder of a story project: it is there, or it was mistyped."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from dramaturg.kernel.errors import InvalidConfig, NotFound


def check_project(project: Path) -> None:
    """Raises NotFound if a project's folder does not exist: a mistyped one must not be made."""
    if project.is_dir():
        return
    from difflib import get_close_matches

    if project.exists():
        raise InvalidConfig(f"{project} is a file. Give the folder of a story project.", project=str(project))
    beside = project.parent if project.parent.is_dir() else Path()
    with suppress(OSError):
        near = get_close_matches(project.name, [one.name for one in beside.iterdir() if one.is_dir()], n=1)
        if near:
            raise NotFound(f"There is no folder {project}. Did you mean {beside / near[0]}?", project=str(project))
    raise NotFound(
        f"There is no folder {project}. 'dramaturg new {project}' creates a story project there.", project=str(project)
    )
