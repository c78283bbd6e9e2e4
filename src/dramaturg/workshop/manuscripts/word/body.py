"""The paragraphs of a Word document in reading order: through tables, text boxes, content controls and changes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from dramaturg.kernel.text.escape import one_line, xml_characters
from dramaturg.workshop.manuscripts.styled import LINE_BREAK, PLAIN, Styled, mark_of, styled
from dramaturg.workshop.manuscripts.word.document import Change, CommentMark, Where, WordParagraph, WordRun
from dramaturg.workshop.manuscripts.word.names import MC, W
from dramaturg.workshop.manuscripts.word.style_sheet import StyleSheet, alignment_of, is_on, outline_of
from dramaturg.workshop.manuscripts.xml_parts import Element

NOTE_MARK = "\ufffc"
"""Stands before and after the id of a footnote, in the place of the footnote."""
_SIGNS = {"tab": "\t", "cr": LINE_BREAK, "noBreakHyphen": "\u2011", "softHyphen": "\u00ad"}
_INSERTED, _DELETED = (f"{W}ins", f"{W}moveTo"), (f"{W}del", f"{W}moveFrom")
_RANGES = (f"{W}commentRangeStart", f"{W}commentRangeEnd")
_SKIPPED = frozenset(
    f"{W}{name}" for name in ("rPr", "pPr", "tblPr", "tblGrid", "trPr", "tcPr", "sectPr", "instrText", "delInstrText")
) | {f"{MC}Fallback"}


@dataclass(frozen=True, slots=True)
class _State:
    """In what a node stands."""

    inserted: Change | None = None
    deleted: Change | None = None
    where: Where = "body"


@dataclass(slots=True)
class _Open:
    """A paragraph while it is read."""

    node: Element
    where: Where
    runs: list[WordRun] = field(default_factory=list)
    length: int = 0
    bookmarks: list[str] = field(default_factory=list)
    comments: list[CommentMark] = field(default_factory=list)
    starts_page: bool = False

    def add(self, text: str, mark: str, state: _State) -> None:
        if text:
            self.runs.append(WordRun(styled(text, mark), state.inserted, state.deleted))
            self.length += len(text)


class BodyReader:
    """What is met on the way through one document."""

    def __init__(self, sheet: StyleSheet) -> None:
        self.sheet = sheet
        self._links = 0
        self._boxes = 0

    @property
    def problems(self) -> tuple[str, ...]:
        """What of the document does not come along."""
        links = f"{self._links} links: their words are kept, their addresses are not." if self._links else ""
        boxes = f"{self._boxes} text boxes: their words stand behind the paragraph they hang on." if self._boxes else ""
        return tuple(filter(None, (links, boxes)))

    def met(self, node: Element) -> None:
        if node.tag == f"{W}hyperlink":
            self._links += 1
        elif node.tag == f"{W}txbxContent":
            self._boxes += 1


Step = tuple[Literal["enter", "leave"], Element, _State, _Open | None]


def paragraphs_in(root: Element, reader: BodyReader) -> Iterator[WordParagraph]:
    """Every paragraph below a node, each once. One that hangs inside another, as in a box, follows it."""
    pending: list[str] = []
    remarks: list[CommentMark] = []
    held: list[WordParagraph] = []
    steps: list[Step] = [("enter", root, _State(), None)]
    depth = 0
    while steps:
        phase, node, state, paragraph = steps.pop()
        if phase == "leave":
            depth -= 1
            assert paragraph is not None
            done = _finished(paragraph, reader.sheet)
            if depth:
                held.append(done)
            else:
                yield done
                yield from held
                held = []
            continue
        if node.tag in _SKIPPED:
            continue
        reader.met(node)
        if node.tag == f"{W}p":
            paragraph = _Open(node, state.where, bookmarks=pending, comments=remarks)
            pending, remarks = [], []
            depth += 1
            steps.append(("leave", node, state, paragraph))
        elif node.tag == f"{W}r" and paragraph is not None:
            inner = _run(node, state, paragraph, reader)
            steps.extend(("enter", child, state, paragraph) for child in reversed(inner))
            continue
        elif node.tag == f"{W}bookmarkStart":
            (paragraph.bookmarks if paragraph is not None else pending).append(str(node.get(f"{W}name", "")))
        elif node.tag in _RANGES:
            at, marks = (paragraph.length, paragraph.comments) if paragraph is not None else (0, remarks)
            marks.append(CommentMark(str(node.get(f"{W}id", "")), at, node.tag == _RANGES[1]))
        below = _state_in(node, state)
        steps.extend(("enter", child, below, paragraph) for child in reversed(node))


def _state_in(node: Element, state: _State) -> _State:
    if node.tag in _INSERTED:
        return replace(state, inserted=_change(node))
    if node.tag in _DELETED:
        return replace(state, deleted=_change(node))
    if node.tag == f"{W}tbl":
        return replace(state, where="table")
    if node.tag == f"{W}txbxContent":
        return replace(state, where="box")
    return state


def _run(node: Element, state: _State, paragraph: _Open, reader: BodyReader) -> list[Element]:
    """Adds the text of a run; what else hangs in it, such as a drawing, is returned."""
    properties = node.find(f"{W}rPr")
    if is_on(properties, "vanish"):
        return []
    style = reader.sheet.of(properties, "rStyle")
    italic, bold = is_on(properties, "i"), is_on(properties, "b")
    mark = mark_of(
        italic=style.italic if italic is None else italic,
        bold=style.bold if bold is None else bold,
    )
    inner: list[Element] = []
    for child in node:
        name = child.tag.removeprefix(W)
        if name in ("t", "delText"):
            paragraph.add(_plain(child.text or ""), mark, state)
        elif name == "br":
            _line_or_page(child, paragraph, state)
        elif name in _SIGNS:
            paragraph.add(_SIGNS[name], PLAIN if name == "cr" else mark, state)
        elif name == "sym":
            paragraph.add(_symbol(child), mark, state)
        elif name in ("footnoteReference", "endnoteReference"):
            note = "".join(filter(str.isalnum, str(child.get(f"{W}id", ""))[:12]))
            paragraph.add(f"{NOTE_MARK}{name[0]}{note}{NOTE_MARK}", PLAIN, state)
        elif name not in ("rPr", "lastRenderedPageBreak", "commentReference", "annotationRef"):
            inner.append(child)
    return inner


def _plain(text: str) -> str:
    return xml_characters(text).replace("\n", " ").replace("\r", " ").replace(NOTE_MARK, "")


def _line_or_page(node: Element, paragraph: _Open, state: _State) -> None:
    if node.get(f"{W}type") in ("page", "column"):
        paragraph.starts_page = paragraph.starts_page or not paragraph.length
    else:
        paragraph.add(LINE_BREAK, PLAIN, state)


def _symbol(node: Element) -> str:
    try:
        code = int(str(node.get(f"{W}char", "")), 16)
    except ValueError:
        return ""
    return xml_characters(chr(code)) if 0 <= code < 0xE000 else ""


def _change(node: Element) -> Change:
    return Change(one_line(str(node.get(f"{W}author", ""))), str(node.get(f"{W}date", "")))


def _mark_change(properties: Element | None, tags: tuple[str, ...]) -> Change | None:
    marks = properties.find(f"{W}rPr") if properties is not None else None
    found = next((one for one in marks if one.tag in tags), None) if marks is not None else None
    return _change(found) if found is not None else None


def _finished(one: _Open, sheet: StyleSheet) -> WordParagraph:
    properties = one.node.find(f"{W}pPr")
    style = sheet.of(properties, "pStyle")
    alignment, outline, page = alignment_of(properties), outline_of(properties), is_on(properties, "pageBreakBefore")
    return WordParagraph(
        tuple(_merged(one.runs)),
        style.name,
        style.outline if outline is None else outline,
        alignment == "center" if alignment else style.is_centred,
        one.starts_page or (style.starts_page if page is None else page),
        _mark_change(properties, _INSERTED),
        _mark_change(properties, _DELETED),
        tuple(one.bookmarks),
        tuple(one.comments),
        one.where,
    )


def _merged(runs: list[WordRun]) -> Iterator[WordRun]:
    """Runs of one state as one: Word splits them wherever it likes."""
    group: list[WordRun] = []
    for run in runs:
        if group and (run.inserted, run.deleted) != (group[-1].inserted, group[-1].deleted):
            yield _together(group)
            group = []
        group.append(run)
    if group:
        yield _together(group)


def _together(group: list[WordRun]) -> WordRun:
    text = "".join(run.content.text for run in group)
    marks = "".join(run.content.marks for run in group)
    return WordRun(Styled(text, marks), group[0].inserted, group[0].deleted)
