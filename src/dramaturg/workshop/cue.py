"""What the rehearsal company's Foreman reads instead of the prompt: the same state, as values."""

from __future__ import annotations

from dramaturg.workshop.book.bible import BEATS, TEMPLATES, BiblePage
from dramaturg.workshop.book.snapshot import BookSnapshot
from dramaturg.workshop.rehearsal.cues import BibleField, ForemanCue
from dramaturg.workshop.state import ForemanState

_BEATS = {f"beat_{beat.number}": beat.name for beat in BEATS}


def foreman_cue(snapshot: BookSnapshot, state: ForemanState, turn: int) -> ForemanCue:
    """The cue of a turn."""
    book, here = snapshot.book, state.turns[turn]
    before = state.last_answered(turn)
    last = before.answers[-1].answer if before else None
    brought = [one.outcome.brought for one in here.done if one.outcome.brought]
    return ForemanCue(
        mode=book.mode.value,
        next_mode=book.mode.next.value if book.mode.next else "",
        title=book.project.title,
        protagonist=book.project.protagonist,
        fields=tuple(field for page in book.pages for field in _fields(page)),
        complete=tuple(page.template for page in book.pages if page.status == "complete"),
        gate=snapshot.gate.missing,
        message=here.spoke.text,
        before=last.thinking if last else "",
        said_before=before.spoke.text if before else "",
        brought="\n\n".join(brought),
        notebooks=tuple(one.role for one in book.notebooks),
        knowledge=book.knowledge,
        refused=tuple(one.what for one in book.mishaps if one.kind == "refused"),
        turn=turn,
    )


def _fields(page: BiblePage) -> list[BibleField]:
    template = TEMPLATES[page.template]
    return [
        BibleField(
            template=page.template,
            name=name,
            title=_BEATS.get(name, heading),
            value=page.fields.get(name, ""),
            missing=name in page.missing,
        )
        for name, heading in template.fields.items()
    ]
