"""The form of a character's answer: keys and values, in JSON or what a model takes for it, by the character.

It may be cut off, mistyped, commented, in the marks of another language, or encoded twice. A line cut short is better
than one that runs on into what follows it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from dramaturg.episodes.answer_keys import TEXT_KEYS, WRAPPERS, is_like_hidden, key_of, visible_key
from dramaturg.episodes.answer_names import NO_NAMES, AnswerNames
from dramaturg.episodes.answer_values import AnswerValues
from dramaturg.kernel.text.control import plain

LONGEST_KEY = 160
LONGEST_SHOWN = 20_000
_SPACES = 32
"""How many spaces are held back: what a text has of them beyond that tells nothing."""

# A quotation mark ends a string if a comma or a space and another mark follow, or what could be a key: a line cut
# short is better than one that runs on into what follows it.
_WORD = r"[A-Za-z_][\w-]{0,40}+"
_CLOSED = re.compile(
    rf"""\s*+(?:[}}\]"“:]|/[*/]|,\s*+[^\sA-Za-z_]|,\s*+{_WORD}\s*+[:"'”]|'?{_WORD}["'”]?\s*+:"""
    r"""|[\w' ,;.\\\s-]{0,24}[:{}\[\]]|,[\w' ,;.\s-]{0,24}\\|[\w' ,;.\s-]{0,24}\\["'”]|[ ,;.]{1,24}["“])"""
)
_MAYBE_CLOSED = re.compile(r"[\w' ,;.\\\s-]{0,24}/?")
_CLOSED_IN_LIST = re.compile(r"\s*+[,\]}:]")
_ESCAPES = {"n": "\n", "t": "\t", "r": "", "b": "", "f": ""}
_CLOSERS = {'"': '"', "'": "'", "“": "”"}


def _ends_string(look: str, *, in_list: bool) -> bool | None:
    """Whether what follows a quotation mark shows that it ended a string; None while more must be seen."""
    if _CLOSED_IN_LIST.match(look) if in_list else _CLOSED.match(look):
        return True
    if look.isspace() if in_list else _MAYBE_CLOSED.fullmatch(look):
        return None
    return is_like_hidden(look[:-1])


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


class FormReader:
    """Reads one form after another; the states are methods that take the next character."""

    def __init__(self, names: AnswerNames = NO_NAMES, *, unfolds: bool = True) -> None:
        self._length = 0
        self._new: list[str] = []
        self._state: Callable[[str], None] = self._seek
        self._look = ""
        self._word = ""
        self._high = ""
        self._closer = self._mark = '"'
        self._inner = 0
        self._before = ""
        self._reads_key = False
        self._doubled = False
        self._frames: list[_Frame] = []
        self._values = AnswerValues(self._show, _values_in if unfolds else None, names)

    def _show(self, text: str) -> None:
        if self._length < LONGEST_SHOWN:
            self._length += len(text)
            self._new.append(text)

    def _again(self, text: str) -> None:
        for char in text:
            self._state(char)

    def _hold(self, char: str) -> None:
        """Adds to what is held back; more spaces in a row than anybody types are dropped."""
        if not char.isspace() or not self._look[-_SPACES:].isspace() or len(self._look) < _SPACES:
            self._look += char

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
        elif char in _CLOSERS:
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
        elif char in _CLOSERS and len(self._look) < 2:
            self._begin_string(char, is_key=False)
        elif char in _CLOSERS:
            self._named("")
        elif char in "},]":
            self._state = self._after_value
            self._after_value(char)
        elif not char.isspace():
            self._look = (self._look + char)[:2]

    def _named(self, key: str) -> None:
        self._frames[-1].key, self._frames[-1].typed = key_of(key), key.strip().lower()

    def _value(self, char: str) -> None:
        if char.isspace() or (char == "\\" and self._doubled):
            return
        if char in _CLOSERS:
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

    def _literal(self, char: str) -> None:
        if char in ",}]\n" or char in _CLOSERS:
            self._values.end()
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
        elif char in _CLOSERS:
            self._begin_string(char, is_key=not frame.is_list)
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
        known = above.key in WRAPPERS or visible_key(above.key) is not None
        secret = hidden or above.hidden or not known
        is_list = char == "["
        key, typed = (above.key, above.typed) if is_list else ("", "")
        of, more = visible_key(above.key) or above.of, is_list or above.more
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
        """After a form without words: only another form can supply them."""
        if char == "{":
            self._begin_form()

    def _rest(self, char: str) -> None:
        """After the form: everything is ignored."""

    # Strings.

    def _begin_string(self, mark: str, *, is_key: bool) -> None:
        self._closer, self._reads_key, self._word = _CLOSERS[mark], is_key, ""
        self._inner, self._before = 0, ""
        if not is_key:
            self._begin_value()
        self._state = self._string

    def _string(self, char: str) -> None:
        if char == "\\":
            self._state = self._doubled_escape if self._doubled else self._escape
        elif self._reads_key and char in (self._closer, '"', "”", "\n"):
            self._lone()
            self._named(self._word)
            self._look = ""
            self._state = self._colon
        elif not self._is_inner(char) and char in (self._closer, '"', "”"):
            self._lone()
            self._mark, self._look = char, ""
            self._state = self._closing
        else:
            self._lone()
            self._hear(char)

    def _is_inner(self, char: str) -> bool:
        """Whether a quotation mark belongs to the text: it is of another kind than those around it, and paired."""
        if char not in '"“”„' or self._reads_key or char == self._closer:
            return False
        if char == "„" or (char == "“" and not self._inner):
            self._inner += 1
        elif self._inner:
            self._inner -= 1
        elif not self._before and (char == "”" or self._closer == "'"):
            self._inner += 1
        else:
            return False
        return True

    def _doubled_escape(self, char: str) -> None:
        """In a form that was encoded twice, `\\"` is a mark of the form, and two backslashes are an escape."""
        self._state = self._escape if char == "\\" else self._string
        if char in '"”':
            self._string(char)
        elif char != "\\":
            self._escape(char)

    def _closing(self, char: str) -> None:
        """What follows a quotation mark shows whether it ended the string."""
        self._hold(char)
        look = self._look
        is_apostrophe = self._mark == "'" and look[0].isalpha() and self._before.isalpha()
        closed = False if is_apostrophe else _ends_string(look, in_list=self._frames[-1].is_list)
        if closed is None:
            return
        self._look = ""
        if closed:
            self._values.end()
            self._state = self._after_value
            self._again(look)
        else:
            self._state = self._string
            self._hear(self._mark)
            self._read_on(look)

    def _read_on(self, look: str) -> None:
        """Reads what was held back behind a mark that ended nothing; behind the next mark all of it counts at once."""
        for place, char in enumerate(look, 1):
            self._state(char)
            if self._state == self._closing and place < len(look):
                self._closing(look[place:])
                return

    def _escape(self, char: str) -> None:
        if char == "\\" and self._doubled:
            return
        if char == "u":
            self._look = ""
            self._state = self._unicode
            return
        self._lone()
        self._hear(_ESCAPES.get(char, char))
        self._state = self._string

    def _unicode(self, char: str) -> None:
        if char not in "0123456789abcdefABCDEF":
            self._look = ""
            self._lone()
            self._hear("\ufffd")
            self._state = self._string
            self._string(char)
            return
        self._look += char
        if len(self._look) < 4:
            return
        code, self._look = int(self._look, 16), ""
        self._state = self._string
        if 0xD800 <= code < 0xDC00:
            self._lone()
            self._high = chr(code)
        elif 0xDC00 <= code < 0xE000:
            pair, self._high = self._high, ""
            self._hear(chr(0x10000 + ((ord(pair) - 0xD800) << 10) + code - 0xDC00) if pair else "\ufffd")
        else:
            self._lone()
            self._hear(plain(chr(code)))

    def _lone(self) -> None:
        """The first half of a surrogate pair whose second half is missing."""
        if self._high:
            self._high = ""
            self._hear("\ufffd")

    def _hear(self, char: str) -> None:
        """A character of a string: of a key, or of a value."""
        if not self._reads_key:
            self._before = char
            self._values.hear(char)
        elif len(self._word) < LONGEST_KEY:
            self._word += char

    def _begin_value(self, literal: bool = False) -> None:
        frame = self._frames[-1]
        key = visible_key(frame.key) or frame.key
        if frame.of and frame.key in TEXT_KEYS:
            key = frame.of
        if not frame.hidden or key == "internal":
            self._values.begin(key, frame.typed, first=not self._length, more=frame.more, literal=literal)


def _values_in(text: str) -> AnswerValues:
    """The values of a form that stands in a value."""
    reader = FormReader(unfolds=False)
    for char in text:
        reader._state(char)
    reader._values.end()
    return reader._values
