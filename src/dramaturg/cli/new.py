"""`new`: a small, complete story project."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from shlex import quote
from typing import Annotated

import typer

from dramaturg.cli.edge import echo, fail
from dramaturg.cli.group import noun
from dramaturg.kernel.errors import DramaturgError, InvalidConfig, StoreUnavailable
from dramaturg.kernel.files import create_file, shown_name

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
        written = _copy(files("dramaturg.cli") / "story", folder)
    except DramaturgError as error:
        fail(error)
    echo(f"Created {folder}/ with {len(written)} files: two characters, a scene, an episode, an ensemble of six.")
    echo(f"Play it:\n\n  cd {quote(str(folder))}\n  dramaturg scene run {SCENE}\n")
    echo("Or begin a book of your own, with an editor that asks the questions:\n\n  dramaturg foreman chat\n")


def _copy(source: Traversable, folder: Path) -> list[Path]:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidConfig(
            f"{folder} already exists and is not empty. Choose another folder; nothing was written.",
            folder=str(folder),
        )
    with _whole(folder) as made:
        for name in WORKSHOP:
            made.folder(folder / name)
        title = shown_name(folder.resolve()).replace("-", " ").replace("_", " ").title()
        return [
            made.file(
                folder / relative.with_name(_RENAMED.get(relative.name, relative.name)), text.replace("{title}", title)
            )
            for relative, text in _tree(source, PurePosixPath())
        ]


class _NewFolder:
    """What of a project has been made so far; `at` is what is being made."""

    def __init__(self) -> None:
        self.at = Path()
        self._done: list[Path] = []

    def folder(self, folder: Path) -> None:
        """Make a folder and those above it that are missing. Raises OSError."""
        if folder.is_dir():
            return
        self.folder(folder.parent)
        self.at = folder
        folder.mkdir()
        self._done.append(folder)

    def file(self, file: Path, text: str) -> Path:
        """Write a file. Raises OSError."""
        self.folder(file.parent)
        self.at = file
        create_file(file, text.encode())
        self._done.append(file)
        return file

    def undo(self) -> None:
        """Remove it again, but for folders into which somebody else has put something."""
        for path in reversed(self._done):
            with suppress(OSError):
                path.rmdir() if path.is_dir() else path.unlink()


@contextmanager
def _whole(folder: Path) -> Iterator[_NewFolder]:
    """A project is written whole or not at all: where half of one is, none can be made."""
    made = _NewFolder()
    try:
        yield made
    except OSError as error:
        made.undo()
        raise StoreUnavailable(
            f"{made.at} cannot be written: {error.strerror}. Choose a folder that you can write to. Nothing of it was "
            "left behind.",
            file=str(made.at),
        ) from error


def _tree(folder: Traversable, at: PurePosixPath) -> Iterator[tuple[PurePosixPath, str]]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.is_dir():
            yield from _tree(entry, at / entry.name)
        else:
            yield at / entry.name, entry.read_text(encoding="utf-8")
