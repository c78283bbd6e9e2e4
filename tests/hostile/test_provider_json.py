"""What a provider sends as JSON: any depth where text belongs, any size where its words do, any number as usage."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import orjson
import pytest
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models.function import FunctionModel

from dramaturg.kernel import redaction
from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import ModelUnreadable
from dramaturg.kernel.models.catalogue import KNOWN, ModelRef
from dramaturg.kernel.models.port import ModelAnswer
from dramaturg.kernel.models.profiles import profile_of
from dramaturg.kernel.models.providers import faults
from dramaturg.kernel.models.providers.anthropic_wire import AnthropicWire
from dramaturg.kernel.models.providers.faults import LONGEST_BODY, Source, fault, garbled, refusal, words_in
from dramaturg.kernel.models.providers.openai_wire import OpenAIWire
from dramaturg.kernel.models.providers.pydantic_ai_wire import PydanticAIWire
from dramaturg.voices.providers.voice_faults import voice_refusal
from tests.hostile.fuzz.targets.network import REQUEST, SECRET, SOURCE, GivenPool

DEEP = "[" * 1000 + "]" * 1000
MANY = ("http://", "a" * 40 + "://", "model", "?key", "?" + "pass" * 10, "://u:", "sk-")


def openai(*events: str) -> OpenAIWire:
    pool = GivenPool("\n\n".join(events).encode())
    return OpenAIWire(ModelRef(KNOWN["openai"], "gpt-5.4"), profile_of("openai/gpt-5.4"), SECRET, pool)


def anthropic(*events: str) -> AnthropicWire:
    pool = GivenPool("\n\n".join(events).encode())
    ref = ModelRef(KNOWN["anthropic"], "claude-opus-4-8")
    return AnthropicWire(ref, profile_of(ref.name), SECRET, pool)


async def streamed(wire: OpenAIWire | AnthropicWire) -> ModelAnswer:
    *_, answer = [piece async for piece in wire.stream(REQUEST)]
    assert isinstance(answer, ModelAnswer)
    return answer


def choice(inner: str) -> str:
    return f'{{"choices":[{{"finish_reason":"stop",{inner}}}]}}'


DEEP_CHOICES = [
    choice(f'"message":{{"refusal":{DEEP}}}'),
    choice(f'"message":{{"content":{DEEP}}}'),
    choice(f'"message":{{"content":[{{"type":"text","text":{DEEP}}}]}}'),
    choice(f'"message":{DEEP}'),
    choice(f'"message":{{"content":"a"}},"finish_reason":{DEEP}'),
    f'{{"choices":{DEEP}}}',
    DEEP,
]
DEEP_EVENTS = [
    f'{{"type":"content_block_delta","delta":{{"text":{DEEP}}}}}',
    f'{{"type":"content_block_delta","delta":{DEEP}}}',
    f'{{"type":"content_block_start","content_block":{{"text":{DEEP}}}}}',
    f'{{"type":"message_delta","delta":{{"stop_reason":"refusal","stop_details":{{"explanation":{DEEP}}}}}}}',
    f'{{"type":"message_delta","delta":{{"stop_reason":{DEEP}}}}}',
    f'{{"type":"message","content":[{{"type":"text","text":{DEEP}}}]}}',
]
DEEP_CALLS = [
    f'{{"type":"content_block_delta","delta":{{"partial_json":{DEEP}}}}}',
    f'{{"type":"message","content":[{{"type":"tool_use","input":{DEEP}}}]}}',
]


@pytest.mark.parametrize("body", DEEP_CHOICES)
async def test_a_nest_where_text_belongs_costs_one_answer_of_the_completions(body: str) -> None:
    with pytest.raises(ModelUnreadable):
        await openai(body).complete(REQUEST)
    with pytest.raises(ModelUnreadable):
        await streamed(openai(body, "[DONE]"))


@pytest.mark.parametrize("body", DEEP_EVENTS)
async def test_a_nest_where_text_belongs_costs_one_answer_of_the_messages(body: str) -> None:
    with pytest.raises(ModelUnreadable):
        await anthropic(body).complete(REQUEST)
    with pytest.raises(ModelUnreadable):
        await streamed(anthropic(body, '{"type":"message_stop"}'))


@pytest.mark.parametrize("body", DEEP_CALLS)
async def test_a_nest_in_the_call_of_a_tool_that_nobody_offered_is_not_read(body: str) -> None:
    assert (await anthropic(body).complete(REQUEST)).text == ""
    answer = await streamed(anthropic(body, '{"type":"message_stop"}'))
    assert answer.text == ""


async def test_a_nest_in_an_error_of_another_provider_costs_one_answer() -> None:
    def refuses(*_: object) -> ModelResponse:
        raise ModelHTTPError(400, "m", orjson.loads(DEEP))

    async def refuses_to_stream(*_: object) -> AsyncIterator[str]:
        yield "Hoo"
        raise ModelHTTPError(400, "m", orjson.loads(DEEP))

    model = FunctionModel(refuses, stream_function=refuses_to_stream)
    ref = ModelRef(KNOWN["google"], "gemini-3-pro")
    wire = PydanticAIWire(ref, profile_of(ref.name), model, StillClock())
    with pytest.raises(ModelUnreadable):
        await wire.complete(REQUEST)
    with pytest.raises(ModelUnreadable):
        [piece async for piece in wire.stream(REQUEST)]


USAGES = ["-5", str(2**63), str(10**30), "1.5", "true", '"12"', DEEP, "{}"]


@pytest.mark.parametrize("count", USAGES)
async def test_a_count_of_tokens_that_is_none_is_estimated_and_the_answer_stays(count: str) -> None:
    said = choice('"message":{"content":"Hoot."}')[:-1]
    message = '{"type":"message","content":[{"type":"text","text":"Hoot."}],"usage"'
    for answer in (
        await openai(f'{said},"usage":{{"prompt_tokens":{count},"completion_tokens":3}}}}').complete(REQUEST),
        await openai(
            f'{said},"usage":{{"prompt_tokens":3,"prompt_tokens_details":{{"cached_tokens":{count} }}}}}}'
        ).complete(REQUEST),
        await openai(f'{said},"usage":{count}}}').complete(REQUEST),
        await anthropic(f'{message}:{{"input_tokens":3,"output_tokens":{count}}}}}').complete(REQUEST),
        await anthropic(f'{message}:{{"input_tokens":3,"cache_read_input_tokens":{count}}}}}').complete(REQUEST),
        await anthropic(f"{message}:{count}}}").complete(REQUEST),
    ):
        assert answer.text == "Hoot."
        assert not answer.usage.reported or answer.usage.input_tokens == 3


async def test_only_the_first_of_several_choices_is_said() -> None:
    def piece(*choices: tuple[int, str, str]) -> str:
        rows = [{"index": at, "delta": {"content": text}, "finish_reason": why or None} for at, text, why in choices]
        return orjson.dumps({"choices": rows}).decode()

    pieces = [piece((0, "Ho", "")), piece((1, "Ba", "length")), piece((1, "h", ""), (0, "ot", ""))]
    answer = await streamed(openai(*pieces, piece((0, ".", "stop"))))
    assert (answer.text, answer.finish) == ("Hoot.", "stop")


@pytest.mark.parametrize("token", MANY)
def test_no_pattern_sees_more_of_a_providers_words_than_a_quotation_needs(
    token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[int] = []

    class Watched:
        def __init__(self, pattern: Any) -> None:
            self._pattern = pattern

        def search(self, text: str, *place: int) -> Any:
            looked_at.append(len(text))
            return self._pattern.search(text, *place)

        def sub(self, new: Any, text: str) -> Any:
            looked_at.append(len(text))
            return self._pattern.sub(new, text)

    for module, name in ((faults, "_NO_SUCH_MODEL"), (faults, "_SECRET"), (faults, "_TAG"), (redaction, "_OPTION")):
        monkeypatch.setattr(module, name, Watched(getattr(module, name)))
    words = token * 60_000
    said = orjson.dumps({"error": {"message": words, "code": words}})
    rows = orjson.dumps({"detail": [{"loc": [words], "msg": words}]})
    for body in (said, rows, words.encode(), f"<p>{words}</p>".encode()):
        refusal(SOURCE, 400, body, {}, 0.0)
        voice_refusal(SOURCE, 400, body, {}, 0.0)
        garbled(SOURCE, body)
    fault(SOURCE, 400, words_in(orjson.loads(said)))
    assert max(looked_at) <= LONGEST_BODY + 1


def test_a_nest_in_the_place_of_a_wrong_field_is_not_repeated() -> None:
    body = f'{{"detail":[{{"loc":["body",{DEEP},"voice",{DEEP}],"msg":{DEEP}}}]}}'.encode()
    assert "(voice: not valid)" in str(voice_refusal(SOURCE, 422, body, {}, 0.0))


@pytest.mark.parametrize("before", range(LONGEST_BODY - 60, LONGEST_BODY + 5))
def test_what_is_cut_in_the_middle_of_a_secret_is_not_quoted(before: int) -> None:
    source = Source("p", "m", "http://x", secret="owl-of-the-house")
    for secret in ("https://bob:hunter2@host/", "owl-of-the-house", "http://host/?api_key=hunter2"):
        for text in (" " * before + secret, "a " + " " * (before - 2) + secret + " and more" * 20):
            told = str(refusal(source, 400, orjson.dumps({"message": text}), {}, 0.0))
            assert not any(part in told for part in ("bob", "hunt", "owl"))
            assert not any(part in str(garbled(source, text.encode())) for part in ("bob", "hunt", "owl"))
            assert not any(part in str(refusal(source, 400, text.encode(), {}, 0.0)) for part in ("bob", "hunt", "owl"))
