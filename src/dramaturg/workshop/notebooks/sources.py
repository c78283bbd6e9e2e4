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
UNKNOWN = "\ufffd"
MOST_CHAOS, FEWEST_READABLE = 0.2, 0.99
UNLIKELY = ("utf_7", "cp037", "cp500", "cp1026", "cp1140", "cp273", "cp424", "cp875")
"""Encodings of mainframes and mails, which nearly every text can be read in."""
USUAL = ("cp1252", "cp1250", "cp1251", "cp932", "gb18030", "big5", "cp949")
_WIDE = (b"\xff\xfe", b"\xfe\xff")
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
CELL = " | "
_HEADING_STYLE = re.compile(r"(?:heading|title|berschrift|überschrift|titre|t[ií]tulo|titolo|kop|rubrik|otsikko)")
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
    for number, block in _blocks(_decoded(path)):
        found = _HEADING.match(block.splitlines()[0])
        if found:
            heading = found[1].rstrip().rstrip("#").rstrip()
        line = number
        for text in _pieces(block):
            yield Excerpt(f"{heading}, line {line}" if heading else f"line {line}", text)


def _decoded(path: Path) -> str:
    """The text of a file in whatever encoding it was saved. Raises NotebookUnavailable if none makes sense of it."""
    data = path.read_bytes()
    try:
        text = data.decode("utf-16" if data.startswith(_WIDE) else "utf-8-sig")
        if "\0" not in text:
            return text
    except UnicodeDecodeError:
        pass
    try:
        from charset_normalizer import from_bytes
    except ImportError as error:
        raise NotebookUnavailable(f"{path.name} is not UTF-8; that needs {install_extra('workshop')}.") from error
    found = [one for one in from_bytes(data, cp_exclusion=list(UNLIKELY)) if one.chaos <= MOST_CHAOS]
    text = (
        min(((one.chaos - one.coherence / 10, str(one), one.encoding) for one in found), key=_doubt)[1] if found else ""
    )
    readable = sum(char.isprintable() or char.isspace() for char in text)
    if not text or UNKNOWN in text or readable < FEWEST_READABLE * len(text):
        raise NotebookUnavailable(f"{path.name} is text in no encoding that can be told; save it as UTF-8.")
    return text


def _doubt(candidate: tuple[float, str, str]) -> tuple[float, int]:
    """How doubtful a reading is. Kana is hardly ever chance, and of readings alike the usual encoding wins."""
    chaos, text, encoding = candidate
    kana = sum("\u3041" <= char <= "\u30fe" for char in text) / max(1, len(text))
    return round(chaos - kana / 5, 2), USUAL.index(encoding) if encoding in USUAL else len(USUAL)


def _text(path: Path) -> Iterator[Excerpt]:
    for number, block in _blocks(_decoded(path)):
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
    heading, waiting = "", ""
    for number, (is_heading, text) in enumerate(_paragraphs(root), start=1):
        if is_heading and text.strip():
            waiting, heading = f"{waiting}\n{text.strip()}".strip(), text.strip()
            continue
        whole = f"{waiting}\n\n{text.strip()}" if waiting and text.strip() else text
        waiting = "" if text.strip() else waiting
        for piece in _pieces(whole):
            yield Excerpt(f"{heading}, paragraph {number}" if heading else f"paragraph {number}", piece)
    if waiting:
        yield Excerpt(heading, waiting)


def _paragraphs(root: ElementTree.Element) -> list[tuple[bool, str]]:
    """The paragraphs in order, and whether each is a heading. A row of a table is one, its cells side by side.

    Each has its own text: that of one inside another, as in a box, is not repeated.
    """
    found: list[tuple[bool, list[str]]] = []
    left: list[tuple[ElementTree.Element, list[str], bool]] = [(root, [], False)]
    while left:
        node, runs, in_row = left.pop()
        if node.tag == f"{_WORD}tr" and not in_row:
            runs, in_row = [], True
            found.append((False, runs))
        elif node.tag == f"{_WORD}tc" and in_row:
            runs.append(CELL if any(runs) else "")
        elif node.tag == f"{_WORD}p" and in_row:
            runs.append(" " if any(runs) and not "".join(runs).endswith(CELL) else "")
        elif node.tag == f"{_WORD}p":
            runs = []
            found.append((_is_heading(node), runs))
        runs.append(_run_text(node))
        left.extend((child, runs, in_row) for child in reversed(node))
    return [(is_heading, "".join(runs)) for is_heading, runs in found]


def _is_heading(paragraph: ElementTree.Element) -> bool:
    """By its style, in whatever language Word was used, or by its level in the outline."""
    style = paragraph.find(f"{_WORD}pPr/{_WORD}pStyle")
    name = str(style.get(f"{_WORD}val", "")).lower() if style is not None else ""
    return paragraph.find(f"{_WORD}pPr/{_WORD}outlineLvl") is not None or bool(_HEADING_STYLE.match(name))


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
