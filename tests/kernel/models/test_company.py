"""The rehearsal company knows no capability: the cue of a request answers itself."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import ModelRejected
from dramaturg.kernel.models.port import Cue, CueAnswer, ModelAnswer, ModelRequest
from dramaturg.kernel.models.rehearsal.company import RehearsalCompany


@dataclass(frozen=True, slots=True)
class EchoCue(Cue):
    said: str

    def answer(self) -> CueAnswer:
        return CueAnswer(f"You said {self.said}.", seconds=3.0)


def request(cue: Cue | None) -> ModelRequest:
    return ModelRequest(key="beat-0/echo", purpose="acting", system="", messages=(), max_tokens=100, cue=cue)


async def test_a_cue_of_any_kind_is_answered_by_itself_and_arrives_when_it_says() -> None:
    clock = StillClock()
    answer = await RehearsalCompany(clock).complete(request(EchoCue("hello")))
    assert (answer.text, answer.model, answer.cost_usd) == ("You said hello.", "rehearsal", 0.0)
    assert answer.arrived_at == clock.now() + 3.0


async def test_the_stream_is_the_same_answer_word_by_word() -> None:
    pieces = [piece async for piece in RehearsalCompany(StillClock()).stream(request(EchoCue("hello")))]
    assert pieces[:-1] == ["You ", "said ", "hello."]
    assert isinstance(pieces[-1], ModelAnswer)
    assert pieces[-1].text == "You said hello."


async def test_a_request_without_a_cue_is_rejected_with_its_key() -> None:
    with pytest.raises(ModelRejected, match="beat-0/echo"):
        await RehearsalCompany(StillClock()).complete(request(None))


def test_a_composed_answer_takes_longer_the_longer_it_is() -> None:
    assert CueAnswer.composed("word").seconds < CueAnswer.composed("word " * 20).seconds


def test_a_cue_must_be_able_to_answer() -> None:
    with pytest.raises(TypeError):
        Cue()  # type: ignore[abstract]
