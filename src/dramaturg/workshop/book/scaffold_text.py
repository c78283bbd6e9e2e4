"""The text of a scaffold: a new file, or the writer's own with some fields set and every other byte as it was."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import yaml

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.text.front_matter import split_front_matter
from dramaturg.workshop.book.decisions import key_name
from dramaturg.workshop.book.files import NEWLINE, plain_lines
from dramaturg.workshop.book.pages import Page, read_page
from dramaturg.workshop.book.plain_text import line_break_of, plain_text
from dramaturg.workshop.book.scaffold import FIELDS, PROSE, Scaffold, field_named, read_scaffold, tolerated

HEADINGS: Mapping[str, str] = {name: name.replace("_", " ").capitalize() for name in FIELDS}
_WIDE = 100_000


class _Edit(NamedTuple):
    """Characters of a text, by their places, and what stands there instead."""

    start: int
    end: int
    new: str


def scaffold_text(scaffold: Scaffold, before: str | None = None) -> str:
    """The text of the file. With the text `before`, only fields that differ from it are set, where they stand.

    Raises InvalidConfig if the front matter before is broken, or if a field cannot be set in it.
    """
    if before is None or not before.strip():
        return _fresh(scaffold)
    was, text = read_scaffold(scaffold.path, before), before
    for name in FIELDS:
        if getattr(scaffold, name) != getattr(was, name):
            text = _with_field(scaffold, name, text)
    if scaffold.sources != was.sources:
        text = _spliced(text, _matter_edit(plain_lines(text), "sources", dict(scaffold.sources)))
    if read_scaffold(scaffold.path, text) != scaffold.model_copy(update={"notes": was.notes}):
        raise InvalidConfig(
            f"{scaffold.path} is laid out in a way that its open fields cannot be set in. "
            "Write its front matter as one 'field: value' per line.",
            path=scaffold.path,
        )
    return text


def _fresh(scaffold: Scaffold) -> str:
    matter: dict[str, object] = {"scaffold_id": scaffold.scaffold_id}
    sections = {
        HEADINGS[name]: text for name in ("scene_goal", "protagonist_constraint") if (text := getattr(scaffold, name))
    }
    sections |= scaffold.notes
    apart = {heading: text for heading, text in sections.items() if not _is_section(heading, text)}
    for name in FIELDS:
        if name not in PROSE:
            held = getattr(scaffold, name)
            matter[name] = list(held) if isinstance(held, tuple) else held
    matter |= {name: apart.pop(HEADINGS[name]) for name in PROSE if HEADINGS[name] in apart}
    matter |= apart
    if scaffold.sources:
        matter["sources"] = dict(scaffold.sources)
    head = "".join(_entry(name, held) for name, held in matter.items())
    body = "".join(f"## {name}\n\n{text}\n\n" for name, text in sections.items() if _is_section(name, text))
    return f"---\n{head}---\n\n{body}".rstrip(NEWLINE) + NEWLINE


def _is_section(heading: str, text: str) -> bool:
    """Whether a text can stand under a heading and end with it: no heading and no open fence is in it."""
    try:
        passages = read_page("", f"## {heading}\n\n{text}\n\n## End\n").passages
    except InvalidConfig:
        return False
    return len(passages) == 2 and (passages[0].heading, passages[0].text.strip()) == (heading, text)


def _entry(name: str, held: object) -> str:
    """A field of the front matter; one that is open stands there empty."""
    key = _dumped(name)
    if held is None or held == "" or held == [] or held == {}:
        return f"{key}:\n"
    return str(yaml.safe_dump({name: held}, allow_unicode=True, sort_keys=False, width=_WIDE, default_flow_style=False))


def _dumped(name: str) -> str:
    """A name as a key."""
    return str(yaml.safe_dump({name: 0}, allow_unicode=True, width=_WIDE)).rstrip().removesuffix("0").rstrip(" :")


def _with_field(scaffold: Scaffold, name: str, exact: str) -> str:
    """The text with one field set: under its heading if it has one and can stand there, else in the front matter."""
    held, text = getattr(scaffold, name), plain_lines(exact)
    said = "\n".join(f"- {one}" for one in held) if isinstance(held, tuple) else str(held or "")
    page = read_page(scaffold.path, tolerated(text))
    for under in [one for one in page.passages if field_named(one.heading) == name]:
        fits = bool(said) and _is_section(under.heading, said)
        exact = _spliced(
            exact, _section_edit(read_page(scaffold.path, tolerated(plain_lines(exact))), under.mark, said * fits)
        )
        if fits:
            return exact
    text = plain_lines(exact)
    stands = any(field_named(key) == name for key, _ in _entries(text))
    if name in PROSE and said and not stands and _is_section(HEADINGS[name], said):
        gap = "" if text.endswith("\n\n") else "\n" if text.endswith("\n") else "\n\n"
        return _spliced(exact, _Edit(len(text), len(text), f"{gap}## {HEADINGS[name]}\n\n{said}\n"))
    return _spliced(exact, _matter_edit(text, name, list(held) if isinstance(held, tuple) else held))


def _section_edit(page: Page, mark: str, said: str) -> _Edit:
    """The text under the last heading with this mark."""
    start = len(page.head) + sum(len(one.mark + one.text) for one in page.passages)
    for passage in reversed(page.passages):
        start -= len(passage.text)
        if passage.mark == mark:
            gap = len(passage.text) - len(passage.text.rstrip())
            kept = passage.text[len(passage.text) - gap :] or NEWLINE
            return _Edit(start, start + len(passage.text), f"\n{said}{kept}" if said else kept)
        start -= len(passage.mark)
    return _Edit(start, start, "")


def _matter_edit(text: str, name: str, held: object) -> _Edit:
    """The entry of a field in the front matter, under whatever name it stands there; new at the end if it does not."""
    for key, span in reversed(list(_entries(text))):
        if field_named(key) == name or (name == "sources" and key_name(key) == name):
            entry = _entry(key, held).rstrip(NEWLINE)
            return _Edit(*span, entry)
    parts = split_front_matter(text)
    if parts.fields is None:
        return _Edit(0, 0, f"---\n{_entry(name, held)}---\n\n")
    end = _matter_start(parts.head) + len(parts.fields)
    gap = "" if not parts.fields or parts.fields.endswith(NEWLINE) else NEWLINE
    return _Edit(end, end, gap + _entry(name, held))


def _entries(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """The names in the front matter, and where each stands with its value, without comments that follow."""
    parts = split_front_matter(tolerated(text))
    node = yaml.compose(parts.fields, Loader=yaml.SafeLoader) if parts.fields else None
    if not isinstance(node, yaml.MappingNode) or parts.fields is None:
        return
    first = _matter_start(parts.head)
    for key, held in node.value:
        start, end = key.start_mark.index, max(held.end_mark.index, key.end_mark.index + 1)
        lines = parts.fields[start:end].split(NEWLINE)
        while len(lines) > 1 and (not lines[-1].strip() or lines[-1].startswith("#")):
            lines.pop()
        yield str(key.value), (first + start, first + start + len(NEWLINE.join(lines)))


def _matter_start(head: str) -> int:
    return head.index(NEWLINE) + 1


def _spliced(exact: str, edit: _Edit) -> str:
    """An edit of the plain text, made in the text as it stands, with the line breaks that it uses."""
    found = plain_text(exact)
    new = edit.new.replace(NEWLINE, line_break_of(exact))
    return exact[: found.exact(edit.start)] + new + exact[found.exact(edit.end) :]
