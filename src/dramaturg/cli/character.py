"""`character show`, `edit`, `forget` and `reset`: what somebody remembers, and changing it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import typer
from rich.table import Table
from rich.text import Text

from dramaturg.cli.edge import AUTHOR, perform, say, settings_of, stdout, tell
from dramaturg.kernel.characters import load_cast
from dramaturg.scenes.memory.rendering import bond_in_words, mood_in_words
from dramaturg.scenes.memory.values import Bond, Memory, Past
from dramaturg.scenes.store import MemoryStore
from dramaturg.studio import Studio

T = TypeVar("T")
LATEST = 3
"""Changes of a bond that are shown."""


def show_character(name: str, project: Path, json: bool) -> None:
    past = _with_memory(name, project, lambda memory, who: memory.past(who), json=json)
    if json:
        memories = [{"id": memory.id, **memory.model_dump(mode="json")} for memory in past.memories]
        say({**past.model_dump(mode="json"), "memories": memories})
        return
    if not past.memories and not past.bonds:
        typer.echo(f"{past.character} remembers nothing yet. Scenes with 'remembers: true' are remembered.")
        return
    _print_past(past)


def edit_memory(name: str, memory: str, text: str, project: Path) -> None:
    edited: Memory = _with_memory(name, project, lambda store, who: store.edit(who, memory, text))
    typer.echo(f"{edited.id} now reads: {edited.text}")


def forget_memory(name: str, memory: str, project: Path) -> None:
    forgotten: str = _with_memory(name, project, lambda store, who: store.forget(who, memory))
    typer.echo(f"{forgotten} is forgotten.")


def reset_character(name: str, project: Path, yes: bool) -> None:
    if not yes and not _agrees(name):
        tell("Nothing was changed. Say --yes to be asked no more.")
        raise typer.Exit(AUTHOR)

    async def reset(store: MemoryStore, who: str) -> str:
        await store.reset(who)
        return who

    typer.echo(f"{_with_memory(name, project, reset)} remembers nothing any more.")


def _agrees(name: str) -> bool:
    try:
        return typer.confirm(f"Forget everything that {name} remembers, feels and thinks of others?")
    except typer.Abort:  # nobody is there to answer
        return False


def _with_memory(
    name: str, project: Path, work: Callable[[MemoryStore, str], Awaitable[T]], *, json: bool = False
) -> T:
    settings = settings_of(project)

    async def opened() -> T:
        async with Studio.open(settings) as studio:
            known = {one.casefold(): one for one in await studio.memory.characters()}
            who = known.get(name.casefold()) or load_cast(settings.project, [name])[0].name
            return await work(studio.memory, who)

    return perform(opened, json=json)


def _print_past(past: Past) -> None:
    out = stdout()
    table = Table(box=None, pad_edge=False, header_style="dim", title_justify="left")
    for column in ("id", "kind", "weight", "where", "what"):
        table.add_column(column, no_wrap=column in ("id", "kind", "weight"))
    for memory in past.memories:
        text = f"{memory.text}{' (edited)' if memory.edited else ''}"
        table.add_row(memory.id, memory.kind, f"{memory.importance:.2f}", _where(memory), Text(text))
    out.print(table)
    mood = mood_in_words(past.mood) or "Nothing in particular."
    out.print(f"\nmood: {mood} (valence {past.mood.valence:+.2f}, arousal {past.mood.arousal:.2f})")
    for bond in past.bonds:
        _print_bond(bond)


def _print_bond(bond: Bond) -> None:
    name = re.sub(r"[-_]+", " ", bond.toward).title()
    said = bond_in_words(bond, name) or "Nothing much stands between them."
    figures = f"trust {bond.trust:+.2f}, affection {bond.affection:+.2f}, tension {bond.tension:.2f}"
    stdout().print(Text(f"\n{name}: {said} ({figures})"), soft_wrap=True)
    for change in bond.history[-LATEST:]:
        stdout().print(Text(f"  {change.scene}, line {change.line}: {change.cause}"))


def _where(memory: Memory) -> str:
    return f"{memory.scene}, line {memory.line}"
