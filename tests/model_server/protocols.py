"""The two protocols as the providers speak them: bodies in, messages and events out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from tests.model_server.replies import ToolCall, cut_at_stop, forced_tool, pieces

Events = list[bytes]


@dataclass(frozen=True, slots=True)
class Counted:
    """Tokens of a request, counted as characters over four; `cached` were seen before in the same order."""

    prompt: int
    cached: int
    written: int = 0


def tokens(text: str) -> int:
    return -(-len(text) // 4)


def blocks_of(body: dict[str, Any]) -> list[tuple[str, bool]]:
    """The prompt as (text, is a cache breakpoint), in the order in which providers cache."""
    found = [(json.dumps(tool, sort_keys=True), False) for tool in body.get("tools") or ()]
    system = body.get("system")
    for block in [{"text": system}] if isinstance(system, str) else system or ():
        found.append((f"system:{block['text']}", "cache_control" in block))
    for message in body.get("messages", ()):
        content = message["content"]
        for block in [{"text": content}] if isinstance(content, str) else content or ():
            found.append((f"{message['role']}:{block.get('text', '')}", "cache_control" in block))
    if body.get("cache_control") and found:
        found[-1] = (found[-1][0], True)
    return found


def prompt_of(body: dict[str, Any]) -> str:
    return "\n".join(text for text, _ in blocks_of(body))


class Anthropic:
    name = "anthropic"

    @staticmethod
    def message(
        body: dict[str, Any], said: str | ToolCall, counted: Counted, serial: int, refuse: bool
    ) -> dict[str, Any]:
        call = said if isinstance(said, ToolCall) else None
        text, stop = cut_at_stop("" if isinstance(said, ToolCall) else said, body.get("stop_sequences"))
        limit = body["max_tokens"]
        reason = "refusal" if refuse else "stop_sequence" if stop else "end_turn"
        if tokens(text) > limit:
            text, reason = text[: limit * 4], "max_tokens"
        block: dict[str, Any] = {"type": "text", "text": text}
        if tool := forced_tool(body):
            call = ToolCall(tool, json.loads(text))
        if call:
            block = {"type": "tool_use", "id": f"toolu_{serial}", "name": call.name, "input": call.input}
            reason = "tool_use"
        return {
            "id": f"msg_{serial}",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [block],
            "stop_reason": reason,
            "stop_sequence": stop,
            "usage": {
                "input_tokens": counted.prompt - counted.cached - counted.written,
                "cache_creation_input_tokens": counted.written,
                "cache_read_input_tokens": counted.cached,
                "output_tokens": tokens(text),
            },
        }

    @staticmethod
    def events(body: dict[str, Any], message: dict[str, Any]) -> Events:
        block = message["content"][0]
        tool = block["type"] == "tool_use"
        text = json.dumps(block["input"]) if tool else block["text"]
        empty = {**block, **({"input": {}} if tool else {"text": ""})}
        opening = {
            **message,
            "content": [],
            "stop_reason": None,
            "usage": {**message["usage"], "output_tokens": 1},
        }
        out = [
            _named("message_start", message=opening),
            _named("content_block_start", index=0, content_block=empty),
            _named("ping"),
        ]
        for piece in pieces(text):
            delta = {"type": "input_json_delta", "partial_json": piece} if tool else {}
            out.append(_named("content_block_delta", index=0, delta=delta or {"type": "text_delta", "text": piece}))
        out.append(_named("content_block_stop", index=0))
        end = {"stop_reason": message["stop_reason"], "stop_sequence": message["stop_sequence"]}
        out.append(_named("message_delta", delta=end, usage={"output_tokens": message["usage"]["output_tokens"]}))
        return [*out, _named("message_stop")]

    @staticmethod
    def error_event(error: dict[str, Any]) -> bytes:
        return _named("error", error=error["error"])


class OpenAI:
    name = "openai"

    @staticmethod
    def message(body: dict[str, Any], text: str, counted: Counted, serial: int, refuse: bool) -> dict[str, Any]:
        text, _ = cut_at_stop(text, body.get("stop"))
        limit = body.get("max_completion_tokens") or body.get("max_tokens") or 1_000_000
        finish = "stop"
        if tokens(text) > limit:
            text, finish = text[: limit * 4], "length"
        message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
        if refuse:
            message = {"role": "assistant", "content": None, "refusal": text}
        written = tokens(text)
        return {
            "id": f"chatcmpl-{serial}",
            "object": "chat.completion",
            "created": 1_759_501_938,
            "model": f"{body['model']}-served",
            "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": finish}],
            "usage": {
                "prompt_tokens": counted.prompt,
                "completion_tokens": written,
                "total_tokens": counted.prompt + written,
                "prompt_tokens_details": {"cached_tokens": counted.cached},
            },
        }

    @staticmethod
    def events(body: dict[str, Any], message: dict[str, Any]) -> Events:
        choice = message["choices"][0]
        field = "refusal" if choice["message"]["refusal"] else "content"
        head = {key: message[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}

        def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
            return _data({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

        out = [chunk({"role": "assistant", "content": ""})]
        out += [chunk({field: piece}) for piece in pieces(choice["message"][field] or "")]
        out.append(chunk({}, choice["finish_reason"]))
        if (body.get("stream_options") or {}).get("include_usage"):
            out.append(_data({**head, "choices": [], "usage": message["usage"]}))
        return [*out, b"data: [DONE]\n\n"]

    @staticmethod
    def error_event(error: dict[str, Any]) -> bytes:
        return _data({"error": error["error"]})


def _named(kind: str, **data: Any) -> bytes:
    return f"event: {kind}\n".encode() + _data({"type": kind, **data})


def _data(value: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"
