"""Claude Code as a model: every question is a task for a subagent that has the system prompt as its own.

The session around it only passes the task on. What the subagent is told does not depend on how well it does
that: a hook puts the exact words into the call. Nothing of the user's settings, memory or projects is read.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from claude_agent_sdk import (  # type: ignore[import-not-found, unused-ignore]
    AgentDefinition,
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKError,
    CLINotFoundError,
    HookMatcher,
    ResultMessage,
    TextBlock,
    query,
)

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import KeyRejected, ModelError, ModelUnavailable, ModelUnreadable
from dramaturg.kernel.models.catalogue import Asked
from dramaturg.kernel.models.forms import instruction
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest, Usage
from dramaturg.kernel.models.profiles import ModelProfile
from dramaturg.kernel.models.providers.answering import Answering, room_for
from dramaturg.kernel.models.providers.faults import Source, fault

TOOL = "Agent"
# No telemetry, no updates, no errands, no retries but ours, and nothing that goes on when the answer is there.
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    "CLAUDE_CODE_MAX_RETRIES": "0",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
}
_STATUS = {"authentication_failed": 401, "billing_error": 402, "rate_limit": 429, "invalid_request": 400}
_LOGGED_OUT = re.compile(r"/login|not logged in|invalid api key|authentication", re.IGNORECASE)


@dataclass(slots=True)
class _Heard:
    """What came out of one session."""

    said: list[str] = field(default_factory=list)
    result: ResultMessage | None = None
    error: str = ""
    error_text: str = ""


class ClaudeCodeWire:
    """One model of Claude Code, through the Agent SDK and the program that it brings.

    `env` is added to the environment of that program: the key, another address.
    """

    def __init__(self, asked: Asked, profile: ModelProfile, clock: Clock, env: Mapping[str, str]) -> None:
        self._asked = asked
        self._clock = clock
        self._profile = profile.model_copy(
            update={"structured_output": "prompted", "sampling": False, "stops": False, "prefix_caching": "none"}
        )
        address = {"ANTHROPIC_BASE_URL": asked.provider.base_url} if asked.provider.base_url else {}
        self._env = {**env, **address, **QUIET}
        self._source = Source(
            "claude-code", asked.model, asked.provider.base_url or "Claude Code", ("ANTHROPIC_API_KEY",)
        )

    @property
    def name(self) -> str:
        return self._asked.name

    @property
    def profile(self) -> ModelProfile:
        return self._profile

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        heard = _Heard()
        try:
            with tempfile.TemporaryDirectory(prefix="dramaturg-", ignore_cleanup_errors=True) as empty:
                await self._listen(request, empty, heard)
        except ClaudeSDKError as error:
            # With the one turn it is given spent on the task, a session ends in an error; the answer is there.
            if not heard.said:
                raise self._failed(heard, error) from error
        if not heard.said:
            raise self._failed(heard, None)
        return self._whole(request, heard)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        answer = await self.complete(request)
        yield answer.text
        yield answer

    async def _listen(self, request: ModelRequest, folder: str, heard: _Heard) -> None:
        """Hear a session out. Whoever stops listening ends the program."""
        messages = query(prompt=_errand(request), options=self._options(request, folder))
        try:
            async for message in messages:
                _hear(message, heard)
        finally:
            if isinstance(messages, AsyncGenerator):
                await messages.aclose()

    def _options(self, request: ModelRequest, folder: str) -> ClaudeAgentOptions:
        who = _agent_name(request)
        system = f"{request.system}\n\n{instruction(request.output)}" if request.output else request.system
        agent = AgentDefinition(
            description=f"plays {who}", prompt=system, tools=[], model="inherit", background=False, maxTurns=1
        )
        return ClaudeAgentOptions(
            model=self._asked.model,
            system_prompt=f"You hand on one task. Call the {TOOL} tool once, as you are told, and write nothing else.",
            tools=[TOOL],
            allowed_tools=[TOOL],
            agents={who: agent},
            hooks={"PreToolUse": [HookMatcher(matcher=TOOL, hooks=[_handing_on(who, _task(request))])]},
            max_turns=1,
            setting_sources=[],
            skills=[],
            strict_mcp_config=True,
            forward_subagent_text=True,
            verbatim_prompts=True,
            thinking=None if self._profile.thinking == "always" else {"type": "disabled"},
            effort="low" if self._profile.thinking == "always" else None,
            extra_args={"no-session-persistence": None},
            cwd=folder,
            env={**self._env, "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(room_for(request, self._profile))},
        )

    def _whole(self, request: ModelRequest, heard: _Heard) -> ModelAnswer:
        answering = Answering(request, self.name, request.stop)
        answering.say("\n".join(heard.said))
        answering.rest()
        if heard.result is not None:
            answering.usage = _usage(heard.result.model_usage or {})
        cost = heard.result.total_cost_usd if heard.result is not None else None
        return answering.whole(self._clock.now()).model_copy(update={"cost_usd": cost})

    def _failed(self, heard: _Heard, error: ClaudeSDKError | None) -> ModelError:
        source, result = self._source, heard.result
        words = heard.error_text or (result.result if result else "") or str(error or "")
        status = (result.api_error_status if result else None) or _STATUS.get(heard.error)
        if status is None and _LOGGED_OUT.search(words):
            status = 401
        if status == 401:
            return KeyRejected(
                f"{source.name}: Claude Code is not logged in ({source.quote(words)}). "
                "Set ANTHROPIC_API_KEY, or log in once with `claude`.",
                model=self.name,
                variable="ANTHROPIC_API_KEY",
            )
        if status is not None:
            return fault(source, status, words)
        if isinstance(error, CLINotFoundError):
            return ModelUnavailable(f"{source.name}: the program of Claude Code is missing ({error}).", model=self.name)
        if error is not None and (result is None or result.subtype != "error_max_turns"):
            return ModelUnavailable(f"{source.name}: Claude Code failed ({source.quote(words)}).", model=self.name)
        return ModelUnreadable(
            f"{source.name} did not hand the task on ({source.quote(words) or 'it said nothing'}).", model=self.name
        )


def _errand(request: ModelRequest) -> str:
    who = _agent_name(request)
    return f'Call {TOOL} with subagent_type "{who}", description "{request.key}" and prompt "Your turn."'


def _agent_name(request: ModelRequest) -> str:
    """The last part of the key names who is asked: `beat-3/alice`."""
    plain = re.sub(r"[^a-z0-9-]+", "-", request.key.rpartition("/")[2].lower()).strip("-")
    return plain or "player"


def _task(request: ModelRequest) -> str:
    """The conversation so far as one text; a subagent begins anew each time."""
    *before, last = request.messages
    told = [f"You answered:\n{one.text}" if one.role == "assistant" else one.text for one in before]
    return "\n\n".join((*told, last.text))


def _handing_on(who: str, task: str) -> Any:
    """The hook that writes the call: the right agent, the exact words, in the foreground."""
    call = {"subagent_type": who, "description": who, "prompt": task, "run_in_background": False}

    async def hand_on(_given: Any, _tool_use: str | None, _context: Any) -> dict[str, Any]:
        decision = {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": call}
        return {"hookSpecificOutput": decision}

    return hand_on


def _hear(message: object, heard: _Heard) -> None:
    if isinstance(message, ResultMessage):
        heard.result = message
    elif isinstance(message, AssistantMessage):
        text = "".join(block.text for block in message.content if isinstance(block, TextBlock))
        if message.error:
            heard.error, heard.error_text = str(message.error), text
        elif message.parent_tool_use_id and text:
            heard.said.append(text)


def _usage(by_model: Mapping[str, Mapping[str, Any]]) -> Usage:
    """What the whole session took, the handing-on included: that is what is paid."""

    def total(count: str) -> int:
        return sum(int(used.get(count) or 0) for used in by_model.values())

    read, written = total("cacheReadInputTokens"), total("cacheCreationInputTokens")
    return Usage(
        input_tokens=total("inputTokens") + read + written,
        output_tokens=total("outputTokens"),
        cache_read_tokens=read,
        cache_write_tokens=written,
    )
