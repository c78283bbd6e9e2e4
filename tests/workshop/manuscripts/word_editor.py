"""A human editor at a word processor, for tests: changes a DOCX as Word would, with tracking or without."""

from __future__ import annotations

import copy
import io
import random
import zipfile

import docx
from lxml import etree

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
W15_URI = "http://schemas.microsoft.com/office/word/2012/wordml"
W15 = f"{{{W15_URI}}}"
SPACE = "{http://www.w3.org/XML/1998/namespace}space"
DATE = "2026-03-01T10:00:00Z"
_COMMENTS = "application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml"


class WordEditor:
    """An open document. Text is found inside one paragraph, across however many runs."""

    def __init__(self, data: bytes) -> None:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            self._parts = {name: archive.read(name) for name in archive.namelist()}
        self._root = etree.fromstring(self._parts["word/document.xml"])
        self._ids = 50_000

    def saved(self) -> bytes:
        self._parts["word/document.xml"] = etree.tostring(self._root, xml_declaration=True, encoding="UTF-8")
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in self._parts.items():
                archive.writestr(name, data)
        return out.getvalue()

    # Editing.

    def replace(self, old: str, new: str, author: str = "Ed", *, moved: bool = False) -> None:
        """Replaces words with tracking on."""
        runs = self._select(old)
        gone, came = ("moveFrom", "moveTo") if moved else ("del", "ins")
        deleted = self._tracked(gone, author)
        runs[0].addprevious(deleted)
        for run in runs:
            deleted.append(run)
            for text in run.iter(f"{W}t"):
                text.tag = f"{W}delText"
        if new:
            inserted = self._tracked(came, author)
            inserted.append(_run(new, runs[0]))
            deleted.addnext(inserted)

    def insert(self, after: str, new: str, author: str = "Ed") -> None:
        """Inserts words with tracking on."""
        runs = self._select(after)
        inserted = self._tracked("ins", author)
        inserted.append(_run(new, runs[-1]))
        runs[-1].addnext(inserted)

    def insert_paragraph(self, after: str, text: str, author: str = "Ed") -> None:
        """Inserts a paragraph behind the one that has these words, with tracking on."""
        paragraph = self._paragraph(after)
        fresh = etree.SubElement(paragraph.getparent(), f"{W}p")
        paragraph.addnext(fresh)
        if paragraph.find(f"{W}pPr") is not None:
            fresh.append(copy.deepcopy(paragraph.find(f"{W}pPr")))
        inserted = self._tracked("ins", author)
        inserted.append(_run(text))
        fresh.append(inserted)
        self._mark(paragraph, "ins", author)

    def join_with_next(self, words: str, author: str = "Ed") -> None:
        """Deletes the end of a paragraph, with tracking on."""
        self._mark(self._paragraph(words), "del", author)

    def type_over(self, old: str, new: str) -> None:
        """Replaces words with tracking off."""
        runs = self._select(old)
        runs[0].addprevious(_run(new, runs[0]))
        for run in runs:
            run.getparent().remove(run)

    def slant(self, words: str) -> None:
        """Makes words italic, with tracking off."""
        for run in self._select(words):
            properties = run.find(f"{W}rPr")
            if properties is None:
                properties = etree.Element(f"{W}rPr")
                run.insert(0, properties)
            etree.SubElement(properties, f"{W}i")

    def comment(self, on: str, text: str, author: str = "Ed", *, answers: int | None = None) -> int:
        """Comments on words; returns the comment's id."""
        root = self._comments()
        number = 900 + len(root)
        node = etree.SubElement(root, f"{W}comment", {f"{W}id": str(number), f"{W}author": author, f"{W}date": DATE})
        paragraph = etree.SubElement(node, f"{W}p", {f"{W14}paraId": f"{number:08X}"})
        paragraph.append(_run(text))
        self._parts["word/comments.xml"] = etree.tostring(root, xml_declaration=True, encoding="UTF-8")
        if answers is not None:
            row = f'<w15:commentEx w15:paraId="{number:08X}" w15:paraIdParent="{answers:08X}" w15:done="0"/>'
            self._parts["word/commentsExtended.xml"] = (
                f'<w15:commentsEx xmlns:w15="{W15_URI}">{row}</w15:commentsEx>'.encode()
            )
        runs = self._select(on)
        runs[0].addprevious(etree.Element(f"{W}commentRangeStart", {f"{W}id": str(number)}))
        runs[-1].addnext(etree.Element(f"{W}commentRangeEnd", {f"{W}id": str(number)}))
        return number

    def accept_all(self) -> None:
        """Accepts every tracked change inside paragraphs."""
        for node in list(self._root.iter(f"{W}del")):
            if node.getparent().tag != f"{W}rPr":
                node.getparent().remove(node)
        for node in list(self._root.iter(f"{W}ins")):
            if node.getparent().tag == f"{W}rPr":
                node.getparent().remove(node)
                continue
            for run in list(node):
                node.addprevious(run)
            node.getparent().remove(node)

    # What programs do by themselves.

    def shake(self, seed: int = 0) -> None:
        """Splits runs, and adds what Word adds on every save: revision ids, spelling marks, page breaks."""
        chance = random.Random(seed)
        for paragraph in self._root.iter(f"{W}p"):
            paragraph.set(f"{W}rsidR", f"{chance.randrange(1 << 32):08X}")
        for run in list(self._root.iter(f"{W}r")):
            texts = run.findall(f"{W}t")
            run.set(f"{W}rsidRPr", f"{chance.randrange(1 << 32):08X}")
            only_text = all(child.tag in (f"{W}rPr", f"{W}t") for child in run)
            if only_text and len(texts) == 1 and len(texts[0].text or "") > 1:
                _split(run, chance.randrange(1, len(texts[0].text)))
                run.addnext(etree.Element(f"{W}proofErr", {f"{W}type": "spellStart"}))
            if chance.random() < 0.3:
                run.insert(len(run.findall(f"{W}rPr")), etree.Element(f"{W}lastRenderedPageBreak"))

    def without_our_part(self) -> None:
        """As a program that drops custom parts saves it."""
        for name in [name for name in self._parts if name.startswith("customXml/")]:
            del self._parts[name]

    def through_python_docx(self) -> bytes:
        """The document as python-docx saves it."""
        out = io.BytesIO()
        docx.Document(io.BytesIO(self.saved())).save(out)
        return out.getvalue()

    # Finding.

    def _paragraph(self, words: str) -> etree._Element:
        return next(one for one in self._root.iter(f"{W}p") if words in _text(one))

    def _select(self, words: str) -> list[etree._Element]:
        """Runs that have exactly these words, split off where needed."""
        paragraph = self._paragraph(words)
        start = _text(paragraph).index(words)
        for place in (start, start + len(words)):
            at = 0
            for run in list(paragraph.iter(f"{W}r")):
                size = len(_text(run))
                if at < place < at + size:
                    _split(run, place - at)
                at += size
        found, at = [], 0
        for run in paragraph.iter(f"{W}r"):
            size = len(_text(run))
            if size and start <= at and at + size <= start + len(words):
                found.append(run)
            at += size
        return found

    def _tracked(self, name: str, author: str) -> etree._Element:
        self._ids += 1
        return etree.Element(f"{W}{name}", {f"{W}id": str(self._ids), f"{W}author": author, f"{W}date": DATE})

    def _mark(self, paragraph: etree._Element, name: str, author: str) -> None:
        properties = paragraph.find(f"{W}pPr")
        if properties is None:
            properties = etree.Element(f"{W}pPr")
            paragraph.insert(0, properties)
        marks = properties.find(f"{W}rPr")
        if marks is None:
            marks = etree.SubElement(properties, f"{W}rPr")
        marks.append(self._tracked(name, author))

    def _comments(self) -> etree._Element:
        if "word/comments.xml" not in self._parts:
            self._parts["word/comments.xml"] = f'<w:comments xmlns:w="{W[1:-1]}"/>'.encode()
            types = self._parts["[Content_Types].xml"].decode()
            override = f'<Override PartName="/word/comments.xml" ContentType="{_COMMENTS}"/></Types>'
            self._parts["[Content_Types].xml"] = types.replace("</Types>", override).encode()
            kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments"
            row = f'<Relationship Id="rId99" Type="{kind}" Target="comments.xml"/></Relationships>'
            relations = self._parts["word/_rels/document.xml.rels"].decode()
            self._parts["word/_rels/document.xml.rels"] = relations.replace("</Relationships>", row).encode()
        return etree.fromstring(self._parts["word/comments.xml"])


def _text(node: etree._Element) -> str:
    return "".join(one.text or "" for one in node.iter(f"{W}t"))


def _run(text: str, like: etree._Element | None = None) -> etree._Element:
    run = etree.Element(f"{W}r")
    if like is not None and like.find(f"{W}rPr") is not None:
        run.append(copy.deepcopy(like.find(f"{W}rPr")))
    etree.SubElement(run, f"{W}t", {SPACE: "preserve"}).text = text
    return run


def _split(run: etree._Element, at: int) -> None:
    text = run.find(f"{W}t")
    second = _run(text.text[at:], run)
    text.text = text.text[:at]
    text.set(SPACE, "preserve")
    run.addnext(second)
