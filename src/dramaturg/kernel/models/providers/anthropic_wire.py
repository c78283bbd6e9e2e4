"""The adapter for Anthropic's Messages API."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import orjson

from dramaturg.kernel.models.catalogue import KNOWN, ModelRef, Provider
from dramaturg.kernel.models.forms import instruction
from dramaturg.kernel.models.port import Finish, ModelAnswer, ModelRequest, Usage
from dramaturg.kernel.models.profiles import ModelProfile
from dramaturg.kernel.models.providers.faults import Source, cut_short, fault, garbled, status_in, words_in
from dramaturg.kernel.models.providers.http_pool import HttpPool
from dramaturg.kernel.models.providers.partial_answer import PartialAnswer, room_for
from dramaturg.kernel.models.providers.wire_values import IMPOSSIBLE, counts_in, text_in, tokens_in

VERSION = "2026-10-21"
# The current API version has no temperature; the previous one has, for the models that accept it.
VERSION_WITH_TEMPERATURE = "2023-06-01"
EPHEMERAL = {"type": "ephemeral"}
TOOL_USE = "tool_use"

_FINISH: dict[str, Finish] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refusal",
}
_COUNTS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")


class AnthropicWire:
    """One Claude model behind the Messages endpoint.

    The system block and, through the top-level marker, the last block of the conversation are cache breakpoints:
    the marker moves with the conversation while the bytes of earlier messages stay the same.
    """

    def __init__(self, ref: ModelRef, profile: ModelProfile, key: str | None, pool: HttpPool) -> None:
        provider = ref.provider
        self._ref = ref
        self._profile = profile
        self._pool = pool
        base = provider.base_url.rstrip("/").removesuffix("/v1")
        self._url = f"{base}/v1/messages"
        self._credentials = _credentials(provider, key) if key else {}
        self._source = Source(provider.name, ref.model, provider.base_url, provider.key_env, key, pool.secrets)
        vendor = KNOWN.get(profile.provider)
        self._is_vendors_protocol = vendor is not None and vendor.protocol == provider.protocol

    @property
    def name(self) -> str:
        return self._ref.name

    @property
    def profile(self) -> ModelProfile:
        return self._profile

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        partial = self._partial_answer(request)
        headers = self._headers(request)
        raw = await self._pool.post(self._url, headers, self._body(request), self._source)
        partial.add(self._read(raw, partial))
        partial.flush()
        return partial.to_answer(self._pool.clock.now())

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        partial = self._partial_answer(request)
        headers, body = self._headers(request), self._body(request, stream=True)
        async with aclosing(self._pool.events(self._url, headers, body, self._source)) as events:
            async for data in events:
                if not partial.closed and (piece := partial.add(self._read(data, partial))):
                    yield piece
        if not partial.done:
            raise cut_short(self._source)
        if rest := partial.flush():
            yield rest
        yield partial.to_answer(self._pool.clock.now())

    def _partial_answer(self, request: ModelRequest) -> PartialAnswer:
        sent = self._stops(request)
        return PartialAnswer(request, self.name, tuple(stop for stop in request.stop if stop not in sent))

    def _stops(self, request: ModelRequest) -> tuple[str, ...]:
        """The API refuses stop sequences that are only white space; those are enforced on this side."""
        return tuple(stop for stop in request.stop if stop.strip()) if self._profile.stops else ()

    def _with_temperature(self, request: ModelRequest) -> bool:
        return request.temperature is not None and self._profile.sampling

    def _headers(self, request: ModelRequest) -> dict[str, str]:
        version = VERSION_WITH_TEMPERATURE if self._with_temperature(request) else VERSION
        return {"content-type": "application/json", "anthropic-version": version, **self._credentials}

    def _body(self, request: ModelRequest, *, stream: bool = False) -> bytes:
        body: dict[str, Any] = {
            "model": self._ref.model,
            "max_tokens": room_for(request, self._profile),
            "messages": [orjson.Fragment(message.encoded) for message in request.messages],
        }
        caching = self._profile.prefix_caching == "explicit"
        if system := self._system(request):
            body["system"] = [{"type": "text", "text": system} | ({"cache_control": EPHEMERAL} if caching else {})]
        if caching:
            body["cache_control"] = EPHEMERAL
        if self._with_temperature(request):
            body["temperature"] = request.temperature
        if stops := self._stops(request):
            body["stop_sequences"] = stops
        body |= self._form_and_thinking(request)
        if stream:
            body["stream"] = True
        return orjson.dumps(body)

    def _system(self, request: ModelRequest) -> str:
        if request.output and self._profile.structured_output not in ("json_schema", "tool"):
            return f"{request.system}\n\n{instruction(request.output)}".lstrip()
        return request.system

    def _form_and_thinking(self, request: ModelRequest) -> dict[str, Any]:
        added: dict[str, Any] = {}
        config: dict[str, Any] = {}
        form = request.output
        if form and self._profile.structured_output == "json_schema":
            config["format"] = {"type": "json_schema", "schema": form.schema}
        elif form and self._is_form_a_tool(request):
            added["tools"] = [{"name": form.name, "input_schema": form.schema}]
            added["tool_choice"] = {"type": "tool", "name": form.name}
        if self._is_vendors_protocol and self._profile.thinking == "optional":
            added["thinking"] = {"type": self._profile.quiet}
        elif self._is_vendors_protocol and self._profile.thinking == "always":
            config["effort"] = self._profile.quiet
        return added | ({"output_config": config} if config else {})

    def _is_form_a_tool(self, request: ModelRequest) -> bool:
        """Whether the answer is to be a form that is filled in as the call of a tool. No other tool is ever offered."""
        return request.output is not None and self._profile.structured_output == "tool"

    def _read(self, raw: bytes, partial: PartialAnswer) -> str:
        """The text in a complete message or in one event of a stream; finish and usage go into `partial`."""
        try:
            found = orjson.loads(raw)
            kind = found["type"]
            if kind == "error":
                raise fault(self._source, status_in(found["error"]), words_in(found))
            if kind == "message":
                return _read_message(found, partial, with_tool=self._is_form_a_tool(partial.request))
            if kind == "message_start":
                partial.usage = _usage(found["message"].get("usage"), None)
            elif kind == "message_delta":
                _read_finish(found["delta"], partial)
                partial.usage = _usage(found.get("usage"), partial.usage)
            elif kind == "message_stop":
                partial.done = partial.closed = True
            elif kind == "content_block_start":
                partial.block = str(found["content_block"].get("type"))
                return text_in(found["content_block"].get("text"))
            elif kind == "content_block_delta":
                delta = found["delta"]
                in_form = partial.block == TOOL_USE and self._is_form_a_tool(partial.request)
                return text_in(delta.get("text") or (delta.get("partial_json") if in_form else ""))
            return ""
        except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError, ValueError) as error:
            raise garbled(self._source, raw) from error


def _credentials(provider: Provider, key: str) -> dict[str, str]:
    header = provider.key_header
    return {header: f"Bearer {key}" if header == "authorization" else key}


def _read_message(message: Any, partial: PartialAnswer, *, with_tool: bool) -> str:
    _read_finish(message, partial)
    partial.usage = _usage(message.get("usage"), None)
    partial.done = True
    return "".join(_block_text(block, with_tool=with_tool) for block in message["content"])


def _block_text(block: Any, *, with_tool: bool) -> str:
    if block["type"] == TOOL_USE:
        return orjson.dumps(block["input"]).decode() if with_tool else ""
    return text_in(block.get("text")) if block["type"] == "text" else ""


def _read_finish(found: Any, partial: PartialAnswer) -> None:
    if reason := found.get("stop_reason"):
        partial.end(_FINISH.get(reason, "stop"))
        details = found.get("stop_details") or {}
        if partial.finish == "refusal" and details.get("explanation"):
            partial.add(text_in(details["explanation"]))


def _usage(told: Any, before: Usage | None) -> Usage | None:
    """Anthropic counts cache reads and writes separately; `Usage.input_tokens` includes them.

    The end of a stream repeats the totals so far and may omit what has not changed.
    """
    counts = counts_in(told)
    if not counts:
        return before
    found = {name: tokens_in(counts[name]) for name in _COUNTS if counts.get(name) is not None}
    before = before or Usage()
    read = found.get("cache_read_input_tokens", before.cache_read_tokens)
    written = found.get("cache_creation_input_tokens", before.cache_write_tokens)
    fresh = found.get("input_tokens", before.input_tokens - before.cache_read_tokens - before.cache_write_tokens)
    return Usage(
        input_tokens=IMPOSSIBLE if fresh < 0 else fresh + read + written,
        output_tokens=found.get("output_tokens", before.output_tokens),
        cache_read_tokens=read,
        cache_write_tokens=written,
    )
