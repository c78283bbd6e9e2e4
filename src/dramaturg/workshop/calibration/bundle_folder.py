"""Where a bundle may be written: inside the project, where prompts look for it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.files import is_inside
from dramaturg.workshop.book.voice_files import FOLDER

_TAKEN = ("story-bible", "manuscript", "notebooks", "data", "scaffolds", "prompts", ".claude", ".git")


def bundle_folder(project: Path, output_dir: str) -> str:
    """The folder of a bundle below the project. Raises InvalidConfig for one outside it, or one that is taken.

    The last part must be `Voice Bundle`, where prompts look for it; `content/Voice Bundle/` is that folder too.
    """
    named = output_dir.strip().replace("\\", "/").rstrip("/")
    path = PurePosixPath(named or FOLDER)
    outside = path.is_absolute() or ".." in path.parts or ":" in named or named.startswith("~")
    if outside or not is_inside(project / path, project):
        raise InvalidConfig(
            f"'{output_dir}' does not lie in the project; the bundle goes to '{FOLDER}/'.", output_dir=output_dir
        )
    if path.parts[0] in _TAKEN:
        raise InvalidConfig(f"'{path.parts[0]}/' is for other files; the bundle goes to '{FOLDER}/'.", output_dir=named)
    if path.name != FOLDER or len(path.parts) > 2 or (len(path.parts) == 2 and path.parts[0] != "content"):
        raise InvalidConfig(
            f"Prompts look for the voice in '{FOLDER}/', and would not find it in '{path}'.", output_dir=output_dir
        )
    return FOLDER
