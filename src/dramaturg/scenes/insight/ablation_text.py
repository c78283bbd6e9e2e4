"""What a test of a line found, as text."""

from __future__ import annotations

from dramaturg.kernel.text.shortened import short_line
from dramaturg.scenes.insight.ablation import Ablation
from dramaturg.scenes.insight.causes import Cause, CauseKind
from dramaturg.scenes.insight.events import Effect
from dramaturg.scenes.response import ParsedResponse, render_response

LONGEST = 60
_CAUSES: dict[CauseKind, str] = {
    "goal": "the sub-goal it was offered",
    "note": "the moderator's note",
    "line": "the last line heard",
    "event": "the last event",
    "section": "card",
    "direction": "the scene's direction",
    "secret": "secret",
    "memory": "memory",
    "intention": "its intention",
    "tone": "the planned tone",
    "target": "the addressee",
    "opening": "the first words",
}


def ablation_text(found: Ablation, run_id: str) -> str:
    """The causes, the one that moved the line furthest first, and what the line would be without each."""
    rows = [f"Line {found.line.number} asked again, with one cause left out at a time", ""]
    for effect in found.effects:
        moved = f"{effect.movement.moved:.2f}" if effect.movement else "   -"
        mark = "*" if found.stands_out(effect) else " "
        rows += [f"{moved}{mark} without {cause_text(effect.cause)}", f"      {_instead(effect, found.said)}"]
    floor = "unknown: it could not be asked" if found.floor is None else f"{found.floor:.2f}"
    rows += ["", f"Unchanged, it moves by {floor}. {_summary(found)}", f"The answers are in run {run_id}."]
    return "\n".join(rows) + "\n"


def _summary(found: Ablation) -> str:
    count = sum(found.stands_out(effect) for effect in found.effects)
    if not count:
        return "Nothing that was taken away moved it further than that."
    return f"{count} of {len(found.effects)} causes moved it further than that."


def cause_text(cause: Cause | None) -> str:
    """A cause in a few words."""
    if cause is None:
        return "-"
    return f"{_CAUSES[cause.kind]}: {short_line(cause.text, LONGEST)}"


def _instead(effect: Effect, said: ParsedResponse) -> str:
    if effect.said is None:
        return f"not known: {effect.failed}"
    return "the same" if effect.said == said else short_line(render_response(effect.said), 2 * LONGEST)
