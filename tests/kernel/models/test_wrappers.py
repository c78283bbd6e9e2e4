"""What wrapping adds, one wrapper at a time, around a scripted model."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import (
    ModelError,
    ModelOverloaded,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
    ModelUnreadable,
)
from dramaturg.kernel.models.port import Model, ModelAnswer, ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.models.wrappers import Limited, ModelWrapper, Retrying, Timed
from tests.model_server.asking import heard, question

DOWN = ModelUnavailable("down")


def retrying(model: Model, clock: StillClock, retries: int = 3) -> Retrying:
    return Retrying(model, clock, retries=retries, chance=random.Random(7))


async def test_a_wrapper_passes_everything_on() -> None:
    model = ScriptedModel(["one", "two"], name="house/script")
    wrapped = ModelWrapper(model)
    assert (wrapped.name, wrapped.profile) == (model.name, model.profile)
    assert (await wrapped.complete(question())).text == "one"
    assert (await heard(wrapped.stream(question())))[1].text == "two"


async def test_what_may_pass_is_tried_again_with_growing_waits() -> None:
    clock = StillClock()
    model = ScriptedModel([DOWN, DOWN, DOWN, "at last"])
    assert (await retrying(model, clock).complete(question())).text == "at last"
    assert len(model.requests) == 4
    assert all(wait <= ceiling for wait, ceiling in zip(clock.waits, (0.5, 1.0, 2.0), strict=True))


async def test_when_the_tries_are_used_up_the_last_error_stands() -> None:
    clock = StillClock()
    model = ScriptedModel([ModelUnavailable("first"), ModelUnavailable("second"), "never heard"])
    with pytest.raises(ModelUnavailable, match="second"):
        await retrying(model, clock, retries=1).complete(question())
    assert len(model.requests) == 2


@pytest.mark.parametrize("error", [ModelRejected("no"), ModelUnreadable("what?")])
async def test_what_will_not_pass_is_not_tried_again(error: ModelError) -> None:
    clock = StillClock()
    model = ScriptedModel([error, "never heard"])
    with pytest.raises(type(error)):
        await retrying(model, clock).complete(question())
    assert (len(model.requests), clock.waits) == (1, [])


async def test_a_stream_is_begun_again_only_before_its_first_word() -> None:
    clock = StillClock()
    pieces, answer = await heard(retrying(ScriptedModel([DOWN, "once more"]), clock).stream(question()))
    assert (pieces, answer.text) == (["once ", "more"], "once more")
    broken = retrying(Breaking(), clock)
    with pytest.raises(ModelUnavailable):
        await heard(broken.stream(question()))
    assert len(clock.waits) == 1


async def test_the_same_chance_gives_the_same_waits() -> None:
    async def waits() -> list[float]:
        clock = StillClock()
        await retrying(ScriptedModel([DOWN, DOWN, "there"]), clock).complete(question())
        return clock.waits

    assert await waits() == await waits()


async def test_places_are_shared_and_given_back() -> None:
    places = asyncio.Semaphore(1)
    inside: list[bool] = []

    async def look(request: ModelRequest) -> str:
        inside.append(places.locked())
        await asyncio.sleep(0)
        return "yes"

    one, other = (Limited(ScriptedModel(look), places) for _ in range(2))
    await asyncio.gather(one.complete(question()), other.complete(question()), heard(one.stream(question())))
    assert inside == [True, True, True]
    assert not places.locked()


async def test_a_place_is_given_back_by_a_listener_who_leaves_early() -> None:
    places = asyncio.Semaphore(1)
    stream = Limited(ScriptedModel(["one two three"]), places).stream(question())
    assert await anext(stream) == "one "
    assert places.locked()
    await stream.aclose()  # type: ignore[attr-defined]
    assert not places.locked()


async def test_too_long_is_a_timeout_that_says_what_to_raise() -> None:
    slow = Timed(ScriptedModel(never), 0.01)
    with pytest.raises(ModelTimeout, match=r"0\.01 seconds"):
        await slow.complete(question())
    with pytest.raises(ModelTimeout):
        await heard(slow.stream(question()))


async def test_a_stream_is_timed_by_the_piece() -> None:
    pieces, _ = await heard(Timed(ScriptedModel(["a b c"]), 5.0).stream(question()))
    assert pieces == ["a ", "b ", "c"]


async def test_a_stream_without_an_end_is_ended_however_often_it_sends_a_piece() -> None:
    endless = Endless()
    with pytest.raises(ModelTimeout, match=r"did not finish its answer within 0\.05 seconds. Raise `stream_timeout`"):
        await heard(Timed(endless, 0.05, 0.01).stream(question()))
    assert endless.said
    assert endless.closed


async def never(request: ModelRequest) -> str:
    await asyncio.Event().wait()
    return ""


class Endless(ScriptedModel):
    """Says a word every millisecond."""

    def __init__(self) -> None:
        super().__init__([], name="attic/endless")
        self.said, self.closed = 0, False

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        try:
            while True:
                await asyncio.sleep(0.001)
                self.said += 1
                yield "and "
        finally:
            self.closed = True


class Breaking(ScriptedModel):
    """Says one word and is gone."""

    def __init__(self) -> None:
        super().__init__([])

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        yield "One "
        raise ModelOverloaded("gone", retry_after=1.0)
