"""The lean adapters against the vendors' own SDKs: the same conversation, the same request, the same result.

Documented differences, and the only ones: Anthropic's SDK is told to cache by hand what the adapter caches by
itself, and streams of the SDKs are asked to report their usage as the adapter always does.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from openai import AsyncOpenAI

from dramaturg.kernel.models.port import Message, ModelRequest, OutputForm
from tests.model_server import ModelServer
from tests.model_server.asking import ANTHROPIC_KEY, BOTH, CLAUDE, GPT, OPENAI_KEY, heard, house, question

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

TALK = (
    Message("user", 'Who goes there?\nSpeak up: "friend" or foe — 友人か？'),
    Message("assistant", "A friend, and a tired one."),
    Message("user", "Then say the word."),
)
FORM = OutputForm(
    "Password",
    {
        "type": "object",
        "properties": {"answer": {"type": "string"}},
        "required": ["answer"],
        "additionalProperties": False,
    },
)
EPHEMERAL = {"type": "ephemeral"}

CASES = {
    "a single question": question(),
    "no system prompt": question(system=""),
    "several turns": question(messages=TALK),
    "a stop sequence": question(stop=("tram", "kettle")),
    "a temperature": question(temperature=0.4),
    "cut at max_tokens": question(max_tokens=4),
    "a form": question(output=FORM),
}


def anthropic_client(url: str) -> AsyncAnthropic:
    from anthropic import AsyncAnthropic  # two seconds, which every process that collects tests would take

    return AsyncAnthropic(api_key=ANTHROPIC_KEY, base_url=url, max_retries=0)


def as_anthropic(request: ModelRequest) -> dict[str, Any]:
    asked: dict[str, Any] = {
        "model": "claude-sonnet-4-6",
        "max_tokens": request.max_tokens,
        "messages": [{"role": m.role, "content": m.text} for m in request.messages],
        "cache_control": EPHEMERAL,
    }
    if request.system:
        asked["system"] = [{"type": "text", "text": request.system, "cache_control": EPHEMERAL}]
    if request.stop:
        asked["stop_sequences"] = list(request.stop)
    if request.output:
        asked["output_config"] = {"format": {"type": "json_schema", "schema": dict(request.output.schema)}}
    if request.temperature is not None:
        asked["extra_body"] = {"temperature": request.temperature}
        asked["extra_headers"] = {"anthropic-version": "2023-06-01"}
    return asked


def as_openai(request: ModelRequest) -> dict[str, Any]:
    system = [{"role": "system", "content": request.system}] if request.system else []
    asked: dict[str, Any] = {
        "model": "gpt-4o",
        "max_completion_tokens": request.max_tokens,
        "messages": [*system, *({"role": m.role, "content": m.text} for m in request.messages)],
    }
    if request.stop:
        asked["stop"] = list(request.stop)
    if request.temperature is not None:
        asked["temperature"] = request.temperature
    if request.output:
        schema = {"name": request.output.name, "schema": dict(request.output.schema), "strict": True}
        asked["response_format"] = {"type": "json_schema", "json_schema": schema}
    return asked


@pytest.mark.parametrize("case", CASES)
async def test_anthropic_gets_the_request_its_sdk_would_send_and_reads_the_same(case: str) -> None:
    request = CASES[case]
    async with house() as here:
        client = anthropic_client(here.server.url)
        async with client:
            message = await client.messages.create(**as_anthropic(request))
        answer = await here.open(CLAUDE).complete(request)
    theirs, ours = here.server.requests
    assert ours.body == theirs.body
    assert ours.path == theirs.path
    for name in ("authorization", "anthropic-version", "content-type"):
        assert lower(ours.headers)[name] == lower(theirs.headers)[name]
    assert answer.text == message.content[0].text
    assert answer.usage.output_tokens == message.usage.output_tokens
    assert answer.finish == {"max_tokens": "length"}.get(str(message.stop_reason), "stop")


@pytest.mark.parametrize("case", CASES)
async def test_anthropic_streams_what_its_sdk_streams(case: str) -> None:
    request = CASES[case]
    async with house() as here:
        client = anthropic_client(here.server.url)
        async with client, client.messages.stream(**as_anthropic(request)) as stream:
            theirs = [text async for text in stream.text_stream]
            final = await stream.get_final_message()
        pieces, answer = await heard(here.open(CLAUDE).stream(request))
    assert here.server.requests[1].body == here.server.requests[0].body
    assert "".join(pieces) == "".join(theirs) == answer.text
    assert pieces == [piece for piece in theirs if piece]
    assert answer.usage.output_tokens == final.usage.output_tokens


@pytest.mark.parametrize("case", CASES)
async def test_openai_gets_the_request_its_sdk_would_send_and_reads_the_same(case: str) -> None:
    request = CASES[case]
    async with house() as here:
        client = AsyncOpenAI(api_key=OPENAI_KEY, base_url=f"{here.server.url}/v1", max_retries=0)
        async with client:
            completion = await client.chat.completions.create(**as_openai(request))
        answer = await here.open(GPT).complete(request)
    theirs, ours = here.server.requests
    assert ours.body == theirs.body
    assert ours.path == theirs.path
    for name in ("authorization", "content-type"):
        assert lower(ours.headers)[name] == lower(theirs.headers)[name]
    choice, usage = completion.choices[0], completion.usage
    assert answer.text == choice.message.content
    assert usage is not None
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (
        usage.prompt_tokens,
        usage.completion_tokens,
    )
    assert answer.finish == choice.finish_reason


@pytest.mark.parametrize("case", CASES)
async def test_openai_streams_what_its_sdk_streams(case: str) -> None:
    request = CASES[case]
    async with house() as here:
        client = AsyncOpenAI(api_key=OPENAI_KEY, base_url=f"{here.server.url}/v1", max_retries=0)
        options = {"include_usage": True}
        async with client:
            chunks = [
                chunk
                async for chunk in await client.chat.completions.create(
                    **as_openai(request), stream=True, stream_options=options
                )
            ]
        pieces, answer = await heard(here.open(GPT).stream(request))
    theirs = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert here.server.requests[1].body == here.server.requests[0].body
    assert pieces == [piece for piece in theirs if piece]
    assert answer.usage.output_tokens == chunks[-1].usage.completion_tokens


@pytest.mark.parametrize("name", BOTH)
async def test_the_cache_is_counted_as_the_provider_counts_it(name: str) -> None:
    request = question(system="You keep the gate. " * 40)
    async with house() as here:
        model = here.open(name)
        first = await model.complete(request)
        grown = replace(
            request,
            messages=(*request.messages, Message("assistant", first.text), Message("user", "And then?")),
        )
        second = await model.complete(grown)
        _, third = await heard(model.stream(grown))
    assert first.usage.cache_read_tokens == 0
    assert 0 < second.usage.cache_read_tokens < second.usage.input_tokens
    assert third.usage.cache_read_tokens == third.usage.input_tokens
    if name == CLAUDE:
        assert first.usage.cache_write_tokens == first.usage.input_tokens
        assert second.usage.cache_read_tokens + second.usage.cache_write_tokens == second.usage.input_tokens


@pytest.mark.parametrize("name", BOTH)
async def test_what_was_said_before_goes_out_in_the_same_bytes_again(name: str) -> None:
    talk = list(TALK)
    async with house() as here:
        model = here.open(name)
        for turn in range(4):
            answer = await model.complete(question(messages=tuple(talk)))
            talk += [Message("assistant", answer.text), Message("user", f"And then, the {turn}th time?")]
    for earlier, later in zip(here.server.requests, here.server.requests[1:], strict=False):
        assert messages_in(later.raw).startswith(messages_in(earlier.raw).removesuffix(b"]"))


async def test_the_breakpoints_of_the_cache_are_the_system_block_and_the_last_block() -> None:
    async with house() as here:
        await here.open(CLAUDE).complete(question(messages=TALK))
    body = here.server.requests[0].body
    assert body["system"][0]["cache_control"] == EPHEMERAL
    assert body["cache_control"] == EPHEMERAL
    assert all(isinstance(message["content"], str) for message in body["messages"])


async def test_an_older_claude_is_held_to_the_form_by_a_tool() -> None:
    request = question(output=FORM)
    async with house() as here:
        model = here.open("anthropic/claude-sonnet-4")
        answer = await model.complete(request)
        pieces, streamed = await heard(model.stream(request))
    body = here.server.requests[0].body
    assert body["tools"] == [{"name": "Password", "input_schema": dict(FORM.schema)}]
    assert body["tool_choice"] == {"type": "tool", "name": "Password"}
    assert set(json.loads(answer.text)) == {"answer"}
    assert json.loads("".join(pieces)) == json.loads(streamed.text) == json.loads(answer.text)


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("anthropic/claude-sonnet-5-5", {"thinking": {"type": "between_tools"}, "max_tokens": 200}),
        ("anthropic/claude-opus-5-5", {"output_config": {"effort": "low"}, "max_tokens": 4296}),
        ("openai/gpt-6-luna", {"reasoning_effort": "none", "max_completion_tokens": 200, "temperature": 0.4}),
        ("openai/o3", {"reasoning_effort": "low", "max_completion_tokens": 4296}),
        ("mistral/mistral-large-latest", {"max_tokens": 200, "temperature": 0.4}),
    ],
)
async def test_a_model_that_thinks_is_asked_to_think_as_little_as_it_can(name: str, sent: dict[str, Any]) -> None:
    settings = {**sent}
    async with house() as here:
        here.server.usage = True
        await here.open(name).complete(question(temperature=0.4))
    body = here.server.requests[0].body
    told = {key: value for key, value in body.items() if key not in ("model", "messages", "system", "cache_control")}
    assert told == settings


@pytest.mark.parametrize(
    ("name", "stops", "sent"),
    [
        (CLAUDE, ("\n\n", "Bob:"), ["Bob:"]),
        ("openai/gpt-6-luna", ("Bob:",), None),
        (GPT, tuple("abcdef"), list("abcd")),
    ],
)
async def test_a_stop_sequence_a_provider_does_not_take_is_kept_on_this_side(
    name: str, stops: tuple[str, ...], sent: list[str] | None
) -> None:
    async with house() as here:
        here.server.reply = lambda asked: "One 1ine.\n\nXnother. Bob: no. e" if sent != list("abcd") else "MNO e PQ"
        request = question(stop=stops)
        answer = await here.open(name).complete(request)
        pieces, streamed = await heard(here.open(name).stream(request))
    body = here.server.requests[0].body
    assert body.get("stop_sequences", body.get("stop")) == sent
    assert not any(stop in answer.text for stop in stops)
    assert "".join(pieces) == streamed.text == answer.text
    assert answer.finish == "stop"


@pytest.mark.parametrize("name", BOTH)
async def test_a_refusal_is_an_answer_that_says_so(name: str) -> None:
    async with house() as here:
        here.server.refuse = True
        here.server.reply = lambda asked: "I would rather not."
        answer = await here.open(name).complete(question())
        _, streamed = await heard(here.open(name).stream(question()))
    assert (answer.text, answer.finish) == ("I would rather not.", "refusal")
    assert (streamed.text, streamed.finish) == ("I would rather not.", "refusal")


async def test_what_openai_calls_a_refusal_is_not_streamed_as_words() -> None:
    async with house() as here:
        here.server.refuse = True
        here.server.reply = lambda asked: "I would rather not."
        pieces, _ = await heard(here.open(GPT).stream(question()))
    assert pieces == []


async def test_a_server_that_does_not_count_gets_our_own_estimate() -> None:
    async with house() as here:
        here.server.usage = False
        answer = await here.open("ollama/character").complete(question("[[ROLE:character]]"))
        _, streamed = await heard(here.open("ollama/character").stream(question("[[ROLE:character]]")))
    for one in (answer, streamed):
        assert not one.usage.reported
        assert one.usage.input_tokens > 10
        assert one.usage.output_tokens > 5


async def test_a_strange_server_that_refuses_a_schema_is_asked_in_words_from_then_on() -> None:
    async with house() as here:
        model = here.open("ollama/judge")
        here.server.fault("400", message="response_format is not supported")
        await model.complete(question(output=FORM))
        await model.complete(question(output=FORM))
        await heard(model.stream(question(output=FORM)))
    first, *later = here.server.requests
    assert first.body["response_format"]["type"] == "json_schema"
    assert len(later) == 3
    for one in (first, *later):
        assert '"required":["answer"]' in one.body["messages"][0]["content"]
    assert not any("response_format" in one.body for one in later)


def lower(headers: dict[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def messages_in(raw: bytes) -> bytes:
    start = raw.index(b'"messages":[')
    return raw[start : raw.index(b"}]", start) + 2]


def test_the_server_of_these_tests_is_local() -> None:
    assert ModelServer().url == ""
