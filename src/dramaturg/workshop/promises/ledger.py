"""The writer's ledger of promises, `story-bible/promises.yaml`: read, and changed one entry at a time.

promises:
  - promise: the_photograph
    what: the photograph of her mother, behind the chart
    planted: {scene: ch01-sc02, quote: She slid the photograph behind the chart.}
    due: ch08-sc01
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import yaml
from pydantic import Field

from dramaturg.authored import AuthoredForm
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.values import Value
from dramaturg.workshop.book.decisions import key_name
from dramaturg.workshop.book.files import NEWLINE, plain_lines, written_like

FILE = "story-bible/promises.yaml"
MOST = 1000
LONGEST_NAME = 120
LONGEST_QUOTE = 600
END = "end"
"""The due of a promise that the end of the book keeps."""
_HEAD = "# What this book promises its readers. Edit it by hand, or use: dramaturg foreman promises\n\n"
_WIDE = 100_000


class QuotedScene(Value):
    """A scene, and the words of it that plant, take up or keep a promise."""

    scene: str = Field(min_length=1, max_length=200)
    quote: str = Field(min_length=1, max_length=LONGEST_QUOTE)


class PromiseEntry(Value):
    """A promise as a writer notes it."""

    promise: str = Field(min_length=1, max_length=LONGEST_NAME, description="its name, as scaffolds call it")
    what: str = Field("", max_length=LONGEST_QUOTE)
    planted: QuotedScene | None = None
    echoed: tuple[QuotedScene, ...] = Field((), max_length=MOST)
    due: str = Field("", max_length=200, description="a scene, a beat, or the end")
    paid: QuotedScene | None = None
    dropped: str = Field("", max_length=LONGEST_QUOTE, description="why it is given up")

    @property
    def key(self) -> str:
        return key_name(self.promise)


class PromiseFile(Value):
    """The file of promises."""

    promises: tuple[PromiseEntry, ...] = Field((), max_length=MOST)

    def named(self, name: str) -> PromiseEntry | None:
        return next((one for one in self.promises if one.key == key_name(name)), None)


def _flaw(file: PromiseFile) -> str:
    seen: set[str] = set()
    for one in file.promises:
        if one.key in seen:
            return f"'{one.promise}' stands twice. Make one entry of the two."
        seen.add(one.key)
    return ""


PROMISE_FORM = AuthoredForm(PromiseFile, "ledger of promises", such_as="'promises'", named_by_file=False, flaw=_flaw)


def read_ledger(project: Path) -> PromiseFile:
    """The writer's ledger. Raises InvalidConfig with the place if it cannot be read."""
    path = project / FILE
    return PROMISE_FORM.read(path, project=project) if path.exists() or path.is_symlink() else PromiseFile()


def with_entry(exact: str | None, entry: PromiseEntry) -> str:
    """The text of the ledger with this entry, in place of the one of its name; every other byte stays.

    Raises InvalidConfig if the file is laid out in a way that no entry can be set in.
    """
    text = plain_lines(exact or "")
    was = _parsed(text)
    others = tuple(one for one in was.promises if one.key != entry.key)
    made = _spliced(text, entry) if was.promises else f"{text.rstrip()}\n{_list(entry)}".lstrip()
    if not was.promises and (not text.strip() or re.search(r"^promises\b", text, re.M)):
        made = f"{_HEAD}{_list(entry)}"
    now = _parsed(made)
    if {one.key: one for one in now.promises} != {one.key: one for one in (*others, entry)}:
        raise InvalidConfig(
            f"{FILE} is laid out in a way that no entry can be set in. Write one '- promise:' per line."
        )
    return written_like(made, exact)


def _parsed(text: str) -> PromiseFile:
    if not text.strip():
        return PromiseFile()
    raw = PROMISE_FORM.parse(text, FILE)
    return PROMISE_FORM.value({} if raw is None else raw, where=FILE)


def _list(entry: PromiseEntry) -> str:
    return f"promises:\n{_item(entry, 2)}\n"


def _spliced(text: str, entry: PromiseEntry) -> str:
    for key, start, end, column in _items(text):
        if key == entry.key:
            return text[:start] + _item(entry, column)[column:] + text[end:]
    *_, (_, _, end, column) = _items(text)
    return text[:end] + NEWLINE + _item(entry, column) + text[end:]


def _items(text: str) -> Iterator[tuple[str, int, int, int]]:
    """Each entry of the list: its name, where it begins (with its dash) and ends, and the column of the dash."""
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    held = next((held for key, held in node.value if key.value == "promises"), None) if node is not None else None
    for one in held.value if held is not None else ():
        name = next((str(value.value) for key, value in one.value if key.value == "promise"), "")
        start = text.rindex("-", 0, one.start_mark.index)
        lines = text[start : one.end_mark.index].split(NEWLINE)
        while len(lines) > 1 and (not lines[-1].strip() or lines[-1].lstrip().startswith("#")):
            lines.pop()
        yield key_name(name), start, start + len(NEWLINE.join(lines)), start - (text.rfind(NEWLINE, 0, start) + 1)


def _item(entry: PromiseEntry, column: int) -> str:
    dumped = yaml.safe_dump(
        entry.model_dump(mode="json", exclude_defaults=True), allow_unicode=True, sort_keys=False, width=_WIDE
    )
    rows = str(dumped).rstrip(NEWLINE).split(NEWLINE)
    pad = " " * column
    return NEWLINE.join([f"{pad}- {rows[0]}", *(f"{pad}  {row}" if row else row for row in rows[1:])])
