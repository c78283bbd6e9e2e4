"""The form of a character's answer: keys and values, in JSON or what a model takes for it, by the character.

It may be cut off, mistyped, commented, in the marks of another language, or encoded twice. A line cut short is better
than one that runs on into what follows it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from dramaturg.episodes.answer_keys import TEXT_KEYS, WRAPPERS, key_of, visible_key
from dramaturg.episodes.answer_names import NO_NAMES, AnswerNames
from dramaturg.episodes.answer_strings import CLOSERS, LONGEST_KEY, StringReader
from dramaturg.episodes.answer_values import AnswerValues
from dramaturg.model_notes.labels import is_hidden_block

LONGEST_SHOWN = 20_000
LONGEST_ITEM = 48
_NAMING = ("key", "field", "label")
_KEY_IN_LIST = re.compile(r"""(?:["'“]\s{0,4}[\w-]{1,24}\s{0,4}["'”]|[\w-]{1,24}\s{0,4}["'”]?)\s{0,4}[:=]""")
_MAYBE_KEY_IN_LIST = re.compile(r"""["'“]?\s{0,4}[\w-]{0,24}\s{0,4}["'”]?\s{0,4}""")


@dataclass(slots=True)
class _Frame:
    """An open object or list: the key of its values, and whether everything in it is hidden.

    `of` is the visible key it stands under; `more` is set in lists, where one key has several values.
    """

    is_list: bool
    key: str
    hidden: bool
    typed: str = ""
    of: str = ""
    more: bool = False


class FormReader(StringReader):
    """Reads one form after another; the states are methods that take the next character."""

    def __init__(self, names: AnswerNames = NO_NAMES, *, unfolds: bool = True) -> None:
        super().__init__()
        self._length = 0
        self._new: list[str] = []
        self._state = self._seek
        self._passed = self._item = ""
        self._frames: list[_Frame] = []
        self._names = names
        self._values = AnswerValues(self._show, _values_in if unfolds else None, names)

    def _show(self, text: str) -> None:
        if self._length < LONGEST_SHOWN:
            self._length += len(text)
            self._new.append(text)

    def _begin_object(self) -> None:
        look = self._begin_form()
        self._again(look[1:].lstrip().removeprefix("{"))  # some write the two braces of a template

    def _begin_form(self) -> str:
        """Prose or not, from here on there are keys and values; returns what was held back."""
        look, self._look = self._look, ""
        self._frames = [_Frame(is_list=False, key="", hidden=False)]
        self._doubled = False
        self._state = self._key
        return look

    def _key(self, char: str) -> None:
        if char.isspace() or char == ",":
            return
        if char == "\\":
            self._doubled = True
        elif char in "/#":
            self._begin_comment(char)
        elif char in "}]":
            self._pop()
        elif char in CLOSERS:
            self._begin_string(char, is_key=True)
        elif char in "{[":
            self._push(char, hidden=True)
        else:
            self._word = char
            self._state = self._bare_key

    def _bare_key(self, char: str) -> None:
        if char in ":=":
            self._named(self._word)
            self._state = self._value
        elif char in "},]":
            self._state = self._key
            self._key(char)
        elif len(self._word) < LONGEST_KEY:
            self._word += char

    def _colon(self, char: str) -> None:
        if char in ":=":
            self._state = self._value
        elif char == "\\" and self._doubled:
            return
        elif char in CLOSERS and len(self._look) < 2:
            self._begin_string(char, is_key=False)
        elif char in CLOSERS:
            self._named("")
        elif char in "},]":
            self._state = self._after_value
            self._after_value(char)
        elif char in "{[":
            self._push(char)
        elif not char.isspace():
            self._look = (self._look + char)[:2]

    def _named(self, key: str) -> None:
        self._frames[-1].key, self._frames[-1].typed = key_of(key), key.strip().lower()

    def _value(self, char: str) -> None:
        if char.isspace() or (char == "\\" and self._doubled):
            return
        if self._frames[-1].is_list and (char in CLOSERS or char.isalpha()):
            self._item, self._state = char, self._list_item
        elif char in CLOSERS:
            self._begin_string(char, is_key=False)
        elif char in "{[":
            self._push(char)
        elif char in "},]":
            self._state = self._after_value
            self._after_value(char)
        else:
            self._begin_value(literal=True)
            self._literal(char)
            self._state = self._literal

    def _list_item(self, char: str) -> None:
        """The beginning of an item is held back while it may be the key that follows a list that was never closed."""
        self._item += char
        if _KEY_IN_LIST.fullmatch(self._item):
            self._leave_lists(self._item)
        elif not _MAYBE_KEY_IN_LIST.fullmatch(self._item) or len(self._item) > LONGEST_ITEM:
            self._begin_item()

    def _begin_item(self) -> None:
        """What was held back is no key: the words of an item begin with it."""
        item, self._item = self._item, ""
        if item[0] in CLOSERS:
            self._begin_string(item[0], is_key=False)
        else:
            self._begin_value(literal=True)
            self._literal(item[0])
            self._state = self._literal
        self._again(item[1:])

    def _leave_lists(self, key: str) -> None:
        """What stands here is a key and its colon: the list ended before it."""
        while self._frames[-1].is_list:
            self._frames.pop()
        self._named(key)
        self._state = self._value

    def _literal(self, char: str) -> None:
        if char in "{[":
            self._end_value()
            self._push(char)
        elif char in ",}]\n" or char in CLOSERS:
            self._end_value()
            self._state = self._after_value
            self._after_value(char)
        else:
            self._values.hear(char)

    def _after_value(self, char: str) -> None:
        frame = self._frames[-1]
        if char == ",":
            self._state = self._value if frame.is_list else self._key
        elif char in "}]":
            self._pop()
        elif char in ":=" and frame.is_list:
            self._leave_lists("hidden")
        elif char in CLOSERS and frame.is_list:
            self._value(char)
        elif char in CLOSERS:
            self._begin_string(char, is_key=True)
        elif char in "/#":
            self._begin_comment(char)
        elif not char.isspace() and not frame.is_list:
            self._state = self._key
            self._key(char)

    def _begin_comment(self, mark: str) -> None:
        """Passes over `// …`, `# …` and `/* … */`; a single slash is nothing."""
        then, starred, last = self._state, False, mark

        def inside(char: str) -> None:
            nonlocal last
            ends = last + char == "*/" if starred else char == "\n"
            last = char
            if ends:
                self._state = then

        def begins(char: str) -> None:
            nonlocal last, starred
            starred, last, self._state = char == "*", "", inside if char in "*/" else then
            if char not in "*/":
                self._state(char)

        self._state = inside if mark == "#" else begins

    def _push(self, char: str, hidden: bool = False) -> None:
        above = self._frames[-1]
        shown = self._shown_under(above)
        known = above.key in WRAPPERS or shown is not None
        secret = hidden or above.hidden or not known
        is_list = char == "["
        key, typed = (above.key, above.typed) if is_list else ("", "")
        of, more = shown or above.of, is_list or above.more
        self._frames.append(_Frame(is_list, key, secret, typed, of, more))
        self._state = self._value if is_list else self._key

    def _pop(self) -> None:
        self._frames.pop()
        if self._frames:
            self._state = self._after_value
        elif self._values.has_words:
            self._state = self._rest
        else:
            self._state = self._seek

    def _seek(self, char: str) -> None:
        """After a form without words: only another form can supply them, not an object under a key."""
        if char == "{":
            under_key = self._passed.endswith((":", "="))
            self._passed = ""
            self._begin_form()
            self._frames[0].hidden = under_key
        elif not char.isspace():
            self._passed = char

    def _rest(self, char: str) -> None:
        """After the form: everything is ignored."""

    def _in_list(self) -> bool:
        return self._frames[-1].is_list

    def _hear_value(self, char: str) -> None:
        self._values.hear(char)

    def _end_value(self) -> None:
        """Behind `"type": "thinking"` or `"role": "user"` nothing of an object is shown.

        Behind `"key": "dialogue"` its words are.
        """
        self._values.end()
        frame = self._frames[-1]
        frame.hidden = frame.hidden or is_hidden_block(frame.key, self._values.last)
        if frame.key in _NAMING:
            frame.of = visible_key(key_of(self._values.last)) or ""

    def _shown_under(self, frame: _Frame) -> str | None:
        """The visible key that a key stands for; the own name stands before what is said."""
        own = frame.typed and self._names.whose(frame.typed) == "own"
        return "dialogue" if own else visible_key(frame.key)

    def _begin_value(self, literal: bool = False) -> None:
        frame = self._frames[-1]
        key = self._shown_under(frame) or frame.key
        if frame.of and frame.key in TEXT_KEYS:
            key = frame.of
        if not frame.hidden or key == "internal":
            more = frame.more or frame.key in _NAMING
            self._values.begin(key, frame.typed, first=not self._length, more=more, literal=literal)


def _values_in(text: str) -> AnswerValues:
    """The values of a form that stands in a value."""
    reader = FormReader(unfolds=False)
    for char in text:
        reader._state(char)
    reader._values.end()
    return reader._values
