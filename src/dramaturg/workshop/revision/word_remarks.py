"""What waits for the writer, as remarks of a Word document: conflicts and findings as comments, patches as changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dramaturg.kernel.clock import moment
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.manuscript import FOLDER as MANUSCRIPT
from dramaturg.workshop.book.pages import read_page
from dramaturg.workshop.book.plain_text import plain_text
from dramaturg.workshop.consolidation.wire import ConflictView
from dramaturg.workshop.graph.wire import FactView
from dramaturg.workshop.health.values import Finding
from dramaturg.workshop.manuscripts.remarks import ManuscriptNote, ManuscriptPatch, QuoteAnchor
from dramaturg.workshop.patches.pages import PatchedFiles
from dramaturg.workshop.patches.patch import Patch, Place, locate
from dramaturg.workshop.patches.wire import PatchView

AUTHOR = "dramaturg"
CONTEXT = 48


@dataclass(frozen=True, slots=True)
class WordRemarks:
    """The notes and patches that go out with a manuscript."""

    notes: tuple[ManuscriptNote, ...] = ()
    patches: tuple[ManuscriptPatch, ...] = ()


def word_remarks(
    files: PatchedFiles,
    conflicts: Iterable[ConflictView],
    findings: Iterable[Finding],
    patches: Iterable[PatchView],
) -> WordRemarks:
    """Everything that waits and is about the manuscript. What stands in front matter is a comment on its scene."""
    prose = _Prose(files)
    notes = [note for one in conflicts for note in _conflict_notes(one, prose)]
    notes += [note for one in findings for note in _finding_notes(one, prose)]
    changes: list[ManuscriptPatch] = []
    for one in patches:
        if not _is_scene(one.file):
            continue
        anchor = prose.patch_anchor(one)
        if anchor is not None:
            changes.append(
                ManuscriptPatch(
                    anchor=anchor, new=one.new, reason=one.reason, source=f"patch {one.number}", author=_author(one)
                )
            )
        else:
            text = f"“{one.old}” → “{one.new}” {one.reason}".strip()
            whole = QuoteAnchor(path=one.file)
            notes.append(ManuscriptNote(anchor=whole, text=text, source=f"patch {one.number}", author=_author(one)))
    return WordRemarks(tuple(dict.fromkeys(notes)), tuple(changes))


class _Prose:
    """The prose of scenes, without front matter."""

    def __init__(self, files: PatchedFiles) -> None:
        self._files = files
        self._texts: dict[str, tuple[str, int]] = {}

    def anchor(self, path: str, quote: str, start: int = -1) -> QuoteAnchor:
        """Words at a place of a file, or where they first stand; the whole scene if they do not stand in its prose."""
        text, head = self._text(path)
        at = start if start >= head and text.startswith(quote, start) else text.find(quote, head)
        return self._around(path, at, at + len(quote)) if quote and at >= 0 else QuoteAnchor(path=path)

    def patch_anchor(self, one: PatchView) -> QuoteAnchor | None:
        """Where a patch belongs; None if that is not in the prose, or nobody can tell."""
        text, head = self._text(one.file)
        place = locate(Patch(path=one.file, before=one.before, old=one.old, after=one.after, new=one.new), text)
        if not isinstance(place, Place) or place.start < head:
            return None
        return self._around(one.file, place.start, place.end)

    def _around(self, path: str, start: int, end: int) -> QuoteAnchor:
        text, head = self._text(path)
        before, after = text[max(head, start - CONTEXT) : start], text[end : end + CONTEXT]
        return QuoteAnchor(path=path, quote=text[start:end], before=before, after=after)

    def _text(self, path: str) -> tuple[str, int]:
        """The text of a file with plain line breaks, and where its prose begins."""
        if path not in self._texts:
            plain = plain_text(self._files.text_or_nothing(path) or "").plain
            try:
                head = len(read_page(path, plain).head)
            except InvalidConfig:  # the export says what is wrong with it
                head = len(plain)
            self._texts[path] = (plain, head)
        return self._texts[path]


def _conflict_notes(conflict: ConflictView, prose: _Prose) -> Iterator[ManuscriptNote]:
    """A comment on each side of a conflict that is in the manuscript."""
    for own, other in ((conflict.old, conflict.new), (conflict.new, conflict.old)):
        if _is_scene(own.file):
            yield ManuscriptNote(
                anchor=prose.anchor(own.file, own.quote, own.start),
                text=f"{conflict.said} {_elsewhere(other)}".strip(),
                source=f"conflict {conflict.id}",
                author=AUTHOR,
                at=_moment(conflict.found_at),
            )


def _finding_notes(finding: Finding, prose: _Prose) -> Iterator[ManuscriptNote]:
    for one in finding.evidence:
        if _is_scene(one.file):
            yield ManuscriptNote(
                anchor=prose.anchor(one.file, one.quote),
                text=f"{finding.text} {finding.recommendation}".strip(),
                source=f"check {finding.check}",
                author=AUTHOR,
            )


def _elsewhere(fact: FactView) -> str:
    quote = " ".join(fact.quote.split())
    return f"[{fact.file}: “{quote}”]" if fact.file and quote else f"[{fact.file or fact.source}]"


def _author(patch: PatchView) -> str:
    return patch.source.name or patch.source.purpose or AUTHOR


def _is_scene(path: str) -> bool:
    return path.startswith(f"{MANUSCRIPT}/")


def _moment(at: float) -> str:
    return moment(at).strftime("%Y-%m-%dT%H:%M:%SZ") if at > 0 else ""
