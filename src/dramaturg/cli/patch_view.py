"""Patches and versions in a terminal: word by word, what goes in red and struck out, what comes in green.

Where there is no colour, what goes stands in [-…-] and what comes in {+…+}.
"""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console
from rich.text import Text

from dramaturg.cli.edge import stdout, tell
from dramaturg.kernel.clock import moment
from dramaturg.workshop.patches.wire import DiffWords, PatchView, VersionComparison, VersionList

CONTEXT_SHOWN = 40
SAME_SHOWN = 120
"""How much of what two texts share is shown between two changes."""


def print_patches(patches: Iterable[PatchView]) -> None:
    """Every patch with its words, its reason and what stands in its way."""
    console, last, any_ = stdout(), 0, False
    for one in patches:
        if one.set != last:
            by = ", ".join(filter(None, (one.source.purpose, one.source.name)))
            console.print(Text(f"{one.title}", style="bold").append(f"  {by}" if by else "", style="dim"))
        last, any_ = one.set, True
        _print_patch(console, one)
    if not any_:
        tell("No patches wait. With --all, those that were accepted or rejected are listed too.")


def _print_patch(console: Console, one: PatchView) -> None:
    state = "" if one.state == "waiting" else f"  {one.state}"
    issue = f"  {one.issue}" if one.issue else ""
    console.print(Text(f"{one.number:>3}  {one.file}{issue}{state}", style="bold cyan"), soft_wrap=True)
    line = Text("     …")
    line.append(_in_line(one.before[-CONTEXT_SHOWN:]), style="dim")
    line.append_text(diff_text(one.words, console))
    line.append(_in_line(one.after[:CONTEXT_SHOWN]), style="dim").append("…")
    console.print(line, soft_wrap=True)
    if one.reason:
        console.print(Text(f"     {one.reason}"), soft_wrap=True)
    if one.problem:
        console.print(Text(f"     ! {one.problem}", style="yellow"), soft_wrap=True)


def print_versions(found: VersionList) -> None:
    for one in found.versions:
        when = f"{moment(one.at).astimezone():%Y-%m-%d %H:%M}"
        now = "  (the file as it is now)" if one.is_current else ""
        stdout().print(Text(f"{one.number:>3}  {when}  {one.words:>6} words  {one.said}{now}"), soft_wrap=True)
    if not found.versions:
        tell(f"{found.file} has no versions yet; the first is kept when something of it changes.")
    elif found.edited:
        tell(f"{found.file} was edited since; that text becomes a version before anything replaces it.")


def print_comparison(found: VersionComparison) -> None:
    second = f"version {found.second}" if found.second else "the file as it is now"
    title = f"{found.file}: version {found.first} and {second}: {found.removed} words out, {found.added} in"
    stdout().print(Text(title, style="bold"), soft_wrap=True)
    if found.added or found.removed:
        stdout().print(diff_text(_shortened(found.words), stdout()), soft_wrap=True)


def diff_text(words: Iterable[DiffWords], console: Console) -> Text:
    """Old and new words of a text in one line of thought."""
    plain = console.color_system is None
    text = Text()
    for one in words:
        if one.kind == "same":
            text.append(one.text)
        elif one.kind == "old":
            text.append(f"[-{one.text}-]" if plain else one.text, style="red strike")
        else:
            text.append(f"{{+{one.text}+}}" if plain else one.text, style="green")
    return text


def _shortened(words: Iterable[DiffWords]) -> list[DiffWords]:
    found = []
    for one in words:
        text = one.text
        if one.kind == "same" and len(text) > SAME_SHOWN:
            text = f"{text[: SAME_SHOWN // 2]} […] {text[-SAME_SHOWN // 2 :]}"
        found.append(DiffWords(kind=one.kind, text=text))
    return found


def _in_line(text: str) -> str:
    return text.replace("\n", "⏎")
