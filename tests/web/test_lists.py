"""The keys of the studio's lists: two that are alike stop a page, so none is made of words that others have written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

PAGES = sorted((Path(__file__).parents[2] / "web" / "src").rglob("*.svelte"))
BLOCK = re.compile(r"\{#each\s+(.+?)\s+as\s+(\w+|\{.*?\}|\[.*?\])(?:,\s*(\w+))?\s*\((.+?)\)\}(?!\})")
OURS = re.compile(r"[A-Z_]+|\[.*\](?: as const)?")
"""A list of our own: a constant, or written there."""
IDENTITY = re.compile(
    r"(?:\w+\.)*(?:id|key|run|name|path|href|file|number|field|slot|slotId|share_id|letter|take|act|window|provider"
    r"|template|check|scene|chapter|character|model|toward|title|word|way|what|group|signal|flag)"
)
"""What the server, or a map, has once. `name` is that of a file, of a card, or of a part."""
COMPOSED = ("keys[place]", "command.href + command.name", "row.run || row.name", 'field.place.join(".")')
SINGLE = {
    "BeatRuler.svelte": "at",
    "FormField.svelte": "option",  # made from a set
    "ComposeCast.svelte": "name",  # a set as well
    "RunRow.svelte": "action",  # of the five that there are
    "Rehearsal.svelte": "action",
    "ShareSheet.svelte": "part",
    "LinePanel.svelte": "one",
}


class List(NamedTuple):
    """A list in a page, and what its entries are known by."""

    page: Path
    values: str
    index: str
    key: str

    @property
    def is_safe(self) -> bool:
        if self.index and self.index in self.key:
            return True
        if SINGLE.get(self.page.name) == self.key or self.key in COMPOSED:
            return True
        return bool(OURS.fullmatch(self.values) or IDENTITY.fullmatch(self.key))


def lists_in(page: Path) -> Iterator[List]:
    text = page.read_text(encoding="utf-8")
    found = [List(page, match[1], match[3] or "", match[4]) for match in BLOCK.finditer(text)]
    assert len(found) == text.count("{#each "), f"{page.name} has a list that is read in no way known here"
    yield from found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_list_is_keyed_by_words(page: Path) -> None:
    unsafe = [f"{one.values} ({one.key})" for one in lists_in(page) if not one.is_safe]
    assert not unsafe, f"{page.name}: key these by their place, since two may be alike: {', '.join(unsafe)}"


@pytest.mark.parametrize(
    ("values", "index", "key", "safe"),
    [
        ("turn.done", "", "one", False),
        ("account.memories", "", "memory", False),
        ("wrong(name)", "", "message", False),
        ("card.promises", "", "`${promise} ${deed}`", False),
        ("turn.done", "index", "index", True),
        ("FORMS", "", "form", True),
        ("runs", "", "run.run", True),
    ],
)
def test_the_key_of_a_list_is_judged(values: str, index: str, key: str, safe: bool) -> None:
    assert List(Path("Any.svelte"), values, index, key).is_safe is safe
