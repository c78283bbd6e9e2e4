"""Why a line was said: its causes as the log has them and, on request, as a test finds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.text import Text

from dramaturg.cli.cost_view import money
from dramaturg.cli.edge import echo, print_json, stdout, tell
from dramaturg.cli.explanation_view import show_explanation
from dramaturg.cli.line_reader import confirmed
from dramaturg.cli.runs_view import print_run
from dramaturg.kernel.models.port import ModelRequest
from dramaturg.kernel.text.counts import counted
from dramaturg.scenes.events import LinePlan, SceneRun
from dramaturg.scenes.insight.ablation import Estimate, estimate_of, questioned, questions
from dramaturg.scenes.insight.account import Account, account_of, occasion_of_line, requests_of
from dramaturg.scenes.insight.explanation import Explanation
from dramaturg.scenes.line import Line
from dramaturg.scenes.response import render_response
from dramaturg.studio import Studio

LINES_SHOWN = 6


def print_explained(told: Explanation, *, json: bool) -> None:
    """Why something happened that is not a line."""
    if json:
        print_json({"explanation": told.model_dump(mode="json", by_alias=True)})
    else:
        show_explanation(told, stdout())


def print_account(studio: Studio, run: SceneRun, line: Line, *, prompt: bool, json: bool) -> None:
    """The causes of a line, as the log has them; with `prompt`, the requests that were sent for it."""
    account = account_of(run.entries, line)
    sent = requests_of(run.entries, line, studio.settings) if prompt else ()
    if json:
        told: dict[str, object] = {"account": account.model_dump(mode="json", by_alias=True)}
        if prompt:
            prompts = [_as_json(request) for request in sent]
            told |= {"prompt": prompts[0] if prompts else None, "prompts": prompts}
        print_json(told)
    elif prompt:
        if account.changed:
            tell(_changed(account))
        if not sent:
            why = "a person said it" if account.words_by == "person" else account.plan.fixed if account.plan else ""
            tell(f"No model was asked for line {line.number}: {why}.")
        echo("\n".join(prompt_text(request) for request in sent), end="")
    else:
        _show_account(account, stdout())


def _as_json(request: ModelRequest) -> dict[str, object]:
    messages = [{"role": message.role, "content": message.text} for message in request.messages]
    return {"key": request.key, "system": request.system, "messages": messages}


def prompt_text(request: ModelRequest) -> str:
    """The request as it was sent, each part under a line that names it."""
    parts = [("system", request.system), *((message.role, message.text) for message in request.messages)]
    return "".join(f"=== {role}\n{text}\n" for role, text in parts)


async def measure_causes(studio: Studio, run: SceneRun, line: Line, *, again: int, yes: bool, json: bool) -> None:
    """Ask for the line again without each of its causes, if the user agrees to the price."""
    occasion = occasion_of_line(run.entries, line)
    asked = questioned(run.id, run.entries, line, again)
    asking = questions(asked, occasion, studio.settings)
    estimate = estimate_of(asking, render_response(asked.said), studio.price(asked.model))
    if not json:
        tell(_announced(estimate, asked.model, again, helped=occasion.helped))
    if not yes and not await confirmed("Start?"):
        tell("Nothing was sent.")
        return
    why = await studio.scenes.question(run, line, again=again)
    await studio.start(why)
    print_run(why, studio.scenes.why_kind, debug=False, json=json)


def _revision(account: Account) -> Iterator[str]:
    """What the author did to the line; all below is about what was said."""
    revision = account.revision
    if revision is None:
        return
    yield f"{revision.how} by the author: take {revision.take} of {revision.takes} stands"
    said = account.read_as.content or account.read_as.nonverbal or "nothing"
    yield f'said in the scene: "{said}"; what follows here is about that'
    if revision.followed:
        yield f"{revision.followed} later lines answered the earlier words"


def _announced(estimate: Estimate, model: str, again: int, *, helped: bool) -> str:
    unchanged = "once" if again == 1 else f"{again} times"
    most = "at most " if helped else ""
    return (
        f"\nThe test asks {model} {most}{estimate.calls} times: {unchanged} unchanged, then without each cause. About "
        f"{estimate.input_tokens:,} tokens in, {estimate.output_tokens:,} out, {money(estimate.usd)}."
    )


def _prompt(account: Account) -> tuple[str, Iterable[str]]:
    """What was sent, with its title."""
    if account.words_by == "person":
        return "Prompt", ["none; a person was asked"]
    if account.plan is not None and account.plan.fixed:
        return "Prompt", [f"none; no model was asked: {account.plan.fixed}"]
    receipt = account.receipt
    what = "Prompt: a script; without its lines " if account.helped else "Prompt: "
    return f"{what}{receipt.tokens:,} of {receipt.budget:,} tokens", _layers(account)


def _show_account(account: Account, console: Console) -> None:
    def part(title: str, rows: Iterable[str]) -> None:
        console.print(Text(f"\n{title}", style="bold"), soft_wrap=True)
        for row in rows:
            console.print(Text(f"  {row}"), soft_wrap=True)

    line = account.line
    player = "a person" if account.words_by == "person" else account.model
    console.print(Text(f"Line {line.number}, beat {line.beat}, by {line.speaker} ({player})", style="bold"))
    console.print(Text(f"  {line.rendered()}"), soft_wrap=True)
    if account.revision is not None:
        part("Revised", _revision(account))
    if account.plan is not None:
        part("Planned by the rehearsal company", _plan(account.plan))
    elif account.helped:
        part(
            "Helped with turns and form", [f"offered: {account.offered}" if account.offered else "no sub-goal offered"]
        )
    part(*_prompt(account))
    notes = [
        f"{'to all' if note.to_all else 'to this character only'}: {note.text} ({note.reason})"
        for note in account.notes
    ]
    part("Notes", notes or ["none"])
    if account.memories:
        part("Remembered", account.memories)
    new = sum(heard.new for heard in account.heard)
    part(f"Had heard: {counted(len(account.heard), 'line')}, {new} of them new (*)", _heard(account))
    part("Had not heard", [_not_heard(one, line.speaker) for one in account.unheard] or ["nothing: they were present"])
    for number, attempt in enumerate(account.attempts, start=1):
        usage = attempt.answer.usage
        used = f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out, {money(attempt.answer.cost_usd)}"
        again = "" if number == 1 else " again"
        part(f"Answered{again}: {used}", attempt.answer.text.splitlines() or ["(nothing)"])
        if attempt.refused:
            part("Rejected", [attempt.refused])
    part("Assumed while reading the answer", account.warnings or ["nothing"])
    part("Outcome", _fate(account))


def _plan(plan: LinePlan) -> Iterable[str]:
    to = f" to {plan.target}" if plan.target else ""
    yield f"act: {plan.action}{to}, tone: {plan.tone or 'none'}{f', *{plan.gesture}*' if plan.gesture else ''}"
    goals = f", to meet sub-goal {', '.join(map(str, plan.goals))}" if plan.goals else ""
    yield f"intention: {plan.intention or 'none'}{goals}"
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
    return f"The prompt files have changed since, so these layers cannot be shown as they were: {names}"


def _heard(account: Account) -> Iterable[str]:
    hidden = len(account.heard) - LINES_SHOWN
    if hidden > 0:
        yield f"  ({hidden} earlier lines)"
    for heard in account.heard[-LINES_SHOWN:]:
        yield f"{'*' if heard.new else ' '} {heard.line.number}. {heard.line.rendered()}"
    if not account.heard:
        yield "nothing yet"


def _not_heard(line: Line, name: str) -> str:
    why = "not understood" if name in line.foreign_to else "out of earshot"
    return f"{line.number}. {line.rendered()} ({why})"


def _fate(account: Account) -> Iterable[str]:
    line = account.line
    if line.cut_by:
        yield f"{line.cut_by} cut in; left unsaid: {account.unsaid or 'nothing'}"
    if account.missed:
        yield f"the interruption failed: {account.missed}"
    yield from (f"possible leak from {leak}" for leak in account.leaks)
    if account.plan is not None and account.words_by == "company":
        why = "the plan left no words to a model" if account.plan.fixed else "no answer from the model was usable"
        yield f"the words are the rehearsal company's: {why}"
    elif account.words_by == "goal":
        yield "walked through in the words of the goal: no answer from the model was usable"
    elif account.helped and len(account.attempts) > 1:
        yield "the words are from the second attempt"
    if not (line.cut_by or account.missed or account.leaks or account.words_by == "goal"):
        yield "said as written"
