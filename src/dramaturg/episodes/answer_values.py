"""The values of an answer, kept by key, and shown while they arrive if they may be."""

from __future__ import annotations

import re
from collections.abc import Callable

from dramaturg.episodes.answer_marks import MarkFilter
from dramaturg.episodes.answer_names import NO_NAMES, AnswerNames, NameRows
from dramaturg.episodes.note_filter import NoteFilter
from dramaturg.episodes.refusal_filter import RefusalFilter
from dramaturg.episodes.thought_rows import ThoughtRows
from dramaturg.episodes.value_sink import ValueSink
from dramaturg.model_notes.closings import ClosingFilter
from dramaturg.model_notes.labels import key_instead

LONGEST_VALUE = 20_000
MOST_VALUES = 300
"""How many values are read, those in lists among them: no line of a character has more words in quotation marks."""
VISIBLE_KEYS = ("dialogue", "action")
_OBJECT = re.compile(r"""\{\s{0,32}["'“\\]""")


class AnswerValues:
    """What was read under each key. One value is open at a time."""

    def __init__(
        self,
        show: Callable[[str], None],
        read: Callable[[str], AnswerValues] | None = None,
        names: AnswerNames = NO_NAMES,
    ) -> None:
        """`read` reads a form that stands in a value once more."""
        self._show, self._read, self._names = show, read, names
        self._known: dict[str, str] = {}
        self._typed: set[str] = set()
        self._current: str | None = None
        self._sink: ValueSink | None = None
        self._filter("")
        self._parts: list[str] = []
        self._object: list[str] = []
        self._room, self._left = 0, MOST_VALUES
        self._shown = ""
        self._others: bool | None = None
        self.last = ""
        """The value that ended last."""
        self.declined = False
        """Whether the model declined to play in a value that would be shown."""

    @property
    def is_open(self) -> bool:
        return self._current is not None

    @property
    def has_words(self) -> bool:
        """Whether a visible key was there, even if its value was empty."""
        return any(key in self._known for key in VISIBLE_KEYS)

    @property
    def has_others(self) -> bool:
        """Whether words stand under a key that counts where no visible one is there. Looked for once after each value:
        it is asked for every character behind a form.
        """
        if self._others is None:
            self._others = bool(key_instead("spoken", self._known) or key_instead("done", self._known))
        return self._others

    def __bool__(self) -> bool:
        return bool(self._known)

    def get(self, key: str) -> str:
        return self._known.get(key, "").strip()

    def begin(
        self, key: str, typed: str, *, first: bool, more: bool = False, literal: bool = False, in_line: bool = False
    ) -> None:
        """Opens the value of a key. A key that comes again is ignored, unless `more` of it is expected."""
        self._left -= 1
        known = self._known.get(key)
        again = known and not more and (typed in self._typed or key not in VISIBLE_KEYS)
        if again or self._left < 0:
            return
        self._typed.add(typed)
        self._current, self._others = key, None
        self._known[key] = f"{known} " if known else ""
        self._room = LONGEST_VALUE - len(self._known[key])
        if key in VISIBLE_KEYS:
            goes_on = bool(known) and self._shown == key
            self._sink = ValueSink(key, self._show, first=first, more=goes_on, literal=literal, in_line=in_line)
            self._filter(key)

    def _filter(self, key: str) -> None:
        self._closings = ClosingFilter(self._keep)
        self._refusals = RefusalFilter(self._closings.hear)
        self._notes = NoteFilter(self._refusals.hear)
        self._rows = ThoughtRows(self._notes.hear, spoken=key == "dialogue")
        self._named = NameRows(self._rows.hear, self._names)
        self._marks = MarkFilter(self._named.hear)

    def hear(self, char: str) -> None:
        """The next character of the open value, if there is one."""
        if self._object or (self._sink is not None and char == "{" and not self._parts):
            if len(self._object) < LONGEST_VALUE:
                self._object.append(char)
        elif self._sink is not None:
            self._marks.hear(char)
        elif self._current is not None:
            self._keep(char)

    def hear_prose(self, text: str) -> None:
        """More of the open value from a text whose marks are already gone."""
        for char in text:
            self._notes.hear(char)

    def end(self) -> None:
        if self._sink is not None:
            if self._object:
                self._unfold()
            self._marks.end()
            self._named.end()
            self._rows.end()
            self._notes.end()
            self._refusals.end()
            self.declined = self.declined or self._refusals.declined
            self._closings.end()
            if self._sink.is_nothing:
                self._parts.clear()
            if self._sink.is_placeholder and self._current is not None and not self._known[self._current]:
                del self._known[self._current]
                self._typed.clear()
                self._current = None
            self._sink.end()
            self._shown = self._current if self._parts and self._current else self._shown
        self.last = "".join(self._parts)
        if self._current is not None:
            self._known[self._current] += self.last
        self._parts.clear()
        self._current, self._sink, self._others = None, None, None

    def supply(self) -> None:
        """Shows what stands under other keys, for a form that has none of the visible ones."""
        for key, other in (
            ("action", key_instead("done", self._known)),
            ("dialogue", key_instead("spoken", self._known)),
        ):
            if other is not None:
                self.begin(key, key, first=not self._shown)
                for char in self._known[other]:
                    self.hear(char)
                self.end()

    def _unfold(self) -> None:
        """What begins with a brace is a form in a value, or words after all."""
        text, self._object = "".join(self._object), []
        if _OBJECT.match(text):
            inner = self._read(text) if self._read is not None else None
            text = inner.get(self._current or "") if inner is not None else ""
        for char in text:
            self._marks.hear(char)

    def _keep(self, char: str) -> None:
        if not _is_text(char):
            return
        if len(self._parts) < self._room:
            self._parts.append(char)
        if self._sink is not None:
            self._sink.hear(char)


def _is_text(char: str) -> bool:
    return char in "\n\t" or (char >= " " and char != "\x7f" and not "\ud800" <= char <= "\udfff")
