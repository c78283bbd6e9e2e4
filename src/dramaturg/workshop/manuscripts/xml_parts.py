"""The XML inside documents of other people: no document type, no entities, no bottomless nesting."""

from __future__ import annotations

from xml.etree import ElementTree

from dramaturg.archives import Refuse

Element = ElementTree.Element
DEEPEST = 400
_ODD = "No word processor writes this. Do not trust the file."


class _NoDoctypeError(ValueError):
    pass


class _Builder(ElementTree.TreeBuilder):
    def doctype(self, name: str, pubid: str | None, system: str | None) -> None:
        raise _NoDoctypeError


def parse_part(name: str, data: bytes, refuse: Refuse) -> Element:
    """The root of a part of a document. Raises the error `refuse` makes for XML that is damaged or hostile."""
    parser = ElementTree.XMLParser(target=_Builder())
    try:
        parser.feed(data)
        root = parser.close()
    except _NoDoctypeError as error:
        raise refuse(f"{name} declares entities or a document type", _ODD) from error
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise refuse(f"{name} is damaged ({error})", "Open it in a word processor and save it again.") from error
    if _depth_over(root, DEEPEST):
        raise refuse(f"{name} is nested more than {DEEPEST} levels deep", _ODD)
    return root


def _depth_over(root: Element, most: int) -> bool:
    level = [root]
    for _ in range(most):
        level = [child for node in level for child in node]
        if not level:
            return False
    return True
