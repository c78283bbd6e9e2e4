"""The strings of a form: keys and texts in quotation marks, whatever marks stand in them, escaped or not.

A line cut short is better than one that runs on into what follows it.
"""

from __future__ import annotations

import re
from abc import ABCMeta, abstractmethod
from collections.abc import Callable

from dramaturg.episodes.answer_keys import is_like_hidden, near_guarded
from dramaturg.kernel.text.control import plain

LONGEST_KEY = 160
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
_SENTENCE = "\n"
_HIDDEN_KEY = re.compile(r"""[^\w"'“”]{0,4}\w?[^\w"'“”]{0,4}["'“]?(\w{3,12})["'”]?[^\w"'“”]{0,4}["“\[{]""")
_MAYBE_HIDDEN_KEY = re.compile(r"""[^\w"'“”]{0,4}\w?[^\w"'“”]{0,4}["'“]?\w{0,12}["'”]?[^\w"'“”]{0,4}""")
_ESCAPES = {"n": "\n", "t": "\t", "r": "", "b": "", "f": ""}
CLOSERS = {'"': '"', "'": "'", "“": "”"}


def _ends_string(look: str, *, in_list: bool) -> bool | None:
    """Whether what follows a quotation mark shows that it ended a string; None while more must be seen."""
    if _CLOSED_IN_LIST.match(look) if in_list else _CLOSED.match(look):
        return True
    if look.isspace() if in_list else _MAYBE_CLOSED.fullmatch(look):
        return None
    if is_like_hidden(look[:-1]):
        return True
    found = _HIDDEN_KEY.fullmatch(look)
    if found is not None:
        return len(found[1]) in near_guarded(found[1].lower())
    return None if not in_list and _MAYBE_HIDDEN_KEY.fullmatch(look) and look[-1] not in _SENTENCE else False


class _Halves:
    """Joins the halves of characters that are escaped as two; half a character is replaced."""

    def __init__(self, pass_on: Callable[[str], None]) -> None:
        self._pass_on = pass_on
        self._high = 0

    def hear(self, code: int) -> None:
        if 0xDC00 <= code < 0xE000:
            high, self._high = self._high, 0
            self._pass_on(chr(0x10000 + ((high - 0xD800) << 10) + code - 0xDC00) if high else "\ufffd")
            return
        self.end()
        if 0xD800 <= code < 0xDC00:
            self._high = code
        else:
            self._pass_on(plain(chr(code)))

    def end(self) -> None:
        """The second half of a character is missing."""
        if self._high:
            self._high = 0
            self._pass_on("\ufffd")


class StringReader(metaclass=ABCMeta):
    """Reads one string after another; the states are methods that take the next character."""

    def __init__(self) -> None:
        self._state: Callable[[str], None]
        self._look = ""
        self._word = ""
        self._halves = _Halves(self._hear)
        self._closer = self._mark = '"'
        self._inner = 0
        self._before = ""
        self._reads_key = False
        self._doubled = False

    def _again(self, text: str) -> None:
        for char in text:
            self._state(char)

    def _hold(self, char: str) -> None:
        """Adds to what is held back; more spaces in a row than anybody types are dropped."""
        if not char.isspace() or not self._look[-_SPACES:].isspace() or len(self._look) < _SPACES:
            self._look += char

    def _begin_string(self, mark: str, *, is_key: bool) -> None:
        self._closer, self._reads_key, self._word = CLOSERS[mark], is_key, ""
        self._inner, self._before = 0, ""
        if not is_key:
            self._begin_value()
        self._state = self._string

    def _string(self, char: str) -> None:
        if char == "\\":
            self._state = self._doubled_escape if self._doubled else self._escape
        elif self._reads_key and char in "{[":
            self._halves.end()
            self._named(self._word)
            self._push(char)
        elif self._reads_key and char in (self._closer, '"', "”", "\n"):
            self._halves.end()
            self._named(self._word)
            self._look = ""
            self._state = self._colon
        elif not self._is_inner(char) and char in (self._closer, '"', "”"):
            self._halves.end()
            self._mark, self._look = char, ""
            self._state = self._closing
        else:
            self._halves.end()
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
        closed = False if is_apostrophe else _ends_string(look, in_list=self._in_list())
        if closed is None:
            return
        self._look = ""
        if closed:
            self._end_value()
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
        self._halves.end()
        self._hear(_ESCAPES.get(char, char))
        self._state = self._string

    def _unicode(self, char: str) -> None:
        if char not in "0123456789abcdefABCDEF":
            self._look = ""
            self._halves.end()
            self._hear("\ufffd")
            self._state = self._string
            self._string(char)
            return
        self._look += char
        if len(self._look) < 4:
            return
        code, self._look = int(self._look, 16), ""
        self._state = self._string
        self._halves.hear(code)

    def _hear(self, char: str) -> None:
        """A character of a string: of a key, or of a value."""
        if not self._reads_key:
            self._before = char
            self._hear_value(char)
        elif len(self._word) < LONGEST_KEY:
            self._word += char

    # What a form makes of them.

    @abstractmethod
    def _in_list(self) -> bool: ...

    @abstractmethod
    def _push(self, char: str) -> None: ...

    @abstractmethod
    def _named(self, key: str) -> None: ...

    @abstractmethod
    def _begin_value(self) -> None: ...

    @abstractmethod
    def _hear_value(self, char: str) -> None: ...

    @abstractmethod
    def _end_value(self) -> None: ...

    @abstractmethod
    def _colon(self, char: str) -> None: ...

    @abstractmethod
    def _after_value(self, char: str) -> None: ...
