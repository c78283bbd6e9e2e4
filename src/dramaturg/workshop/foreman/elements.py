"""XML elements as lines, well-formed by construction: names are made valid, and all text is escaped here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import quoteattr

from dramaturg.kernel.text.escape import escaped, one_line

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_]+|^(?=\d)")


def element(name: str, text: str, /, **attributes: str) -> str:
    """An element with its text, on one line."""
    return f"<{_opening(name, attributes)}>{escaped(one_line(text))}</{_name(name)}>"


def empty_element(name: str, /, **attributes: str) -> str:
    """An element without content."""
    return f"<{_opening(name, attributes)}/>"


def filled(fields: Mapping[str, str]) -> list[str]:
    """One element per field that is not blank."""
    return [element(name, text) for name, text in fields.items() if text.strip()]


def block(name: str, inside: Sequence[str], /, **attributes: str) -> list[str]:
    """An element around other elements, indented; nothing if there are none."""
    if not inside:
        return []
    return [f"<{_opening(name, attributes)}>", *(f"  {line}" for line in inside), f"</{_name(name)}>"]


def _opening(name: str, attributes: Mapping[str, str]) -> str:
    return " ".join([_name(name), *(f"{_name(key)}={quoteattr(one_line(text))}" for key, text in attributes.items())])


def _name(name: str) -> str:
    return _NOT_IN_A_NAME.sub("_", name) or "_"
