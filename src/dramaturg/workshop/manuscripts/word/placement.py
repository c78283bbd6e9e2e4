"""Where notes and patches stand in a scene as it goes out."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dramaturg.workshop.manuscripts.anchors import locate
from dramaturg.workshop.manuscripts.book_text import SceneText
from dramaturg.workshop.manuscripts.markdown import read_prose
from dramaturg.workshop.manuscripts.remarks import ManuscriptNote, ManuscriptPatch, QuoteAnchor
from dramaturg.workshop.manuscripts.word.overlay import PlacedPatch


@dataclass(frozen=True, slots=True)
class PlacedNote:
    """A note on the words shown from `start` to `end`."""

    start: int
    end: int
    text: str
    author: str
    at: str


@dataclass(frozen=True, slots=True)
class Placed:
    """What stands over one scene, and what could not be placed."""

    patches: tuple[PlacedPatch, ...] = ()
    notes: tuple[PlacedNote, ...] = ()
    unplaced: tuple[str, ...] = ()


def placed(scene: SceneText, notes: Sequence[ManuscriptNote], patches: Sequence[ManuscriptPatch], at: str) -> Placed:
    """The notes and patches of a scene at their words. A patch whose words are not found, stand there twice or overlap
    those of another becomes a note at the beginning of the scene."""
    found: list[PlacedPatch] = []
    said: list[PlacedNote] = []
    lost: list[str] = []
    for patch in (one for one in patches if one.anchor.path == scene.path):
        place = shown_place(scene, patch.anchor)
        reason = " ".join(filter(None, (patch.reason, f"({patch.source})" if patch.source else "")))
        if place is None or _overlaps(place, found):
            lost.append(f"{scene.path}: no single place for “{patch.anchor.quote[:60]}”")
            said.append(PlacedNote(0, 0, f"“{patch.anchor.quote}” → “{patch.new}” {reason}", patch.author, patch.at))
            continue
        found.append(PlacedPatch(*place, read_prose(patch.new).shown, patch.author, patch.at or at))
        if reason:
            said.append(PlacedNote(*place, reason, patch.author, patch.at))
    for note in (one for one in notes if one.anchor.path == scene.path):
        place = shown_place(scene, note.anchor) if note.anchor.quote else (0, 0)
        if place is None:
            lost.append(f"{scene.path}: no single place for “{note.anchor.quote[:60]}”")
        text = note.text if place is not None else f"“{note.anchor.quote}”: {note.text}"
        source = f" ({note.source})" if note.source else ""
        said.append(PlacedNote(*(place or (0, 0)), f"{text}{source}", note.author, note.at))
    return Placed(tuple(sorted(found, key=lambda one: one.start)), tuple(said), tuple(lost))


def shown_place(scene: SceneText, anchor: QuoteAnchor) -> tuple[int, int] | None:
    """From where to where the words of an anchor are shown; it may quote the source or what is shown of it."""
    prose = scene.prose
    found = locate(prose.shown.text, anchor.quote, anchor.before, anchor.after)
    if found.state == "ready":
        return found.start, found.end
    found = locate(scene.source, anchor.quote, anchor.before, anchor.after)
    if found.state != "ready" or not prose.starts:
        return None
    return bisect_left(prose.starts, found.start), bisect_left(prose.starts, found.end)


def _overlaps(place: tuple[int, int], others: Iterable[PlacedPatch]) -> bool:
    return any(place[0] <= one.end and one.start <= place[1] for one in others)
