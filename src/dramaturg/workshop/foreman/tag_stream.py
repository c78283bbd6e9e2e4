"""Tags, read letter by letter: what may be one is held until it is clear, everything else is text."""

from __future__ import annotations

from collections.abc import Callable

from dramaturg.kernel.reasoning import BRACKETED
from dramaturg.workshop.foreman.tags import BRACKET, CHANNEL, THINKING, TRIANGLE, Tag, tags_of, thinking_name

LONGEST_TAG = 400
COMMENT = ("<!--", "-->")
_BRACKETS = ("◁THINK▷", "◁/THINK▷", *(f"[{end}{name.upper()}]" for name in BRACKETED for end in ("", "/")))
_LOST = "assistantfinal"


class TagStream:
    """Hears letters; tells `text` each that is none of a tag's, and `met` each whole tag with how it was written.

    Nothing of a comment is told. `is_hidden` says which names are never text, however long their tag is.
    """

    def __init__(
        self, text: Callable[[str], None], met: Callable[[Tag, str], None], is_hidden: Callable[[str], bool]
    ) -> None:
        self._text, self._met, self._is_hidden = text, met, is_hidden
        self._held = ""
        self._named = ""
        self._name_done = False
        self._comment = ""
        self._channel: str | None = None
        self._tail = ""

    @property
    def is_holding(self) -> bool:
        return bool(self._held or self._comment) or self._channel is not None

    @property
    def in_comment(self) -> bool:
        return bool(self._comment)

    def hear(self, char: str) -> None:
        if self._comment:
            self._comment = (self._comment + char)[-len(COMMENT[1]) :]
            if self._comment == COMMENT[1]:
                self._comment = ""
        elif self._channel is not None:
            self._hear_channel(char)
        elif self._held:
            self._hold(char)
        elif char in "<[◁":
            self._begin(char)
        else:
            self._tell(char)

    def _begin(self, char: str) -> None:
        self._held, self._named, self._name_done = char, "", False

    def _tell(self, char: str) -> None:
        self._text(char)
        self._tail = (self._tail + char)[-len(_LOST) :]
        if char in "lL" and self._tail.lower() == _LOST:
            self._met(Tag(0, 0, CHANNEL, close=True), "")

    def _hold(self, char: str) -> None:
        self._held += char
        if self._held[0] != "<":
            self._hold_bracket()
        elif char == "<":
            self._release(1)
        elif self._held.startswith("<!"):
            self._hold_comment()
        elif char == ">":
            self._complete()
        elif not self._could_be_tag(char):
            self._release(0)
        elif len(self._held) > LONGEST_TAG:
            self._give_up()

    def _hold_bracket(self) -> None:
        held = self._held.upper()
        if held in _BRACKETS:
            tag = Tag(0, len(held), BRACKET if held[0] == "[" else TRIANGLE, close=held[1] == "/")
            text, self._held = self._held, ""
            self._met(tag, text)
        elif not any(mark.startswith(held) for mark in _BRACKETS):
            self._release(int(held[-1] in "<[◁"))

    def _hold_comment(self) -> None:
        if self._held == COMMENT[0]:
            self._held, self._comment = "", "   "
        elif not COMMENT[0].startswith(self._held):
            self._release(0)

    def _could_be_tag(self, char: str) -> bool:
        if self._named:
            if not self._name_done and (char.isalnum() or char in "_-.:"):
                self._named += char
            else:
                self._name_done = True
            return True
        if char.isspace() or (char == "/" and "/" not in self._held[:-1]):
            return True
        self._named = char
        return char.isalpha() or char == "_" or (char in "|｜" and len(self._held) == 2)

    def _complete(self) -> None:
        held = self._held
        if held in ("<|channel|>", "<|channel>"):
            self._held, self._channel = "", ""
            return
        tag = next(tags_of(held), None)
        if tag is None or tag.start or tag.end != len(held):
            self._release(0)
            return
        if held.count('"') % 2 and self._is_hidden(tag.name) and tag.name not in THINKING and len(held) < LONGEST_TAG:
            return
        self._held = ""
        self._met(tag, held)

    def _hear_channel(self, char: str) -> None:
        """The name of a channel ends with the first letter that is none of its own."""
        name = self._channel or ""
        if len(name) < 20 and ((char.isspace() and not name) or char.isalnum() or char == "_"):
            self._channel = name + char.strip()
            return
        self._channel = None
        self._met(Tag(0, 0, CHANNEL, close=name.lower() in ("final", "response")), "")
        self.hear(char)

    def _give_up(self) -> None:
        """A tag that is longer than tags are: what must not be shown is hidden from here on, the rest is text."""
        name = thinking_name(self._named.rpartition(":")[2])
        if self._is_hidden(name):
            held, self._held = self._held, ""
            self._met(Tag(0, len(held), name, attributes=" "), held)
        else:
            self._release(0)

    def _release(self, again: int) -> None:
        """What was held is text after all; its last letters may begin a tag."""
        held, self._held = self._held, ""
        cut = len(held) - again
        for char in held[:cut]:
            self._tell(char)
        for char in held[cut:]:
            self.hear(char)
