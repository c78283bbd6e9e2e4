"""The work of a lore scan, counted in steps: a stranger's book cannot keep a program busy.

Everything that costs time is charged what it costs at worst, before it is done, so the count is the same on every
machine. Once the steps are spent, whatever is left of the scan is withheld, and the scan says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from dramaturg.characters.lorebook.entry import Lorebook, LoreEntry

MAX_STEPS = 300_000_000
"""The steps that one scan may take, about two seconds at the very worst."""
LOOP_STEPS = 3_000_000
"""A scan that may take more than these, 20 ms at worst, has no place on an event loop."""
MAX_TEXT = 60_000
"""How many characters of a text are searched; the newest ones."""

PER_ENTRY, PER_TOLD, PER_KEY, PER_PATTERN = 1_000, 6_000, 100, 20_000
PER_PATTERN_CHARACTER = 2_000
PER_TOLD_CHARACTER = 50
PER_MARKED_CHARACTER = 40
PER_LOWERED_CHARACTER = 4
_LONG_KEY = 16


@dataclass(slots=True)
class StepBudget:
    """The steps that are left to a scan."""

    left: int = MAX_STEPS

    @property
    def is_spent(self) -> bool:
        return self.left <= 0

    def take(self, steps: int) -> bool:
        """Charges the steps; False if there are not enough of them."""
        self.left -= steps
        return self.left > 0


def steps_of_key(key: str, text: int) -> int:
    """What it costs to search a text of so many characters for a plain key."""
    return PER_KEY + len(key) + text * min(len(key), _LONG_KEY) // _LONG_KEY


def steps_of_pattern(pattern: str) -> int:
    """What it costs to translate and compile a pattern."""
    return PER_PATTERN + PER_PATTERN_CHARACTER * len(pattern)


def leaves_the_loop(books: Iterable[Lorebook], texts: Iterable[str]) -> bool:
    """Whether a scan is expected to take so long that it must not run on an event loop.

    A pattern counts as one instruction for each of its characters, which most have.
    """
    told = 0
    for text in texts:
        told += len(text)
        if told > MAX_TEXT:
            break
    steps, length = PER_LOWERED_CHARACTER * told, min(told, MAX_TEXT)
    for entry in (entry for book in books for entry in book.entries):
        steps += PER_ENTRY + (PER_TOLD_CHARACTER * len(entry.content) if entry.constant and entry.enabled else 0)
        for key in _keys(entry) if entry.enabled else ():
            steps += _expected(key, entry, length)
            if steps > LOOP_STEPS:
                return True
    return steps > LOOP_STEPS


def _keys(entry: LoreEntry) -> Iterable[str]:
    yield from entry.keys
    yield from entry.secondary_keys
    yield from entry.decorators.exclude_keys
    for keys in entry.decorators.additional_keys:
        yield from keys


def _expected(key: str, entry: LoreEntry, length: int) -> int:
    if not entry.is_pattern and not key.lstrip().startswith("/"):
        return steps_of_key(key, length)
    return steps_of_pattern(key) + PER_MARKED_CHARACTER * length + len(key) * length
