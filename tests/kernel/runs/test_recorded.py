"""A paid answer is in the log before anything is built on it, and is never paid for twice."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import nullcontext

import pytest

from dramaturg.kernel.errors import (
    KeyRejected,
    ModelError,
    ModelOverloaded,
    ModelRejected,
    ModelTimeout,
    ModelUnavailable,
    ModelUnreadable,
    RunFenced,
)
from dramaturg.kernel.models.port import Message, ModelAnswer, ModelRequest
from dramaturg.kernel.models.scripted import ScriptedModel
from dramaturg.kernel.runs import ModelAnswered, Recorded, RunLibrary
from tests.said import Said


def question(key: str = "beat 1, alice") -> ModelRequest:
    return ModelRequest(key, "acting", "You are Alice.", (Message("user", "Speak."),), 100)


async def streamed(model: Recorded, request: ModelRequest) -> list[str | ModelAnswer]:
    return [piece async for piece in model.stream(request)]


async def test_an_answer_is_recorded_with_its_question_and_who_gave_it(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    model = Recorded(ScriptedModel(["Look."]), run, who="alice")
    answer = await model.complete(question())
    assert run.entries[0].event == ModelAnswered(key="beat 1, alice", purpose="acting", answer=answer, who="alice")
    assert answer.text == "Look."
    assert (model.name, model.profile.id) == ("scripted", "scripted")


class _Leaky(ScriptedModel):
    """A model whose stream holds a connection until it is closed."""

    closed = False

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        try:
            yield "Look"
            yield "."
        finally:
            self.closed = True


async def test_whoever_stops_reading_a_stream_frees_its_connection(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    leaky = _Leaky(["Look."])
    pieces = Recorded(leaky, run).stream(question())
    assert await anext(pieces) == "Look"
    await pieces.aclose()
    assert leaky.closed


async def test_an_answer_in_the_log_is_given_again_without_asking(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    first = await Recorded(ScriptedModel(["Look."]), run).complete(question())
    silent = ScriptedModel([])
    again = Recorded(silent, await library.open(run.id))
    assert await again.complete(question()) == first
    assert await streamed(again, question()) == ["Look.", first]
    assert silent.requests == []


async def test_a_fork_remembers_the_answers_before_it_and_asks_anew_after(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    model = Recorded(ScriptedModel(["one", "two"]), run)
    await model.complete(question("1"))
    await model.complete(question("2"))
    forked = Recorded(ScriptedModel(["other"]), await library.fork(run.id, 1))
    assert (await forked.complete(question("1"))).text == "one"
    assert (await forked.complete(question("2"))).text == "other"


async def test_a_stream_gives_pieces_and_records_the_whole_before_giving_it(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    model = Recorded(ScriptedModel(["I can explain."]), run)
    pieces = []
    async for piece in model.stream(question()):
        assert run.seq == (1 if isinstance(piece, ModelAnswer) else 0)
        pieces.append(piece)
    assert "".join(pieces[:-1]) == pieces[-1].text == "I can explain."


@pytest.mark.parametrize("how", [Recorded.complete, streamed])
async def test_a_question_asked_twice_at_once_is_sent_once(library: RunLibrary, how) -> None:
    run = await library.create("said", "hello")
    scripted = ScriptedModel(lambda request: "Look.")
    one, other = Recorded(scripted, run), Recorded(scripted, run)
    await asyncio.gather(*(how(model, question()) for model in (one, one, other)))
    assert len(scripted.requests) == 1
    assert run.seq == 1
    await asyncio.gather(how(one, question("2")), how(other, question("3")))
    assert len(scripted.requests) == 3


async def test_if_the_one_who_asks_fails_or_gives_up_the_next_one_asks(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    model = Recorded(ScriptedModel([ModelUnavailable("down"), "Look."]), run)
    first, second = await asyncio.gather(*(model.complete(question()) for _ in range(2)), return_exceptions=True)
    assert isinstance(first, ModelUnavailable)
    assert second.text == "Look."

    never = asyncio.Event()

    async def slow(request: ModelRequest) -> str:
        await never.wait()
        return "never"

    asking = asyncio.create_task(Recorded(ScriptedModel(slow), run).complete(question("2")))
    waiting = asyncio.create_task(Recorded(ScriptedModel(["Well."]), run).complete(question("2")))
    await asyncio.sleep(0)
    asking.cancel()
    assert (await waiting).text == "Well."


async def test_a_stream_that_is_left_in_the_middle_records_nothing_and_blocks_nobody(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    model = Recorded(ScriptedModel(["one two three", "four"]), run)
    stream = model.stream(question())
    assert await anext(stream) == "one "
    await stream.aclose()
    assert run.seq == 0
    assert (await model.complete(question())).text == "four"


async def test_an_answer_that_cannot_be_recorded_is_not_given(library: RunLibrary) -> None:
    run = await library.create("said", "hello")
    await (await library.open(run.id)).append(Said(text="from another player"))
    with pytest.raises(RunFenced):
        await Recorded(ScriptedModel(["Look."]), run).complete(question())


class Streams(ScriptedModel):
    """Fails a stream after some pieces, as often as told; `asked` says how it was asked."""

    def __init__(self, *failures: ModelError, pieces: tuple[str, ...] = ()) -> None:
        super().__init__(lambda request: "The whole answer.")
        self._failures, self._pieces = list(failures), pieces
        self.asked: list[str] = []

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        self.asked.append("complete")
        return await super().complete(request)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        self.asked.append("stream")
        for piece in self._pieces:
            yield piece
        if self._failures:
            raise self._failures.pop(0)
        yield await super().complete(request)


@pytest.mark.parametrize("watched", [True, False])
async def test_answers_are_streamed_only_while_somebody_watches(library: RunLibrary, watched: bool) -> None:
    run = await library.create("said", "hello")
    model = Streams(pieces=("The ", "whole "))
    with run.answers.watched() if watched else nullcontext():
        answer = await Recorded(model, run, "alice").complete(question("q1"))
    assert answer.text == "The whole answer."
    assert model.asked == (["stream"] if watched else ["complete"])
    assert not run.answers.under_way


@pytest.mark.parametrize(
    ("failure", "pieces", "again"),
    [
        (ModelUnavailable("cut off"), ("The ",), "stream"),
        (ModelOverloaded("busy in the middle"), ("The ",), "stream"),
        (ModelRejected("stream is not supported"), (), "complete"),
        (ModelUnreadable("not a stream"), (), "complete"),
        (ModelUnavailable("closed before the answer"), (), "complete"),
    ],
)
async def test_a_stream_that_fails_is_asked_for_as_a_whole_and_a_server_without_streams_once(
    library: RunLibrary, failure: ModelError, pieces: tuple[str, ...], again: str
) -> None:
    run = await library.create("said", "hello")
    model = Streams(failure, pieces=pieces)
    recorded = Recorded(model, run, "alice")
    with run.answers.watched():
        for key in ("q1", "q2"):
            assert (await recorded.complete(question(key))).text == "The whole answer."
    assert model.asked == ["stream", "complete", again]


@pytest.mark.parametrize(
    "failure", [KeyRejected("no key"), ModelOverloaded("busy", retry_after=600), ModelTimeout("late")]
)
async def test_a_failure_that_a_whole_answer_would_meet_too_is_raised(library: RunLibrary, failure: ModelError) -> None:
    run = await library.create("said", "hello")
    model = Streams(failure)
    with run.answers.watched(), pytest.raises(type(failure)):
        await Recorded(model, run, "alice").complete(question("q1"))
    assert model.asked == ["stream"]
