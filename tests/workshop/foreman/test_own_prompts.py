"""A project's own prompt files: what a writer adds to a mode is told in every tier."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dramaturg.kernel.models.profiles import profile_of
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.prompt_assembly import assemble_prompt
from dramaturg.workshop.foreman.prompt_files import PromptFiles
from tests.workshop.books import the_last_starship

MODELS = ("anthropic/claude-sonnet-4-5", "ollama/llama3.1:8b", "ollama/qwen2.5:1.5b")
OURS = Path(__file__).parents[3] / "src" / "dramaturg" / "workshop" / "prompts" / "modes"
OWN = "## House rules\n\nNo scene opens with the weather.\n"


def with_own(project: Path, mode: Mode, text: str) -> PromptFiles:
    folder = project / "prompts" / "foreman" / "modes"
    folder.mkdir(parents=True)
    (folder / f"{mode.lower()}.md").write_text(text, encoding="utf-8")
    return PromptFiles(project)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("mode", Mode)
def test_a_section_of_its_own_is_kept_in_every_tier(tmp_path: Path, mode: Mode, model: str) -> None:
    ours = (OURS / f"{mode.lower()}.md").read_text(encoding="utf-8")
    changed = re.sub(r"## Required artifacts\n.*?(?=\n## )", OWN, ours, flags=re.S)
    prompts = with_own(tmp_path, mode, changed)
    told = assemble_prompt(the_last_starship(mode), profile_of(model), prompts, [], "Hello.").system
    assert told.count("No scene opens with the weather.") == 1
    assert "## House rules" in told


@pytest.mark.parametrize("model", MODELS)
def test_without_one_nothing_is_added(tmp_path: Path, model: str) -> None:
    ours = (OURS / "editor.md").read_text(encoding="utf-8")
    book, profile = the_last_starship(Mode.EDITOR), profile_of(model)
    copied = assemble_prompt(book, profile, with_own(tmp_path, Mode.EDITOR, ours), [], "Hello.")
    assert copied == assemble_prompt(book, profile, PromptFiles(Path("no-project")), [], "Hello.")
