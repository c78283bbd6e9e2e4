"""`--project`: a folder that does not exist is an error for every command, and is not made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from dramaturg.cli.app import Root, app

VALUES = {"beat": "1", "scene": "1", "keep": "file", "to": "x.json", "file": __file__}
VALUES |= dict.fromkeys(("numbers", "number", "first", "version"), "1")
MORE = {("runs", "export"): ("--format", "md"), ("character", "reset"): ("--yes",), ("models", "get"): ("a/b:c.gguf",)}


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command below another that has the option, by its words."""
    names = tuple(Root.nouns) if not path else tuple(getattr(command, "commands", {}))
    for name in names:
        yield from commands(command.get_command(None, name), (*path, name))
    if path and not names and any(one.name == "project" for one in command.params):
        yield path, command


COMMANDS = dict(commands(get_command(app)))


def words_of(path: tuple[str, ...], command: Any) -> list[str]:
    """The command with something for whatever it needs."""
    words = [*path, *MORE.get(path, ())]
    for one in command.params:
        if one.param_type_name == "argument" and one.required:
            words.append(VALUES.get(one.name, "x"))
        elif one.required:
            words += [one.opts[0], VALUES.get(one.name, "x")]
    return words


def test_there_are_commands_to_try() -> None:
    assert len(COMMANDS) > 30


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_no_command_makes_a_folder_that_was_mistyped(path: tuple[str, ...], tmp_path: Path) -> None:
    typed = tmp_path / "nowhere"
    done = CliRunner().invoke(app, [*words_of(path, COMMANDS[path]), "--project", str(typed)])
    assert done.exit_code == 2, done.output
    assert f"There is no folder {typed}" in done.output
    assert not typed.exists()


def test_the_nearest_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "my-story").mkdir()
    done = CliRunner().invoke(app, ["runs", "list", "--project", str(tmp_path / "my-stroy")])
    assert done.exit_code == 2
    assert f"Did you mean {tmp_path / 'my-story'}?" in done.output
    assert [one.name for one in tmp_path.iterdir()] == ["my-story"]


def test_a_file_is_no_project(tmp_path: Path) -> None:
    file = tmp_path / "story.yaml"
    file.write_text("name: x", encoding="utf-8")
    done = CliRunner().invoke(app, ["scene", "check", "x", "--project", str(file)])
    assert done.exit_code == 2
    assert "is a file. Give the folder of a story project." in done.output
