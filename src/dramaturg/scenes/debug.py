"""`debug.log`: every event as one readable line, with the reason where there is one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import singledispatch

from dramaturg.kernel.runs.events import Entry, Event, ModelAnswered, RunAdopted, RunForked, RunStopped
from dramaturg.scenes import events as scene


def render_debug(entries: Sequence[Entry[Event]]) -> str:
    """The log of a run, for debugging by people."""
    rows = []
    written, at = -1.0, ""
    tellers: dict[type[Event], Callable[[Event], str]] = {}
    for entry in entries:
        event = entry.event
        if entry.at != written:  # entries written together share a timestamp
            written = entry.at
            at = datetime.fromtimestamp(written, UTC).isoformat(timespec="milliseconds")
        if (tell := tellers.get(type(event))) is None:
            tell = tellers[type(event)] = describe.dispatch(type(event))
        mark = "-" if event.audience == "public" else "h"
        rows.append(f"{entry.seq:5d} {at} {mark} {event.type:18s} {tell(event)}".rstrip())
    return "\n".join(rows) + "\n"


@singledispatch
def describe(event: Event) -> str:
    """One line for one event."""
    return event.model_dump_json(exclude={"type"})


@describe.register
def _(event: scene.SceneOpened) -> str:
    goals = "; ".join(f"{goal.id}. {goal.text}" for goal in event.goals)
    cast = ", ".join(f"{member.display_name} ({member.model})" for member in event.cast)
    judge = f" | judge: {event.director}, {event.director_reason}" if event.director_reason else ""
    return f"{event.config.name} | cast: {cast} | seed {event.seed} | sub-goals: {goals}{judge}"


@describe.register
def _(event: scene.SceneForked) -> str:
    cast = ", ".join(f"{name} ({model})" for name, model in event.models.items())
    return f"from {event.parent} after beat {event.beat} | cast: {cast}"


@describe.register
def _(event: scene.CardRead) -> str:
    return f"{event.character}: {len(event.raw)} characters"


@describe.register
def _(event: scene.MemoryRecalled) -> str:
    known = event.recollection
    said = " / ".join([known.mood, *known.bonds, *(memory.text for memory in known.memories)]).strip(" /")
    left = f" | left out: {', '.join(known.left_out)}" if known.left_out else ""
    return f"{event.character}: {known.tokens} of {known.budget} tokens | {said or 'nothing'}{left}"


@describe.register
def _(event: scene.MemoriesSupplied) -> str:
    taken = "; ".join(f"{memory.line}. {memory.text}" for memory in event.taken)
    refused = "; ".join(f'"{memory.quote}": {memory.reason}' for memory in event.refused)
    parts = [taken, f"refused: {refused}" if refused else "", event.failure]
    return f"{event.character}: {' | '.join(part for part in parts if part) or 'nothing'}"


@describe.register
def _(event: scene.CueGiven) -> str:
    thread = " new thread;" if event.fresh else ""
    return f"beat {event.beat} {event.character}:{thread} heard {event.heard} | {_flat(event.message)}"


@describe.register
def _(event: scene.TurnGiven) -> str:
    offered = f", offered sub-goal {event.goal}" if event.goal else ""
    return f"beat {event.beat} {event.character}{offered}"


@describe.register
def _(event: scene.LinePlanned) -> str:
    plan = event.plan
    to = f" to {plan.target}" if plan.target else ""
    whose = f" | its own words: {plan.fixed}" if plan.fixed else ""
    return f"beat {event.beat} {event.character}: {plan.intention or plan.action}{to}, {plan.tone} | {plan.text}{whose}"


@describe.register
def _(event: ModelAnswered) -> str:
    usage, price = event.answer.usage, event.answer.cost_usd
    cost = "price unknown" if price is None else f"${price:.6f}"
    return (
        f"{event.key} {event.purpose} {event.answer.model}: in {usage.input_tokens} "
        f"(cached {usage.cache_read_tokens}), out {usage.output_tokens}, {cost} | {_flat(event.answer.text)}"
    )


@describe.register
def _(event: scene.ResponseGiven) -> str:
    parsed = event.response.parsed
    assumed = f" | assumed: {'; '.join(event.warnings)}" if event.warnings else ""
    return f"beat {event.beat} {event.character}: {parsed.action} at {event.response.timestamp:.3f}{assumed}"


@describe.register
def _(event: scene.CharacterFailed) -> str:
    return f"beat {event.beat} {event.character}: {event.code}: {event.error}"


@describe.register
def _(event: scene.LineSpoken) -> str:
    return f"{event.line.number}. {event.line.rendered()}"


@describe.register
def _(event: scene.LineCut) -> str:
    return f"{event.number}. cut by {event.by}: {event.said}"


@describe.register
def _(event: scene.LineUnsaid) -> str:
    return f"{event.number}. left unsaid: {event.unsaid}"


@describe.register
def _(event: scene.LineHeld) -> str:
    return f"line {event.number} is told as far as: {event.told}"


@describe.register
def _(event: scene.CutMissed) -> str:
    return f'{event.number}. "{event.phrase}" cuts nothing: {event.reason}'


@describe.register
def _(event: scene.NoteGiven) -> str:
    return f"beat {event.beat} to {event.to or 'all'}: {event.text} | because {event.reason}"


@describe.register
def _(event: scene.VerdictReached) -> str:
    if event.unscored:
        return f"beat {event.beat}: unscored: {event.unscored}"
    verdict = event.verdict
    shown = "; ".join(f'{e.goal} by {e.speaker}: "{e.quote}"' for e in verdict.met)
    refused = "; ".join(f'{r.goal} "{r.quote}": {r.reason}' for r in verdict.refused)
    tail = f" | refused: {refused}" if refused else ""
    return f"beat {event.beat}: {verdict.progress:.0%} met, confidence {verdict.confidence:.2f} | {shown}{tail}"


@describe.register
def _(event: scene.BeatPlayed) -> str:
    return f"beat {event.beat}: {event.lines} lines, {event.failed} failed"


@describe.register
def _(event: scene.BeatClosed) -> str:
    return f"beat {event.beat}"


@describe.register
def _(event: scene.SceneEnded) -> str:
    return f"{event.reason} after {event.beats} beats"


@describe.register
def _(event: RunStopped) -> str:
    return f"{event.code} {event.reason}".strip()


@describe.register
def _(event: RunAdopted) -> str:
    return f"by {event.player}"


@describe.register
def _(event: RunForked) -> str:
    return f"from {event.parent} at {event.at} {event.note}".rstrip()


def _flat(text: str) -> str:
    return " / ".join(line.strip() for line in text.splitlines() if line.strip())
