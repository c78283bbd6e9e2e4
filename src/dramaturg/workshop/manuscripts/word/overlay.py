"""A scene with proposed changes and comments laid over it, as the paragraphs of a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from dramaturg.workshop.manuscripts.styled import PARAGRAPH, Styled

State = Literal["kept", "deleted", "inserted"]


@dataclass(frozen=True, slots=True)
class PlacedPatch:
    """A change of the words shown from `start` to `end`."""

    start: int
    end: int
    new: Styled
    author: str
    at: str


@dataclass(frozen=True, slots=True)
class PlacedComment:
    """A comment on the words shown from `start` to `end`, under the id it has in the document."""

    id: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Piece:
    """Words of one state, or the begin or end of a comment."""

    content: Styled = field(default_factory=Styled)
    state: State = "kept"
    author: str = ""
    at: str = ""
    comment: int | None = None
    is_end: bool = False


@dataclass(frozen=True, slots=True)
class OverlaidParagraph:
    """A paragraph: `block` is the number of the scene's block that it begins in, -1 for a new one."""

    pieces: tuple[Piece, ...]
    block: int
    mark: Piece | None = None


def overlaid(
    shown: Styled, patches: Sequence[PlacedPatch], comments: Sequence[PlacedComment]
) -> Iterator[OverlaidParagraph]:
    """The paragraphs of a scene. Patches must not overlap."""
    pieces: list[Piece] = []
    block, fresh = 0, False
    for piece in _pieces(shown, patches, comments):
        if piece.content.text != PARAGRAPH:
            pieces.append(piece)
            continue
        yield OverlaidParagraph(tuple(pieces), -1 if fresh else block, piece)
        pieces = []
        fresh = piece.state == "inserted"
        block += piece.state != "inserted"
    yield OverlaidParagraph(tuple(pieces), -1 if fresh else block)


def _pieces(shown: Styled, patches: Sequence[PlacedPatch], comments: Sequence[PlacedComment]) -> Iterator[Piece]:
    cuts = {0, len(shown)}
    cuts.update(at for one in patches for at in (one.start, one.end))
    cuts.update(at for one in comments for at in (one.start, one.end))
    begun = {patch.start: patch for patch in patches if patch.end > patch.start}
    finished = {patch.end: patch for patch in patches}
    marks = _comment_marks(comments)
    ordered = sorted(cuts)
    within: PlacedPatch | None = None
    for number, at in enumerate(ordered):
        if at in finished:
            yield from _split(finished[at].new, "inserted", finished[at])
            within = None
        yield from marks.get(at, ())
        within = begun.get(at, within)
        if number + 1 < len(ordered):
            yield from _split(shown.cut(at, ordered[number + 1]), "deleted" if within else "kept", within)


def _comment_marks(comments: Sequence[PlacedComment]) -> dict[int, list[Piece]]:
    """The begins and ends of comments by their place: what ends there first, then what begins there."""
    found: dict[int, list[Piece]] = {}
    for one in comments:
        if one.end > one.start:
            found.setdefault(one.end, []).append(Piece(comment=one.id, is_end=True))
    for one in comments:
        here = found.setdefault(one.start, [])
        here.append(Piece(comment=one.id))
        if one.end == one.start:
            here.append(Piece(comment=one.id, is_end=True))
    return found


def _split(content: Styled, state: State, patch: PlacedPatch | None) -> Iterator[Piece]:
    """The words in pieces, each end of a paragraph by itself."""
    author, at = (patch.author, patch.at) if patch else ("", "")
    begin = 0
    for place in range(len(content) + 1):
        is_end = place == len(content)
        if is_end or content.text[place] == PARAGRAPH:
            if place > begin:
                yield Piece(content.cut(begin, place), state, author, at)
            if not is_end:
                yield Piece(content.cut(place, place + 1), state, author, at)
            begin = place + 1
