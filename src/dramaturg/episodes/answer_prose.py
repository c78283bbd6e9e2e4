"""Prose in a character's answer, line by line: the beginning of a line is held back while it may still be a label."""

from __future__ import annotations

import re

from dramaturg.episodes.answer_form import LONGEST_SHOWN, FormReader
from dramaturg.episodes.answer_keys import VISIBLE, is_hidden_label, own_label
from dramaturg.episodes.answer_names import NO_NAMES, AnswerNames
from dramaturg.kernel.reasoning import is_reasoning_name
from dramaturg.model_notes.closings import ClosingFilter
from dramaturg.model_notes.labels import is_answer_label, is_others_label, is_thought_label

_MARKS = 64
"""How many marks before a label are held back: what a text has of them beyond that tells nothing."""
_PHRASE = r"[\w\s,;.'-]{0,60}+"
_DOUBLED = rf"""\{{\s*+(?:[^\sA-Za-z_]|[A-Za-z_]{_PHRASE}["“”:\\{{\[])"""
"""A form in two braces; a word alone in them, `{{{{time}}}}`, is text."""
OBJECT = re.compile(
    rf"""\{{\s*+(?:[^\sA-Za-z_{{]|{_DOUBLED}|[A-Za-z_]{_PHRASE}(?:["“”:\\{{\[]|\}}(?:["“”'\w]|\s*+:)))"""
)
MAYBE_OBJECT = re.compile(rf"""\{{\s*+(?:\{{\s*+)?(?:[A-Za-z_]{_PHRASE}(?:\}}\s*+)?)?""")
_SPACE = "".join(filter(str.isspace, map(chr, range(0x3001))))
"""Everything that a pattern takes for a space."""
_BEFORE_LABEL = "*_([【（#>\"“,'/-"
_AFTER_LABEL = "*_\"”'\\"
_LABEL = re.compile(r"[\s*_(\[【（#>\"“,'/-]*+([^\W\d_](?:[^\W\d]|[ '’.-]){0,28}?)([*_\"”'\\]*+\s*+)[:：】=→]")
_LABEL_ENDS = ":：】=→"
_KEY_END = re.compile(r"[\s*_(\[#>“,'-]*+\"\s*+:")
_MAYBE_LABEL = re.compile(r"[\s*_(\[【（#>\"“,'/-]*+(?:[^\W\d_](?:[^\W\d]|[ '’.-]){0,28}\)?[*_\"”'\\]*+\s*+)?")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]{0,3}[*_]{0,3}([^\W\d_][\w '’-]{0,28}?)[*_]{0,3}[ \t]{0,3}\n")
_BOLD_ROW = re.compile(r"[ \t]{0,3}(?:\*\*|__)([^\W\d_][\w '’-]{0,28}?)(?:\*\*|__)[ \t]{0,3}\n")
_BOLD_LABEL = re.compile(r"\s{0,3}\*{2,3}\(?([^\W\d_][\w '’-]{0,28}?)\)?\*{2}")
_AFTER_WORD = ",;?!'’"
_SPEECH_OPENS = '"“„«「『*—'
_THOUGHT_BUBBLE = "💭"
_NOTE_MARKS = "([【（*"
_FENCE, _TILDES = "```", "~~~"
_TAIL = 40
_ANSWERS = re.compile(r"[.!?…。][ \t]{0,3}([^\W\d_][^\W\d]{0,20}(?: [^\W\d]{1,20})?)[*_]{0,2}[:：]\Z")


class ProseReader(FormReader):
    """Reads prose and lines with labels; a form may begin anywhere in it."""

    def __init__(self, names: AnswerNames = NO_NAMES) -> None:
        super().__init__(names)
        self._last = ""
        self._prose: list[str] = []
        self._gap = self._tail = ""
        self._lined = False
        self._owed = False
        """Whether a hidden label has no words yet: they stand in a row below it."""
        self._label_marks = 0
        self._fence = _FENCE
        self._closings = ClosingFilter(self._show_prose)

    def _tell(self, text: str) -> None:
        self._last = text[-1:] or self._last
        if self._values.is_open:
            self._values.hear_prose(text)
            return
        if not self._length:
            text = text.lstrip()
        if self._lined and text.isspace():
            self._gap = "\n"
        elif text:
            for char in self._gap + text:
                self._closings.hear(char)
            self._gap = ""

    def _show_prose(self, char: str) -> None:
        if self._length < LONGEST_SHOWN:
            self._prose.append(char)
        super()._show(char)

    def _show(self, text: str) -> None:
        """A value is shown: what was held back of the prose before it is decided first."""
        if self._closings.holds:
            self._closings.end()
        super()._show(text)

    def _release(self) -> None:
        """What was held back while it could have been a label is text."""
        look, self._look = self._look, ""
        if look and look[0] != "{" and look != _FENCE:
            self._tell(look)

    def _hold_label(self, char: str, *, shown: bool) -> None:
        """Adds to what may become a label; of the marks before and after it only the nearest are held back."""
        words = self._look.lstrip(f"{_BEFORE_LABEL}{_SPACE}")
        marks = _AFTER_LABEL if words else _BEFORE_LABEL
        run = len(self._look) - len(self._look.rstrip(f"{marks}{_SPACE}"))
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
        if char != "\n" or self._look:
            self._begin_line(char)
        else:
            self._tell(char)

    def _begin_line(self, char: str) -> None:
        self._hold_label(char, shown=True)
        label = _LABEL.match(self._look) if char in _LABEL_ENDS else None
        if char == ":" and _KEY_END.fullmatch(self._look):
            self._values.end()
            self._begin_form()
            self._state = self._value
        elif label and self._is_key(label):
            self._values.end()
            self._begin_form()
            self._named(label[1])
            self._state = self._value
        elif label:
            self._look = ""
            self._labelled(label)
        elif char == "\n" and self._is_heading():
            self._look = ""
        elif char == "*" and (bold := _BOLD_LABEL.fullmatch(self._look)) and is_thought_label(bold[1]):
            self._state = self._after_bold
        elif char == "~" and _TILDES.startswith(self._look.strip()):
            self._state = self._tilde_line if self._look.strip() == _TILDES else self._line_start
        elif char in "{`\n" or not _MAYBE_LABEL.fullmatch(self._look):
            look, self._look = self._look, ""
            quoted = len(look) > 2 and look[-2] in '"“'
            self._tell(look[: -1 - quoted])
            self._state = self._mid_line
            self._again(look[-1 - quoted :])

    def _after_bold(self, char: str) -> None:
        """A label in bold hides its row; a word of a sentence that is in bold as well does not."""
        look, self._look = self._look, ""
        if char in _AFTER_WORD:
            self._tell(look)
            self._state = self._mid_line
        else:
            self._values.end()
            self._tail, self._state = "", self._hidden_line
        self._state(char)

    def _labelled(self, label: re.Match[str]) -> None:
        """A label that is a key begins a value if the answer began with one; in prose it is left out."""
        name = own_label(label[1].strip().lower())
        marks = label[0].partition(label[1])[0]
        if marks.strip() == "*" and marks[-1].isspace() and self._last not in ("", "\n"):
            self._tell(label[0])  # the asterisk ended a gesture
            self._state = self._mid_line
            return
        if is_hidden_label(name, marked=any(mark in _NOTE_MARKS for mark in label[0])):
            if label[0].lstrip()[0] in '"“' and label[1][0].isupper():
                self._look, self._state = label[0], self._said_label
                return
            self._values.end()
            self._tail, self._owed = "", True
            self._state = self._hidden_line
            return
        if self._last == "\n" and is_others_label(name):
            self._stop()
            return
        is_first = not self._prose and not self._values.is_open
        if name in VISIBLE and (self._lined or is_first):
            self._lined, self._gap = True, ""
            self._values.end()
            self._values.begin(VISIBLE[name], name, first=not self._length, more=True, in_line=True)
        elif name not in VISIBLE and not (is_first and is_answer_label(name) and marks.strip()[:1] not in ('"', "“")):
            self._tell(label[0])
            self._state = self._mid_line
            return
        self._label_marks = sum(char in "*_" for char in marks)
        self._state = self._after_label

    def _stop(self) -> None:
        """Whatever follows is no part of the answer."""
        self._values.end()
        self._look, self._state = "", self._rest

    def _said_label(self, char: str) -> None:
        """A label with a capital behind a quotation mark is said by somebody, unless a mark follows as in a form."""
        self._look += char if len(self._look) < _MARKS or not char.isspace() else ""
        if char in " \t":
            return
        look, self._look = self._look, ""
        self._tail, self._state = "", self._hidden_line
        if char not in "\"“”'\\[{\n":
            self._tell(look[:-1])
            self._state = self._mid_line
        self._state(char)

    def _is_heading(self) -> bool:
        """Whether a row is the heading of a part; in bold only one that is shown has any."""
        if (heading := _HEADING.fullmatch(self._look)) is not None:
            return self._is_section(heading[1].lower())
        bold = _BOLD_ROW.fullmatch(self._look)
        return bold is not None and bold[1].lower() in VISIBLE and self._is_section(bold[1].lower())

    def _is_section(self, name: str) -> bool:
        """Whether a heading begins a part of the answer, or one that is hidden up to the next heading."""
        if name in VISIBLE:
            self._lined, self._gap = True, ""
            self._values.end()
            self._values.begin(VISIBLE[name], name, first=not self._length, more=True, in_line=True)
            return True
        if is_hidden_label(name):
            self._values.end()
            self._tail, self._state = "\n", self._hidden_section
            return True
        return is_answer_label(name)

    def _hidden_section(self, char: str) -> None:
        if char == "#" and self._tail == "\n":
            self._look, self._state = "", self._line_start
            self._line_start(char)
        self._tail = char

    def _after_label(self, char: str) -> None:
        """The rest of a bold label, and the bar of a block of lines."""
        if char in "*_" and self._label_marks:
            self._label_marks -= 1
        elif char in "|>" and self._values.is_open:
            self._label_marks = 0
        elif char.isspace() and char != "\n" and self._values.is_open:
            return
        else:
            self._state = self._mid_line
            self._mid_line(char)

    def _mid_line(self, char: str) -> None:
        if char == _THOUGHT_BUBBLE:
            self._tail, self._state = "", self._hidden_line
        elif char in "{`":
            self._look = char
            self._state = self._trial_in_prose if char == "{" else self._ticks
        elif char in '\n([【（*"“,':
            if char == "\n":
                self._tell(char)
                self._look = ""
            else:
                self._look = char
            self._state = self._line_start
        else:
            self._tell(char)

    def _hidden_line(self, char: str) -> None:
        self._tail = (self._tail + char)[-_TAIL:]
        self._owed = self._owed and (char in _AFTER_LABEL or char.isspace())
        if char == "\n":
            self._look = ""
            self._state = self._hidden_break
        elif char in ":：" and (label := _ANSWERS.search(self._tail)) and is_answer_label(label[1]):
            self._look = ""
            self._state = self._line_start

    def _hidden_break(self, char: str) -> None:
        """Hidden text continues over the next lines, up to an empty one or another label."""
        self._hold_label(char, shown=False)
        if not self._look.strip() and char == "\n":
            self._look = ""
            self._state = self._hidden_break if self._owed else self._line_start
        elif char in _LABEL_ENDS and (label := _LABEL.match(self._look)):
            look, self._look = self._look, ""
            visible = own_label(label[1].strip().lower()) in VISIBLE or is_answer_label(label[1])
            self._owed = False
            self._state = self._line_start if visible else self._hidden_line
            self._again(look if visible else "")
        elif char == "\n" or (self._look.strip() and not _MAYBE_LABEL.fullmatch(self._look)):
            self._state = self._hidden_break if char == "\n" else self._hidden_line
            self._end_hidden()

    def _end_hidden(self) -> None:
        """A row of speech or a gesture below hidden text is shown."""
        look, self._look = self._look, ""
        owed, self._owed = self._owed, False
        if _is_speech(look) and not owed:
            self._state = self._line_start
            self._again(look)

    def _trial_in_prose(self, char: str) -> None:
        self._hold(char)
        if OBJECT.match(self._look):
            self._begin_object()
        elif not MAYBE_OBJECT.fullmatch(self._look):
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
            self._look, self._state = "", self._mid_line
            self._mid_line(char)
        elif char == "\n":
            thought = is_reasoning_name(self._look.strip())
            self._look, self._tail, self._fence = "", "", _FENCE
            self._state = self._hidden_fence if thought else self._line_start
        elif len(self._look) < _TAIL:
            self._look += char

    def _tilde_line(self, char: str) -> None:
        """Three tildes begin a fence if the name of reasoning is all that follows; else they are text."""
        self._look += char
        if char == "\n" and is_reasoning_name(self._look.strip("~ \t\n")):
            self._look, self._tail, self._fence = "", "", _TILDES
            self._state = self._hidden_fence
        elif char in "{`\n" or len(self._look) > _TAIL:
            look, self._look = self._look, ""
            self._tell(look[:-1])
            self._state = self._mid_line
            self._mid_line(char)

    def _hidden_fence(self, char: str) -> None:
        self._tail = (self._tail + char)[-len(self._fence) :]
        if self._tail == self._fence:
            self._state = self._fence_line


def _is_speech(row: str) -> bool:
    """Whether a row below hidden text begins as speech or a gesture does."""
    row = row.lstrip()
    return row[:1] in tuple(_SPEECH_OPENS) and len(row) > 1 and not row[1].isspace() and row[1] != row[0]
