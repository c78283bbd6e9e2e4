"""Key search: plain keys, whole words and patterns, and the logic of secondary keys."""

from __future__ import annotations

from dataclasses import dataclass, field

from dramaturg.characters.lorebook.entry import LoreEntry
from dramaturg.characters.lorebook.pattern import UnusablePatternError, compiled, marked, pattern_of
from dramaturg.characters.lorebook.scan import LoreSettings
from dramaturg.characters.lorebook.work import (
    MAX_TEXT,
    PER_LOWERED_CHARACTER,
    PER_MARKED_CHARACTER,
    StepBudget,
    steps_of_key,
    steps_of_pattern,
)
from dramaturg.characters.tavern.macros import MacroContext, expand_macros

TOO_LONG = "the keys of this scan took too long"


@dataclass(frozen=True, slots=True)
class KeyMatch:
    """The first key that matched, and a score for groups that compare how many did."""

    key: str
    score: int


class SearchedText:
    """A text that many keys are searched in. Its other forms are made when they are first needed, and charged once."""

    def __init__(self, text: str) -> None:
        self.text = text[-MAX_TEXT:]
        self._lowered: str | None = None
        self._marked: bytes | None = None

    def lowered(self, steps: StepBudget) -> str:
        if self._lowered is None:
            steps.take(PER_LOWERED_CHARACTER * len(self.text))
            self._lowered = self.text.lower()
        return self._lowered

    def marked(self, steps: StepBudget) -> bytes:
        if self._marked is None:
            steps.take(PER_MARKED_CHARACTER * len(self.text))
            self._marked = marked(self.text)
        return self._marked


@dataclass(slots=True)
class KeySearch:
    """The search of one scan. `faults` says, by entry, which keys could not be used."""

    settings: LoreSettings
    macros: MacroContext
    steps: StepBudget = field(default_factory=StepBudget)
    faults: dict[str, str] = field(default_factory=dict)

    def match(self, entry: LoreEntry, text: SearchedText) -> KeyMatch | None:
        """The first of the entry's keys that the text contains, if its secondary keys and decorators agree."""
        if self.steps.is_spent:
            self.faults[entry.uid] = TOO_LONG
            return None
        primary = [key for key in entry.keys if self._occurs(key, entry, text)]
        if not primary:
            return None
        secondary = [key for key in entry.secondary_keys if self._occurs(key, entry, text)]
        agrees = _agree(entry, len(secondary)) and self._decorators_agree(entry, text)
        # If not all of its keys were searched for, nobody knows whether it would have been told.
        if not agrees or (entry.uid in self.faults and self.faults[entry.uid] == TOO_LONG):
            return None
        return KeyMatch(primary[0], len(primary) + _secondary_score(entry, len(secondary)))

    def _decorators_agree(self, entry: LoreEntry, text: SearchedText) -> bool:
        asked = entry.decorators
        if any(self._occurs(key, entry, text) for key in asked.exclude_keys):
            return False
        return all(any(self._occurs(key, entry, text) for key in keys) for keys in asked.additional_keys)

    def _occurs(self, key: str, entry: LoreEntry, text: SearchedText) -> bool:
        found = not self.steps.is_spent and self._is_found(key, entry, text)
        if self.steps.is_spent:
            self.faults[entry.uid] = TOO_LONG
        return found

    def _is_found(self, key: str, entry: LoreEntry, text: SearchedText) -> bool:
        self.steps.take(len(key))
        key = expand_macros(key, self.macros).strip()
        if not key:
            return False
        pattern = pattern_of(key)
        if pattern is None and entry.is_pattern:
            pattern = (key, "" if self._is_case_sensitive(entry) else "i")
        if pattern is not None:
            return self._matches(*pattern, entry, text)
        if not self.steps.take(steps_of_key(key, len(text.text))):
            return False
        within = text.text
        if not self._is_case_sensitive(entry):
            key, within = key.lower(), text.lowered(self.steps)
        whole = self.settings.whole_words if entry.whole_words is None else entry.whole_words
        if whole and len(key.split(maxsplit=1)) == 1:
            return self._stands_alone(key, within)
        return key in within

    def _stands_alone(self, key: str, text: str) -> bool:
        """Whether the key occurs with no word character before or after it."""
        place = text.find(key)
        while place >= 0:
            before, after = text[place - 1 : place], text[place + len(key) : place + len(key) + 1]
            if not (_is_word(before) or _is_word(after)):
                return True
            if not self.steps.take(len(key)):
                return False
            place = text.find(key, place + 1)
        return False

    def _is_case_sensitive(self, entry: LoreEntry) -> bool:
        return self.settings.case_sensitive if entry.case_sensitive is None else entry.case_sensitive

    def _matches(self, pattern: str, flags: str, entry: LoreEntry, text: SearchedText) -> bool:
        if not self.steps.take(steps_of_pattern(pattern)):
            return False
        try:
            return compiled(pattern, flags).found_in(text.marked(self.steps), self.steps)
        except UnusablePatternError as error:
            self.faults[entry.uid] = f"the pattern {pattern!r:.60} cannot be used: {error}"
            return False


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


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
