"""The check of a scene in a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from dramaturg.cli.edge import stdout
from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.text.counts import counted
from dramaturg.scenes.briefing import Briefing
from dramaturg.scenes.check import CheckedBook, CheckedGoal, CheckedPart, SceneCheck
from dramaturg.scenes.forecast import PriceForecast

_MODES = {"direct": "", "assisted": " (assisted)", "task": " (as a task)"}


def print_check(check: SceneCheck, *, prompts: bool = False) -> None:
    """Cast, goal, price and remarks, one below the other; with `prompts`, everything that is told to the cast."""
    out = stdout()
    out.print(Text(check.name, "bold"))
    out.print(_cast(check))
    for part in check.cast:
        if part.lorebooks:
            books = ", ".join(_book(book) for book in part.lorebooks)
            out.print(Text(f"{part.display_name} knows {books}", "dim"), soft_wrap=True)
    out.print(Text(f"judged by {check.director}, at most {counted(check.max_beats, 'beat')}", "dim"), soft_wrap=True)
    out.print(Text(_price(check.price), "dim"), soft_wrap=True)
    out.print(Text("\nGoal", "bold"))
    rehearsed = any(is_stand_in(part.model) for part in check.cast if part.otherwise != "silence")
    for goal in check.goals:
        out.print(Text(f"{goal.id}. {goal.text}").append(f"  ({_shown(goal, rehearsed)})", "dim"), soft_wrap=True)
    _print_told(out, check, prompts=prompts)
    for remark in check.remarks:
        out.print(Text(f"\n{remark}", "yellow"), soft_wrap=True)


def _cast(check: SceneCheck) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("character", "role", "played by", "lines", "on stage", "told"):
        table.add_column(column, justify="right" if column in ("lines", "told") else "left", overflow="fold")
    for part, told in zip(check.cast, check.briefings, strict=True):
        cells = (
            part.display_name,
            part.role,
            _player(part),
            str(part.lines),
            _stage_time(part),
            f"{told.tokens:,} tokens",
        )
        table.add_row(*map(Text, cells))
    return table


def _player(part: CheckedPart) -> str:
    if part.otherwise == "silence":
        return "a person"
    return f"{'a person, or ' if part.otherwise else ''}{part.model}{_MODES[part.mode]}"


def _stage_time(part: CheckedPart) -> str:
    if part.leaves is not None:
        return f"beats {part.enters} to {part.leaves - 1}"
    return f"from beat {part.enters}" if part.enters else "always"


def _price(price: PriceForecast) -> str:
    if not price.high_tokens:
        return "costs nothing: the rehearsal company plays"
    tokens = f"{_round(price.low_tokens)} to {_round(price.high_tokens)} tokens"
    beats = f"a brisk {price.few_beats} beats to all {price.most_beats}"
    if price.low_usd is None or price.high_usd is None:
        return f"unknown price ({', '.join(price.unknown)}); {tokens}, from {beats}"
    if not price.high_usd:
        return f"costs nothing: the models run here; {tokens}, from {beats}"
    return f"about {_money(price.low_usd)} to {_money(price.high_usd)}; {tokens}, from {beats}, caches not counted"


def _round(tokens: int) -> str:
    return f"{round(tokens, -3):,}" if tokens >= 10_000 else f"{round(tokens, -2):,}"


def _money(usd: float) -> str:
    return f"${usd:.2f}" if usd >= 0.01 else "less than $0.01"


def _book(book: CheckedBook) -> str:
    always = f", {book.standing} of them throughout" if book.standing else ""
    whose = "" if book.shared else ", nobody else does"
    entries = "1 entry" if book.entries == 1 else f"{book.entries} entries"
    return f"'{book.name}' ({entries}{always}{whose})"


def _shown(goal: CheckedGoal, rehearsed: bool) -> str:
    if goal.at_the_end:
        return "judged at the end"
    company = f"; {goal.company} in rehearsal" if rehearsed else ""
    return f"shown by words of {' or '.join(goal.shown_by)}{company}"


def _print_told(out: Console, check: SceneCheck, *, prompts: bool) -> None:
    out.print(Text("\nTold to each character", "bold"))
    if not prompts:
        for part in check.cast:
            sections = ", ".join(part.sections) or "its description"
            out.print(Text(f"{part.display_name}: {sections}; the situation, the goal, how to answer"), soft_wrap=True)
        out.print(Text("--prompts shows every word of it.", "dim"))
        return
    for briefing in check.briefings:
        for text in _briefed(briefing):
            out.print(text, soft_wrap=True)


def _briefed(briefing: Briefing) -> Iterator[Text]:
    yield Text(f"\n=== {briefing.display_name}: the prompt ({briefing.tokens:,} tokens)", "bold")
    yield Text(briefing.system.strip())
    yield Text(f"\n=== {briefing.display_name}: the first cue, at beat {briefing.beat}", "bold")
    yield Text(briefing.first_cue.strip())
