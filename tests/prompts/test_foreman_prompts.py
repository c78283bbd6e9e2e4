"""The Foreman's prompts, whole, for every mode and tier. `DRAMATURG_SNAPSHOTS=write` writes them anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.models.profiles import profile_of
from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.prompt_assembly import assemble_prompt
from dramaturg.workshop.foreman.prompt_files import PromptFiles
from dramaturg.workshop.foreman.receipt import Turn
from tests.prompts.test_scene_prompts import check
from tests.workshop.books import the_last_starship

MODELS = {"full": "mistral/mistral-large", "medium": "deepseek/deepseek-chat", "minimal": "ollama/llama3.2:3b"}
TALK = [Turn(writer="I want to work on Elena.", foreman="<message>\nThen tell me what she fears.\n</message>")]


@pytest.mark.parametrize("tier", MODELS)
@pytest.mark.parametrize("mode", Mode)
def test_the_prompt_of_a_mode_and_a_tier(mode: Mode, tier: str) -> None:
    prompt = assemble_prompt(
        the_last_starship(mode, decisions=3), profile_of(MODELS[tier]), PromptFiles(Path("none")), TALK, "What next?"
    )
    assert prompt.receipt.tier == tier
    parts = [f"── {message.role}\n{message.text}" for message in prompt.messages]
    check(f"foreman-{mode.lower()}-{tier}", "\n\n".join([f"── system\n{prompt.system}", *parts]) + "\n")
