"""`debug.log`: every event as one readable line, with the reason where there is one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch

from dramaturg.kernel.clock import moment
from dramaturg.kernel.runs.events import (
    AnswersSetAside,
    BudgetRaised,
    Entry,
    Event,
    ModelAnswered,
    RunAdopted,
    RunForked,
    RunPaused,
    RunReleased,
    RunStopped,
)
from dramaturg.kernel.text.counts import counted
from dramaturg.scenes import events as scene
from dramaturg.scenes.directions.events import DirectionTaken, GoalChanged


def render_debug(entries: Sequence[Entry[Event]]) -> str:
    """The log of a run, for debugging by people."""
    rows = []
    written, at = -1.0, ""
    tellers: dict[type[Event], Callable[[Event], str]] = {}
    for entry in entries:
        event = entry.event
        if entry.at != written:  # entries written together share a timestamp
            written = entry.at
            at = moment(written).isoformat(timespec="milliseconds")
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
def _(event: scene.BooksRead) -> str:
    return "; ".join(f"{book.name} ({len(book.raw)} characters) for {', '.join(book.readers)}" for book in event.books)


@describe.register
def _(event: scene.LoreTold) -> str:
    when = "throughout" if event.standing else f"beat {event.beat}"
    told = "; ".join(f"{one.book}: {one.label} ({one.reason})" for one in event.told) or "nothing"
    left = "; ".join(f"{one.label}: {one.reason}" for one in event.untold)
    spent = sum(one.tokens for one in event.told)
    tail = f" | not told: {left}" if left else ""
    return f"{when} {event.character}: {spent} of {event.budget} tokens | {told}{tail}"


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
def _(event: scene.TakeAdded) -> str:
    take = event.take
    said = take.line.rendered() if take.line is not None else "silence"
    assumed = f" | assumed: {'; '.join(event.warnings)}" if event.warnings else ""
    return f"{event.number}. take {take.take} by the {take.by}: {said}{assumed}"


@describe.register
def _(event: scene.TakeChosen) -> str:
    return f"{event.number}. take {event.take} stands{_stands(event)}"


@describe.register
def _(event: scene.LineEdited) -> str:
    return f"{event.number}. edited, take {event.take}{_stands(event)}"


@describe.register
def _(event: scene.LineStruck) -> str:
    return f"{event.number}. struck{_stands(event)}"


def _stands(event: scene.TakeChosen | scene.LineEdited | scene.LineStruck) -> str:
    lines = "; ".join(f"{line.number}. {line.rendered()}" for line in event.lines)
    followed = f" | {event.followed} later lines answered the earlier words" if event.followed else ""
    return f"{' | now: ' + lines if lines else ''}{followed}"


@describe.register
def _(event: scene.SceneReopened) -> str:
    return "the scene is played on"


@describe.register
def _(event: AnswersSetAside) -> str:
    return f"to be asked again: {', '.join(event.keys)}"


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
def _(event: DirectionTaken) -> str:
    asked = event.direction.model_dump(mode="json", exclude={"do"}, exclude_defaults=True, by_alias=True)
    said = ", ".join(f"{key} {value}" for key, value in asked.items())
    by = f" by {event.author}" if event.author else ""
    refused = f" | refused: {event.refused}" if event.refused else ""
    return _flat(f"{event.number}.{by} at beat {event.beat}: {event.direction.do} {said}".rstrip() + refused)


@describe.register
def _(event: GoalChanged) -> str:
    return "; ".join(f"{goal.id}. {goal.text}" for goal in event.goals)


@describe.register
def _(event: BudgetRaised) -> str:
    tokens = f"{event.tokens:,} tokens" if event.tokens is not None else ""
    return " and ".join(filter(None, [tokens, f"${event.usd:g}" if event.usd is not None else ""]))


@describe.register
def _(event: scene.SceneEnded) -> str:
    return f"{event.reason} after {counted(event.beats, 'beat')}"


@describe.register
def _(event: RunStopped) -> str:
    return f"{event.code} {event.reason}".strip()


@describe.register
def _(event: RunPaused) -> str:
    return f"for {event.provider}, until {moment(event.until):%H:%M:%S} UTC"


@describe.register
def _(event: RunAdopted | RunReleased) -> str:
    return f"by {event.player}"


@describe.register
def _(event: RunForked) -> str:
    return f"from {event.parent} at {event.at} {event.note}".rstrip()


def _flat(text: str) -> str:
    return " / ".join(line.strip() for line in text.splitlines() if line.strip())
