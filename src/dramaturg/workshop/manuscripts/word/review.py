"""What a DOCX that went out brings back: the editor's changes and comments, on the lines they are about.

A document that nobody changed brings nothing back. One whose scenes have moved on meanwhile brings what can be found
again; the rest waits and says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.manuscripts.anchors import CONTEXT, FoundPlace, locate
from dramaturg.workshop.manuscripts.book_text import SceneText
from dramaturg.workshop.manuscripts.markdown_writer import SourceEdit, source_edit
from dramaturg.workshop.manuscripts.remarks import (
    ManuscriptNote,
    ManuscriptPatch,
    QuoteAnchor,
    ReturnedNote,
    ReturnedPatch,
    WordReview,
)
from dramaturg.workshop.manuscripts.styled import Styled
from dramaturg.workshop.manuscripts.word.carried import CarriedScene, read_carried
from dramaturg.workshop.manuscripts.word.document import WordComment, WordDocument
from dramaturg.workshop.manuscripts.word.edits import SceneEdit, edits_of
from dramaturg.workshop.manuscripts.word.names import AUTHOR
from dramaturg.workshop.manuscripts.word.reader import read_docx
from dramaturg.workshop.manuscripts.word.sections import (
    Section,
    sections_in,
    tracked_text,
)

ALIKE = 0.3
"""How many of its paragraphs a scene must share with one that went out to be taken for it under another name."""
_KINDS = {
    "tracked": "tracked change",
    "untracked": "changed without tracking",
    "accepted": "proposed change, accepted in Word",
}


@dataclass(slots=True)
class _Gathered:
    """What was found so far."""

    name: str
    patches: list[ReturnedPatch] = field(default_factory=list)
    notes: list[tuple[WordComment, ReturnedNote]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    untouched: int = 0


def is_ours(document: WordDocument) -> bool:
    """Whether a document was exported from a manuscript."""
    return bool(document.carried) or bool(sections_in(document.paragraphs)[0])


def read_review(name: str, data: bytes, scenes: Sequence[SceneText]) -> WordReview:
    """What a document brings back to these scenes. Raises InvalidConfig if it cannot be read or is not ours."""
    return review_of(name, read_docx(name, data), scenes)


def review_of(name: str, document: WordDocument, scenes: Sequence[SceneText]) -> WordReview:
    sections, outside = sections_in(document.paragraphs)
    if not sections:
        raise InvalidConfig(f"{name} contains no scene of this manuscript. Export one with: dramaturg foreman export")
    carried = {one.number: one for one in read_carried(name, document.carried)}
    got = _Gathered(name)
    got.problems += (f"Words outside of every scene were left alone: “{one.current.text[:60]}”" for one in outside[:20])
    got.problems += (
        f"Words in a {one.where} were left alone: “{one.current.text[:60]}”"
        for one in document.paragraphs
        if one.where != "body" and one.current.text.strip()
    )
    comments = {one.id: one for one in document.comments}
    footnotes = dict(document.notes)
    for section in sections:
        out = carried.get(section.number)
        scene = _scene_of(section, out, scenes)
        if scene is None:
            where = out.path if out else f"scene {section.number}"
            got.problems.append(f"{where} is no longer in the manuscript; what was done to it is left out.")
            continue
        _take(section, out, scene, comments, footnotes, got)
    return WordReview(
        name=name,
        scenes=len(sections),
        untouched=got.untouched,
        patches=tuple(one.model_copy(update={"number": n}) for n, one in enumerate(got.patches, start=1)),
        notes=tuple(_numbered(got.notes)),
        problems=tuple(got.problems),
    )


def _scene_of(section: Section, out: CarriedScene | None, scenes: Sequence[SceneText]) -> SceneText | None:
    """The scene that a section is: by its file, by its digest, or by its paragraphs."""
    if out is not None:
        by_path = next((one for one in scenes if one.path == out.path), None)
        if by_path is not None:
            return by_path
    by_digest = next((one for one in scenes if one.digest.startswith(section.digest)), None)
    if by_digest is not None:
        return by_digest
    wanted = set(tracked_text(section.paragraphs).before.text.split("\n")) - {""}
    scored = [(len(wanted & set(one.prose.shown.text.split("\n"))), one) for one in scenes]
    count, best = max(scored, key=lambda one: one[0], default=(0, None))
    return best if wanted and count / len(wanted) >= ALIKE else None


def _take(
    section: Section,
    out: CarriedScene | None,
    scene: SceneText,
    comments: dict[str, WordComment],
    footnotes: dict[str, str],
    got: _Gathered,
) -> None:
    text = tracked_text(section.paragraphs)
    is_same = (out.digest if out else section.digest) == scene.digest[: None if out else len(section.digest)]
    base = out.shown if out else scene.prose.shown if is_same else text.before
    if out is None and not is_same:
        got.problems.append(
            f"{scene.path}: another program dropped what this document knew of the scene, and the scene has changed "
            "since; only tracked changes and comments are read."
        )
    edits = edits_of(base, text, out.patches if out else ())
    got.untouched += not edits
    for edit in edits:
        got.patches.append(_returned(edit, base, scene, is_same, got.name))
    for range_ in text.comments:
        comment = comments.get(range_.id)
        if comment is None or _is_our_note(comment, out):
            continue
        got.notes.append((comment, _note(text.before, range_.start, range_.end, comment, scene, got.name)))
    for note, at in text.notes:
        comment = WordComment(f"note {note}", "", "", f"Footnote: {footnotes.get(note, '')}")
        got.notes.append((comment, _note(text.before, max(0, at - 1), at, comment, scene, got.name)))


def _is_our_note(comment: WordComment, out: CarriedScene | None) -> bool:
    return comment.author == AUTHOR or (out is not None and comment.text in out.notes)


def _returned(edit: SceneEdit, base: Styled, scene: SceneText, is_same: bool, name: str) -> ReturnedPatch:
    before, after = _around(base.text, edit.start, edit.end)
    old = base.text[edit.start : edit.end]
    if is_same:
        place = FoundPlace("ready", edit.start, edit.end)
    else:
        place = locate(scene.prose.shown.text, old, before, after, edit.new.text)
    told = {"source": name, "author": edit.author, "at": edit.at, "reason": _KINDS[edit.kind]}
    if place.state != "ready":
        anchor = QuoteAnchor(path=scene.path, quote=old, before=before, after=after)
        patch = ManuscriptPatch(anchor=anchor, new=edit.new.text, **told)
        return ReturnedPatch(number=0, patch=patch, state=place.state, why=place.why)
    made = source_edit(scene.prose, place.start, place.end, edit.new)
    return ReturnedPatch(
        number=0,
        patch=ManuscriptPatch(anchor=_anchor(scene, made), new=made.new, **told),
        state="ready",
        line=scene.source.count("\n", 0, made.start) + 1,
        start=made.start,
    )


def _anchor(scene: SceneText, edit: SourceEdit) -> QuoteAnchor:
    before, after = _around(scene.source, edit.start, edit.end)
    return QuoteAnchor(path=scene.path, quote=scene.source[edit.start : edit.end], before=before, after=after)


def _around(text: str, start: int, end: int) -> tuple[str, str]:
    return text[max(0, start - CONTEXT) : start], text[end : end + CONTEXT]


def _note(text: Styled, start: int, end: int, comment: WordComment, scene: SceneText, name: str) -> ReturnedNote:
    before, after = _around(text.text, start, end)
    quote = text.text[start:end]
    place = locate(scene.prose.shown.text, quote, before, after)
    anchor = QuoteAnchor(path=scene.path, quote=quote, before=before, after=after)
    note = ManuscriptNote(anchor=anchor, text=comment.text, source=name, author=comment.author, at=comment.at)
    return ReturnedNote(number=0, note=note, state=place.state, line=_line(scene, place), is_done=comment.is_done)


def _line(scene: SceneText, place: FoundPlace) -> int:
    starts = scene.prose.starts
    if place.state != "ready" or not starts:
        return 0
    at = starts[min(place.start, len(starts) - 1)]
    return scene.source.count("\n", 0, at) + 1


def _numbered(notes: Sequence[tuple[WordComment, ReturnedNote]]) -> Iterator[ReturnedNote]:
    numbers = {comment.id: number for number, (comment, _) in enumerate(notes, start=1)}
    for number, (comment, note) in enumerate(notes, start=1):
        yield note.model_copy(update={"number": number, "answers": numbers.get(comment.parent)})
