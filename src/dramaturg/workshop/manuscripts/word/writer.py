"""Writes a book as a DOCX in standard manuscript format, with comments and tracked changes where they were given.

Double-spaced, one-inch margins, a title page with contact and word count, chapters on new pages, `#` between scenes,
surname, title and page number in the header.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dramaturg.archives import packed
from dramaturg.kernel.text.escape import escaped, escaped_attribute, one_line, xml_characters
from dramaturg.workshop.manuscripts.book_text import BookText, SceneText
from dramaturg.workshop.manuscripts.frame_words import frame_words
from dramaturg.workshop.manuscripts.markdown import BREAK
from dramaturg.workshop.manuscripts.remarks import ManuscriptNote, ManuscriptPatch
from dramaturg.workshop.manuscripts.styled import LINE_BREAK, Styled
from dramaturg.workshop.manuscripts.word import static_parts as parts
from dramaturg.workshop.manuscripts.word.carried import CarriedScene, OpenPatch, carried_part
from dramaturg.workshop.manuscripts.word.names import (
    AUTHOR,
    BODY,
    CHAPTER,
    INNER_BREAK,
    INNER_HEADING,
    QUOTE,
    SCENE_BREAK,
    THE_END,
    TITLE_PAGE,
    W_URI,
)
from dramaturg.workshop.manuscripts.word.overlay import (
    OverlaidParagraph,
    Piece,
    PlacedComment,
    overlaid,
)
from dramaturg.workshop.manuscripts.word.placement import Placed, PlacedNote, placed

_BLOCK_STYLES = {"paragraph": BODY, "heading": INNER_HEADING, "break": INNER_BREAK, "quote": QUOTE}
_SIGNS = {"\t": "<w:tab/>", LINE_BREAK: "<w:br/>"}


@dataclass(frozen=True, slots=True)
class WordOptions:
    """How a DOCX is written. `track` turns Word's recording of changes on for whoever opens it."""

    at: str
    paper: parts.Paper = "letter"
    track: bool = False
    scene_titles: bool = False


@dataclass(frozen=True, slots=True)
class WordExport:
    """A DOCX, and the notes and patches whose words were not found in the scenes that went out."""

    data: bytes
    unplaced: tuple[str, ...] = ()


@dataclass(slots=True)
class _Numbers:
    """Ids inside one document."""

    change: int = 0
    comment: int = 0
    comments: list[str] = field(default_factory=list)

    def next_change(self) -> int:
        self.change += 1
        return self.change

    def add_comment(self, note: PlacedNote, at: str) -> int:
        name = one_line(note.author) or AUTHOR
        author, initial = escaped_attribute(name), escaped_attribute(name[:1])
        number = self.comment
        self.comment += 1
        lines = "".join(
            f"<w:p><w:r>{_text(line)}</w:r></w:p>" for line in (xml_characters(note.text).splitlines() or [""])
        )
        date = escaped_attribute(note.at or at)
        opening = f'<w:comment w:id="{number}" w:author="{author}" w:date="{date}" w:initials="{initial}">'
        self.comments.append(f"{opening}{lines}</w:comment>")
        return number


def write_docx(
    book: BookText,
    options: WordOptions,
    notes: Sequence[ManuscriptNote] = (),
    patches: Sequence[ManuscriptPatch] = (),
) -> WordExport:
    """The book as a DOCX. The same book, options, notes and patches give the same bytes."""
    numbers = _Numbers()
    body = [parts.document_open(), *_title_page(book)]
    carried: list[CarriedScene] = []
    unplaced: list[str] = []
    for chapter in book.chapters:
        body += (_framed(CHAPTER, line) for line in (chapter.part, chapter.title) if line)
        for number, scene in enumerate(chapter.scenes):
            if number:
                body.append(_framed(SCENE_BREAK, BREAK))
            on = placed(scene, notes, patches, options.at)
            unplaced += on.unplaced
            out = CarriedScene(
                len(carried) + 1,
                scene.path,
                scene.digest,
                scene.prose.shown,
                tuple(OpenPatch(one.start, one.end, one.new.text) for one in on.patches),
                tuple(note.text for note in on.notes),
            )
            carried.append(out)
            body += _scene(scene, on, out, numbers, options)
    body += [_framed(THE_END, frame_words(book.language).end), parts.section(options.paper), "</w:body></w:document>"]
    return WordExport(_package(book, options, "".join(body), carried, numbers), tuple(unplaced))


def _package(
    book: BookText, options: WordOptions, document: str, carried: Sequence[CarriedScene], numbers: _Numbers
) -> bytes:
    related = [
        ("styles", "styles.xml"),
        ("settings", "settings.xml"),
        ("header", "header1.xml"),
        ("customXml", "../customXml/item1.xml"),
    ]
    members = {
        "[Content_Types].xml": parts.content_types(comments=bool(numbers.comments)),
        "_rels/.rels": parts.relations(
            ("officeDocument", "word/document.xml"), ("core-properties", "docProps/core.xml")
        ),
        "word/document.xml": document.encode(),
        "word/styles.xml": parts.styles(book.language),
        "word/settings.xml": parts.document_settings(track=options.track),
        "word/header1.xml": parts.header(one_line(book.author), one_line(book.title)),
        "docProps/core.xml": parts.core_properties(one_line(book.title), one_line(book.author), options.at),
        "customXml/item1.xml": carried_part(carried),
        "customXml/itemProps1.xml": parts.custom_properties(),
        "customXml/_rels/item1.xml.rels": parts.relations(("customXmlProps", "itemProps1.xml")),
    }
    if numbers.comments:
        related.append(("comments", "comments.xml"))
        rows = "".join(numbers.comments)
        members["word/comments.xml"] = f'{parts.HEAD}<w:comments xmlns:w="{W_URI}">{rows}</w:comments>'.encode()
    members["word/_rels/document.xml.rels"] = parts.relations(*related)
    return packed(members.items())


def _title_page(book: BookText) -> Iterator[str]:
    contact = (book.author, *book.contact) if book.author else book.contact
    for line in contact or ("",):
        yield _framed(TITLE_PAGE, line, '<w:jc w:val="left"/>')
    words = f"about {max(100, round(book.words, -2)):,} words"
    yield _framed(TITLE_PAGE, words, '<w:jc w:val="right"/>')
    yield _framed(TITLE_PAGE, book.title, '<w:spacing w:before="4800" w:line="480" w:lineRule="auto"/>')
    if book.author:
        yield _framed(TITLE_PAGE, f"by {book.author}")


def _framed(style: str, text: str, properties: str = "") -> str:
    return _paragraph(style, f"<w:r>{_text(one_line(text))}</w:r>" if text else "", properties)


def _paragraph(style: str, content: str, properties: str = "") -> str:
    return f'<w:p><w:pPr><w:pStyle w:val="{parts.style_id(style)}"/>{properties}</w:pPr>{content}</w:p>'


def _scene(scene: SceneText, on: Placed, out: CarriedScene, numbers: _Numbers, options: WordOptions) -> Iterator[str]:
    if options.scene_titles and scene.title:
        yield _framed(SCENE_BREAK, scene.title)
    comments = [PlacedComment(numbers.add_comment(note, options.at), note.start, note.end) for note in on.notes]
    paragraphs = list(overlaid(scene.prose.shown, on.patches, comments))
    for number, one in enumerate(paragraphs):
        begin = end = ""
        if number == 0:
            begin = f'<w:bookmarkStart w:id="{out.number}" w:name="{out.bookmark}"/>'
        if number == len(paragraphs) - 1:
            end = f'<w:bookmarkEnd w:id="{out.number}"/>'
        content = "".join(_piece(piece, numbers) for piece in one.pieces)
        yield _paragraph(_style_of(scene, one), f"{begin}{content}{end}", _mark(one.mark, numbers))


def _style_of(scene: SceneText, one: OverlaidParagraph) -> str:
    blocks = scene.prose.blocks
    return _BLOCK_STYLES[blocks[one.block].kind] if 0 <= one.block < len(blocks) else BODY


def _mark(mark: Piece | None, numbers: _Numbers) -> str:
    """The state of a paragraph's end, if it is part of a change."""
    if mark is None or mark.state == "kept":
        return ""
    return f"<w:rPr>{_change_tag(mark, numbers)[:-1]}/></w:rPr>"


def _change_tag(piece: Piece, numbers: _Numbers) -> str:
    name = "ins" if piece.state == "inserted" else "del"
    author, at = escaped_attribute(piece.author or AUTHOR), escaped_attribute(piece.at)
    return f'<w:{name} w:id="{10_000 + numbers.next_change()}" w:author="{author}" w:date="{at}">'


def _piece(piece: Piece, numbers: _Numbers) -> str:
    if piece.comment is not None:
        if not piece.is_end:
            return f'<w:commentRangeStart w:id="{piece.comment}"/>'
        return f'<w:commentRangeEnd w:id="{piece.comment}"/><w:r><w:commentReference w:id="{piece.comment}"/></w:r>'
    runs = "".join(_run(run, piece.state == "deleted") for run in piece.content.runs())
    if piece.state == "kept":
        return runs
    return f"{_change_tag(piece, numbers)}{runs}</w:{'ins' if piece.state == 'inserted' else 'del'}>"


def _run(run: Styled, deleted: bool) -> str:
    mark = run.marks[0]
    shape = ("<w:b/>" if mark in "23" else "") + ("<w:i/>" if mark in "13" else "")
    properties = f"<w:rPr>{shape}</w:rPr>" if shape else ""
    return f"<w:r>{properties}{_text(run.text, 'delText' if deleted else 't')}</w:r>"


def _text(text: str, tag: str = "t") -> str:
    found: list[str] = []
    begin = 0
    for at in range(len(text) + 1):
        if at == len(text) or text[at] in _SIGNS:
            if at > begin:
                found.append(f'<w:{tag} xml:space="preserve">{escaped(text[begin:at])}</w:{tag}>')
            if at < len(text):
                found.append(_SIGNS[text[at]])
            begin = at + 1
    return "".join(found)
