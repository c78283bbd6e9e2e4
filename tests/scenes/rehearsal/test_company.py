"""The company as a model: what it answers, when it arrives, what it refuses."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import ModelRejected
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest
from dramaturg.kernel.models.rehearsal.company import RehearsalCompany
from dramaturg.scenes.rehearsal.beats import plan_beat
from dramaturg.scenes.rehearsal.cues import LineCue, VerdictCue
from tests.scenes.rehearsal.small_stage import example, read_response, request


def opening(seed: int = 1) -> LineCue:
    book = example("the-apology", seed)
    return LineCue(book, "Alice", 0, (), "You are Alice. Begin the scene.")


async def test_the_opener_answers_with_one_response_in_the_wire_format() -> None:
    company = RehearsalCompany(StillClock())
    answer = await company.complete(request(opening()))
    parsed = read_response("Alice", answer.text)
    assert parsed.action == "speak"
    assert parsed.target == "Bob"
    assert parsed.text
    assert answer.model == company.name == company.profile.id == "rehearsal"
    assert answer.cost_usd == 0.0
    assert answer.finish == "stop"


async def test_who_does_not_move_is_silent() -> None:
    cue = opening()
    answer = await RehearsalCompany(StillClock()).complete(request(LineCue(cue.book, "Charlie", 0, ())))
    assert answer.text.startswith("[SILENT")


async def test_an_answer_arrives_later_than_it_was_asked_and_at_pace_zero_nobody_waits() -> None:
    clock = StillClock(1000.0)
    answer = await RehearsalCompany(clock).complete(request(opening()))
    assert answer.arrived_at > 1001.0
    assert clock.now() == 1000.0


async def test_with_a_pace_the_company_takes_its_time_on_the_clock() -> None:
    clock = StillClock(1000.0)
    answer = await RehearsalCompany(clock, pace=0.5).complete(request(opening()))
    assert clock.waits == [pytest.approx((answer.arrived_at - 1000.0) * 0.5)]


async def test_a_stream_gives_the_pieces_and_then_the_whole() -> None:
    clock = StillClock(1000.0)
    company = RehearsalCompany(clock, pace=1.0)
    items = [item async for item in company.stream(request(opening()))]
    whole = items.pop()
    assert isinstance(whole, ModelAnswer)
    assert "".join(str(item) for item in items) == whole.text
    assert clock.now() == pytest.approx(whole.arrived_at)


async def test_a_request_without_a_cue_is_refused_with_the_way_out() -> None:
    bare = ModelRequest(key="x", purpose="writing", system="", messages=(), max_tokens=10)
    with pytest.raises(ModelRejected, match="provider's model"):
        await RehearsalCompany(StillClock()).complete(bare)


async def test_a_faster_tempo_arrives_sooner_with_the_same_words() -> None:
    cue = opening()
    book = replace(cue.book, cast=tuple(replace(part, tempo=2.0) for part in cue.book.cast))
    (slow,) = plan_beat(cue.book, (), 0)
    (fast,) = plan_beat(book, (), 0)
    assert fast.text == slow.text
    assert fast.latency < slow.latency


async def test_the_verdict_is_the_judges_json_with_one_entry_for_each_goal() -> None:
    book = example("the-apology", 1)
    answer = await RehearsalCompany(StillClock()).complete(request(VerdictCue(book, ())))
    verdict = json.loads(answer.text)
    assert [goal["id"] for goal in verdict["goals"]] == [1, 2, 3]
    assert not any(goal["met"] for goal in verdict["goals"])
    assert verdict["natural_end"] is False
    assert 0 <= verdict["confidence"] <= 1
