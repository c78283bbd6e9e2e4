"""A process is killed while a message is spoken: the next one speaks the rest, and nothing twice."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import textwrap
from pathlib import Path

from tests import warm
from tests.episodes.staging import write_project
from tests.episodes.voiced import TALK, TWO
from tests.model_server import Asked, ModelServer
from tests.voice_server.server import VoiceServer

PLAY = textwrap.dedent(
    """
    import asyncio, json, sys
    from pathlib import Path
    from dramaturg.episodes.events import Persona
    from dramaturg.kernel.settings import read_settings
    from dramaturg.studio import Studio

    async def main(project, session):
        async with Studio.open(read_settings(Path(project), {"HOUSE_KEY": "k" * 20}), trust=True) as studio:
            if session:
                await studio.episodes.session(session)
                await studio.episodes.settle(session)
                print((await studio.episodes.view(session)).model_dump_json(), flush=True)
                return
            view = await studio.episodes.open("last-orders", Persona(id="anna"), voice=True)
            print(view.id, flush=True)
            await studio.episodes.settle(view.id)
            async for event in studio.episodes.say(view.id, "Good evening.", "c1"):
                pass
            await studio.episodes.settle(view.id)

    asyncio.run(main(*sys.argv[1:]))
    """
)


async def started(*words: str) -> asyncio.subprocess.Process:
    return await warm.start("-c", PLAY, *words, stdout=asyncio.subprocess.PIPE, env=os.environ | {"NO_COLOR": "1"})


def reply(asked: Asked) -> str:
    return "{}" if "worth keeping" in asked.prompt else TWO


async def test_a_killed_session_speaks_the_rest_and_nothing_twice(tmp_path: Path) -> None:
    write_project(tmp_path, TALK)
    async with ModelServer() as models, VoiceServer() as voices, asyncio.timeout(240):
        models.reply = reply
        (tmp_path / "dramaturg.toml").write_text(
            f'[models]\ndefault = "house/big"\ndirector = "house/big"\n'
            f'[providers.house]\nprotocol = "openai"\nbase_url = "{models.url}/v1"\n'
            f'[voices]\nengine = "openai-compatible"\nbase_url = "{voices.url}"\nmodel = "v"\nkey_env = "HOUSE_KEY"\n',
            encoding="utf-8",
        )
        first = await started(str(tmp_path), "")
        assert first.stdout is not None
        session = (await first.stdout.readline()).decode().strip()
        await voices.until(asked=2)
        voices.hold()
        await voices.until(asked=3)
        first.send_signal(signal.SIGKILL)
        await first.wait()
        before = [one.body["input"] for one in voices.requests]
        # The process may also end between a file and its entry in the log: the file is taken as it is.
        voices.release()
        second = await started(str(tmp_path), session)
        view = json.loads((await second.communicate())[0].decode())
    after = [one.body["input"] for one in voices.requests]
    assert before == ["We're closed. Sit down.", "You took your time, my friend.", "Sit down where I can see you."]
    assert after[3:] == ["Sit down where I can see you."]
    spoken = [[part["text"] for part in one["recordings"]] for one in view["messages"]]
    assert spoken == [before[:1], [], before[1:]]
