"""The check of a scene in a terminal."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from dramaturg.cli.edge import stdout
from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.scenes.check import CheckedBook, CheckedGoal, SceneCheck


def print_check(check: SceneCheck) -> None:
    """Cast, goal and remarks, one below the other."""
    out = stdout()
    out.print(Text(check.name, "bold"))
    cast = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("character", "role", "played by", "lines"):
        cast.add_column(column, justify="right" if column == "lines" else "left")
    for part in check.cast:
        cast.add_row(Text(part.display_name), Text(part.role), Text(part.model), str(part.lines))
    out.print(cast)
    for part in check.cast:
        if part.lorebooks:
            books = ", ".join(_book(book) for book in part.lorebooks)
            out.print(Text(f"{part.display_name} knows {books}", "dim"), soft_wrap=True)
    out.print(Text(f"judged by {check.director}, at most {check.max_beats} beats", "dim"))
    out.print(Text("\nGoal", "bold"))
    rehearsed = any(is_stand_in(part.model) for part in check.cast)
    for goal in check.goals:
        out.print(Text(f"{goal.id}. {goal.text}").append(f"  ({_shown(goal, rehearsed)})", "dim"), soft_wrap=True)
    for remark in check.remarks:
        out.print(Text(f"\n{remark}", "yellow"), soft_wrap=True)


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
