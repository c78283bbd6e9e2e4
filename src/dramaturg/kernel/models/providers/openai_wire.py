"""The adapter for OpenAI's chat completions and every compatible server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any

import orjson

from dramaturg.kernel.errors import ModelRejected
from dramaturg.kernel.models.catalogue import ModelRef
from dramaturg.kernel.models.forms import instruction
from dramaturg.kernel.models.port import Finish, ModelAnswer, ModelRequest, Usage
from dramaturg.kernel.models.profiles import ModelProfile, StructuredOutput
from dramaturg.kernel.models.providers.faults import Source, cut_short, fault, garbled, status_in, words_in
from dramaturg.kernel.models.providers.http_pool import HttpPool
from dramaturg.kernel.models.providers.partial_answer import PartialAnswer, room_for
from dramaturg.kernel.models.providers.wire_values import counts_in, text_in, tokens_in

MOST_STOPS = 4

_FINISH: dict[str, Finish] = {"length": "length", "content_filter": "refusal"}


class OpenAIWire:
    """One model behind a chat-completions endpoint.

    Servers that are not trusted with a JSON schema also get it as an instruction; a server that rejects the schema
    is not sent it again.
    """

    def __init__(self, ref: ModelRef, profile: ModelProfile, key: str | None, pool: HttpPool) -> None:
        provider = ref.provider
        self._ref = ref
        self._profile = profile
        self._pool = pool
        self._url = f"{provider.base_url.rstrip('/')}/chat/completions"
        self._headers = {"content-type": "application/json"}
        if key:
            self._headers["authorization"] = f"Bearer {key}"
        self._source = Source(provider.name, ref.model, provider.base_url, provider.key_env, key, pool.secrets)
        self._is_vendor = profile.provider == provider.name
        self._form: StructuredOutput = profile.structured_output

    @property
    def name(self) -> str:
        return self._ref.name

    @property
    def profile(self) -> ModelProfile:
        return self._profile

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        partial = self._partial_answer(request)
        try:
            raw = await self._pool.post(self._url, self._headers, self._body(request), self._source)
        except ModelRejected as error:
            if not self._form_refused(request, error):
                raise
            return await self.complete(request)
        partial.add(self._read(raw, partial))
        partial.flush()
        return partial.to_answer(self._pool.clock.now())

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        partial = self._partial_answer(request)
        body = self._body(request, stream=True)
        try:
            async with aclosing(self._pool.events(self._url, self._headers, body, self._source)) as events:
                async for data in events:
                    if data == b"[DONE]":
                        partial.done = partial.closed = True
                    elif partial.closed:
                        continue
                    elif piece := partial.add(self._read(data, partial)):
                        yield piece
        except ModelRejected as error:
            if not self._form_refused(request, error):
                raise
            async for again in self.stream(request):
                yield again
            return
        if not partial.done:
            raise cut_short(self._source)
        if rest := partial.flush():
            yield rest
        yield partial.to_answer(self._pool.clock.now())

    def _partial_answer(self, request: ModelRequest) -> PartialAnswer:
        sent = self._stops(request)
        return PartialAnswer(request, self.name, tuple(stop for stop in request.stop if stop not in sent))

    def _stops(self, request: ModelRequest) -> tuple[str, ...]:
        return request.stop[:MOST_STOPS] if self._profile.stops else ()

    def _body(self, request: ModelRequest, *, stream: bool = False) -> bytes:
        provider = self._ref.provider
        body: dict[str, Any] = {"model": self._ref.model, "messages": self._messages(request)}
        body[provider.token_field] = room_for(request, self._profile)
        if request.temperature is not None and self._profile.sampling:
            body["temperature"] = request.temperature
        if stops := self._stops(request):
            body["stop"] = stops
        if request.output:
            body |= self._response_format(request)
        body |= self._quiet()
        if stream:
            body["stream"] = True
            if provider.stream_usage:
                body["stream_options"] = {"include_usage": True}
        return orjson.dumps(body)

    def _messages(self, request: ModelRequest) -> list[object]:
        system = request.system
        if request.output and not self._held_to_schema():
            system = f"{system}\n\n{instruction(request.output)}".lstrip()
        told: list[object] = [{"role": "system", "content": system}] if system else []
        return told + [orjson.Fragment(message.encoded) for message in request.messages]

    def _held_to_schema(self) -> bool:
        return self._form == "json_schema" and self._ref.provider.trusted

    def _response_format(self, request: ModelRequest) -> dict[str, Any]:
        if self._form == "json_object":
            return {"response_format": {"type": "json_object"}}
        if self._form != "json_schema" or request.output is None:
            return {}
        schema = {"name": request.output.name, "schema": request.output.schema, "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}

    def _quiet(self) -> dict[str, Any]:
        """The vendor's own switch for the least thinking; other hosts may not understand it."""
        word = self._profile.quiet
        if not word or not self._is_vendor:
            return {}
        if word == "disabled":
            return {"thinking": {"type": "disabled"}}
        if word == "enable_thinking":
            return {"enable_thinking": False}
        return {"reasoning_effort": word}

    def _form_refused(self, request: ModelRequest, error: ModelRejected) -> bool:
        """Whether the server rejected the schema; if so, it is not sent again."""
        if type(error) is not ModelRejected or not request.output or self._ref.provider.trusted:
            return False
        if self._form == "prompted" or error.context.get("status") not in (400, 422):
            return False
        self._form = "prompted"
        return True

    def _read(self, raw: bytes, partial: PartialAnswer) -> str:
        """The text in a complete answer or in one chunk; finish and usage go into `partial`."""
        try:
            found = orjson.loads(raw)
            if found.get("error") and not found.get("choices"):
                raise fault(self._source, status_in(found["error"]), words_in(found))
            if usage := counts_in(found.get("usage")):
                partial.usage = _usage(usage)
            return _said(found["choices"], partial)
        except (orjson.JSONDecodeError, KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
            raise garbled(self._source, raw) from error


def _said(choices: Any, partial: PartialAnswer) -> str:
    """The text of the first choice; further ones, which a stream may send in between, were not asked for."""
    choice = next((one for one in choices or () if partial.is_choice(one.get("index"))), None)
    if choice is None:
        return ""
    delta = choice.get("delta") or choice.get("message") or {}
    if reason := choice.get("finish_reason"):
        partial.done = True
        partial.end(_FINISH.get(reason, partial.finish))
    if refused := text_in(delta.get("refusal")):
        partial.end("refusal")
        return refused
    return _text(delta.get("content"))


def _text(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return "".join(block["text"] for block in content if block.get("type") == "text")


def _usage(found: Mapping[str, Any]) -> Usage:
    details = counts_in(found.get("prompt_tokens_details"))
    return Usage(
        input_tokens=tokens_in(found.get("prompt_tokens")),
        output_tokens=tokens_in(found.get("completion_tokens")),
        cache_read_tokens=tokens_in(details.get("cached_tokens") or found.get("prompt_cache_hit_tokens")),
        cache_write_tokens=tokens_in(details.get("cache_write_tokens")),
    )
