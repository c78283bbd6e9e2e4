"""Models of pydantic-ai as models of the house: the same answers, the same errors. Google's is asked over HTTP."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic_ai import exceptions
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import (
    InvalidSettings,
    KeyRejected,
    ModelError,
    ModelNotFound,
    ModelOverloaded,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
    ModelUnreadable,
)
from dramaturg.kernel.models.catalogue import ModelRef, Provider
from dramaturg.kernel.models.gateway import Gateway
from dramaturg.kernel.models.port import Message, OutputForm
from dramaturg.kernel.models.profiles import profile_of
from dramaturg.kernel.models.providers.pydantic_ai_wire import PydanticAIWire
from dramaturg.kernel.settings import ModelSettings, ProviderSettings, Settings
from tests.model_server.asking import heard, question

ASKED = ModelRef(Provider("bedrock", "pydantic-ai", "", ("AWS_KEY",)), "nova")
FORM = OutputForm("Password", {"type": "object", "properties": {"word": {"type": "string"}}})


def wire(model: Any) -> PydanticAIWire:
    return PydanticAIWire(ASKED, profile_of("bedrock/nova"), model, StillClock(), "secret-key")


async def test_the_conversation_arrives_in_order_with_its_system_prompt_and_settings() -> None:
    seen: list[tuple[list[ModelMessage], AgentInfo]] = []

    def play(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append((messages, info))
        return ModelResponse(parts=[TextPart("The word is owl. STOP and more")])

    talk = (Message("user", "Halt!"), Message("assistant", "Who?"), Message("user", "The word?"))
    answer = await wire(FunctionModel(play)).complete(question(messages=talk, stop=("STOP",), temperature=0.5))
    messages, info = seen[0]
    assert [part.content for message in messages for part in message.parts] == ["Halt!", "Who?", "The word?"]
    assert info.instructions == "You keep the gate of an old town."
    assert info.model_settings == {
        "max_tokens": 200,
        "max_retries": 0,
        "temperature": 0.5,
        "stop_sequences": ["STOP"],
    }
    assert answer.text == "The word is owl. "
    assert answer.model == "bedrock/nova"


async def test_a_stream_gives_its_pieces_and_then_the_answer() -> None:
    async def speak(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        for word in ("The word ", "is ", "owl."):
            yield word

    pieces, answer = await heard(wire(FunctionModel(stream_function=speak)).stream(question()))
    assert pieces == ["The word ", "is ", "owl."]
    assert answer.text == "The word is owl."
    assert answer.usage.total_tokens > 0


async def test_a_form_is_put_into_words_for_a_model_that_is_not_held_to_it() -> None:
    seen: list[str] = []

    def play(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.append(info.instructions or "")
        return ModelResponse(parts=[TextPart('{"word": "owl"}')])

    model = FunctionModel(play, profile={"supports_json_schema_output": False})
    answer = await wire(model).complete(question(output=FORM))
    assert json.loads(answer.text) == {"word": "owl"}
    assert "JSON Schema" in seen[0]


async def test_the_test_model_of_pydantic_ai_plays_too() -> None:
    answer = await wire(TestModel(custom_output_text="owl")).complete(question())
    assert (answer.text, answer.finish) == ("owl", "stop")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (exceptions.ModelHTTPError(400, "nova", {"message": "bad"}), ModelRejected),
        (exceptions.ModelHTTPError(401, "nova", "no"), KeyRejected),
        (exceptions.ModelHTTPError(404, "nova"), ModelNotFound),
        (exceptions.ModelHTTPError(429, "nova", headers={"retry-after": "9"}), ModelOverloaded),
        (exceptions.ModelHTTPError(500, "nova"), ModelUnavailable),
        (exceptions.ModelConnectionError("nova", "reset by peer"), ModelUnavailable),
        (exceptions.ModelTimeoutError("nova", "too slow"), ModelTimeout),
        (exceptions.ModelRequestTimeout("nova", 3.0), ModelTimeout),
        (exceptions.ModelAPIError("nova", "odd"), ModelUnavailable),
        (exceptions.ContentFilterError("not this"), ModelRejected),
        (exceptions.UnexpectedModelBehavior("no candidates"), ModelUnreadable),
        (exceptions.UserError("cannot do that"), ModelRejected),
    ],
    ids=lambda value: getattr(value, "__name__", type(value).__name__),
)
async def test_its_errors_become_ours(error: Exception, expected: type[ModelError]) -> None:
    def fail(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        raise error

    async def fail_streaming(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str]:
        raise error
        yield ""

    model = wire(FunctionModel(fail, stream_function=fail_streaming))
    with pytest.raises(ModelError) as caught:
        await model.complete(question())
    assert type(caught.value) is expected
    with pytest.raises(ModelError) as streamed:
        await heard(model.stream(question()))
    assert type(streamed.value) is expected
    if isinstance(caught.value, ModelOverloaded):
        assert caught.value.retry_after == 9


BUSY = (503, {"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}})
OWL = (
    200,
    {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "owl"}]}, "finishReason": "MAX_TOKENS"}],
        "usageMetadata": {"promptTokenCount": 40, "candidatesTokenCount": 2, "cachedContentTokenCount": 30},
        "modelVersion": "gemini-3.8-flash",
    },
)


class Google:
    """A server that answers what it is given. Google's SDK sends one header twice, which aiohttp would refuse."""

    def __init__(self, *replies: tuple[int, dict[str, Any]]) -> None:
        self.replies = list(replies)
        self.requests: list[tuple[str, dict[str, Any]]] = []

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = re.search(r"content-length: (\d+)", head, re.I)
        self.requests.append((head, json.loads(await reader.readexactly(int(length[1]) if length else 0))))
        status, reply = self.replies.pop(0)
        body = json.dumps(reply).encode()
        lines = (f"HTTP/1.1 {status} X", "content-type: application/json", "connection: close", "", "")
        writer.write("\r\n".join(lines).encode() + body)
        writer.close()
        await writer.wait_closed()


async def test_google_is_asked_over_http_with_its_own_key_and_no_retries_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The house closes the network in tests; this provider is a server of our own.
    monkeypatch.setattr("pydantic_ai.models.ALLOW_MODEL_REQUESTS", True)
    google, clock = Google(BUSY, OWL), StillClock()
    server = await asyncio.start_server(google, "127.0.0.1", 0)
    settings = Settings(
        models=ModelSettings(retries=1),
        providers={"google": ProviderSettings(base_url=f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")},
        env={"GEMINI_API_KEY": "secret-google"},
    )
    async with server, Gateway(settings, clock) as gateway:
        answer = await gateway.open("google/gemini-3.8-flash").complete(question(output=FORM))
    assert (answer.text, answer.finish) == ("owl", "length")
    assert (answer.usage.input_tokens, answer.usage.cache_read_tokens) == (40, 30)
    assert answer.cost_usd
    assert len(google.requests) == 2
    assert len(clock.waits) == 1
    head, body = google.requests[1]
    assert "models/gemini-3.8-flash:generateContent" in head
    assert "x-goog-api-key: secret-google" in head
    assert body["systemInstruction"]["parts"][0]["text"] == "You keep the gate of an old town."
    assert body["generationConfig"]["maxOutputTokens"] == 4296
    assert "responseJsonSchema" in body["generationConfig"]


def test_a_provider_pydantic_ai_does_not_know_is_said_so() -> None:
    settings = Settings(providers={"nowhere": ProviderSettings(protocol="pydantic-ai", model="x")})
    with pytest.raises(InvalidSettings, match="nowhere/x"):
        Gateway(settings, StillClock()).open("nowhere")
