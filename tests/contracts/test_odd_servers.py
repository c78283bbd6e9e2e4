"""Servers that speak a protocol in their own way, and what the adapters make of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import ModelError, ModelNotFound, ModelOverloaded, ModelRejected, ModelUnreadable
from dramaturg.kernel.models.gateway import Gateway
from dramaturg.kernel.models.port import OutputForm
from dramaturg.kernel.models.providers.faults import status_in, words_of
from dramaturg.kernel.models.providers.http_pool import HttpPool
from dramaturg.kernel.settings import ProviderSettings, Settings
from tests.model_server import ModelServer
from tests.model_server.asking import CLAUDE, GPT, LOCAL, heard, house, question

FORM = OutputForm("Word", {"type": "object", "properties": {"word": {"type": "string"}}})


def said(message: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"choices": [{"message": message, "finish_reason": "stop"}], **more}


async def test_a_whole_answer_to_a_request_for_a_stream_is_one_piece() -> None:
    async with house() as here:
        here.server.verbatim(said({"content": "All at once."}))
        pieces, answer = await heard(here.open(LOCAL).stream(question()))
        here.server.verbatim(
            {"type": "message", "content": [{"type": "text", "text": "At once."}], "stop_reason": "end_turn"}
        )
        other, _ = await heard(here.open(CLAUDE).stream(question()))
    assert (pieces, answer.text) == (["All at once."], "All at once.")
    assert other == ["At once."]


async def test_thoughts_are_left_out_of_what_is_said() -> None:
    blocks = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Owl."}]
    async with house() as here:
        here.server.verbatim(said({"content": blocks}))
        mistral = await here.open("mistral/magistral-medium").complete(question())
        here.server.verbatim(said({"content": "Owl.", "reasoning_content": "Hm."}))
        local = await here.open(LOCAL).complete(question())
        here.server.verbatim({"type": "message", "content": blocks, "stop_reason": "end_turn"})
        claude = await here.open(CLAUDE).complete(question())
    assert mistral.text == local.text == claude.text == "Owl."


SEARCH = {"type": "tool_use", "id": "t1", "name": "search", "input": {"text": "Zanzibar"}}


def streamed(*events: dict[str, Any]) -> bytes:
    return b"".join(f"event: {one['type']}\ndata: {json.dumps(one)}\n\n".encode() for one in events)


@pytest.mark.parametrize("kind", ["tool_use", "server_tool_use"])
async def test_the_call_of_a_tool_that_nobody_offered_is_not_said(kind: str) -> None:
    call = {**SEARCH, "type": kind}
    started = {"type": "content_block_start", "index": 0, "content_block": {**call, "input": {}}}
    filled = {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": "Zanz"}}
    text = {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}
    owl = {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "Owl."}}
    ends = {"type": "message_stop"}
    async with house() as here:
        here.server.verbatim(
            {"type": "message", "content": [call, {"type": "text", "text": "Owl."}], "stop_reason": "end_turn"}
        )
        whole = await here.open(CLAUDE).complete(question())
        here.server.verbatim(streamed(started, filled, text, owl, ends), kind="text/event-stream")
        pieces, answer = await heard(here.open(CLAUDE).stream(question()))
    assert whole.text == answer.text == "".join(pieces) == "Owl."


async def test_what_follows_the_end_of_a_stream_is_not_said() -> None:
    owl = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Owl."}}
    more = {"choices": [{"delta": {"content": "Owl."}, "finish_reason": "stop"}]}
    chunk = f"data: {json.dumps(more)}\n\n".encode()
    async with house() as here:
        here.server.verbatim(streamed(owl, {"type": "message_stop"}, owl), kind="text/event-stream")
        claude, _ = await heard(here.open(CLAUDE).stream(question()))
        here.server.verbatim(chunk + b"data: [DONE]\n\n" + chunk, kind="text/event-stream")
        gpt, _ = await heard(here.open(GPT).stream(question()))
    assert (claude, gpt) == (["Owl."], ["Owl."])


async def test_the_cache_as_deepseek_counts_it() -> None:
    usage = {"prompt_tokens": 90, "completion_tokens": 2, "prompt_cache_hit_tokens": 64}
    async with house() as here:
        here.server.verbatim(said({"content": "Owl."}, usage=usage))
        answer = await here.open(GPT).complete(question())
    assert (answer.usage.input_tokens, answer.usage.cache_read_tokens) == (90, 64)


@pytest.mark.parametrize("usage", [{"prompt_tokens": 0, "completion_tokens": 0}, {"prompt_tokens": 9}, {}])
async def test_words_that_are_said_to_have_cost_no_tokens_are_estimated(usage: dict[str, int]) -> None:
    async with house() as here:
        here.server.verbatim(said({"content": "The lamp is out, and nobody has come."}, usage=usage))
        answer = await here.open(GPT).complete(question())
    assert not answer.usage.reported
    assert answer.usage.output_tokens > 5
    assert answer.usage.input_tokens > 5


async def test_why_claude_declined_is_what_it_says() -> None:
    async with house() as here:
        here.server.verbatim(
            {"type": "message", "content": [], "stop_reason": "refusal", "stop_details": {"explanation": "Not this."}}
        )
        answer = await here.open(CLAUDE).complete(question())
    assert (answer.text, answer.finish) == ("Not this.", "refusal")


@pytest.mark.parametrize("name", [CLAUDE, GPT])
@pytest.mark.parametrize("body", [b"[]", b"{}", b"null", b'{"choices": [7], "type": "message"}', b"\xff\xfe", b""])
async def test_json_that_is_no_answer_is_unreadable(name: str, body: bytes) -> None:
    async with house() as here:
        here.server.verbatim(body)
        with pytest.raises(ModelUnreadable, match="base_url"):
            await here.open(name).complete(question())


@pytest.mark.parametrize(
    ("status", "body", "expected", "words"),
    [
        (404, {"error": "model 'owl' not found, try pulling it first"}, ModelNotFound, "try pulling it"),
        (422, {"detail": [{"loc": ["stop"], "msg": "too many"}]}, ModelRejected, "too many"),
        (400, {"object": "error", "message": "bad", "type": "invalid"}, ModelRejected, "invalid: bad"),
        (200, {"error": {"message": "upstream is busy", "code": 429}}, ModelOverloaded, "upstream is busy"),
        (302, b"", ModelRejected, "302"),
    ],
)
async def test_every_shape_of_error_is_quoted(
    status: int, body: object, expected: type[ModelError], words: str
) -> None:
    async with house(retries=0) as here:
        here.server.verbatim(body, status=status)
        with pytest.raises(ModelError, match=words) as caught:
            await here.open(GPT).complete(question())
    assert type(caught.value) is expected


async def test_milliseconds_to_wait_are_waited_for() -> None:
    async with house() as here:
        here.server.verbatim({}, status=429, **{"retry-after-ms": "1500"})
        await here.open(GPT).complete(question())
    assert 1.5 <= here.clock.waits[0] <= 2.0


def test_an_error_without_a_status_is_the_servers_fault() -> None:
    assert status_in("odd") == status_in({"code": "odd"}) == status_in({"code": 7}) == 500
    assert status_in({"code": "503"}) == 503
    assert words_of(b"<html><b>Bad gateway</b></html>") == "Bad gateway"


async def test_a_stream_falls_back_to_words_too_where_a_schema_is_refused() -> None:
    async with house() as here:
        here.server.fault("422", message="unknown field response_format")
        await heard(here.open("ollama/judge").stream(question(output=FORM)))
    assert ["response_format" in one.body for one in here.server.requests] == [True, False]


async def test_a_provider_that_is_trusted_is_not_doubted_for_one_refusal() -> None:
    async with house() as here:
        here.server.fault("400")
        with pytest.raises(ModelRejected):
            await heard(here.open(GPT).stream(question(output=FORM)))
    assert len(here.server.requests) == 1


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("deepseek/deepseek-v4-flash", {"thinking": {"type": "disabled"}, "response_format": {"type": "json_object"}}),
        ("qwen/qwen3.7-plus", {"enable_thinking": False, "response_format": {"type": "json_object"}}),
        ("openai/gpt-4", {}),
    ],
)
async def test_each_home_is_asked_in_its_own_way(name: str, sent: dict[str, Any]) -> None:
    async with ModelServer() as server:
        rows = {home: ProviderSettings(base_url=f"{server.url}/v1") for home in ("deepseek", "qwen", "openai")}
        keys = dict.fromkeys(("DEEPSEEK_API_KEY", "DASHSCOPE_API_KEY", "OPENAI_API_KEY"), "k")
        async with Gateway(Settings(providers=rows, env=keys), StillClock()) as gateway:
            await gateway.open(name).complete(question(output=FORM))
    body = server.requests[0].body
    for key, value in sent.items():
        assert body[key] == value
    assert "JSON Schema" in body["messages"][0]["content"]
    assert ("response_format" in body) == bool(sent)


async def test_a_server_that_imitates_anthropic_gets_the_key_where_it_looks_for_it() -> None:
    async with ModelServer() as server:
        own = ProviderSettings(protocol="anthropic", base_url=f"{server.url}/v1/", key_env="ATTIC_KEY")
        given = Settings(providers={"attic": own}, env={"ATTIC_KEY": "s3cret"})
        async with Gateway(given, StillClock()) as gateway:
            await gateway.open("attic/wonder").complete(question(output=FORM))
    (request,) = server.requests
    assert request.path == "/v1/messages"
    assert request.headers["x-api-key"] == "s3cret"
    assert "cache_control" not in request.body
    assert "JSON Schema" in request.body["system"][0]["text"]


@pytest.mark.parametrize(
    ("url", "env", "proxy"),
    [
        ("https://api.openai.com/v1", {"HTTPS_PROXY": "http://proxy:3128"}, "http://proxy:3128"),
        ("https://api.openai.com/v1", {"https_proxy": "http://proxy:3128", "NO_PROXY": "openai.com, x"}, None),
        ("https://api.openai.com/v1", {"HTTPS_PROXY": "http://proxy:3128", "NO_PROXY": "*"}, None),
        ("http://127.0.0.1:11434/v1", {"HTTP_PROXY": "http://proxy:3128"}, None),
        ("https://api.openai.com/v1", {"HTTP_PROXY": "http://proxy:3128"}, None),
        ("https://api.openai.com/v1", {}, None),
    ],
)
def test_a_proxy_is_used_as_the_environment_says(url: str, env: dict[str, str], proxy: str | None) -> None:
    assert HttpPool(StillClock(), env).proxy_for(url) == proxy


async def test_an_address_that_is_none_is_said_so() -> None:
    own = ProviderSettings(protocol="openai", base_url="nowhere at all")
    async with Gateway(Settings(providers={"attic": own}), StillClock()) as gateway:
        with pytest.raises(ModelError, match="base_url"):
            await gateway.open("attic/wonder").complete(question())
