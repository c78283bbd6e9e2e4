"""The files of a notebook, split into verbatim excerpts that know their place."""

from __future__ import annotations

import logging
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from dramaturg.kernel.errors import NotebookUnavailable, install_extra

MOST_BYTES = 50_000_000
MOST_PAGES = 3000
LONGEST = 700
"""The longest excerpt, in characters."""
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_HEADING = re.compile(r"^ {0,3}#{1,6}\s++(.*)$")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Words of a file, and their place in it."""

    place: str
    text: str


def read_source(path: Path) -> list[Excerpt]:
    """The excerpts of a file. Raises NotebookUnavailable, with advice, if it cannot be read."""
    if path.stat().st_size > MOST_BYTES:
        raise NotebookUnavailable(f"{path.name} is larger than {MOST_BYTES // 1_000_000} MB; split it.")
    readers = {".md": _markdown, ".txt": _text, ".pdf": _pdf, ".docx": _docx}
    try:
        return list(readers[path.suffix.lower()](path))
    except NotebookUnavailable:
        raise
    except Exception as error:  # reason: a damaged file can raise anything in the reader of its format
        kind = path.suffix.lower().removeprefix(".")
        raise NotebookUnavailable(
            f"{path.name} cannot be read as {kind} ({type(error).__name__}); save it again, or as text."
        ) from error


SUFFIXES = (".md", ".txt", ".pdf", ".docx")


def _markdown(path: Path) -> Iterator[Excerpt]:
    heading, line = "", 1
    for number, block in _blocks(path.read_text(encoding="utf-8-sig", errors="replace")):
        found = _HEADING.match(block.splitlines()[0])
        if found:
            heading = found[1].rstrip().rstrip("#").rstrip()
        line = number
        for text in _pieces(block):
            yield Excerpt(f"{heading}, line {line}" if heading else f"line {line}", text)


def _text(path: Path) -> Iterator[Excerpt]:
    for number, block in _blocks(path.read_text(encoding="utf-8-sig", errors="replace")):
        for text in _pieces(block):
            yield Excerpt(f"line {number}", text)


def _pdf(path: Path) -> Iterator[Excerpt]:
    try:
        from pypdf import PdfReader
    except ImportError as error:
        raise NotebookUnavailable(f"{path.name}: PDF needs {install_extra('workshop')}.") from error
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # problems of a file are reported once, by us
    reader = PdfReader(path, strict=False)
    if reader.is_encrypted and not reader.decrypt(""):
        raise NotebookUnavailable(f"{path.name} has a password; save it without one.")
    for number, page in enumerate(reader.pages[:MOST_PAGES], start=1):
        for _, block in _blocks(page.extract_text() or ""):
            for text in _pieces(block):
                yield Excerpt(f"page {number}", text)


def _docx(path: Path) -> Iterator[Excerpt]:
    with zipfile.ZipFile(path) as archive:
        part = archive.getinfo("word/document.xml")
        if part.file_size > MOST_BYTES:
            raise NotebookUnavailable(f"{path.name} is too large inside; split it.")
        root = ElementTree.fromstring(archive.read(part))
    heading = ""
    for number, (paragraph, text) in enumerate(_paragraphs(root), start=1):
        style = paragraph.find(f"{_WORD}pPr/{_WORD}pStyle")
        if style is not None and "heading" in str(style.get(f"{_WORD}val", "")).lower():
            heading = text.strip()
        for piece in _pieces(text):
            yield Excerpt(f"{heading}, paragraph {number}" if heading else f"paragraph {number}", piece)


def _paragraphs(root: ElementTree.Element) -> list[tuple[ElementTree.Element, str]]:
    """The paragraphs in order, each with its own text: the text of one inside another, as in a box, is not repeated."""
    found: list[tuple[ElementTree.Element, list[str]]] = []
    left: list[tuple[ElementTree.Element, list[str]]] = [(root, [])]
    while left:
        node, runs = left.pop()
        if node.tag == f"{_WORD}p":
            runs = []
            found.append((node, runs))
        runs.append(_run_text(node))
        left.extend((child, runs) for child in reversed(node))
    return [(node, "".join(runs)) for node, runs in found]


def _run_text(node: ElementTree.Element) -> str:
    if node.tag == f"{_WORD}t":
        return node.text or ""
    return " " if node.tag in (f"{_WORD}tab", f"{_WORD}br") else ""


def _blocks(text: str) -> Iterator[tuple[int, str]]:
    """Paragraphs with the number of their first line; a heading stays with what follows it."""
    lines: list[str] = []
    first = 1
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        if line.strip():
            if not lines:
                first = number
            lines.append(line)
        elif lines and not (len(lines) == 1 and _HEADING.match(lines[0])):
            yield first, "\n".join(lines)
            lines = []
        elif lines:
            lines.append(line)
    if any(line.strip() for line in lines):
        yield first, "\n".join(lines)


def _pieces(block: str) -> Iterator[str]:
    """A long paragraph in parts that end with a sentence where they can."""
    text, at = block.strip(), 0
    while len(text) - at > LONGEST:
        part = text[at : at + LONGEST]
        ends = [found.end() for found in re.finditer(r"[.!?…][\"”’)]*\s", part)]
        cut = ends[-1] if ends and ends[-1] > LONGEST // 3 else part.rfind(" ", 1) + 1 or LONGEST
        yield part[:cut].strip()
        at += cut
        while text[at].isspace():
            at += 1
    if rest := text[at:].strip():
        yield rest
