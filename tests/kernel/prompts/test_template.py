"""Prompts are files, and nothing about them is guessed."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from dramaturg.kernel.errors import PromptError
from dramaturg.kernel.prompts.template import load_template


@dataclass
class Named:
    name: str


def write(folder: Path, source: str, file: str = "line.md") -> Path:
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source, encoding="utf-8")
    return folder


def refused(folder: Path, file: str = "line", /, **values: object) -> PromptError:
    with pytest.raises(PromptError) as caught:
        load_template(folder, file).render(**values)
    return caught.value


def test_a_prompt_is_its_file_with_the_values_put_in(tmp_path: Path) -> None:
    source = """\
---
description: what an actor is told
variables: [name, traits]
---

You are {{ name }}.
{% for trait in traits %}
- {{ trait }}
{% endfor %}
Speak.
"""
    template = load_template(write(tmp_path, source), "line")
    assert template.file == "line.md"
    assert template.variables == {"name", "traits"}
    assert template.render(name="Alice", traits=["blunt", "kind"]) == "You are Alice.\n- blunt\n- kind\nSpeak."


@pytest.mark.parametrize("file", ["line.md", "line.j2", "modes/line.md"])
def test_a_prompt_is_found_with_and_without_its_suffix(tmp_path: Path, file: str) -> None:
    write(tmp_path, "---\nvariables: []\n---\nSpeak.", file)
    assert load_template(tmp_path, file).render() == "Speak."
    assert load_template(tmp_path, file.rpartition(".")[0]).render() == "Speak."


def test_a_changed_file_is_a_new_prompt(tmp_path: Path) -> None:
    write(tmp_path, "---\nvariables: []\n---\nSpeak.")
    first = load_template(tmp_path, "line")
    assert load_template(tmp_path, "line") is first
    write(tmp_path, "---\nvariables: []\n---\nBe silent.")
    assert load_template(tmp_path, "line").render() == "Be silent."


@pytest.mark.parametrize("name", ["../line", "/line", "a//b", "a\\b", "a\0b", "."])
def test_a_name_that_leaves_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    assert "is not the name of a prompt file" in str(refused(tmp_path, name))


def test_a_missing_file_is_an_error_and_so_are_two(tmp_path: Path) -> None:
    assert f"There is no line.md or line.j2 in {tmp_path}." == str(refused(tmp_path))
    write(tmp_path, "---\nvariables: []\n---\nA", "line.md")
    write(tmp_path, "---\nvariables: []\n---\nB", "line.j2")
    assert "Both line.md and line.j2 are in" in str(refused(tmp_path))


def test_a_variable_that_is_used_and_not_declared_is_named_with_its_line(tmp_path: Path) -> None:
    write(tmp_path, "---\nvariables: [name]\n---\n{{ name }}\n{% if goal %}x{% endif %}\n")
    error = refused(tmp_path, name="Alice")
    assert "line.md, line 5: 'goal' is used and not declared." in str(error)
    assert error.context == {"file": "line.md", "variable": "goal"}


def test_a_variable_that_is_missing_or_too_many_is_named(tmp_path: Path) -> None:
    write(tmp_path, "---\nvariables: [name]\n---\n{{ name }}")
    assert str(refused(tmp_path)) == "line.md: the variable 'name' is declared and was not given."
    error = refused(tmp_path, name="Alice", goal="peace")
    assert "'goal' was given and is not declared" in str(error)
    assert error.context["variable"] == "goal"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("one\n{{ card.nme }}", "line.md, line 5: 'test_template.Named object' has no attribute 'nme'."),
        ("one\n\n{{ none }}", "line.md, line 6: a variable that is None would be printed."),
        ("{{ card.__class__.__mro__ }}", "line.md, line 4: access to attribute '__class__'"),
        ("{{ 1 // 0 }}", "line.md, line 4: "),
    ],
)
def test_a_prompt_that_fails_while_it_is_filled_says_where(tmp_path: Path, body: str, said: str) -> None:
    write(tmp_path, f"---\nvariables: [card, none]\n---\n{body}")
    error = refused(tmp_path, card=Named("Alice"), none=None)
    assert said.replace("test_template.", "") in str(error).replace(f"{Named.__module__}.", "")
    assert error.context["file"] == "line.md"


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("Speak.", "line.md has no header"),
        ("---\nvariables: []\nSpeak.", "line.md has no header"),
        ("---\nvariables: name\n---\nSpeak.", "must declare its variables"),
        ("---\nvariables: [a b]\n---\nSpeak.", "must declare its variables"),
        ("---\n---\nSpeak.", "must declare its variables"),
        ("---\n- a\n---\nSpeak.", "must declare its variables"),
        ("---\nvariables: [\n---\nSpeak.", "the header cannot be read"),
        ("---\nvariables: []\nmodel: x\n---\nSpeak.", "'model' is not known in a header"),
        ("---\nvariables: []\n---\n \n", "line.md is empty below its header."),
        ("---\nvariables: []\n---\nA\n{% if %}", "line.md, line 5: "),
        ("---\nvariables: []\n---\n{% include 'other' %}", "line 4: a prompt file stands alone"),
        ("---\nvariables: []\n---\n{{ range(3) }}", "line 4: 'range' is used and not declared"),
        ("---\nvariables: []\n---\n{% if false %}x{% endif %}", "the prompt came out empty"),
    ],
)
def test_a_file_that_is_no_prompt_is_refused(tmp_path: Path, source: str, said: str) -> None:
    assert said in str(refused(write(tmp_path, source)))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "line.md").write_bytes(b"---\nvariables: []\n---\n\xff")
    assert "The prompt file line.md cannot be read" in str(refused(tmp_path))


def test_line_endings_of_another_system_make_no_difference(tmp_path: Path) -> None:
    (tmp_path / "line.md").write_bytes(b"---\r\nvariables: [name]\r\n---\r\nYou are\r\n{{ name }}.\r\n")
    assert load_template(tmp_path, "line").render(name="Alice") == "You are\nAlice."


def test_importing_the_module_does_not_import_the_template_engine() -> None:
    loaded = "{'jinja2', 'yaml'} & sys.modules.keys()"
    code = f"import sys, dramaturg.kernel.prompts.template; sys.exit(bool({loaded}))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
