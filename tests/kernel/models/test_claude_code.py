"""Claude Code as a model, with a double of its SDK: what is handed on, what comes back, what can go wrong.

`tests/contracts/test_claude_code.py` asks the real program the same.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import (
    InvalidSettings,
    KeyRejected,
    ModelError,
    ModelOverloaded,
    ModelUnavailable,
    ModelUnreadable,
)
from dramaturg.kernel.models import gateway as gateway_module
from dramaturg.kernel.models.gateway import Gateway
from dramaturg.kernel.models.port import Message, Model, OutputForm
from dramaturg.kernel.settings import ModelSettings, ProviderSettings, Settings
from tests.model_server.asking import heard, question

ADAPTER = "dramaturg.kernel.models.providers.claude_code"
TASK = question("Beat 1. Alice:", key="beat-1/alice", system="# Alice")


@dataclass
class TextBlock:
    text: str


@dataclass
class AssistantMessage:
    content: list[Any]
    parent_tool_use_id: str | None = None
    error: str | None = None


@dataclass
class ResultMessage:
    subtype: str = "error_max_turns"
    result: str | None = None
    api_error_status: int | None = None
    total_cost_usd: float | None = 0.01
    model_usage: dict[str, dict[str, int]] = field(default_factory=dict)


class ClaudeSDKError(Exception):
    pass


class CLINotFoundError(ClaudeSDKError):
    pass


class Sdk:
    """The double: says `messages`, then raises `error`, if any. `options` and `prompt` are what it was given."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.error: Exception | None = None
        self.options: Any = None
        self.prompt = ""

    async def query(self, *, prompt: str, options: Any) -> AsyncIterator[Any]:
        self.prompt, self.options = prompt, options
        for message in self.messages:
            yield message
        if self.error:
            raise self.error

    def module(self) -> ModuleType:
        double = ModuleType("claude_agent_sdk")
        double.__spec__ = ModuleSpec("claude_agent_sdk", None)
        for one in (TextBlock, AssistantMessage, ResultMessage, ClaudeSDKError, CLINotFoundError):
            setattr(double, one.__name__, one)
        for name in ("AgentDefinition", "ClaudeAgentOptions", "HookMatcher"):
            setattr(double, name, SimpleNamespace)
        double.query = self.query  # type: ignore[attr-defined]
        return double


@pytest.fixture
def sdk(monkeypatch: pytest.MonkeyPatch) -> Sdk:
    double = Sdk()
    monkeypatch.setitem(sys.modules, "claude_agent_sdk", double.module())
    monkeypatch.delitem(sys.modules, ADAPTER, raising=False)
    import_module(ADAPTER)
    double.messages = [
        AssistantMessage([TextBlock("I hand it on.")]),
        AssistantMessage([SimpleNamespace(), TextBlock('[TONE: cold] "Where is it?"')], parent_tool_use_id="toolu_1"),
        ResultMessage(
            model_usage={
                "claude-sonnet-5-5": {"inputTokens": 20, "outputTokens": 12, "cacheReadInputTokens": 5},
                "claude-haiku-5-5": {"inputTokens": 1, "outputTokens": 1, "cacheCreationInputTokens": 3},
            }
        ),
    ]
    # With its one turn spent the session ends in an error although the answer is there.
    double.error = ClaudeSDKError("Reached maximum number of turns (1)")
    return double


def open_model(name: str = "claude-code/sonnet", **env: str) -> Model:
    settings = Settings(env=env, models=ModelSettings(retries=0))
    return Gateway(settings, StillClock()).open(name)


async def test_the_answer_is_the_subagents_and_the_costs_are_the_whole_sessions(sdk: Sdk) -> None:
    answer = await open_model().complete(TASK)
    assert answer.text == '[TONE: cold] "Where is it?"'
    assert (answer.model, answer.cost_usd) == ("claude-code/sonnet", 0.01)
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (29, 13)
    assert (answer.usage.cache_read_tokens, answer.usage.cache_write_tokens) == (5, 3)


async def test_the_card_is_the_subagents_own_prompt_and_nothing_of_the_users_is_read(sdk: Sdk) -> None:
    await open_model(ANTHROPIC_API_KEY="k", HOME="here").complete(TASK)
    options = sdk.options
    agent = options.agents["alice"]
    assert (agent.prompt, agent.tools, agent.background, agent.maxTurns) == ("# Alice", [], False, 1)
    assert (options.setting_sources, options.skills, options.strict_mcp_config) == ([], [], True)
    assert (options.tools, options.allowed_tools, options.max_turns) == (["Agent"], ["Agent"], 1)
    assert options.extra_args == {"no-session-persistence": None}
    for variable in ("DISABLE_TELEMETRY", "DISABLE_AUTOUPDATER", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"):
        assert options.env[variable] == "1"
    assert (options.env["ANTHROPIC_API_KEY"], options.env["HOME"]) == ("k", "here")
    assert options.env["CLAUDE_CODE_MAX_OUTPUT_TOKENS"] == "200"


async def test_the_hook_puts_the_exact_words_into_the_call_and_asks_for_the_foreground(sdk: Sdk) -> None:
    before = (Message("user", "Beat 0."), Message("assistant", "[SILENT]"), Message("user", "Beat 1. Alice:"))
    await open_model().complete(question(key="beat-1/alice", messages=before))
    (matcher,) = sdk.options.hooks["PreToolUse"]
    decided = (await matcher.hooks[0]({"tool_input": {"prompt": "garbled"}}, "toolu_1", None))["hookSpecificOutput"]
    assert (matcher.matcher, decided["permissionDecision"]) == ("Agent", "allow")
    assert decided["updatedInput"] == {
        "subagent_type": "alice",
        "description": "alice",
        "prompt": "Beat 0.\n\nYou answered:\n[SILENT]\n\nBeat 1. Alice:",
        "run_in_background": False,
    }


async def test_a_form_is_asked_for_in_words_and_stop_sequences_are_kept_here(sdk: Sdk) -> None:
    form = OutputForm("verdict", {"type": "object"})
    answer = await open_model().complete(question(key="beat-1/old tom!", output=form, stop=("is",)))
    assert "JSON Schema" in sdk.options.agents["old-tom"].prompt
    assert answer.text == '[TONE: cold] "Where '
    _, streamed = await heard(open_model().stream(TASK))
    assert streamed.text.endswith('it?"')


async def test_another_address_is_passed_on(sdk: Sdk) -> None:
    providers = {"claude-code": ProviderSettings(base_url="http://127.0.0.1:9")}
    await Gateway(Settings(providers=providers), StillClock()).open("claude-code").complete(TASK)
    assert sdk.options.env["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:9"
    assert sdk.options.model == "claude-sonnet-5-5"


async def test_a_model_that_always_thinks_is_asked_to_think_little(sdk: Sdk) -> None:
    await open_model("claude-code/claude-opus-5-5").complete(TASK)
    assert (sdk.options.thinking, sdk.options.effort) == (None, "low")


@pytest.mark.parametrize(
    ("messages", "error", "kind", "says"),
    [
        ([AssistantMessage([TextBlock("Run /login")], error="authentication_failed")], None, KeyRejected, "log in"),
        ([ResultMessage("success", "Invalid API key")], None, KeyRejected, "ANTHROPIC_API_KEY"),
        ([ResultMessage("success", "Overloaded", 529)], None, ModelOverloaded, "529"),
        ([AssistantMessage([TextBlock("slow down")], error="rate_limit")], None, ModelOverloaded, "429"),
        ([], CLINotFoundError("no claude"), ModelUnavailable, "missing"),
        ([], ClaudeSDKError("it fell over"), ModelUnavailable, "it fell over"),
        ([AssistantMessage([TextBlock("I would rather not.")]), ResultMessage("success", "I would rather not.")], None,
         ModelUnreadable, "did not delegate the task"),
        ([ResultMessage()], ClaudeSDKError("max turns"), ModelUnreadable, "did not delegate the task"),
    ],
)  # fmt: skip
async def test_what_goes_wrong_is_an_error_of_the_house(
    messages: list[Any], error: Exception | None, kind: type[ModelError], says: str, sdk: Sdk
) -> None:
    sdk.messages, sdk.error = messages, error
    with pytest.raises(kind, match=says):
        await open_model().complete(TASK)


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway_module, "find_spec", lambda name: None)
    with pytest.raises(InvalidSettings, match=r"\.\[claude-code\]"):
        open_model()


async def test_the_survey_says_how_it_is_paid_for(sdk: Sdk) -> None:
    async with Gateway(Settings(), StillClock()) as gateway:
        found = next(one for one in await gateway.survey() if one.name == "claude-code")
    assert (found.usable, found.reason) == (True, "with ANTHROPIC_API_KEY or its own login")
