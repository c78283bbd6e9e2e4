"""Key search: plain keys, whole words and patterns, and the logic of secondary keys."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from dramaturg.episodes.lore_scan.pattern import StepBudget, UnusablePatternError, compiled, pattern_of
from dramaturg.episodes.lore_scan.scan import LoreSettings
from dramaturg.kernel.characters.lorebook.entry import LoreEntry
from dramaturg.kernel.characters.tavern.macros import MacroContext, expand_macros

MAX_TEXT = 60_000
"""How many characters of a text are searched; the newest ones."""


@dataclass(frozen=True, slots=True)
class KeyMatch:
    """The first key that matched, and a score for groups that compare how many did."""

    key: str
    score: int


@dataclass(slots=True)
class KeySearch:
    """The search of one scan. `faults` says, by entry, which patterns could not be used."""

    settings: LoreSettings
    macros: MacroContext
    steps: StepBudget = field(default_factory=StepBudget)
    faults: dict[str, str] = field(default_factory=dict)

    def match(self, entry: LoreEntry, text: str) -> KeyMatch | None:
        """The first of the entry's keys that the text contains, if its secondary keys and decorators agree."""
        text = text[-MAX_TEXT:]
        primary = [key for key in entry.keys if self._occurs(key, entry, text)]
        if not primary:
            return None
        secondary = [key for key in entry.secondary_keys if self._occurs(key, entry, text)]
        if not _agree(entry, len(secondary)) or not self._decorators_agree(entry, text):
            return None
        return KeyMatch(primary[0], len(primary) + _secondary_score(entry, len(secondary)))

    def _decorators_agree(self, entry: LoreEntry, text: str) -> bool:
        asked = entry.decorators
        if any(self._occurs(key, entry, text) for key in asked.exclude_keys):
            return False
        return all(any(self._occurs(key, entry, text) for key in keys) for keys in asked.additional_keys)

    def _occurs(self, key: str, entry: LoreEntry, text: str) -> bool:
        key = expand_macros(key, self.macros).strip()
        if not key:
            return False
        pattern = pattern_of(key)
        if pattern is None and entry.is_pattern:
            pattern = (key, "" if self._is_case_sensitive(entry) else "i")
        if pattern is not None:
            return self._matches(*pattern, entry, text)
        if not self._is_case_sensitive(entry):
            key, text = key.lower(), text.lower()
        whole = self.settings.whole_words if entry.whole_words is None else entry.whole_words
        if whole and len(key.split()) == 1:
            return re.search(rf"(?:^|\W){re.escape(key)}(?:$|\W)", text) is not None
        return key in text

    def _is_case_sensitive(self, entry: LoreEntry) -> bool:
        return self.settings.case_sensitive if entry.case_sensitive is None else entry.case_sensitive

    def _matches(self, pattern: str, flags: str, entry: LoreEntry, text: str) -> bool:
        try:
            found = compiled(pattern, flags).found_in(text, self.steps)
        except UnusablePatternError as error:
            self.faults[entry.uid] = f"the pattern {pattern!r:.60} cannot be used: {error}"
            return False
        if not found and self.steps.is_spent:
            self.faults[entry.uid] = "the patterns of this scan took too long"
        return found


def _agree(entry: LoreEntry, found: int) -> bool:
    """Whether the secondary keys that were found satisfy the entry's logic."""
    wanted = len(entry.secondary_keys)
    if not wanted:
        return True
    return {
        "and_any": found > 0,
        "and_all": found == wanted,
        "not_any": found == 0,
        "not_all": found < wanted,
    }[entry.logic]


def _secondary_score(entry: LoreEntry, found: int) -> int:
    return found if entry.logic in ("and_any", "and_all") else 0
