"""The real program of Claude Code, asked through the Agent SDK, against a provider that runs here.

Run by `make test-claude-code`.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dramaturg.kernel.errors import KeyRejected, ModelOverloaded
from dramaturg.kernel.runs.events import ModelAnswered
from dramaturg.kernel.settings import ModelSettings, SceneSettings, Settings
from dramaturg.scenes.scene import scene_from
from dramaturg.scenes.state import scene_state
from dramaturg.studio import Studio
from tests.model_server import Asked, ModelServer, ToolCall
from tests.model_server.asking import question
from tests.stage import write_cards

pytest.importorskip("claude_agent_sdk", reason="needs the extra 'claude-code'; make test-claude-code")
pytestmark = pytest.mark.claude_code

MODEL = "claude-code/claude-sonnet-4-6"


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of whoever runs the tests reaches the program: no key, no login, no settings."""
    for variable in os.environ:
        if variable.startswith(("ANTHROPIC_", "CLAUDE")):
            monkeypatch.delenv(variable)


def reply(asked: Asked) -> str | ToolCall:
    """The session calls its tool, badly; the subagent plays its card; the judge sees nothing yet."""
    if asked.body.get("tools"):
        return ToolCall("Agent", {"subagent_type": "nobody", "description": "x", "prompt": "something else"})
    if "director of a performed scene" in asked.prompt:
        return '{"goals": [], "confidence": 0.1, "natural_end": false}'
    who = "Bob" if "# Bob" in asked.prompt else "Alice"
    said = asked.prompt.count("is my word")
    return f'[TONE: level] "{who} has given {said} answers, and this is my word."'


def settings_for(server: ModelServer, project: Path) -> Settings:
    env = {"ANTHROPIC_API_KEY": "sk-ant-not-a-key-0123", "ANTHROPIC_BASE_URL": server.url}
    home = {"HOME": str(project), "CLAUDE_CONFIG_DIR": str(project / "config")}
    return Settings(
        project=project,
        env=env | home,
        models=ModelSettings(default=MODEL, retries=0),
        scenes=SceneSettings(timeout=60),
    )


async def test_a_scene_is_played_by_subagents_that_have_the_cards(alone: None, tmp_path: Path) -> None:
    write_cards(tmp_path, ("alice", "bob"))
    config = {"name": "errand", "prompt": "Bob is late. Scene goal: Bob apologizes.", "characters": ["alice", "bob"]}
    async with ModelServer() as server:
        server.reply = reply
        async with Studio.open(settings_for(server, tmp_path)) as studio:
            run = await studio.scenes.open(scene_from(config | {"maxBeats": 2, "lookahead": False}))
            await studio.start(run)
    state = scene_state(run.entries)
    assert [(line.speaker, line.content) for line in state.lines if line.beat == 0] == [
        ("Alice", "Alice has given 0 answers, and this is my word.")
    ]
    assert {line.speaker for line in state.lines} == {"Alice", "Bob"}
    answers = [entry.event for entry in run.entries if isinstance(entry.event, ModelAnswered)]
    assert {event.key for event in answers if event.purpose == "acting"} == {
        "beat-0/alice",
        "beat-1/alice",
        "beat-1/bob",
    }
    assert all(event.answer.usage.output_tokens > 0 for event in answers)
    tasks = [one.body for one in server.requests if not one.body.get("tools")]
    assert any("Alice has given 0 answers" in str(body["messages"][-1]) for body in tasks)
    assert "something else" not in str([body["messages"] for body in tasks])
    assert any("# Alice - Colleague" in str(body["system"]) for body in tasks)
    assert all(one.path == "/v1/messages" for one in server.requests)


async def test_one_question_is_two_requests_and_leaves_no_session_behind(alone: None, tmp_path: Path) -> None:
    async with ModelServer() as server:
        server.reply = reply
        async with Studio.open(settings_for(server, tmp_path)) as studio:
            answer = await studio.gateway.open(MODEL).complete(
                question("Beat 1.", key="beat-1/alice", system="# Alice")
            )
    assert answer.text == '[TONE: level] "Alice has given 0 answers, and this is my word."'
    assert answer.cost_usd is not None
    assert len(server.requests) == 2
    assert not list(tmp_path.rglob("*.jsonl"))


@pytest.mark.parametrize(("fault", "error"), [("529", ModelOverloaded), ("401", KeyRejected)])
async def test_a_fault_of_the_provider_is_an_error_of_the_house_at_once(
    fault: str, error: type[Exception], alone: None, tmp_path: Path
) -> None:
    async with ModelServer() as server:
        server.reply = reply
        server.fault(fault, times=20)
        async with Studio.open(settings_for(server, tmp_path)) as studio:
            with pytest.raises(error):
                await studio.gateway.open(MODEL).complete(question("Beat 1.", key="beat-1/alice"))
    assert len(server.requests) <= 2
