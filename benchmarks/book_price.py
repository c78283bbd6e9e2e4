"""`python -m benchmarks.book_price PROJECT [MODEL …]`: what a whole book costs on some models, from its receipts.

Every question of the book's conversation and of its long works is priced by the table of the kernel. Where a provider
reported what it used, that counts; what the rehearsal company answered is counted by the receipt of its prompt and by
the length of its answer, as another model would be asked the same. A question without a receipt is told.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dramaturg.kernel.errors import DramaturgError
from dramaturg.kernel.models.catalogue import model_ref
from dramaturg.kernel.models.port import Usage
from dramaturg.kernel.models.prices import tariff_of
from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.kernel.runs import Entry
from dramaturg.kernel.runs.costs import answers, own_entries
from dramaturg.kernel.settings import Settings, read_settings
from dramaturg.studio import Studio
from dramaturg.workshop.events import PromptAssembled
from dramaturg.workshop.works.events import CellsAsked

MODELS = ("anthropic/claude-sonnet-4-5", "openai/gpt-5-mini", "deepseek/deepseek-chat")
MOST_RUNS = 10_000
FOREMAN = "foreman"


@dataclass(frozen=True, slots=True)
class PricedQuestion:
    """A question that was answered: what it belongs to, what it used, and whether that is known."""

    work: str
    usage: Usage
    has_receipt: bool


def questions_of(work: str, entries: Sequence[Entry[Any]]) -> Iterator[PricedQuestion]:
    """The answered questions of a log."""
    receipts = _receipts(entries)
    for one in answers(own_entries(entries)):
        usage = one.answer.usage
        if usage.total_tokens:
            yield PricedQuestion(work, usage, True)
            continue
        key = next((key for key in (one.key, one.key.rpartition("/")[0]) if key in receipts), "")
        output = estimate_tokens(one.answer.text)
        estimated = Usage(input_tokens=receipts.get(key, 0), output_tokens=output, reported=False)
        yield PricedQuestion(work, estimated, bool(key))


def _receipts(entries: Sequence[Entry[Any]]) -> Mapping[str, int]:
    """The tokens of each prompt by the key of its question."""
    found: dict[str, int] = {}
    for entry in entries:
        if isinstance(entry.event, PromptAssembled):
            found[entry.event.key] = entry.event.receipt.tokens
        elif isinstance(entry.event, CellsAsked):
            found |= entry.event.tokens
    return found


async def asked_in(settings: Settings) -> list[PricedQuestion]:
    """Every question about the book of a project."""
    async with Studio.open(settings) as studio:
        book, found = settings.workshop.book, []
        works = {FOREMAN, *studio.workshop.works.names}
        for record in await studio.runs.find(limit=MOST_RUNS):
            if record.kind in works and record.name == book and studio.runs.can_play(record):
                run = await studio.runs.open(record.id)
                found += questions_of(record.kind, run.entries)
        return found


def price(questions: Sequence[PricedQuestion], model: str, settings: Settings) -> float | None:
    """What some questions cost on a model; None if its price is not known."""
    tariff = tariff_of(model_ref(model, settings))
    return None if tariff is None else sum(tariff(one.usage) for one in questions)


def table(questions: Sequence[PricedQuestion], models: Sequence[str], settings: Settings) -> str:
    """The price of each kind of work and of the whole, as a Markdown table."""
    head = f"| work | questions | tokens in | tokens out | {' | '.join(models)} |"
    rows = [head, "|---|--:|--:|--:" + "|--:" * len(models) + "|"]
    kinds = sorted({one.work for one in questions})
    for work in [*kinds, "all"]:
        own = [one for one in questions if work in ("all", one.work)]
        inside, out = sum(one.usage.input_tokens for one in own), sum(one.usage.output_tokens for one in own)
        prices = [price(own, model, settings) for model in models]
        told = " | ".join("unknown" if one is None else f"${one:.4f}" for one in prices)
        rows.append(f"| {work} | {len(own)} | {inside:,} | {out:,} | {told} |")
    estimated = sum(not one.usage.reported for one in questions)
    missing = sum(not one.has_receipt for one in questions)
    notes = [f"{estimated} of {len(questions)} questions are estimated from their receipts."] if estimated else []
    notes += [f"{missing} have no receipt: their prompts are not in these figures."] if missing else []
    return "\n".join([*rows, *(["", *notes] if notes else [])])


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit("Usage: python -m benchmarks.book_price PROJECT [MODEL …]")
    try:
        settings = read_settings(Path(sys.argv[1]), os.environ)
        models = tuple(sys.argv[2:]) or MODELS
        print(table(asyncio.run(asked_in(settings)), models, settings))
    except DramaturgError as error:
        sys.exit(error.message)


if __name__ == "__main__":
    main()
