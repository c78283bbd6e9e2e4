"""`new`: a small, complete story project."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from shlex import quote
from typing import Annotated

import typer

from dramaturg.cli.edge import echo, fail
from dramaturg.cli.group import noun
from dramaturg.kernel.errors import DramaturgError, InvalidConfig, StoreUnavailable

app = noun()
SCENE = "the-second-signature"
WORKSHOP = ("story-bible", "manuscript", "notebooks")
"""The folders of a book; they are empty until it is begun."""
# Tools would take a file of the real name for the package's own; it is renamed when it is copied.
_RENAMED = {"gitignore": ".gitignore"}


@app.command()
def new_project(folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to create.")]) -> None:
    """Write the story into a folder that does not exist yet, or is empty."""
    try:
        written = list(_copy(files("dramaturg.cli") / "story", folder))
    except DramaturgError as error:
        fail(error)
    echo(f"Created {folder}/ with {len(written)} files: two characters, a scene, an episode, an ensemble of six.")
    echo(f"Play it:\n\n  cd {quote(str(folder))}\n  dramaturg scene run {SCENE}\n")
    echo("Or begin a book of your own, with an editor that asks the questions:\n\n  dramaturg foreman chat\n")


def _copy(source: Traversable, folder: Path) -> Iterator[Path]:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidConfig(
            f"{folder} already exists and is not empty. Choose another folder; nothing was written.",
            folder=str(folder),
        )
    for name in WORKSHOP:
        with _explained(folder / name):
            (folder / name).mkdir(parents=True, exist_ok=True)
    title = folder.resolve().name.replace("-", " ").replace("_", " ").title()
    for relative, text in _tree(source, PurePosixPath()):
        target = folder / relative.with_name(_RENAMED.get(relative.name, relative.name))
        with _explained(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text.replace("{title}", title), encoding="utf-8")
        yield target


@contextmanager
def _explained(target: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreUnavailable(
            f"{target} cannot be written: {error.strerror}. Choose a folder that you can write to.", file=str(target)
        ) from error


def _tree(folder: Traversable, at: PurePosixPath) -> Iterator[tuple[PurePosixPath, str]]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.is_dir():
            yield from _tree(entry, at / entry.name)
        else:
            yield at / entry.name, entry.read_text(encoding="utf-8")
