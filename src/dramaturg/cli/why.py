"""`runs why`: what a line rested on, as the log has it; and, asked for, as a test finds it."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dramaturg.cli.costs import money
from dramaturg.cli.edge import perform, say, settings_of, stdout, tell
from dramaturg.cli.explanation import show_explanation
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.scenes.events import LinePlan, SceneRun
from dramaturg.scenes.insight.ablation import Ablation, Estimate, ablation_of, estimate_of, questioned, questions
from dramaturg.scenes.insight.account import Account, account_of, occasion_of_line, requests_of
from dramaturg.scenes.insight.causes import Cause, CauseKind
from dramaturg.scenes.insight.events import Effect, WhyRun
from dramaturg.scenes.insight.explaining import Explanation, explain, what_is_asked
from dramaturg.scenes.line import Line
from dramaturg.scenes.response import ParsedResponse, render_response
from dramaturg.studio import Studio

LINES_SHOWN = 6
LONGEST = 60
_CAUSES: dict[CauseKind, str] = {
    "note": "the moderator's note",
    "line": "the last line heard",
    "event": "the last event",
    "section": "card",
    "direction": "the scene's direction",
    "secret": "secret",
    "memory": "memory",
    "intention": "what it is for",
    "tone": "the planned tone",
    "target": "to whom",
    "opening": "the first words",
}
_INTENTIONS = {
    "open": "brings it up",
    "resist": "makes excuses",
    "press": "wants a straight answer",
    "account": "tells what happened",
    "third": "steps in",
    "then": "says what comes next",
    "close": "has the last word",
    "event": "notices what has just happened",
    "nudge": "asks for an answer",
    "insist": "asks once more",
}


@dataclass(frozen=True, slots=True)
class WhyOptions:
    """What is wanted of a line: its account, its prompt, a test of its causes."""

    prompt: bool = False
    test: bool = False
    again: int = 1
    yes: bool = False
    json: bool = False


def why_line(run_id: str, wanted: str, project: Path, options: WhyOptions) -> None:
    async def work() -> None:
        if options.json and options.test and not options.yes:
            raise InvalidConfig("With --json nobody can be asked; add --yes to let the test begin.")
        async with Studio.open(settings_of(project)) as studio:
            run = await studio.open_scene_run(run_id)
            asked = what_is_asked(run.entries, wanted)
            line = asked.line
            if line is None or line.kind != "line":
                _tell_explanation(explain(run.entries, asked, project), options)
                return
            _tell_account(studio, run, line, options)
            if options.test:
                await _test(studio, run, line, options)

    perform(work, json=options.json)


def _tell_explanation(told: Explanation, options: WhyOptions) -> None:
    """Why something happened that nobody said."""
    if options.prompt or options.test:
        raise InvalidConfig(f"Nobody said {told.name}, so there is nothing to test; --prompt and --test are for lines.")
    if options.json:
        say({"explanation": told.model_dump(mode="json", by_alias=True)})
    else:
        show_explanation(told, stdout())


def show_why(why: WhyRun, *, json: bool) -> None:
    """What a run that questioned a line has found."""
    found = ablation_of(why.entries)
    if json:
        say({"run": why.id, "ablation": found.model_dump(mode="json", by_alias=True) if found else None})
    elif found is None:
        tell(f"The test was not finished. Go on with: dramaturg runs resume {why.id}")
    else:
        _show_ablation(found, why.id, stdout())


def _tell_account(studio: Studio, run: SceneRun, line: Line, options: WhyOptions) -> None:
    account = account_of(run.entries, line)
    sent = requests_of(run.entries, line, studio.settings) if options.prompt else ()
    if options.json:
        told: dict[str, object] = {"account": account.model_dump(mode="json", by_alias=True)}
        if options.prompt:
            prompts = [_as_json(request) for request in sent]
            told |= {"prompt": prompts[0] if prompts else None, "prompts": prompts}
        say(told)
    elif options.prompt:
        if account.changed:
            tell(_changed(account))
        if not sent:
            tell(f"No model was asked for line {line.number}: {account.plan.fixed if account.plan else ''}.")
        sys.stdout.write("\n".join(prompt_text(request) for request in sent))
    else:
        _show_account(account, stdout())


def _as_json(request: ModelRequest) -> dict[str, object]:
    messages = [{"role": message.role, "content": message.text} for message in request.messages]
    return {"key": request.key, "system": request.system, "messages": messages}


def prompt_text(request: ModelRequest) -> str:
    """The request as it was sent, each part under a line that names it."""
    parts = [("system", request.system), *((message.role, message.text) for message in request.messages)]
    return "".join(f"=== {role}\n{text}\n" for role, text in parts)


async def _test(studio: Studio, run: SceneRun, line: Line, options: WhyOptions) -> None:
    occasion = occasion_of_line(run.entries, line)
    asked = questioned(run.id, run.entries, line, options.again)
    asking = questions(asked, occasion, studio.settings)
    estimate = estimate_of(asking, render_response(asked.said), studio.price(asked.model))
    if not options.json:
        tell(_announced(estimate, asked.model, options.again, helped=occasion.helped))
    if not options.yes and not _agreed():
        tell("Nothing was asked.")
        return
    why = await studio.question(run, line, again=options.again)
    await studio.start(why)
    show_why(why, json=options.json)


def _announced(estimate: Estimate, model: str, again: int, *, helped: bool) -> str:
    unchanged = "once" if again == 1 else f"{again} times"
    most = "at most " if helped else ""
    return (
        f"\nThe test asks {model} {most}{estimate.calls} times: {unchanged} unchanged, then without each cause. About "
        f"{estimate.input_tokens:,} tokens in, {estimate.output_tokens:,} out, {money(estimate.usd)}."
    )


def _agreed() -> bool:
    tell("Begin? [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _show_account(account: Account, console: Console) -> None:
    def part(title: str, rows: Iterable[str]) -> None:
        console.print(Text(f"\n{title}", style="bold"), soft_wrap=True)
        for row in rows:
            console.print(Text(f"  {row}"), soft_wrap=True)

    line, receipt = account.line, account.receipt
    console.print(Text(f"Line {line.number}, beat {line.beat}, by {line.speaker} ({account.model})", style="bold"))
    console.print(Text(f"  {line.rendered()}"), soft_wrap=True)
    if account.plan is not None:
        part("Planned by the rehearsal company", _plan(account.plan))
    if account.plan is not None and account.plan.fixed:
        part("Prompt", [f"none; no model was asked: {account.plan.fixed}"])
    else:
        what = "Prompt: " if account.plan is None else "Prompt: a script; its head is "
        part(f"{what}{receipt.tokens:,} of {receipt.budget:,} tokens", _layers(account))
    notes = [f"{'to all' if note.to_all else 'to it alone'}: {note.text} ({note.reason})" for note in account.notes]
    part("Notes", notes or ["none"])
    if account.memories:
        part("Remembered", account.memories)
    new = sum(heard.new for heard in account.heard)
    part(f"Had heard: {len(account.heard)} lines, {new} of them new (*)", _heard(account))
    part("Had not heard", [_not_heard(one, line.speaker) for one in account.unheard] or ["nothing: it was there"])
    for number, attempt in enumerate(account.attempts, start=1):
        usage = attempt.answer.usage
        used = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out, {money(attempt.answer.cost_usd)}"
        again = "" if number == 1 else " once more"
        part(f"Answered{again}: {used}", attempt.answer.text.splitlines() or ["(nothing)"])
        if attempt.refused:
            part("Not taken", [attempt.refused])
    part("Assumed in reading it", account.warnings or ["nothing"])
    part("What became of it", _fate(account))


def _plan(plan: LinePlan) -> Iterable[str]:
    to = f" to {plan.target}" if plan.target else ""
    yield f"act: {plan.action}{to}, tone: {plan.tone or 'none'}{f', *{plan.gesture}*' if plan.gesture else ''}"
    goals = f", to meet sub-goal {', '.join(map(str, plan.goals))}" if plan.goals else ""
    yield f"intention: {_INTENTIONS.get(plan.intention, plan.intention or 'none')}{goals}"
    if plan.text:
        yield f"the company's words for it: {plan.text}"
    if plan.omitted:
        yield f"the {plan.omitted} oldest lines did not fit into the script"


def _layers(account: Account) -> Iterable[str]:
    for layer in account.receipt.layers:
        reason = f"  {layer.reason}" if layer.reason else ""
        yield f"{layer.name:10} {layer.fate:8} {layer.tokens:6,} tokens  {layer.sha256}{reason}"
    if account.changed:
        yield _changed(account)


def _changed(account: Account) -> str:
    names = ", ".join(account.changed)
    return f"The prompt files were changed since, so that these layers cannot be shown as they were: {names}"


def _heard(account: Account) -> Iterable[str]:
    hidden = len(account.heard) - LINES_SHOWN
    if hidden > 0:
        yield f"  ({hidden} more before)"
    for heard in account.heard[-LINES_SHOWN:]:
        yield f"{'*' if heard.new else ' '} {heard.line.number}. {heard.line.rendered()}"
    if not account.heard:
        yield "nothing yet"


def _not_heard(line: Line, name: str) -> str:
    why = "not understood" if name in line.foreign_to else "out of its hearing"
    return f"{line.number}. {line.rendered()} ({why})"


def _fate(account: Account) -> Iterable[str]:
    line = account.line
    if line.cut_by:
        yield f"{line.cut_by} cut in; left unsaid: {account.unsaid or 'nothing'}"
    if account.missed:
        yield f"it cut nothing: {account.missed}"
    yield from (f"suspected of a leak from {leak}" for leak in account.leaks)
    if account.plan is not None and account.words_by == "company":
        why = "the plan left none to a model" if account.plan.fixed else "no answer of the model would do"
        yield f"the words are the rehearsal company's: {why}"
    elif account.plan is not None and len(account.attempts) > 1:
        yield "the words are those of the second try"
    if not (line.cut_by or account.missed or account.leaks):
        yield "it stands as it was said"


def _show_ablation(found: Ablation, run_id: str, console: Console) -> None:
    console.print(Text(f"\nLine {found.line.number} asked again, with one thing taken away", style="bold"))
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("moved", justify="right", no_wrap=True)
    table.add_column("without", ratio=2)
    table.add_column("it would be", ratio=3)
    for effect in found.effects:
        moved = f"{effect.movement.moved:.2f}" if effect.movement else "-"
        style = "" if found.stands_out(effect) else "dim"
        table.add_row(moved, Text(_cause(effect.cause)), Text(_instead(effect, found.said)), style=style)
    console.print(table)
    floor = "unknown: it could not be asked" if found.floor is None else f"{found.floor:.2f}"
    console.print(Text(f"\nUnchanged, it moves by {floor}. {_summary(found)}"), soft_wrap=True)
    console.print(Text(f"The answers are in run {run_id}.", style="dim"), soft_wrap=True)


def _summary(found: Ablation) -> str:
    count = sum(found.stands_out(effect) for effect in found.effects)
    if not count:
        return "Nothing that was taken away moved it further than that."
    return f"{count} of {len(found.effects)} causes moved it further than that."


def _cause(cause: Cause | None) -> str:
    if cause is None:
        return "-"
    text = _INTENTIONS.get(cause.text, cause.text) if cause.kind == "intention" else cause.text
    return f"{_CAUSES[cause.kind]}: {_short(text)}"


def _instead(effect: Effect, said: ParsedResponse) -> str:
    if effect.said is None:
        return f"not known: {effect.failed}"
    return "the same" if effect.said == said else _short(render_response(effect.said), 2 * LONGEST)


def _short(text: str, longest: int = LONGEST) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"
