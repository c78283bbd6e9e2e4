"""`dramaturg mcp` in a process of its own, used by the official client."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from typer.testing import CliRunner

from dramaturg.cli.app import app
from dramaturg.server.http.security_headers import HEADERS
from tests import warm
from tests.child import clean_environment
from tests.server.visitor import write_story

NAMES = {
    "list_scenes", "play_scene", "follow_run", "stop_run", "list_characters", "talk_to_character", "ask_ensemble",
    "consult_foreman", "list_runs", "read_transcript", "read_costs",
}  # fmt: skip
TOKEN = "a-token-of-twenty-letters"


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return write_story(tmp_path / "story")


@asynccontextmanager
async def over_stdio(story: Path) -> AsyncIterator[Client]:
    command, *arguments = (*warm.program(), "mcp", "--project", str(story))
    server = StdioServerParameters(command=command, args=arguments, env=clean_environment(story.parent))
    async with Client(stdio_client(server)) as client:
        yield client


@asynccontextmanager
async def http_process(story: Path, **env: str) -> AsyncIterator[str]:
    """`dramaturg mcp --http` as a process, and its address."""
    started = await warm.start(
        "-m", "dramaturg", "mcp", "--http", "--port", "0", "--project", str(story),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env=clean_environment(story.parent, NO_COLOR="1", **env),
    )  # fmt: skip
    assert started.stderr
    try:
        line = (await started.stderr.readline()).decode()
        found = re.search(r"http://\S+/mcp", line)
        assert found, line + (await started.stderr.read()).decode()
        yield found[0]
    finally:
        if started.returncode is None:
            started.terminate()
        out, _ = await started.communicate()
        assert out == b""


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return str(getattr(result.content[0], "text", ""))


async def whole_visit(client: Client) -> None:
    """Everything a client can do, in the order it would."""
    assert [one["name"] for one in (await call(client, "list_scenes"))["scenes"]] == ["argument"]
    run = (await call(client, "play_scene", scene="argument"))["run"]
    lines: list[str] = []
    after, is_over = 0, False
    while not is_over:
        seen = await call(client, "follow_run", run=run, after=after)
        lines += seen["lines"]
        after, is_over = seen["after"], seen["is_over"]
    text = await call(client, "read_transcript", run=run)
    assert (text["status"], text["goal_achieved"]) == ("ended", True)
    assert lines == text["text"].strip().splitlines()
    assert any("You opened my letter, Bob." in line for line in lines)
    assert (await call(client, "read_costs", run=run))["calls"] > 0
    talk = await call(client, "talk_to_character", character="alice", message="Good evening.")
    assert talk["answer"]
    assert "No model is playing" in talk["remark"]
    assert (await call(client, "talk_to_character", session=talk["session"], message="And now?"))["answer"]
    assert "Good evening." in (await call(client, "read_transcript", run=talk["session"]))["text"]
    asked = await call(client, "ask_ensemble", message="What is courage?")
    assert "They answer" in asked["text"]
    assert (await call(client, "consult_foreman", message="I want to write a novel about a lighthouse."))["answer"]
    kinds = [one["kind"] for one in (await call(client, "list_runs"))["runs"]]
    assert sorted(kinds) == ["ensemble", "foreman", "scene"]
    assert (await call(client, "list_runs", kind="scene"))["runs"][0]["run"] == run


async def test_a_client_plays_talks_consults_and_reads_over_stdio(story: Path) -> None:
    async with over_stdio(story) as client:
        await whole_visit(client)


async def test_the_same_over_streamable_http(story: Path) -> None:
    async with http_process(story) as url, Client(url) as client:
        await whole_visit(client)


async def test_every_tool_and_parameter_is_described_and_every_result_has_a_schema(story: Path) -> None:
    async with over_stdio(story) as client:
        tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == NAMES
    for tool in tools:
        assert tool.description
        assert tool.output_schema
        assert tool.output_schema["type"] == "object"
        for name, parameter in tool.input_schema.get("properties", {}).items():
            assert parameter.get("description") or name == "limit", (tool.name, name)
        assert tool.annotations
        assert tool.input_schema["additionalProperties"] is False


async def test_an_argument_that_a_tool_does_not_have_is_refused_and_nothing_is_done(story: Path) -> None:
    async with over_stdio(story) as client:
        said = await refused(client, "ask_ensemble", message="Why?", seats=[1, 2], audio=False)
        assert said == "ask_ensemble has no argument 'seats' or 'audio'. It takes message, slots and kiosk."
        said = await refused(client, "list_scenes", bogus=True)
        assert said == "list_scenes has no argument 'bogus'. It takes none."
        assert (await call(client, "list_runs"))["runs"] == []


async def test_only_the_slots_that_are_asked_answer(story: Path) -> None:
    async with over_stdio(story) as client:
        some = await call(client, "ask_ensemble", message="What is courage?", slots=[1, 2])
        assert (await call(client, "read_costs", run=some["run"]))["calls"] == 2 * 3
        assert "no slot 9" in await refused(client, "ask_ensemble", message="What is courage?", slots=[9])


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("play_scene", {"scene": "nowhere"}, "nowhere"),
        ("play_scene", {"scene": "../../etc/passwd"}, "Scene '../../etc/passwd' not found"),
        ("play_scene", {"scene": "argument", "model": "nobody/nothing"}, "nobody"),
        ("play_scene", {}, "play_scene, argument 'scene': this is missing; add it."),
        ("play_scene", {"scene": 3}, "play_scene, argument 'scene': expected a text."),
        ("list_runs", {"limit": 0}, "list_runs, argument 'limit': expected at least 1."),
        ("ask_ensemble", {"message": "Why?", "slots": "two"}, "'slots': expected a list in brackets, such as [1, 2]."),
        ("follow_run", {"run": "zzzz"}, "zzzz"),
        ("follow_run", {"run": "zzzz", "wait_seconds": 1e9}, "wait_seconds"),
        ("read_costs", {"run": ""}, "run"),
        ("talk_to_character", {"message": "Hi."}, "either a character"),
        ("talk_to_character", {"message": "Hi.", "character": "nobody"}, "nobody"),
        ("talk_to_character", {"message": "Hi.", "session": "0" * 18}, "no session"),
        ("ask_ensemble", {"message": "x" * 100_000}, "at most 4,000 characters"),
        ("consult_foreman", {"message": " "}, "message"),
        ("no_such_tool", {}, "There is no tool 'no_such_tool'. The tools are list_scenes, "),
    ],
)
async def test_a_mistake_is_one_sentence(story: Path, tool: str, arguments: dict[str, Any], says: str) -> None:
    async with over_stdio(story) as client:
        said = await refused(client, tool, **arguments)
        assert says in said
        assert not any(word in said for word in ("Traceback", "pydantic", "http", "Error executing", "validation"))
        assert (await call(client, "list_characters"))["characters"]


async def test_the_session_of_another_player_is_not_found(story: Path) -> None:
    played = await warm.start(
        "-m", "dramaturg", "episode", "play", "--card", "alice", "--project", str(story), "--json",
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, env=clean_environment(story.parent),
    )  # fmt: skip
    out, _ = await played.communicate(b"Hello.\n")
    session = json.loads(out.decode().strip().splitlines()[-1])["id"]
    async with over_stdio(story) as client:
        for tool in ("read_transcript", "read_costs", "follow_run", "stop_run"):
            assert "no session" in await refused(client, tool, run=session)


async def test_nothing_but_the_protocol_is_on_stdout(story: Path) -> None:
    (story / "scenes" / "broken.yaml").write_text("prompt: [", encoding="utf-8")
    started = await warm.start(
        "-m", "dramaturg", "mcp", "--project", str(story),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        env=clean_environment(story.parent),
    )  # fmt: skip
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "play_scene", "arguments": {"scene": 3}},
        },
    ]
    assert started.stdin
    assert started.stdout
    started.stdin.write("".join(json.dumps(one) + "\n" for one in asked).encode())
    answers = [json.loads(await started.stdout.readline()) for _ in range(2)]
    started.stdin.close()
    assert await started.stdout.read() == b""
    assert await started.wait() == 0
    assert [one["id"] for one in answers] == [1, 2]


async def test_over_http_a_token_is_wanted_where_the_server_has_one(story: Path) -> None:
    with (story / "dramaturg.toml").open("a") as file:
        file.write('[server]\ntoken_env = "DRAMATURG_STAGE_DOOR"\n')
    async with http_process(story, DRAMATURG_STAGE_DOOR=TOKEN) as url, httpx2.AsyncClient() as plain:
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}):
            refused = await plain.post(url, json={}, headers=headers)
            assert refused.status_code == 401
            assert {name: refused.headers.get(name) for name in HEADERS} == HEADERS
        plain.headers["Authorization"] = f"Bearer {TOKEN}"
        answered = await plain.get(url)
        assert {name: answered.headers.get(name) for name in HEADERS} == HEADERS
        async with Client(streamable_http_client(url, http_client=plain)) as client:
            assert (await call(client, "list_scenes"))["scenes"]


async def test_other_machines_are_not_served_without_a_token(story: Path) -> None:
    started = await warm.start(
        "-m", "dramaturg", "mcp", "--http", "--host", "0.0.0.0", "--project", str(story),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, env=clean_environment(story.parent),
    )  # fmt: skip
    out, err = await started.communicate()
    assert (started.returncode, out) == (2, b"")
    assert b"Without a token" in err


def test_without_the_extra_the_command_says_what_to_install(story: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("dramaturg.mcp_server")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    done = CliRunner().invoke(app, ["mcp", "--project", str(story)])
    assert done.exit_code == 2
    assert "pip install '.[mcp]' in dramaturg's folder" in done.stderr
