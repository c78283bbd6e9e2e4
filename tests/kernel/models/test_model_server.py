"""The stand-in for a provider: repeatable, obedient, and usable from another process."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import aiohttp

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.models.gateway import Gateway
from tests.model_server import ModelServer
from tests.model_server.asking import GPT, house, question, settings_at


async def test_the_same_question_gets_the_same_line_in_the_scenes_format() -> None:
    async with house() as here:
        model = here.open("openai/character")
        asked = question("CAST: Ann, Ben\nYour turn.")
        first, again = await model.complete(asked), await model.complete(asked)
        other = await model.complete(question("CAST: Ann, Ben\nAnd now?"))
    assert first.text == again.text != other.text
    assert first.text.startswith("[")


async def test_the_judge_says_complete_from_the_beat_it_was_told() -> None:
    async with ModelServer(complete_after=3) as server, Gateway(settings_at(server.url), StillClock()) as gateway:
        judge = gateway.open("anthropic/judge")
        verdicts = [json.loads((await judge.complete(question(f"BEAT: {n}"))).text) for n in (2, 3)]
    assert [verdict["complete"] for verdict in verdicts] == [False, True]


async def test_a_test_can_act_when_the_nth_request_arrives() -> None:
    seen: list[tuple[int, str]] = []
    async with house() as here:
        here.server.on_request = lambda n, body: seen.append((n, body["model"]))
        here.server.hold(at=2)
        model = here.open(GPT)
        assert (await model.complete(question())).text
        held = asyncio.ensure_future(model.complete(question()))
        await here.server.received(2)
        assert not held.done()
        here.server.release()
        assert (await held).text
    assert seen == [(1, "gpt-4o"), (2, "gpt-4o")]


async def test_it_runs_as_a_process_and_takes_its_instructions_over_http() -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.model_server", "--port", "0", "--hold-at", "2"),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout
    url = json.loads(await process.stdout.readline())["url"]
    try:
        async with Gateway(settings_at(url), StillClock()) as gateway, aiohttp.ClientSession(url) as control:
            await told(control, "POST", "/fault", kind="500", after=1)
            model = gateway.open(GPT)
            assert (await model.complete(question())).text
            held = asyncio.ensure_future(model.complete(question("Once more?")))
            assert await told(control, "GET", "/wait?requests=2") == {"requests": 2}
            await told(control, "POST", "/release")
            assert (await held).text
            stats, log = await told(control, "GET", "/stats"), await told(control, "GET", "/requests")
    finally:
        process.terminate()
        await process.wait()
    assert (stats["requests"], stats["by_api"]) == (3, {"anthropic": 0, "openai": 3})
    assert [one["body"]["messages"][-1]["content"] for one in log][1:] == ["Once more?", "Once more?"]


async def told(control: aiohttp.ClientSession, method: str, path: str, **body: Any) -> Any:
    async with control.request(method, path, json=body or None) as response:
        assert response.status == 200
        return await response.json()
