"""A page of the story bible: Markdown with front matter that a writer may edit by hand.

A page is changed section by section. What the writer added, in whatever order and under whatever heading, stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from pydantic import JsonValue

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.text.front_matter import split_front_matter
from dramaturg.kernel.text.yaml_json import MalformedTextError, parse_yaml
from dramaturg.workshop.book.files import MARK

MOST_BYTES = 1_000_000
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]++(.*)$")
_FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
# "TODO" counts only in capitals: "todo" is a Spanish word.
_PLACEHOLDER = re.compile(
    r"\b(?:TBD|Tbd|tbd|TBA|TODO|FIXME|XXX)\b"
    r"|\b(?i:to be (?:decided|determined|defined|written)|not yet (?:known|decided))\b"
)
_NO_WORD = re.compile(r"[\W_]*")


@dataclass(frozen=True, slots=True)
class Passage:
    """A heading of a page, verbatim, and the text below it; the text before the first heading has none."""

    mark: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    """A parsed page; `render` restores it byte for byte."""

    head: str
    matter: Mapping[str, JsonValue]
    passages: tuple[Passage, ...]

    def render(self) -> str:
        return self.head + "".join(passage.mark + passage.text for passage in self.passages)

    def with_section(self, heading: str, text: str, key: str) -> Page:
        """The page with a new text under the heading with this key, appended if there is none."""
        said = f"\n{text.strip()}\n\n"
        for place, passage in enumerate(self.passages):
            if passage.heading and key_of(passage.heading) == key:
                changed = replace(passage, text=said)
                return replace(self, passages=(*self.passages[:place], changed, *self.passages[place + 1 :]))
        before = self.render()
        gap = "" if not before or before.endswith("\n\n") else "\n" if before.endswith("\n") else "\n\n"
        return replace(self, passages=(*self.passages, Passage(f"{gap}## {heading}\n", heading, said)))

    def with_matter(self, name: str, value: str) -> Page:
        """The page with one line of its front matter set; the other lines stay as typed."""
        line = f"{name}: {value}"
        if not self.head.removeprefix(MARK):
            return replace(self, head=f"{self.head}---\n{line}\n---\n\n", matter={name: value})
        pattern = re.compile(rf"^{re.escape(name)}[ \t]*:.*$", re.M)
        head = pattern.sub(lambda _: line, self.head, count=1)
        if head == self.head and not pattern.search(self.head):
            head = re.sub(r"\n(?=(?:---|\.\.\.)[ \t]*\n?\Z)", f"\n{line}\n", self.head.rstrip("\n") + "\n", count=1)
            head += self.head[len(self.head.rstrip("\n")) + 1 :]
        return replace(self, head=head, matter={**self.matter, name: value})


def read_page(where: str, text: str) -> Page:
    """Parses a page. Raises InvalidConfig with the file and the line if its front matter is broken."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    parts = split_front_matter(text)
    if parts.fields is None and parts.body.startswith("---\n"):
        raise InvalidConfig(f"{where}: the front matter opened in line 1 is never closed. End it with a line '---'.")
    blank = len(parts.body) - len(parts.body.lstrip("\n")) if parts.fields is not None else 0
    head = parts.head + parts.body[:blank]
    return Page(head, _matter(where, parts.fields or ""), tuple(_passages(parts.body[blank:])))


def key_of(heading: str) -> str:
    """'The Lie' is `the_lie`; '9. Midpoint (50%)' is `beat_9`."""
    numbered = re.match(r"\s*(?:beat\s*)?(\d{1,2})\b[.):\s-]", heading + " ", re.I)
    if numbered:
        return f"beat_{int(numbered[1])}"
    return "_".join(re.findall(r"[a-z0-9]+", heading.lower()))


def is_filled(text: str) -> bool:
    """Whether a text is more than a placeholder."""
    said = _without_comments(text).strip()
    return not _NO_WORD.fullmatch(said) and not _PLACEHOLDER.search(said)


def _without_comments(text: str) -> str:
    kept, at = [], 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        kept.append(text[at:start])
        at = end + 3
    return "".join((*kept, text[at:]))


def _matter(where: str, head: str) -> dict[str, JsonValue]:
    try:
        loaded = parse_yaml(head, first_line=2) if head.strip() else {}
    except MalformedTextError as error:
        raise InvalidConfig(
            f"{where}: the front matter cannot be read in line {error.line}: {error.problem}. Fix that line.",
            file=where,
        ) from error
    if not isinstance(loaded, dict):
        raise InvalidConfig(f"{where}: the front matter is not a list of fields. Write one 'field: value' per line.")
    return {str(key): value if isinstance(value, int | float | bool) else str(value) for key, value in loaded.items()}


def _passages(text: str) -> Iterator[Passage]:
    fence = ""
    mark, heading = "", ""
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        fenced = _FENCE.match(line)
        if fenced and not fence:
            fence = fenced[1]
        elif fenced and fenced[1].startswith(fence):
            fence = ""
        found = None if fence or fenced else _HEADING.match(line.rstrip("\n"))
        if found:
            if mark or lines:
                yield Passage(mark, heading, "".join(lines))
            mark, heading, lines = line, found[2].rstrip(" \t").rstrip("#").strip("*_ \t"), []
        else:
            lines.append(line)
    if mark or lines:
        yield Passage(mark, heading, "".join(lines))
