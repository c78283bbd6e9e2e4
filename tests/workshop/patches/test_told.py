"""What the writer rejected is told to the model in its next prompt, once, in every tier."""

from __future__ import annotations

from pathlib import Path

import pytest

from dramaturg.kernel.settings import Settings, WorkshopSettings
from dramaturg.studio import Studio
from dramaturg.workshop.front import Workshop
from dramaturg.workshop.patches.patch import PatchSource
from tests.workshop.patches.test_review import quoted, write

MODELS = ("gpt-4o", "gemini-2.0-flash", "phi3:mini")


async def sent(foreman: Workshop, model: str) -> str:
    prompt = await foreman.prompt("Go on.", model=model)
    return prompt.system + "".join(one.text for one in prompt.messages)


async def propose(foreman: Workshop) -> None:
    patches = (quoted("Ruth put", "She put"), quoted("began again", "fell"))
    await foreman.patches.propose("t1", "Prose pass", PatchSource(name="m", purpose="prose"), patches)


@pytest.mark.parametrize("model", MODELS)
async def test_a_rejected_change_is_in_the_next_prompt_with_its_reason(tmp_path: Path, model: str) -> None:
    write(tmp_path)
    async with Studio.open(Settings(project=tmp_path, workshop=WorkshopSettings(agent="direct"))) as studio:
        foreman = studio.workshop
        await propose(foreman)
        assert "rejected your change" not in await sent(foreman, model)
        await foreman.patches.reject([2], "The rain must begin again.")
        prompt = await sent(foreman, model)
        assert "The writer rejected your change" in prompt
        assert "The rain must begin again." in prompt
        async for _ in foreman.consult("Go on.", model="rehearsal"):
            pass
        assert "rejected your change" not in await sent(foreman, model)


async def test_many_rejected_changes_take_little_room(tmp_path: Path) -> None:
    write(tmp_path)
    async with Studio.open(Settings(project=tmp_path)) as studio:
        foreman = studio.workshop
        many = [quoted("Ruth put", "She put " + "slowly " * 100 + str(number)) for number in range(40)]
        await foreman.patches.propose("t1", "Prose pass", PatchSource(name="m", purpose="prose"), many)
        await foreman.patches.reject(range(1, 41), "no " * 100)
        state = await foreman.conversation()
        (told,) = [one for one in state.mishaps(state.next_turn) if one.kind == "rejected"]
        assert "and 37 more" in told.what
        assert len(told.what) < 800
