"""A process is killed in the middle of a turn: the player's words are there, and another process answers them once."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import textwrap
from pathlib import Path

from tests import warm
from tests.episodes.staging import FLIRT, spoken, write_project
from tests.model_server import Asked, ModelServer

PLAY = textwrap.dedent(
    """
    import asyncio, json, sys
    from pathlib import Path
    from dramaturg.episodes.events import Persona
    from dramaturg.kernel.settings import read_settings
    from dramaturg.studio import Studio

    async def main(project, session, resume):
        async with Studio.open(read_settings(Path(project), {})) as studio:
            if resume:
                print(json.dumps([one.id for one in await studio.resume_unfinished()]), flush=True)
                await studio.episodes.settle(session)
                print((await studio.episodes.view(session)).model_dump_json(), flush=True)
                return
            view = await studio.episodes.open("last-orders", Persona(id="anna"))
            print(view.id, flush=True)
            async for event in studio.episodes.say(view.id, "Never lose this.", "c1"):
                print(event.type, flush=True)

    asyncio.run(main(sys.argv[1], sys.argv[2], len(sys.argv) > 3))
    """
)


async def started(*words: str, program: str = PLAY) -> asyncio.subprocess.Process:
    return await warm.start("-c", program, *words, stdout=asyncio.subprocess.PIPE, env=os.environ | {"NO_COLOR": "1"})


def reply(asked: Asked) -> str:
    return "{}" if "worth keeping" in asked.prompt else spoken()


async def test_a_killed_turn_is_played_on_by_the_next_process(tmp_path: Path) -> None:
    write_project(tmp_path, {**FLIRT, "completion_mode": "open", "turn_budget": None, "evaluation": None})
    async with ModelServer() as server, asyncio.timeout(240):
        server.reply = reply
        (tmp_path / "dramaturg.toml").write_text(
            f'[models]\ndefault = "house/big"\ndirector = "house/big"\n'
            f'[providers.house]\nprotocol = "openai"\nbase_url = "{server.url}/v1"\n',
            encoding="utf-8",
        )
        server.hold(at=1)
        first = await started(str(tmp_path), "new")
        assert first.stdout is not None
        session = (await first.stdout.readline()).decode().strip()
        await server.received(1)
        first.send_signal(signal.SIGKILL)
        await first.wait()
        server.release()
        second = await started(str(tmp_path), session, "resume")
        lines = (await second.communicate())[0].decode().splitlines()
    assert json.loads(lines[0]) == [session]
    view = json.loads(lines[1])
    assert [(message["role"], message["content"]) for message in view["messages"][1:]] == [
        ("player", "Never lose this."),
        ("character", '*She wipes a glass*\n"You took your time."'),
    ]
    assert view["director"]["turn_count"] == 1
