"""The prompts of memory, whole, as they go out: what a character recalls, and what its model is asked afterwards."""

from pathlib import Path

import pytest

from dramaturg.kernel.clock import StillClock
from tests.prompts.test_scene_prompts import check
from tests.scenes.memory.staging import THE_LETTER, THE_MILL, play, scene, script, studio_of


@pytest.mark.parametrize("key", ["beat-0/alice", "memory/cora"])
async def test_the_request_reads_as_it_did(key: str, tmp_path: Path) -> None:
    clock, model = StillClock(), script(THE_MILL, "{}")
    async with studio_of(tmp_path, script(THE_LETTER), clock) as studio:
        await play(studio, scene(THE_LETTER))
    clock.wind(3600)
    async with studio_of(tmp_path, model, clock) as studio:
        await play(studio, scene(THE_MILL), model="provider/model")
    request = next(request for request in model.requests if request.key == key)
    messages = "".join(f"\n=== {message.role}\n{message.text}\n" for message in request.messages)
    check(f"remembering-{key.replace('/', '-')}", f"=== system\n{request.system}\n{messages}")
