"""Variants of a scene in a terminal: side by side where there is room, and a hybrid with its seams."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from dramaturg.cli.edge import echo, stdout, tell
from dramaturg.workshop.drafts.hybrid import Seam
from dramaturg.workshop.drafts.variant import Variant
from dramaturg.workshop.drafts.wire import DraftView, HybridView

NARROWEST = 30
"""A narrower column cannot be read; the variants are shown one after the other then."""


def print_variants(draft: DraftView) -> None:
    """The variants with their numbered paragraphs, and what is marked in each."""
    tell(f"{draft.file}: {draft.words:,} words asked for, draft {draft.run}, {draft.status}")
    if draft.scaffold_changed:
        tell("The scaffold has changed since; they are written from the one the draft began with.", "yellow")
    for one in draft.variants:
        told = f"no text. {one.failed}" if one.failed else f"{one.words:,} words"
        tell(f"{one.letter}  {one.strategy}, {one.model}: {told}")
        for mark in one.marks:
            tell(f"   ! {mark}", "yellow")
    written = [one for one in draft.variants if one.paragraphs]
    if len(written) > 1 and stdout().width // len(written) >= NARROWEST:
        _print_columns(written)
    else:
        for one in written:
            stdout().rule(one.letter, align="left", style="dim")
            for number, text in enumerate(one.paragraphs, start=1):
                stdout().print(_paragraph(f"{one.letter}{number}", text))
                echo("")
    if written:
        single, several = f"choose {draft.run} {written[0].letter}", f"hybrid {draft.run} A1-3 B4"
        tell(f"Choose one: dramaturg foreman {single}; or mix them: dramaturg foreman {several}")


def print_hybrid(made: HybridView) -> None:
    """The paragraphs of a hybrid, with a rule at each seam."""
    seams = {one.after: one for one in made.seams}
    for number, one in enumerate(made.paragraphs, start=1):
        stdout().print(_paragraph(one.label, one.text))
        if number in seams:
            stdout().rule(Text(_seam(seams[number]), "yellow"), style="yellow", align="left")
        else:
            echo("")
    plural = "seam" if len(made.seams) == 1 else "seams"
    tell(f"{made.words:,} words, {len(made.seams)} {plural}")
    if made.saved is not None:
        echo(made.saved.said)


def _print_columns(variants: Sequence[Variant]) -> None:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 1, 0), header_style="bold", expand=True)
    for one in variants:
        table.add_column(f"{one.letter}  {one.strategy}", ratio=1, overflow="fold", vertical="top")
    for row in range(max(len(one.paragraphs) for one in variants)):
        table.add_row(*(_cell(one, row) for one in variants))
    stdout().print(table)


def _cell(variant: Variant, row: int) -> Text:
    if row >= len(variant.paragraphs):
        return Text("")
    return _paragraph(f"{variant.letter}{row + 1}", variant.paragraphs[row])


def _paragraph(label: str, text: str) -> Text:
    return Text.assemble((f"{label} ", "dim"), text)


def _seam(seam: Seam) -> str:
    return f"seam {seam.left} | {seam.right}"
