"""An ODT as a manuscript: headings, emphasis, alignment and page breaks; deleted words and comments stay out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from dramaturg.archives import Archive
from dramaturg.kernel.errors import AuthorError, InvalidConfig
from dramaturg.kernel.text.digits import whole_number
from dramaturg.kernel.text.escape import one_line, xml_characters
from dramaturg.workshop.manuscripts.readers.source_text import LaidParagraph, SourceBuilder, SourceText
from dramaturg.workshop.manuscripts.styled import LINE_BREAK, PLAIN, Styled, joined, mark_of, styled
from dramaturg.workshop.manuscripts.xml_parts import Element, parse_part

_URI = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
TEXT, STYLE, OFFICE, META, TABLE = (_URI % name for name in ("text", "style", "office", "meta", "table"))
FO = "{urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0}"
DC = "{http://purl.org/dc/elements/1.1/}"
MOST_PART = 200 * 1024 * 1024
MOST_SPACES = 200
_SKIPPED = frozenset(
    {f"{TEXT}tracked-changes", f"{OFFICE}annotation", f"{TEXT}sequence-decls", f"{TEXT}table-of-content"}
    | {f"{TEXT}note-citation", f"{OFFICE}forms", f"{TEXT}bibliography", f"{TEXT}alphabetical-index"}
)
_BOXES = (f"{TEXT}p", f"{TEXT}h")


@dataclass(frozen=True, slots=True)
class _Look:
    """What a style says, with what it takes from its parent."""

    italic: bool = False
    bold: bool = False
    is_centred: bool = False
    starts_page: bool = False


@dataclass(slots=True)
class _Reading:
    looks: dict[str, _Look]
    notes: list[str] = field(default_factory=list)


def read_odt(name: str, data: bytes) -> SourceText:
    """The document in these bytes. Raises InvalidConfig, with the reason, if it cannot or must not be read."""

    def refuse(reason: str, advice: str) -> AuthorError:
        return InvalidConfig(f"{name} cannot be read: {reason}. {advice}", path=name)

    archive = Archive(data, refuse, odd="No word processor writes such a file. Do not trust it.")
    parts = {
        part: parse_part(part, archive.member(part, MOST_PART), refuse)
        for part in ("content.xml", "styles.xml", "meta.xml")
        if part in archive.names
    }
    content = parts.get("content.xml")
    if content is None:
        raise refuse("there is no text in it", "It is not an ODT, or it has a password; save it again.")
    reading = _Reading(_looks(*(part for part in (parts.get("styles.xml"), content) if part is not None)))
    builder = SourceBuilder()
    body = content.find(f"{OFFICE}body")
    for paragraph in _paragraphs(body if body is not None else content, reading):
        builder.add(paragraph)
    for number, note in enumerate(reading.notes, start=1):
        builder.add(LaidParagraph(styled(f"[^{number}]: {note}")))
    markdown, blocks = builder.built()
    meta = parts.get("meta.xml")
    title, author = _meta(meta)
    changed = any(True for _ in content.iter(f"{TEXT}tracked-changes"))
    problems = ("Tracked changes were taken as accepted.",) if changed else ()
    return SourceText(name, markdown, blocks, title, author, problems=problems)


def _meta(meta: Element | None) -> tuple[str, str]:
    if meta is None:
        return "", ""
    title = next((node.text or "" for node in meta.iter(f"{DC}title")), "")
    names = (f"{META}initial-creator", f"{DC}creator")
    author = next((node.text or "" for name in names for node in meta.iter(name)), "")
    return one_line(title), one_line(author)


def _looks(*parts: Element) -> dict[str, _Look]:
    nodes = {str(node.get(f"{STYLE}name", "")): node for part in parts for node in part.iter(f"{STYLE}style")}
    return {name: _look(name, nodes) for name in nodes}


def _look(name: str, nodes: dict[str, Element]) -> _Look:
    chain: list[Element] = []
    at = name
    while at in nodes and len(chain) < 20:
        chain.append(nodes[at])
        at = str(nodes[at].get(f"{STYLE}parent-style-name", ""))
    texts = [found for one in chain if (found := one.find(f"{STYLE}text-properties")) is not None]
    paragraphs = [found for one in chain if (found := one.find(f"{STYLE}paragraph-properties")) is not None]
    is_text = chain[0].get(f"{STYLE}family") == "text"
    master = str(chain[0].get(f"{STYLE}master-page-name", ""))
    return _Look(
        is_text and _first(texts, f"{FO}font-style") in ("italic", "oblique"),
        is_text and _first(texts, f"{FO}font-weight") in ("bold", "700", "800", "900"),
        _first(paragraphs, f"{FO}text-align") == "center",
        _first(paragraphs, f"{FO}break-before") == "page" or bool(master),
    )


def _first(nodes: list[Element], name: str) -> str:
    return next((value for node in nodes if (value := node.get(name))), "")


def _paragraphs(root: Element, reading: _Reading) -> Iterator[LaidParagraph]:
    left = [root]
    while left:
        node = left.pop()
        if node.tag in _SKIPPED:
            continue
        if node.tag in _BOXES:
            boxes: list[Element] = []
            yield _paragraph(node, reading, boxes)
            left.extend(reversed(boxes))
        else:
            left.extend(reversed(node))


def _paragraph(node: Element, reading: _Reading, boxes: list[Element]) -> LaidParagraph:
    look = reading.looks.get(str(node.get(f"{TEXT}style-name", "")), _Look())
    level = 0
    if node.tag == f"{TEXT}h":
        given = str(node.get(f"{TEXT}outline-level", "1"))
        level = int(given) if given.isdecimal() and len(given) == 1 else 1
    content = joined(_inline(node, PLAIN, reading, boxes))
    return LaidParagraph(content, level, look.is_centred, look.starts_page)


def _inline(node: Element, mark: str, reading: _Reading, boxes: list[Element]) -> Iterator[Styled]:
    """The text of a node; what hangs in it, such as a text box, is put aside."""
    if node.text:
        yield styled(_plain(node.text), mark)
    for child in node:
        if child.tag == f"{TEXT}span":
            look = reading.looks.get(str(child.get(f"{TEXT}style-name", "")), _Look())
            inner = mark_of(italic=look.italic or mark in "13", bold=look.bold or mark in "23")
            yield from _inline(child, inner, reading, boxes)
        elif child.tag == f"{TEXT}note":
            reading.notes.append(_note(child))
            yield styled(f"[^{len(reading.notes)}]")
        elif child.tag in _SIGNS:
            yield styled(_SIGNS[child.tag], PLAIN)
        elif child.tag == f"{TEXT}s":
            yield styled(" " * _spaces(str(child.get(f"{TEXT}c", "1"))), mark)
        elif child.tag.startswith(TEXT) and child.tag not in _SKIPPED:
            yield from _inline(child, mark, reading, boxes)
        elif child.tag not in _SKIPPED:
            boxes.append(child)
        if child.tail:
            yield styled(_plain(child.tail), mark)


def _spaces(count: str) -> int:
    """How many spaces a count stands for: one, if it is none."""
    if not (count.isascii() and count.isdecimal()):
        return 1
    found = whole_number(count)
    return MOST_SPACES if found is None else min(found, MOST_SPACES)


_SIGNS = {f"{TEXT}tab": "\t", f"{TEXT}line-break": LINE_BREAK, f"{TEXT}soft-page-break": ""}


def _plain(text: str) -> str:
    """The text with white space as ODT counts it: a line break in the file is a space."""
    return xml_characters(text).replace("\n", " ").replace("\r", " ").replace("\t", " ")


def _note(node: Element) -> str:
    body = node.find(f"{TEXT}note-body")
    return one_line(" ".join(body.itertext())) if body is not None else ""
