"""Text inside markup: other people's words can neither open nor close an element of a prompt."""

from __future__ import annotations

import html
import re
from xml.sax.saxutils import escape

from dramaturg.kernel.text.control import plain

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_TYPED = re.compile("[\x7f\u2028\u2029]")
_LONG_NUMBER = re.compile(r"&#(?:[0-9]{9,}+|[xX][0-9a-fA-F]{9,}+);?")
_IN_ATTRIBUTE = {'"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}


def unescaped(text: str) -> str:
    """The text with entities such as `&lt;` as characters. A number with too many digits is no character.

    Control characters stay out, however they are written.
    """
    return plain(html.unescape(_LONG_NUMBER.sub("\ufffd", text)))


def escaped(text: str) -> str:
    """The text with `&`, `<` and `>` escaped."""
    return escape(text)


def escaped_attribute(text: str) -> str:
    """The text as it may stand between the double quotes of an attribute."""
    return escape(text, _IN_ATTRIBUTE)


def xml_characters(text: str) -> str:
    """The text without the characters that XML cannot hold: most control characters, surrogates, noncharacters."""
    return _NOT_XML.sub("", text)


def cleaned(text: str) -> str:
    """The text as if typed on a keyboard: plain line breaks, no control characters, nothing XML cannot hold."""
    return _NOT_TYPED.sub("", xml_characters(text.replace("\r\n", "\n").replace("\r", "\n")))


def one_line(text: str) -> str:
    """The text on one line, with single spaces and without what XML cannot hold."""
    return " ".join(xml_characters(text).split())
