"""Consent to a program covers every file of the project that it could be made of, however its command names them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from dramaturg.kernel.errors import InvalidSettings, NotTrusted
from dramaturg.kernel.settings import read_settings
from dramaturg.trust import ConsentBook, require_consent, wishes_of
from dramaturg.trust.programs import Bounds, program_files
from tests.hostile.projects import HostileProject

COMMANDS: dict[str, str] = {
    '"python3", "tool.py"': "tool.py",
    '"python3", "-m", "tool"': "tool.py",
    '"python3", "-m", "tool" ': "tool/__main__.py",
    '"python3", "-mtool"': "tool.py",
    '"python3", "-m", "pkg.tool"': "pkg/tool.py",
    '"python3", "pkg"': "pkg/__main__.py",
    '"sh", "-c", "sh tool.sh"': "tool.sh",
    '"sh", "-c", ". ./tool.sh"': "tool.sh",
    '"sh", "-c", "sh<tool.sh"': "tool.sh",
    '"sh", "-c", "sh<notes"': "notes",
    '"sh", "-c", "cd pkg && . ./notes.md"': "pkg/notes.md",
    '"notes", "--script=tool.sh"': "tool.sh",
    '"notes", "--script=tool.conf"': "tool.conf",
    '"notes", "@tool.sh"': "tool.sh",
    '"notes", "file:tool.sh"': "tool.sh",
    '"node", "-r./tool.js", "-e", "0"': "tool.js",
    '"notes", "a.sh,tool.sh"': "tool.sh",
    '"env", "-C", "pkg", "sh", "tool.sh"': "pkg/tool.sh",
    '"env", "-C", "data", "sh", "tool.sh"': "data/tool.sh",
    '"sh", "-c", "exec data/tool"': "data/tool",
    '"uv", "--directory", "pkg", "run", "tool.py"': "pkg/tool.py",
    '"uv", "--directory=pkg", "run", "tool.py"': "pkg/tool.py",
    '"env", "PYTHONPATH=pkg", "python3", "-m", "tool"': "pkg/tool.py",
    '"make", "tool"': "Makefile",
    '"npm", "run", "x"': "package.json",
    '"uv", "run", "tool"': "pyproject.toml",
    '"my notes/tool"': "my notes/tool",
    '"gradle", "build"': "build.gradle",
    '"mise", "run", "x"': ".mise.toml",
    '"notes"': "libtool.so.1",
    '"notes" ': "libtool.so.1.22.3",
    '"cmake", "--build", "."': "CMakeLists.txt",
    '"bazel", "run", "x"': "BUILD",
    '"cargo", "run"': ".cargo/config.toml",
    '"python3", "-m", "tool"  ': "__pycache__/tool.cpython-311.pyc",
    '"racket", "-l", "x"': "tool.of-a-language-that-nobody-knows",
    '"python3", "-m", "pickles"': "pkg/answers.pkl",
    '"notes"  ': "pkg/rules",
}
"""Commands, each with the file that decides what it does."""


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home")}


def story_with(tmp_path: Path, command: str, *names: str) -> Path:
    settings = f'[notebooks.rim]\nrole = "world"\ncommand = [{command}]\n'
    return HostileProject("", settings, files=dict.fromkeys(names, "one")).write(tmp_path / "story")


def allow(story: Path, env: dict[str, str]) -> None:
    ConsentBook.of(env).remember(story, wishes_of(read_settings(story, env)))
    require_consent(read_settings(story, env))


def asked_again(story: Path, env: dict[str, str]) -> str:
    with pytest.raises(NotTrusted) as refused:
        require_consent(read_settings(story, env))
    return refused.value.message


@pytest.mark.parametrize(("command", "file"), COMMANDS.items())
def test_a_file_that_changes_asks_again_and_is_named(command: str, file: str, tmp_path: Path, env) -> None:
    story = story_with(tmp_path, command, file, "a.sh")
    allow(story, env)
    (story / file).write_text("two", encoding="utf-8")
    assert f"([notebooks.rim]); changed since you allowed it: {file}\n" in asked_again(story, env)


@pytest.mark.parametrize(
    ("command", "beside"),
    [
        ('"python3", "data/notebook.py"', "data/json.py"),
        ('"python3", "-m", "data.notebook"', "data/__init__.py"),
        ('"node", "node_modules/notebook/notebook.py"', "node_modules/notebook/helper.js"),
    ],
)
def test_what_is_beside_a_program_counts_too_where_nothing_else_does(
    command: str, beside: str, tmp_path: Path, env
) -> None:
    folder = beside.rpartition("/")[0]
    story = story_with(tmp_path, command, f"{folder}/notebook.py", "data/dramaturg.db")
    allow(story, env)
    (story / "data" / "dramaturg.db").write_text("two", encoding="utf-8")
    require_consent(read_settings(story, env))
    (story / beside).write_text("one", encoding="utf-8")
    assert f"changed since you allowed it: {beside}\n" in asked_again(story, env)


@pytest.mark.parametrize("order", ['tool = "write"', 'question = "path"', 'arguments = { path = "/tmp/x" }'])
def test_what_a_program_is_told_to_do_is_shown_and_asks_again(order: str, tmp_path: Path, env) -> None:
    story = story_with(tmp_path, '"notes-server"')
    allow(story, env)
    with (story / "dramaturg.toml").open("a", encoding="utf-8") as settings:
        settings.write(f"{order}\n")
    name, _, value = order.partition(" = ")
    told = asked_again(story, env)
    assert f'"{name}": ' in told
    assert value.strip('"{} ').split('"')[-1] in told


def test_a_file_that_may_be_run_counts_whatever_it_is_called(tmp_path: Path, env) -> None:
    story = story_with(tmp_path, '"make"', "bin/tool", "bin/tool.txt")
    (story / "bin" / "tool.txt").write_text("#!/bin/sh\n", encoding="utf-8")
    for name in ("tool", "tool.txt"):
        (story / "bin" / name).chmod(0o755)
    allow(story, env)
    for name in ("tool", "tool.txt"):
        (story / "bin" / name).write_text("#!/bin/sh\necho two\n", encoding="utf-8")
    assert "changed since you allowed it: bin/tool and bin/tool.txt\n" in asked_again(story, env)


@pytest.mark.parametrize("way", ["new", "gone", "a link elsewhere", "a folder that is a link", "a link to data"])
def test_files_that_come_go_or_lead_elsewhere_ask_again(way: str, tmp_path: Path, env) -> None:
    story = story_with(tmp_path, '"make", "tool"', "tool.sh", "one/tool.py", "two/tool.py", "data/notes")
    link = story / "lib"
    link.symlink_to("one")
    (story / "late.sh").symlink_to("data/notes")
    allow(story, env)
    if way == "new":
        (story / "more.sh").write_text("one", encoding="utf-8")
    elif way == "gone":
        (story / "tool.sh").unlink()
    elif way == "a link elsewhere":
        (story / "tool.sh").unlink()
        (story / "tool.sh").symlink_to(tmp_path / "other.sh")
    elif way == "a link to data":
        (story / "data" / "notes").write_text("two", encoding="utf-8")
    else:
        link.unlink()
        link.symlink_to("two")
    assert "changed since you allowed it: " in asked_again(story, env)


def with_another_order(story: Path) -> None:
    settings = '# A comment.\n[notebooks.rim]\ncommand = ["python3", "-m", "tool"]\n\nrole = "world"\n'
    (story / "dramaturg.toml").write_text(settings, encoding="utf-8")


def with_other_words(story: Path) -> None:
    for name in ("scenes/x.yaml", "manuscript/ch01.md", ".claude/agents/iris.md", "characters/a.json"):
        (story / name).write_text("two", encoding="utf-8")
        (story / name).chmod(0o755)


def with_new_data(story: Path) -> None:
    for name in ("data/dramaturg.db", "data/artifacts/a.wav", "data/x.py", "node_modules/x/i.js", ".venv/lib/x.py"):
        (story / name).parent.mkdir(parents=True, exist_ok=True)
        (story / name).write_text("two", encoding="utf-8")
    for name in (".gitignore", ".DS_Store", "manuscript/ch01.md~", "manuscript/.ch01.md.swp"):
        (story / name).write_text("two", encoding="utf-8")


@pytest.mark.parametrize("change", [with_another_order, with_other_words, with_new_data])
def test_what_is_no_program_does_not_ask_again(change: Callable[[Path], None], tmp_path: Path, env) -> None:
    prose = ("scenes/x.yaml", "manuscript/ch01.md", ".claude/agents/iris.md", "characters/a.json", ".venv/pyvenv.cfg")
    story = story_with(tmp_path, '"python3", "-m", "tool"', "tool.py", *prose)
    allow(story, env)
    change(story)
    require_consent(read_settings(story, env))


def test_a_folder_that_only_looks_like_an_environment_is_compared_when_the_command_names_it(
    tmp_path: Path, env
) -> None:
    story = story_with(tmp_path, '"python3", "-m", "pkg.tool"', "pkg/tool.py", "pkg/pyvenv.cfg", "pyvenv.cfg")
    allow(story, env)
    (story / "pkg" / "tool.py").write_text("two", encoding="utf-8")
    assert "pkg/tool.py" in asked_again(story, env)


def test_consent_of_an_earlier_version_asks_again_without_saying_what_changed(tmp_path: Path, env) -> None:
    story = story_with(tmp_path, '"python3", "-m", "tool"', "tool.py")
    file = ConsentBook.of(env).remember(story, wishes_of(read_settings(story, env)))
    wish = wishes_of(read_settings(story, env))[0]
    file.write_text(f'{{"project": "{story.resolve()}", "wishes": {{"0": "{wish.sentence}"}}}}', encoding="utf-8")
    assert "changed" not in asked_again(story, env)


def test_very_many_changes_are_a_few_and_a_number(tmp_path: Path, env) -> None:
    story = story_with(tmp_path, '"make"', *(f"{letter}.sh" for letter in "abcde"))
    allow(story, env)
    for letter in "abcde":
        (story / f"{letter}.sh").write_text("two", encoding="utf-8")
    assert "changed since you allowed it: a.sh, b.sh, c.sh and 2 more\n" in asked_again(story, env)


@pytest.mark.parametrize("bounds", [Bounds(files=1), Bounds(size=5), Bounds(entries=1)])
def test_more_than_can_be_compared_is_refused_with_a_way_out(bounds: Bounds, tmp_path: Path) -> None:
    story = story_with(tmp_path, '"make"', "a.sh", "b.sh")
    with pytest.raises(InvalidSettings, match=r"more files that could be part of it .* outside the project"):
        program_files(story, [["make"]], bounds)


def test_so_many_files_that_their_names_fill_the_consent_are_still_allowed(tmp_path: Path, env) -> None:
    name = "n" * 200
    story = story_with(tmp_path, '"make"')
    for number in range(1_900):
        folder = story / name / name / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.sh").touch()
    allow(story, env)


def test_a_project_without_programs_is_not_looked_through(tmp_path: Path, env) -> None:
    story = HostileProject("", "").write(tmp_path / "story")
    for number in range(2_100):
        (story / f"{number}.sh").touch()
    assert wishes_of(read_settings(story, env)) == ()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_nobody_waits_for_a_pipe_and_links_may_go_in_circles(tmp_path: Path, env) -> None:
    story = story_with(tmp_path, '"sh", "tool.sh", "loop", "pipe"', "pkg/a.sh")
    os.mkfifo(story / "tool.sh")
    (story / "pipe").symlink_to("tool.sh")
    (story / "loop").symlink_to("loop")
    (story / "pkg" / "up").symlink_to("..")
    assert [one.name for one in program_files(story, [["sh", "tool.sh", "loop", "pipe", "\0", "x" * 9999]])] == [
        "loop (link)",
        "pipe (link)",
        "pkg/a.sh",
        "pkg/up (link)",
    ]
