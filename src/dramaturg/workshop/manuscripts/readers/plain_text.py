"""Markdown and plain text. Markdown stays as it is written; text without blank lines gets its paragraphs."""

from __future__ import annotations

import re
from itertools import pairwise

from dramaturg.kernel.text.front_matter import split_front_matter
from dramaturg.kernel.text.yaml_json import MalformedTextError, parse_yaml
from dramaturg.workshop.manuscripts.readers.encoding import decoded
from dramaturg.workshop.manuscripts.readers.source_text import SourceText, blocks_of

_INDENTED = re.compile(r"[ \t\u3000]+\S")
_UNDERLINED = re.compile(r"(?:(?<=\n\n)|\A)(?P<title>[^\s>#*+\-=].{0,120})\n(?P<line>={3,}|-{3,})[ \t]*(?=\n|\Z)")
"""A heading with a line below it. A paragraph that ends like a sentence has a break there."""
_SENTENCE_ENDS = (".", ",", ";", ":", "…", "”", '"', "»", "’", "'")
_LONG_LINE = 120
_WRAPPED_SHARE = 0.1
_MOST_TITLE = 12


def read_markdown(name: str, data: bytes) -> SourceText:
    """A Markdown file with its front matter."""
    found = decoded(name, data)
    text = found.text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    head = split_front_matter(text).head
    text = head + _UNDERLINED.sub(_heading, text[len(head) :])
    fields = _fields(head)
    title, author = (str(fields.get(key) or "") for key in ("title", "author"))
    return SourceText(name, text, blocks_of(text, len(head)), title, author, head, found.encoding)


def _heading(found: re.Match[str]) -> str:
    title = found["title"].strip()
    if title.endswith(_SENTENCE_ENDS) or len(title.split()) > _MOST_TITLE:
        return found[0]
    return f"{'#' if found['line'][0] == '=' else '##'} {title}\n"


def read_text(name: str, data: bytes) -> SourceText:
    """A text file."""
    found = decoded(name, data)
    text = found.text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n\n").removeprefix("\ufeff")
    text = _with_paragraphs(text)
    return SourceText(name, text, blocks_of(text), encoding=found.encoding)


def _with_paragraphs(text: str) -> str:
    """The text with a blank line between paragraphs, if it marks them by indents or by one line each."""
    lines = text.split("\n")
    written = [line for line in lines if line.strip()]
    if not written:
        return text
    blank = sum(1 for line, following in pairwise(lines) if line.strip() and not following.strip())
    if blank / len(written) > _WRAPPED_SHARE:
        return text
    if sum(len(line) > _LONG_LINE for line in written) / len(written) > _WRAPPED_SHARE:
        return "\n".join(f"{line}\n" if line.strip() else line for line in lines)
    indented = sum(1 for line in written if _INDENTED.match(line))
    if 0.05 < indented / len(written) < 0.9:
        return "\n".join(f"\n{line}" if _INDENTED.match(line) else line for line in lines)
    return "\n".join(f"{line}\n" if line.strip() else line for line in lines) if len(written) > 1 else text


def _fields(head: str) -> dict[str, object]:
    fields = split_front_matter(head).fields
    try:
        loaded = parse_yaml(fields) if fields and fields.strip() else {}
    except MalformedTextError:
        return {}
    return {str(key).casefold(): value for key, value in loaded.items()} if isinstance(loaded, dict) else {}
