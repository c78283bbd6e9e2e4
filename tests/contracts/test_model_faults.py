"""Everything that can go wrong at a provider becomes the right error, is tried again or not, and says the way out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from email.utils import formatdate

import pytest

from dramaturg.kernel.errors import (
    KeyRejected,
    ModelError,
    ModelNotFound,
    ModelOverloaded,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
    ModelUnreadable,
)
from tests.model_server.asking import BOTH, GPT, KEYS, heard, house, question

ONCE, FOUR_TIMES = 1, 4
FAULTS: dict[str, tuple[type[ModelError], int]] = {
    "400": (ModelRejected, ONCE),
    "401": (KeyRejected, ONCE),
    "402": (KeyRejected, ONCE),
    "403": (KeyRejected, ONCE),
    "404": (ModelNotFound, ONCE),
    "413": (ModelRejected, ONCE),
    "422": (ModelRejected, ONCE),
    "429": (ModelOverloaded, FOUR_TIMES),
    "500": (ModelUnavailable, FOUR_TIMES),
    "502": (ModelUnavailable, FOUR_TIMES),
    "503": (ModelUnavailable, FOUR_TIMES),
    "529": (ModelOverloaded, FOUR_TIMES),
    "cut": (ModelUnavailable, FOUR_TIMES),
    "garbage": (ModelUnreadable, ONCE),
    "error-in-body": (ModelUnavailable, FOUR_TIMES),
}


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
async def test_a_fault_is_the_right_error_after_the_right_number_of_tries(name: str, kind: str, streamed: bool) -> None:
    expected, tries = FAULTS[kind]
    async with house(retries=3) as here:
        here.server.fault(kind, times=99)
        model = here.open(name)
        with pytest.raises(ModelError) as caught:
            await (heard(model.stream(question())) if streamed else model.complete(question()))
    assert type(caught.value) is expected
    assert len(here.server.requests) == tries
    assert len(here.clock.waits) == tries - 1
    assert name.partition("/")[2] in str(caught.value)


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("kind", ["429", "500", "529", "cut", "cut-body"])
async def test_what_passes_is_not_noticed(name: str, kind: str) -> None:
    async with house() as here:
        here.server.fault(kind, times=2)
        answer = await here.open(name).complete(question())
    assert answer.text
    assert len(here.server.requests) == 3


@pytest.mark.parametrize("name", BOTH)
async def test_a_hang_is_a_timeout(name: str) -> None:
    async with house(retries=1, timeout=1.0) as here:
        here.server.fault("hang", times=99)
        with pytest.raises(ModelTimeout, match="timeout"):
            await here.open(name).complete(question())
        with pytest.raises(ModelTimeout):
            await heard(here.open(name).stream(question()))
    assert len(here.server.requests) == 4


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("kind", ["cut-stream", "no-end", "error-in-stream"])
async def test_a_stream_that_breaks_off_keeps_what_was_heard_and_is_not_begun_again(name: str, kind: str) -> None:
    pieces: list[object] = []
    async with house() as here:
        here.server.fault(kind, error_type="overloaded_error")
        with pytest.raises(ModelUnavailable) as caught:
            await collect(here.open(name).stream(question()), pieces)
    assert pieces
    assert all(isinstance(piece, str) for piece in pieces)
    assert len(here.server.requests) == 1
    if kind == "error-in-stream":
        assert type(caught.value) is ModelOverloaded


async def collect(stream: AsyncIterator[object], pieces: list[object]) -> None:
    async for piece in stream:
        pieces.append(piece)


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("form", ["seconds", "date", "fraction"])
async def test_a_time_to_wait_is_waited_for(name: str, form: str) -> None:
    async with house() as here:
        said = {"seconds": "7", "date": formatdate(here.clock.now() + 7, usegmt=True), "fraction": "7.0"}[form]
        here.server.fault("429", retry_after=said)
        await here.open(name).complete(question())
    (waited,) = here.clock.waits
    assert 7.0 <= waited <= 7.5


async def test_nobody_waits_for_an_hour() -> None:
    async with house() as here:
        here.server.fault("429", retry_after="3600", times=99)
        with pytest.raises(ModelOverloaded) as caught:
            await here.open(GPT).complete(question())
    assert caught.value.retry_after == 3600
    assert here.clock.waits == []


@pytest.mark.parametrize(
    ("kind", "message", "expected"),
    [
        ("400", "Your credit balance is too low to access the API.", KeyRejected),
        ("429", "You exceeded your current quota (insufficient_quota), check your plan.", KeyRejected),
        ("400", "Model Not Exist", ModelNotFound),
        ("400", "gpt-9 is not a valid model ID", ModelNotFound),
        ("400", "Invalid model: mistral-huge", ModelNotFound),
        ("400", "prompt is too long: 300000 tokens > 200000 maximum", ModelRejected),
    ],
)
async def test_the_providers_words_decide_where_the_status_does_not(
    kind: str, message: str, expected: type[ModelError]
) -> None:
    async with house() as here:
        here.server.fault(kind, message=message)
        with pytest.raises(ModelError) as caught:
            await here.open(GPT).complete(question())
    assert type(caught.value) is expected
    assert message in str(caught.value)


@pytest.mark.parametrize("name", BOTH)
@pytest.mark.parametrize("kind", ["400", "401", "500", "error-in-body"])
async def test_a_key_never_gets_into_a_message(name: str, kind: str) -> None:
    secrets = list(KEYS.values())
    async with house(retries=0) as here:
        here.server.fault(kind, message=f"Incorrect key {' '.join(secrets)} " + "x" * 5000)
        with pytest.raises(ModelError) as caught:
            await here.open(name).complete(question())
    told = f"{caught.value} {caught.value!r} {caught.value.context}"
    assert not any(secret in told for secret in (KEYS["OPENAI_API_KEY"], KEYS["ANTHROPIC_API_KEY"]))
    assert len(told) < 2000


async def test_a_retired_model_is_told_from_a_fault() -> None:
    async with house() as here:
        here.server.fault("404", message="model: claude-sonnet-4")
        with pytest.raises(ModelNotFound, match="mistyped or retired"):
            await here.open("anthropic/claude-sonnet-4").complete(question())


@pytest.mark.parametrize("name", BOTH)
async def test_no_server_at_all_is_worth_another_try_and_says_where_it_looked(name: str) -> None:
    async with house(retries=1) as here:
        model = here.open(name)
        await here.server.__aexit__()
        with pytest.raises(ModelUnavailable, match=r"127\.0\.0\.1"):
            await model.complete(question())
        assert len(here.clock.waits) == 1
        await here.server.__aenter__()


async def test_no_more_requests_are_under_way_than_the_provider_allows() -> None:
    async with house(concurrency=3) as here:
        here.server.hold()
        model = here.open(GPT)
        asked = [asyncio.ensure_future(model.complete(question())) for _ in range(8)]
        await here.server.received(3)
        here.server.release()
        await asyncio.gather(*asked)
    assert here.server.most_under_way == 3
    assert len(here.server.requests) == 8
