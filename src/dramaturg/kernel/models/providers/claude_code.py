"""Claude Code as a model: every request is a task for a subagent whose system prompt is the request's.

The session around it only delegates the task. A hook writes the exact prompt into the call, so the subagent's
input does not depend on the outer model. None of the user's settings, memory or projects are read.
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
from dramaturg.kernel.models.catalogue import ModelRef
from dramaturg.kernel.models.forms import instruction
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest, Usage
from dramaturg.kernel.models.profiles import ModelProfile
from dramaturg.kernel.models.providers.faults import Source, fault
from dramaturg.kernel.models.providers.partial_answer import PartialAnswer, room_for

TOOL = "Agent"
# No telemetry, no updates, no side requests, no retries but ours, and nothing that outlives the answer.
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
class _SessionOutput:
    """The output of one session."""

    said: list[str] = field(default_factory=list)
    result: ResultMessage | None = None
    error: str = ""
    error_text: str = ""


class ClaudeCodeWire:
    """One model of Claude Code, through the Agent SDK and the CLI bundled with it.

    `env` is added to the CLI's environment: the key, a different base URL.
    """

    def __init__(self, ref: ModelRef, profile: ModelProfile, clock: Clock, env: Mapping[str, str]) -> None:
        self._ref = ref
        self._clock = clock
        self._profile = profile.model_copy(
            update={"structured_output": "prompted", "sampling": False, "stops": False, "prefix_caching": "none"}
        )
        address = {"ANTHROPIC_BASE_URL": ref.provider.base_url} if ref.provider.base_url else {}
        self._env = {**env, **address, **QUIET}
        self._source = Source("claude-code", ref.model, ref.provider.base_url or "Claude Code", ("ANTHROPIC_API_KEY",))

    @property
    def name(self) -> str:
        return self._ref.name

    @property
    def profile(self) -> ModelProfile:
        return self._profile

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        output = _SessionOutput()
        try:
            with tempfile.TemporaryDirectory(prefix="dramaturg-", ignore_cleanup_errors=True) as empty:
                await self._listen(request, empty, output)
        except ClaudeSDKError as error:
            # The session ends with an error once its only turn is spent on the task; the answer is there all the same.
            if not output.said:
                raise self._failed(output, error) from error
        if not output.said:
            raise self._failed(output, None)
        return self._whole(request, output)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        answer = await self.complete(request)
        yield answer.text
        yield answer

    async def _listen(self, request: ModelRequest, folder: str, output: _SessionOutput) -> None:
        """Reads a session to its end. Cancelling this ends the CLI."""
        messages = query(prompt=_errand(request), options=self._options(request, folder))
        try:
            async for message in messages:
                _read(message, output)
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
            model=self._ref.model,
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

    def _whole(self, request: ModelRequest, output: _SessionOutput) -> ModelAnswer:
        partial = PartialAnswer(request, self.name, request.stop)
        partial.add("\n".join(output.said))
        partial.flush()
        if output.result is not None:
            partial.usage = _usage(output.result.model_usage or {})
        cost = output.result.total_cost_usd if output.result is not None else None
        return partial.to_answer(self._clock.now()).model_copy(update={"cost_usd": cost})

    def _failed(self, output: _SessionOutput, error: ClaudeSDKError | None) -> ModelError:
        source, result = self._source, output.result
        words = output.error_text or (result.result if result else "") or str(error or "")
        status = (result.api_error_status if result else None) or _STATUS.get(output.error)
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
            return ModelUnavailable(f"{source.name}: the Claude Code CLI is missing ({error}).", model=self.name)
        if error is not None and (result is None or result.subtype != "error_max_turns"):
            return ModelUnavailable(f"{source.name}: Claude Code failed ({source.quote(words)}).", model=self.name)
        return ModelUnreadable(
            f"{source.name} did not delegate the task ({source.quote(words) or 'no output'}).", model=self.name
        )


def _errand(request: ModelRequest) -> str:
    who = _agent_name(request)
    return f'Call {TOOL} with subagent_type "{who}", description "{request.key}" and prompt "Your turn."'


def _agent_name(request: ModelRequest) -> str:
    """The last part of the key names the character: `beat-3/alice`."""
    plain = re.sub(r"[^a-z0-9-]+", "-", request.key.rpartition("/")[2].lower()).strip("-")
    return plain or "player"


def _task(request: ModelRequest) -> str:
    """The conversation so far as one text; each subagent starts without history."""
    *before, last = request.messages
    told = [f"You answered:\n{one.text}" if one.role == "assistant" else one.text for one in before]
    return "\n\n".join((*told, last.text))


def _handing_on(who: str, task: str) -> Any:
    """The hook that rewrites the call: the right agent, the exact prompt, in the foreground."""
    call = {"subagent_type": who, "description": who, "prompt": task, "run_in_background": False}

    async def hand_on(_given: Any, _tool_use: str | None, _context: Any) -> dict[str, Any]:
        decision = {"hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": call}
        return {"hookSpecificOutput": decision}

    return hand_on


def _read(message: object, output: _SessionOutput) -> None:
    if isinstance(message, ResultMessage):
        output.result = message
    elif isinstance(message, AssistantMessage):
        text = "".join(block.text for block in message.content if isinstance(block, TextBlock))
        if message.error:
            output.error, output.error_text = str(message.error), text
        elif message.parent_tool_use_id and text:
            output.said.append(text)


def _usage(by_model: Mapping[str, Mapping[str, Any]]) -> Usage:
    """The tokens of the whole session, including the delegation: that is what is billed."""

    def total(count: str) -> int:
        return sum(int(used.get(count) or 0) for used in by_model.values())

    read, written = total("cacheReadInputTokens"), total("cacheCreationInputTokens")
    return Usage(
        input_tokens=total("inputTokens") + read + written,
        output_tokens=total("outputTokens"),
        cache_read_tokens=read,
        cache_write_tokens=written,
    )
