"""Explanations in a terminal: why something happened, why a note was given, why the scene ended."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from dramaturg.cli.cost_view import money
from dramaturg.scenes.insight.endings import Proof
from dramaturg.scenes.insight.explanation import Explanation, Measure

_CAUSES = {
    "scheduled": "by the scene file",
    "entrance": "by the scene file",
    "exit": "by the scene file",
    "rule": "by rule",
    "model": "proposed by a model",
    "called_away": "written out",
    "returned": "back again",
    "failure": "a message from the system",
    "direction": "a stage direction",
    "moderator": "from the moderator",
    "correction": "from the moderator, about the manner",
    "author": "given by hand",
}
_TOPICS = {"event": "Event", "house": "Entry", "note": "Note", "end": "The end"}


def show_explanation(told: Explanation, console: Console) -> None:
    def part(title: str, rows: Iterable[str]) -> None:
        console.print(Text(f"\n{title}", style="bold"), soft_wrap=True)
        for row in rows:
            console.print(Text(f"  {row}"), soft_wrap=True)

    number = told.name.partition(":")[2]
    head = f"{_TOPICS[told.topic]}{f' {number}' if number else ''}, after beat {told.beat}"
    console.print(Text(f"{head}, {_CAUSES.get(told.cause, told.cause)}", style="bold"))
    console.print(Text(f"  {told.text}"), soft_wrap=True)
    part("Because", told.because)
    if told.measured:
        part("Measured", map(_measured, told.measured))
    if told.proofs:
        part("Sub-goals", map(_proof, told.proofs))
    if told.answer is not None:
        usage = told.answer.usage
        used = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out, {money(told.answer.cost_usd)}"
        part(f"The model's answer ({told.answer.model}): {used}", told.answer.text.splitlines() or ["(nothing)"])
    if told.topic in ("event", "note"):
        part("Said next", [f"{line.number}. {line.rendered()}" for line in told.followed] or ["nothing"])


def _measured(measure: Measure) -> str:
    limit = "" if measure.limit is None else f" (counts from {measure.limit:g})"
    if measure.what in ("sub-goals met", "beats played") and measure.limit is not None:
        limit = f" of {measure.limit:g}"
    return f"{measure.what}: {measure.value:g}{limit}"


def _proof(proof: Proof) -> str:
    if not proof.met:
        return f"{proof.goal}. {proof.text}: not met"
    if not proof.quote:
        return f"{proof.goal}. {proof.text}: it did not happen"
    where = f", line {proof.line}" if proof.line else ""
    return f'{proof.goal}. {proof.text}: "{proof.quote}" ({proof.speaker}{where})'
