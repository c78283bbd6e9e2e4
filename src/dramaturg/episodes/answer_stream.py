"""A character's answer, read while it arrives: only words and gestures are shown, whatever the model sends.

The reader goes through the text character by character, so it does not matter how it was split into pieces. It
reads JSON in any key order, in fences, amid prose, truncated or malformed; if there is none, the prose itself is the
answer. Anything under another key, in `<think>` or after a label such as "Internal:" is never shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from dramaturg.episodes.answer import StructuredAnswer, mood_of, shift_of
from dramaturg.episodes.answer_keys import VISIBLE, WRAPPERS, is_hidden_label, is_like_hidden, key_of, visible_key
from dramaturg.episodes.value_sink import ValueSink

ANSWER_READER = "a character's answer"
HEAD_LIMIT = 160
"""The most prose before the JSON, in characters; beyond that, the prose is the answer."""
LONGEST_SHOWN = 20_000

_SPACES, _MARKS = 32, 64
"""How many spaces, and marks before a label, are held back: what a text has of them beyond that tells nothing."""
_PHRASE = r"[\w\s,;.'-]{0,60}+"
_OBJECT = re.compile(rf"""\{{\s*+(?:[^\sA-Za-z_]|[A-Za-z_]{_PHRASE}(?:["“”:\\{{\[]|\}}(?:["“”'\w]|\s*+:)))""")
_MAYBE_OBJECT = re.compile(rf"""\{{\s*+(?:[A-Za-z_]{_PHRASE}(?:\}}\s*+)?)?""")
# A quotation mark ends a string if a comma or a space and another mark follow, or what could be a key: a line cut
# short is better than one that runs on into what follows it.
_WORD = r"[A-Za-z_][\w-]{0,40}+"
_CLOSED = re.compile(
    rf"""\s*+(?:[}}\]"“:]|,\s*+[^\sA-Za-z_]|,\s*+{_WORD}\s*+[:"'”]|'?{_WORD}["'”]?\s*+:"""
    r"""|[\w' ,;.\\\s-]{0,24}[:{}\[\]]|,[\w' ,;.\s-]{0,24}\\|[\w' ,;.\s-]{0,24}\\["'”]|[ ,;.]{1,24}["“])"""
)
_MAYBE_CLOSED = re.compile(r"[\w' ,;.\\\s-]{0,24}")
_CLOSED_IN_LIST = re.compile(r"\s*+[,\]}:]")
_TAG = re.compile(r"<(think|thinking|internal|thought|thoughts|reasoning|state|scratchpad)>", re.IGNORECASE)
_KEY = re.compile(r"""["'“]\w+["'”]\s*+:""")
_MAYBE_KEY = re.compile(r"""["'“]\w{0,40}(?:["'”]\s*)?""")
_MAYBE_TAG = re.compile(r"<[A-Za-z]{0,12}")
_BEFORE_LABEL = "*_([#>\"“,'-"
_AFTER_LABEL = "*_\"”'\\"
_LABEL = re.compile(r"[\s*_(\[#>\"“,'-]*+([A-Za-z][A-Za-z _-]{0,28}?)([*_\"”'\\]*+\s*+):")
_KEY_END = re.compile(r"[\s*_(\[#>“,'-]*+\"\s*+:")
_MAYBE_LABEL = re.compile(r"[\s*_(\[#>\"“,'-]*+(?:[A-Za-z][A-Za-z _-]{0,28}[*_\"”'\\]*+\s*+)?")
_ESCAPES = {"n": "\n", "t": "\t", "r": "", "b": "", "f": ""}
_CLOSERS = {'"': '"', "'": "'", "“": "”"}


@dataclass(slots=True)
class _Frame:
    """An open object or list: the key of its values, and whether everything in it is hidden."""

    is_list: bool
    key: str
    hidden: bool


class AnswerReader:
    """Takes an answer in pieces and returns what may be shown of each. After `close`, `answer` is complete."""

    def __init__(self) -> None:
        self.shown = ""
        self._length = 0
        self._new: list[str] = []
        self._state: Callable[[str], None] = self._head
        self._held = ""
        self._look = ""
        self._word = ""
        self._high = ""
        self._closer = self._mark = '"'
        self._reads_key = False
        self._frames: list[_Frame] = []
        self._values: dict[str, str] = {}
        self._current: str | None = None
        self._sink: ValueSink | None = None
        self._tag = ""
        self._has_prose = False
        self._last = ""
        self._parts: list[str] = []
        self._room = 0
        self._closed = False

    def feed(self, piece: str) -> str:
        """The part of the next piece that may be shown; often empty."""
        for char in piece:
            self._state(char)
        return self._take()

    def close(self) -> str:
        """Ends the answer; returns what was held back and may be shown after all."""
        if not self._closed:
            self._closed = True
            self._finish()
        return self._take()

    @property
    def is_prose(self) -> bool:
        """Whether the answer had no form, only text."""
        return not self._values and self._has_prose

    @property
    def content(self) -> str:
        """The answer as it appears in the conversation."""
        return self.shown.strip() if self.is_prose else self.answer.content

    @property
    def answer(self) -> StructuredAnswer:
        """The parts of the answer, as far as they could be read."""
        if self.is_prose:
            return _from_prose(self.shown)
        values = {key: value.strip() for key, value in self._values.items()}
        return StructuredAnswer(
            dialogue=values.get("dialogue", ""),
            action=" ".join(values.get("action", "").split()),
            internal=values.get("internal", ""),
            mood=mood_of(values.get("mood", "")),
            tension_shift=shift_of(values.get("tension_shift", "")),
        )

    def _take(self) -> str:
        new = "".join(self._new)
        self._new.clear()
        self.shown += new
        return new

    def _show(self, text: str) -> None:
        if self._length < LONGEST_SHOWN:
            self._length += len(text)
            self._new.append(text)

    def _again(self, text: str) -> None:
        for char in text:
            self._state(char)

    # Before it is clear whether this is a form or prose.

    def _head(self, char: str) -> None:
        if char == "{":
            self._look = char
            self._state = self._trial_in_head
            return
        self._held += char
        text = self._held.lstrip()
        if not text:
            self._held = ""
        elif text[0] == "<" and (tag := _TAG.match(text)):
            self._begin_tag(tag[1], self._head)
            self._held = ""
        elif _KEY.match(text):
            self._held, self._look = "", "{" + text
            self._begin_object()
        elif len(text) > HEAD_LIMIT or (text[0] in '*"“—' and len(text) > 1 and not _MAYBE_KEY.fullmatch(text)):
            self._turn_to_prose()
        elif text.endswith(("</think>", "</thinking>")):
            self._held = ""

    def _turn_to_prose(self) -> None:
        held, self._held, self._look = self._held.lstrip(), "", ""
        self._state = self._line_start
        self._again(held)

    def _hold(self, char: str) -> None:
        """Adds to what is held back; more spaces in a row than anybody types are dropped."""
        if not char.isspace() or not self._look[-_SPACES:].isspace() or len(self._look) < _SPACES:
            self._look += char

    def _trial_in_head(self, char: str) -> None:
        self._hold(char)
        if _OBJECT.match(self._look):
            self._held = ""
            self._begin_object()
        elif not _MAYBE_OBJECT.fullmatch(self._look):
            look, self._look = self._look, ""
            self._held += look[0]
            self._state = self._head
            self._again(look[1:])

    def _begin_tag(self, name: str, then: Callable[[str], None]) -> None:
        end, seen = f"</{name.lower()}>", ""

        def inside(char: str) -> None:
            nonlocal seen
            seen = (seen + char.lower())[-len(end) :]
            if seen == end:
                self._state = then

        self._state = inside

    # Prose, line by line: the beginning of a line is held back while it may still be a label.

    def _tell(self, text: str) -> None:
        self._last = text[-1:]
        self._has_prose = self._has_prose or (not text.isspace() and bool(text))
        self._show(text)

    def _hold_label(self, char: str, *, shown: bool) -> None:
        """Adds to what may become a label; of the marks before and after it only the nearest are held back."""
        words = self._look.lstrip(f"{_BEFORE_LABEL} \t")
        marks = _AFTER_LABEL if words else _BEFORE_LABEL
        run = len(self._look) - len(self._look.rstrip(f"{marks} \t"))
        if run >= _MARKS and (char in marks or char.isspace()):
            if words:
                return
            if shown:
                self._tell(self._look[0])
            self._look = self._look[1:]
        self._look += char

    def _is_key(self, label: re.Match[str]) -> bool:
        """Whether a label is the key of a form that has lost its beginning: `plan":`, or `"pl"an:`."""
        return label[2][:1] in ('"', "”", "\\") or (self._last.isalnum() and label[0][0] in '"“')

    def _line_start(self, char: str) -> None:
        self._hold_label(char, shown=True)
        label = _LABEL.match(self._look)
        if _KEY_END.fullmatch(self._look):
            self._begin_form()
            self._state = self._value
        elif label and self._is_key(label):
            self._begin_form()
            self._named(label[1])
            self._state = self._value
        elif label:
            self._look = ""
            if is_hidden_label(label[1].strip()):
                self._state = self._hidden_line
                return
            self._state = self._mid_line
            if label[1].strip().lower() not in VISIBLE:
                self._tell(label[0])
        elif char in "{<`\n" or not _MAYBE_LABEL.fullmatch(self._look):
            look, self._look = self._look, ""
            self._tell(look[:-1])
            self._state = self._mid_line
            self._mid_line(char)

    def _mid_line(self, char: str) -> None:
        if char in "{<`":
            self._look = char
            self._state = {"{": self._trial_in_prose, "<": self._tag_in_prose, "`": self._ticks}[char]
        elif char in '\n([*"“,':
            if char == "\n":
                self._tell(char)
                self._look = ""
            else:
                self._look = char
            self._state = self._line_start
        else:
            self._tell(char)

    def _hidden_line(self, char: str) -> None:
        if char == "\n":
            self._look = ""
            self._state = self._hidden_break

    def _hidden_break(self, char: str) -> None:
        """Hidden text continues over the next lines, up to an empty one or another label."""
        self._hold_label(char, shown=False)
        if not self._look.strip() and char == "\n":
            self._look = ""
            self._state = self._line_start
        elif label := _LABEL.match(self._look):
            look, self._look = self._look, ""
            visible = label[1].strip().lower() in VISIBLE
            self._state = self._line_start if visible else self._hidden_line
            self._again(look if visible else "")
        elif char == "\n" or (self._look.strip() and not _MAYBE_LABEL.fullmatch(self._look)):
            self._look = ""
            self._state = self._hidden_break if char == "\n" else self._hidden_line

    def _trial_in_prose(self, char: str) -> None:
        self._hold(char)
        if _OBJECT.match(self._look):
            self._begin_object()
        elif not _MAYBE_OBJECT.fullmatch(self._look):
            look, self._look = self._look, ""
            self._tell(look[0])
            self._state = self._mid_line
            self._again(look[1:])

    def _tag_in_prose(self, char: str) -> None:
        self._look += char
        if tag := _TAG.fullmatch(self._look):
            self._look = ""
            self._begin_tag(tag[1], self._mid_line)
        elif not _MAYBE_TAG.fullmatch(self._look):
            look, self._look = self._look, ""
            self._tell(look[0])
            self._state = self._mid_line
            self._again(look[1:])

    def _ticks(self, char: str) -> None:
        if char == "`":
            self._look += char if len(self._look) < 3 else ""
            return
        look, self._look = self._look, ""
        if len(look) < 3:
            self._tell(look)
            self._state = self._mid_line
        else:
            self._state = self._fence_line
        self._state(char)

    def _fence_line(self, char: str) -> None:
        if char == "{":
            self._state = self._mid_line
            self._mid_line(char)
        elif char == "\n":
            self._look = ""
            self._state = self._line_start

    # The form.

    def _begin_object(self) -> None:
        look = self._begin_form()
        self._again(look[1:])

    def _begin_form(self) -> str:
        """Prose or not, from here on there are keys and values; returns what was held back."""
        look, self._look = self._look, ""
        self._frames = [_Frame(is_list=False, key="", hidden=False)]
        self._state = self._key
        return look

    def _key(self, char: str) -> None:
        if char.isspace() or char == ",":
            return
        if char in "}]":
            self._pop()
        elif char in _CLOSERS:
            self._begin_string(char, is_key=True)
        elif char in "{[":
            self._push(char, hidden=True)
        else:
            self._word = char
            self._state = self._bare_key

    def _bare_key(self, char: str) -> None:
        if char == ":":
            self._named(self._word)
            self._state = self._value
        elif char in "},]":
            self._state = self._key
            self._key(char)
        elif len(self._word) < HEAD_LIMIT:
            self._word += char

    def _colon(self, char: str) -> None:
        if char == ":":
            self._state = self._value
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
        self._frames[-1].key = key_of(key)

    def _value(self, char: str) -> None:
        if char.isspace():
            return
        if char in _CLOSERS:
            self._begin_string(char, is_key=False)
        elif char in "{[":
            self._push(char)
        elif char in "},]":
            self._state = self._after_value
            self._after_value(char)
        else:
            self._begin_value()
            self._literal(char)
            self._state = self._literal

    def _literal(self, char: str) -> None:
        if char in ",}]\n" or char in _CLOSERS:
            self._end_value()
            self._state = self._after_value
            self._after_value(char)
        else:
            self._hear(char)

    def _after_value(self, char: str) -> None:
        frame = self._frames[-1]
        if char == ",":
            self._state = self._value if frame.is_list else self._key
        elif char in "}]":
            self._pop()
        elif char in _CLOSERS:
            self._begin_string(char, is_key=not frame.is_list)
        elif not char.isspace() and not frame.is_list:
            self._state = self._key
            self._key(char)

    def _push(self, char: str, hidden: bool = False) -> None:
        above = self._frames[-1]
        secret = hidden or above.hidden or (above.key not in WRAPPERS and visible_key(above.key) is None)
        is_list = char == "["
        self._frames.append(_Frame(is_list, above.key if is_list else "", secret))
        self._state = self._value if is_list else self._key

    def _pop(self) -> None:
        self._frames.pop()
        if self._frames:
            self._state = self._after_value
        elif {"dialogue", "action"} & self._values.keys():
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
        if not is_key:
            self._begin_value()
        self._state = self._string

    def _string(self, char: str) -> None:
        if char == "\\":
            self._state = self._escape
        elif char in (self._closer, '"', "”") or (self._reads_key and char == "\n"):
            self._mark = char
            self._lone()
            if self._reads_key:
                self._named(self._word)
                self._look = ""
                self._state = self._colon
            else:
                self._look = ""
                self._state = self._closing
        else:
            self._lone()
            self._hear(char)

    def _closing(self, char: str) -> None:
        """What follows a quotation mark shows whether it ended the string."""
        self._hold(char)
        look, in_list = self._look, self._frames[-1].is_list
        closed = bool(_CLOSED_IN_LIST.match(look) if in_list else _CLOSED.match(look))
        if not closed and (look.isspace() if in_list else _MAYBE_CLOSED.fullmatch(look)):
            return
        self._look = ""
        if closed or is_like_hidden(look[:-1]):
            self._end_value()
            self._state = self._after_value
        else:
            self._state = self._string
            self._hear(self._mark)
        self._again(look)

    def _escape(self, char: str) -> None:
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
            self._hear(chr(code))

    def _lone(self) -> None:
        """The first half of a surrogate pair whose second half is missing."""
        if self._high:
            self._high = ""
            self._hear("\ufffd")

    # Values: kept by key, and shown if they may be.

    def _begin_value(self) -> None:
        frame = self._frames[-1]
        key = visible_key(frame.key) or frame.key
        self._current, self._sink = None, None
        if frame.hidden and key != "internal":
            return
        known = self._values.get(key)
        if known is not None and not frame.is_list:
            return
        self._current = key
        self._values[key] = f"{known} " if known else ""
        self._room = LONGEST_SHOWN - len(self._values[key])
        if key in ("dialogue", "action"):
            self._sink = ValueSink(key, self._show, first=not self._length, more=bool(known))

    def _hear(self, char: str) -> None:
        if self._reads_key and self._state in (self._string, self._escape, self._unicode):
            if len(self._word) < HEAD_LIMIT:
                self._word += char
            return
        if self._current is None or not _is_text(char):
            return
        if len(self._parts) < self._room:
            self._parts.append(char)
        if self._sink is not None:
            self._sink.hear(char)

    def _end_value(self) -> None:
        if self._sink is not None:
            self._sink.end()
        if self._current is not None:
            self._values[self._current] += "".join(self._parts)
        self._parts.clear()
        self._current, self._sink = None, None

    def _finish(self) -> None:
        in_prose = self._state in (self._line_start, self._mid_line, self._tag_in_prose, self._ticks)
        if self._state == self._head and self._held.strip() and not self._values:
            self._turn_to_prose()
            in_prose = True
        if in_prose and self._look and self._look[0] not in "{`":
            self._tell(self._look)
        self._lone()
        self._end_value()


def _is_text(char: str) -> bool:
    return char in "\n\t" or (char >= " " and char != "\x7f" and not "\ud800" <= char <= "\udfff")


def _from_prose(text: str) -> StructuredAnswer:
    """Prose as an answer: text between asterisks is a gesture, the rest is speech."""
    deeds = re.findall(r"\*([^*\n]+)\*", text)
    spoken = " ".join(re.sub(r"\*[^*\n]+\*", " ", text).split())
    if len(spoken) > 1 and spoken[0] in '"“' and spoken[-1] in '"”' and not re.search(r'["“”]', spoken[1:-1]):
        spoken = spoken[1:-1].strip()
    return StructuredAnswer(dialogue=spoken, action=" ".join(" ".join(deeds).split()))


def read_answer(text: str) -> StructuredAnswer:
    """Reads a complete answer at once."""
    reader = AnswerReader()
    reader.feed(text)
    reader.close()
    return reader.answer


def shown_text(text: str) -> str:
    """What is shown of an answer, complete or not."""
    reader = AnswerReader()
    return reader.feed(text) + reader.close()
