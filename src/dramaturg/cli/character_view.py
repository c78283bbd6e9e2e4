"""What a character remembers, in a terminal."""

from __future__ import annotations

import re

from rich.table import Table
from rich.text import Text

from dramaturg.cli.edge import stdout
from dramaturg.scenes.memories import Bond, Memory, Past
from dramaturg.scenes.memory.recollection_text import bond_in_words, mood_in_words

LATEST = 3
"""Changes shown per bond."""


def print_past(past: Past) -> None:
    """Memories with where they come from, the mood, and the bonds with others."""
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
    said = bond_in_words(bond, name) or "Nothing in particular between them."
    figures = f"trust {bond.trust:+.2f}, affection {bond.affection:+.2f}, tension {bond.tension:.2f}"
    stdout().print(Text(f"\n{name}: {said} ({figures})"), soft_wrap=True)
    for change in bond.history[-LATEST:]:
        stdout().print(Text(f"  {change.scene}, line {change.line}: {change.cause}"))


def _where(memory: Memory) -> str:
    return f"{memory.scene}, line {memory.line}"
