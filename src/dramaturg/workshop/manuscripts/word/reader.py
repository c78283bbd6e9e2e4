"""Reads a DOCX: body, styles, comments with their replies, footnotes, and the part that our own exports carry."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from dramaturg.archives import Archive, Refuse
from dramaturg.kernel.errors import AuthorError, InvalidConfig
from dramaturg.kernel.text.escape import cleaned, one_line
from dramaturg.workshop.manuscripts.word.body import BodyReader, paragraphs_in
from dramaturg.workshop.manuscripts.word.document import WordComment, WordDocument
from dramaturg.workshop.manuscripts.word.names import OWN_URI, STRICT_URI, W14, W15, W_URI, W
from dramaturg.workshop.manuscripts.word.style_sheet import StyleSheet
from dramaturg.workshop.manuscripts.xml_parts import Element, parse_part

MOST_PART = 200 * 1024 * 1024
MOST_COMMENTS = 20_000
_ODD = "No word processor writes such a file. Do not trust it."
_CORE = "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}"
_DC = "{http://purl.org/dc/elements/1.1/}"


def read_docx(name: str, data: bytes) -> WordDocument:
    """The document in these bytes. Raises InvalidConfig, with the reason, if it cannot or must not be read."""

    def refuse(reason: str, advice: str) -> AuthorError:
        return InvalidConfig(f"{name} cannot be read: {reason}. {advice}", path=name)

    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise refuse("it has a password or is in Word's old format", "Save it as .docx without a password.")
    return _Package(Archive(data, refuse, odd=_ODD), refuse).document()


class _Package:
    """The parts of one DOCX."""

    def __init__(self, archive: Archive, refuse: Refuse) -> None:
        self._archive = archive
        self._refuse = refuse
        self._names = {name.lower(): name for name in archive.names}

    def document(self) -> WordDocument:
        main = self._main()
        root = self._part(main)
        if root is None:
            raise self._refuse("there is no document in it", "It is not a DOCX; save it as one.")
        folder = posixpath.dirname(main)
        sheet = StyleSheet.read(self._part(f"{folder}/styles.xml"))
        reader = BodyReader(sheet)
        paragraphs = tuple(paragraphs_in(root, reader))
        notes = tuple(self._notes(folder, sheet))
        title, author = self._core()
        return WordDocument(
            paragraphs, tuple(self._comments(folder, sheet)), notes, title, author, self._carried(), reader.problems
        )

    def _main(self) -> str:
        rels = self._part("_rels/.rels")
        for one in rels if rels is not None else ():
            if one.get("Type", "").endswith("/officeDocument"):
                return one.get("Target", "").lstrip("/")
        return "word/document.xml"

    def _part(self, name: str) -> Element | None:
        known = self._names.get(posixpath.normpath(name).lstrip("/").lower())
        if known is None:
            return None
        data = self._archive.member(known, MOST_PART)
        return parse_part(known, data.replace(STRICT_URI.encode(), W_URI.encode()), self._refuse)

    def _comments(self, folder: str, sheet: StyleSheet) -> Iterator[WordComment]:
        root = self._part(f"{folder}/comments.xml")
        if root is None:
            return
        parents, done = self._replies(folder)
        found: list[tuple[Element, list[str]]] = [
            (node, [str(p.get(f"{W14}paraId", "")) for p in node.iter(f"{W}p")]) for node in root.iter(f"{W}comment")
        ][:MOST_COMMENTS]
        by_paragraph = {paras[-1]: str(node.get(f"{W}id", "")) for node, paras in found if paras and paras[-1]}
        for node, paras in found:
            last = paras[-1] if paras else ""
            reader = BodyReader(sheet)
            texts = (one.current.text.strip() for one in paragraphs_in(node, reader))
            yield WordComment(
                str(node.get(f"{W}id", "")),
                one_line(str(node.get(f"{W}author", ""))),
                str(node.get(f"{W}date", "")),
                cleaned("\n".join(filter(None, texts))),
                by_paragraph.get(parents.get(last, ""), ""),
                last in done,
            )

    def _replies(self, folder: str) -> tuple[dict[str, str], set[str]]:
        """Which paragraph a comment's last paragraph answers, and which are done; Word keeps both apart."""
        root = self._part(f"{folder}/commentsExtended.xml")
        parents: dict[str, str] = {}
        done: set[str] = set()
        for one in root.iter(f"{W15}commentEx") if root is not None else ():
            own = str(one.get(f"{W15}paraId", ""))
            if parent := one.get(f"{W15}paraIdParent"):
                parents[own] = str(parent)
            if one.get(f"{W15}done") in ("1", "true"):
                done.add(own)
        return parents, done

    def _notes(self, folder: str, sheet: StyleSheet) -> Iterator[tuple[str, str]]:
        for kind in ("footnote", "endnote"):
            root = self._part(f"{folder}/{kind}s.xml")
            for node in root.iter(f"{W}{kind}") if root is not None else ():
                if node.get(f"{W}type") in ("separator", "continuationSeparator", "continuationNotice"):
                    continue
                reader = BodyReader(sheet)
                texts = (one.current.text.strip() for one in paragraphs_in(node, reader))
                yield f"{kind[0]}{node.get(f'{W}id', '')}", cleaned("\n".join(filter(None, texts)))

    def _core(self) -> tuple[str, str]:
        root = self._part("docProps/core.xml")
        if root is None:
            return "", ""
        return one_line(root.findtext(f"{_DC}title") or ""), one_line(root.findtext(f"{_DC}creator") or "")

    def _carried(self) -> bytes:
        for lower, name in self._names.items():
            if lower.startswith("customxml/item") and "props" not in lower and lower.endswith(".xml"):
                data = self._archive.member(name, MOST_PART)
                if OWN_URI.encode() in data[:2000]:
                    return data
        return b""
