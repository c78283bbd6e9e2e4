"""The price of a whole book is the sum of its receipts, and what is not known is told."""

from __future__ import annotations

from pathlib import Path

from benchmarks.book_price import asked_in, price, questions_of, table
from dramaturg.kernel.models.port import ModelAnswer, Usage
from dramaturg.kernel.runs.events import Entry, ModelAnswered
from dramaturg.kernel.settings import Settings
from dramaturg.studio import Studio
from dramaturg.workshop.works.events import CellsAsked
from tests.workshop.revision_cases import story

MODEL = "anthropic/claude-sonnet-4-5"


async def test_a_conversation_and_its_works_are_priced_from_their_receipts(tmp_path: Path) -> None:
    story(tmp_path)
    settings = Settings(project=tmp_path)
    async with Studio.open(settings) as studio:
        async for _ in studio.workshop.consult("What is Ruth afraid of?", model="rehearsal"):
            pass
        works = studio.workshop.works
        run = await works.start("analysis", works.read("analysis", {"scene": "ch01-sc01"}))
        await works.wait(run.id)
    found = await asked_in(settings)
    assert {one.work for one in found} == {"foreman", "analysis"}
    assert all(one.has_receipt and one.usage.input_tokens > 100 and not one.usage.reported for one in found)
    shown = table(found, (MODEL,), settings)
    whole = price(found, MODEL, settings)
    assert whole is not None
    assert f"| all | {len(found)} |" in shown
    assert f"${whole:.4f}" in shown
    assert "are estimated from their receipts" in shown


def entry(seq: int, event: object) -> Entry[object]:
    return Entry(seq=seq, at=0.0, event=event)  # type: ignore[arg-type]


def answered(key: str, usage: Usage) -> ModelAnswered:
    answer = ModelAnswer(text="four words are here", model="m", usage=usage, cost_usd=0.0, arrived_at=0.0)
    return ModelAnswered(key=key, purpose="judging", answer=answer)


def test_what_a_provider_reported_counts_and_a_question_without_a_receipt_is_told() -> None:
    log = [
        entry(1, CellsAsked(tokens={"a": 500})),
        entry(2, answered("a", Usage())),
        entry(3, answered("b", Usage(input_tokens=70, output_tokens=7))),
        entry(4, answered("c", Usage())),
    ]
    found = list(questions_of("analysis", log))  # type: ignore[arg-type]
    assert [(one.usage.input_tokens, one.has_receipt) for one in found] == [(500, True), (70, True), (0, False)]
    assert "1 have no receipt" in table(found, (MODEL,), Settings())
