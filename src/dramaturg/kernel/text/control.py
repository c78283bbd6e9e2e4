"""Control characters in other people's text: shown or removed, never obeyed.

An escape sequence can clear a terminal, rename its window, fill its clipboard or hide a link; an override of the
writing direction can make a line read as another. Each needs one of the characters below, and without it the rest of a
sequence is plain text. So they are treated one by one, and a sequence cut into pieces has no better chance.

Marks that languages and emoji need stay: joiners, variation selectors, combining marks, the marks of direction.
"""

from __future__ import annotations

import re

_CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_DIRECTIONS = "\u202a-\u202e\u2066-\u2069\u206a-\u206f\ufff9-\ufffb"
_SURROGATES = "\ud800-\udfff"
_REMOVED = re.compile(f"[{_CONTROLS}{_DIRECTIONS}]")
_SHOWN = re.compile(f"[{_CONTROLS}{_DIRECTIONS}{_SURROGATES}]")
_HALF = re.compile(f"[{_SURROGATES}]")


def plain(text: str) -> str:
    """The text without control characters except newline and tab; half a surrogate pair becomes U+FFFD."""
    return _HALF.sub("\ufffd", _REMOVED.sub("", text))


def visible(text: str) -> str:
    """The text with its control characters written out, such as `\\x1b`; newline and tab stay."""
    return _SHOWN.sub(_written, text.replace("\r\n", "\n"))


def visible_json(text: str) -> str:
    """The same for JSON, where they are written as JSON escapes and mean what they meant."""
    return _SHOWN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _written(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
