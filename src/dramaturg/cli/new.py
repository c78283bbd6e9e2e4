"""`new`: a complete little story project."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath

import typer

from dramaturg.cli.edge import fail
from dramaturg.kernel.errors import DramaturgError, InvalidConfig, StoreUnavailable

SCENE = "the-second-signature"
# A file of this name in a package would be read as the package's own; it is renamed on the way out.
_RENAMED = {"gitignore": ".gitignore"}


def new_project(folder: Path) -> None:
    """Write the story into a folder that is not there yet, or is empty."""
    try:
        written = list(_copy(files("dramaturg.cli") / "story", folder))
    except DramaturgError as error:
        fail(error, json=False)
    typer.echo(f"Made {folder}/ with {len(written)} files: two characters, a scene, an episode, an ensemble of six.")
    typer.echo(f"Play it:\n\n  cd {folder}\n  dramaturg scene run {SCENE}\n")


def _copy(source: Traversable, folder: Path) -> Iterator[Path]:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidConfig(
            f"{folder} is there already and not empty. Choose another folder; nothing was written.",
            folder=str(folder),
        )
    title = folder.resolve().name.replace("-", " ").replace("_", " ").title()
    for relative, text in _tree(source, PurePosixPath()):
        target = folder / relative.with_name(_RENAMED.get(relative.name, relative.name))
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text.replace("{title}", title), encoding="utf-8")
        except OSError as error:
            raise StoreUnavailable(
                f"{target} cannot be written: {error.strerror}. Choose a folder you may write to.",
                file=str(target),
            ) from error
        yield target


def _tree(folder: Traversable, at: PurePosixPath) -> Iterator[tuple[PurePosixPath, str]]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.is_dir():
            yield from _tree(entry, at / entry.name)
        else:
            yield at / entry.name, entry.read_text(encoding="utf-8")
