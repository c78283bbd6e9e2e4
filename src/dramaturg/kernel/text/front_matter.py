"""Front matter: the fields between two lines of `---` at the very top of a Markdown file."""

from __future__ import annotations

import re
from dataclasses import dataclass

_OPENING = re.compile(r"\ufeff?---[ \t]*(?:\r\n|\r|\n)")
_CLOSING = re.compile(r"(?<=[\r\n])(?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|\Z)")
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """A text in two parts: `head + body` is the text again, to the last character.

    `head` is everything up to the end of the closing line, and includes a byte order mark in any case. `fields` is the
    text between the two lines, or None if there is no front matter; an opening line without a closing one belongs to
    the body.
    """

    head: str
    fields: str | None
    body: str


def split_front_matter(text: str) -> FrontMatter:
    """The text's front matter and its body, with any kind of line ending."""
    opening = _OPENING.match(text)
    closing = _CLOSING.search(text, opening.end()) if opening else None
    if opening and closing:
        return FrontMatter(text[: closing.end()], text[opening.end() : closing.start()], text[closing.end() :])
    head = _BOM if text.startswith(_BOM) else ""
    return FrontMatter(head, None, text[len(head) :])
