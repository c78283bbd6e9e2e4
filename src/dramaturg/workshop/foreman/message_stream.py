"""Shows an answer while it is being written: the text inside `<message>`, and nothing else.

The result does not depend on how the text was split. What a model says outside its tags is shown when the answer is
complete and `answer_reader.py` has parsed it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

READER = "the Foreman's answer"
LONGEST_TAG = 400
LONGEST_GAP = 1_000
_TAG = re.compile(r"<\s*+(/?)\s*+([A-Za-z][\w-]*+)([^<>/]*+(?:/(?!\s*>)[^<>/]*+)*)(/?)\s*>")
_MAYBE_TAG = re.compile(r"<\s*+/?\s*+(?:[A-Za-z][^<>]*)?")
_ENTITY_FREE = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")
THINKING = ("thinking", "think")
UPDATE = ("content_update", "contentupdate", "content-update")
HIDDEN = (*THINKING, *UPDATE, "action")


class MessageReader:
    """Reads an answer piece by piece; `feed` returns what may be shown of it now. `names` are the known actions."""

    def __init__(self, names: frozenset[str] = frozenset()) -> None:
        self._hidden = frozenset(HIDDEN) | names
        self._state: Callable[[str], None] = self._outside
        self._held = ""
        self._space = ""
        self._until: frozenset[str] = frozenset()
        self._depth = 0
        self._back: Callable[[str], None] = self._outside
        self._ticks = 0
        self._code = 0
        self._out: list[str] = []
        self.shown = ""

    def feed(self, text: str) -> str:
        for char in text.replace("\0", ""):
            self._state(char)
        return self._taken()

    def _taken(self) -> str:
        piece = "".join(self._out)
        self._out.clear()
        self.shown += piece
        return piece

    def _outside(self, char: str) -> None:
        self._tag(char, self._opened_outside)

    def _inside(self, char: str) -> None:
        if not self._held and self._is_code(char):
            self._tell(char)
            return
        self._tag(char, self._met_inside)

    def _hiding(self, char: str) -> None:
        self._tag(char, self._met_hidden)

    def _tag(self, char: str, met: Callable[[re.Match[str]], None]) -> None:
        """Buffers what may be a tag; anything else is text."""
        if not self._held and char != "<":
            self._text(char)
            return
        self._held += char
        if found := _TAG.fullmatch(self._held):
            self._held = ""
            met(found)
        elif not _MAYBE_TAG.fullmatch(self._held) or len(self._held) > LONGEST_TAG:
            held, self._held = self._held, ""
            for one in held[:-1]:
                self._text(one)
            if held[-1] == "<":
                self._held = "<"
            else:
                self._text(held[-1])

    def _text(self, char: str) -> None:
        if self._state == self._inside:
            self._tell(char)

    def _opened_outside(self, tag: re.Match[str]) -> None:
        name = tag[2].lower()
        if name == "message" and not tag[1] and not tag[4]:
            self._space = "\n\n" if self.shown or self._out else ""
            self._code = self._ticks = 0
            self._state = self._inside
        elif not tag[1]:
            self._hide(tag)

    def _met_inside(self, tag: re.Match[str]) -> None:
        name = tag[2].lower()
        if name == "message":
            self._space = "\n\n"
            self._state = self._outside if tag[1] else self._inside
        elif not self._hide(tag):
            for char in tag.group():
                self._tell(char)

    def _hide(self, tag: re.Match[str]) -> bool:
        """Skips the content of a tag that is not shown."""
        name = tag[2].lower()
        if name not in self._hidden:
            return False
        if not tag[1] and not tag[4]:
            same = next((names for names in (THINKING, UPDATE) if name in names), (name, "action"))
            self._until, self._depth, self._back = frozenset(same), 1, self._state
            self._state = self._hiding
        self._space = "\n\n"
        return True

    def _met_hidden(self, tag: re.Match[str]) -> None:
        name = tag[2].lower()
        nests = name in THINKING
        if name in self._until and not tag[4]:
            self._depth += -1 if tag[1] else int(nests)
        elif name == "message" and not tag[1] and "action" in self._until:
            self._depth = 0
        if self._depth <= 0:
            self._state = self._back
            if name == "message":
                self._state = self._inside

    def _is_code(self, char: str) -> bool:
        """Whether a character is inside code, where tags are only quoted."""
        if char == "`":
            self._ticks += 1
            return self._code > 0
        if self._ticks:
            self._code = 0 if self._code == self._ticks else self._code or self._ticks
            self._ticks = 0
        if char == "\n" and self._code == 1:
            self._code = 0
        return self._code > 0

    def _tell(self, char: str) -> None:
        if char.isspace():
            self._space += char if len(self._space) < LONGEST_GAP else ""
            return
        if self._space:
            first = not self.shown and not self._out
            self._out.append("" if first else _ENTITY_FREE.sub("\n\n", self._space))
            self._space = ""
        self._out.append(char)
