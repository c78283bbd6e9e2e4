"""A DOCX as a manuscript: tracked changes as accepted, footnotes behind their chapter."""

from __future__ import annotations

import re

from dramaturg.workshop.manuscripts.readers.source_text import LaidParagraph, SourceBuilder, SourceText
from dramaturg.workshop.manuscripts.styled import Styled, joined, styled
from dramaturg.workshop.manuscripts.word.body import NOTE_MARK
from dramaturg.workshop.manuscripts.word.document import WordDocument, WordParagraph
from dramaturg.workshop.manuscripts.word.names import THE_END

_HEADING = re.compile(r"(?:heading|überschrift|titre|título|titolo|kop|rubrik|nagłówek|заголовок|見出し)\s*(\d)", re.I)
_TITLE = ("title", "titel", "titre", "título", "titolo")
_NOTE = re.compile(f"{NOTE_MARK}([A-Za-z0-9]*){NOTE_MARK}")
_CONTENTS = re.compile(r"(?:toc|contents|verzeichnis|table of)\b", re.I)


def word_source(name: str, document: WordDocument) -> SourceText:
    """The document as Markdown. Its comments are not part of the text."""
    builder = SourceBuilder()
    notes = dict(document.notes)
    numbers: dict[str, int] = {}
    waiting: list[WordParagraph] = []
    for paragraph in document.paragraphs:
        if _CONTENTS.match(paragraph.style) or paragraph.style == THE_END:
            continue
        waiting.append(paragraph)
        if paragraph.mark_deleted is None:
            builder.add(_laid(waiting, numbers))
            waiting = []
    if waiting:
        builder.add(_laid(waiting, numbers))
    for key, number in numbers.items():
        builder.add(LaidParagraph(styled(f"[^{number}]: {notes.get(key, '')}")))
    markdown, blocks = builder.built()
    problems = list(document.problems)
    if document.has_changes:
        problems.append("Tracked changes were taken as accepted.")
    if document.comments:
        problems.append(f"{len(document.comments)} comments are not part of the text and were left out.")
    return SourceText(name, markdown, blocks, document.title, document.author, problems=tuple(problems))


def _laid(paragraphs: list[WordParagraph], numbers: dict[str, int]) -> LaidParagraph:
    first = paragraphs[0]
    content = joined(_with_notes(one.current, numbers) for one in paragraphs)
    return LaidParagraph(content, _level(first, content.text), first.is_centred, first.starts_page)


def _level(paragraph: WordParagraph, text: str) -> int:
    if len(text) > 200:
        return 0
    found = _HEADING.search(paragraph.style)
    if found:
        return max(1, int(found[1]))
    if paragraph.outline is not None:
        return paragraph.outline + 1
    return 1 if paragraph.style.casefold() in _TITLE else 0


def _with_notes(content: Styled, numbers: dict[str, int]) -> Styled:
    parts: list[Styled] = []
    begin = 0
    for found in _NOTE.finditer(content.text):
        number = numbers.setdefault(found[1], len(numbers) + 1)
        parts += (content.cut(begin, found.start()), styled(f"[^{number}]"))
        begin = found.end()
    return joined((*parts, content.cut(begin, len(content))))
