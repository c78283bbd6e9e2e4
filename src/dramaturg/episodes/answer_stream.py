"""A character's answer, read while it arrives: only words and gestures are shown, whatever the model sends.

The reader goes through the text character by character, so it does not matter how it was split into pieces. It
reads JSON in any key order, in fences, amid prose, truncated or malformed, and lines or tags with the same keys; if
there is none, the prose itself is the answer. Anything under another key, in `<think>` or another channel, or after a
label such as "Internal:" is never shown. What was shown is the answer: nothing is taken back and nothing added.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from dramaturg.episodes.answer import StructuredAnswer, mood_of, shift_of
from dramaturg.episodes.answer_form import LONGEST_SHOWN, FormReader
from dramaturg.episodes.answer_keys import VISIBLE, is_hidden_label, is_like_hidden
from dramaturg.episodes.answer_marks import MarkFilter, MarkKind
from dramaturg.episodes.note_filter import NoteFilter
from dramaturg.model_notes.labels import is_answer_label
from dramaturg.model_notes.notes import without_thoughts
from dramaturg.model_notes.preambles import without_preamble
from dramaturg.model_notes.thoughts import is_reasoning

ANSWER_READER = "a character's answer"
HEAD_LIMIT = 160
"""The most prose before the JSON, in characters; beyond that, the prose is the answer, unless it is reasoning."""
_MARKS = 64
"""How many marks before a label are held back: what a text has of them beyond that tells nothing."""
_LOST_CHANNELS = "assistantfinal"
"""What remains of the marks of channels where a server removes them."""
_PHRASE = r"[\w\s,;.'-]{0,60}+"
_OBJECT = re.compile(rf"""\{{\s*+(?:[^\sA-Za-z_]|[A-Za-z_]{_PHRASE}(?:["“”:\\{{\[]|\}}(?:["“”'\w]|\s*+:)))""")
_MAYBE_OBJECT = re.compile(rf"""\{{\s*+(?:[A-Za-z_]{_PHRASE}(?:\}}\s*+)?)?""")
_KEY = re.compile(r"""["'“]\w+["'”]\s*+:""")
_MAYBE_KEY = re.compile(r"""["'“]\w{0,40}(?:["'”]\s*)?""")
_BEFORE_LABEL = "*_([【（#>\"“,'-"
_AFTER_LABEL = "*_\"”'\\"
_LABEL = re.compile(r"[\s*_(\[【（#>\"“,'-]*+([^\W\d_](?:[^\W\d]|[ '’.-]){0,28}?)([*_\"”'\\]*+\s*+)[:：]")
_KEY_END = re.compile(r"[\s*_(\[#>“,'-]*+\"\s*+:")
_MAYBE_LABEL = re.compile(r"[\s*_(\[【（#>\"“,'-]*+(?:[^\W\d_](?:[^\W\d]|[ '’.-]){0,28}[*_\"”'\\]*+\s*+)?")


_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]{0,3}[*_]{0,3}([^\W\d_][\w '’-]{0,28}?)[*_]{0,3}[ \t]{0,3}\n")
_NOTE_MARKS = "([【（*"
_TAIL = 40
_ANSWERS = re.compile(r"[.!?…。][ \t]{0,3}([^\W\d_][^\W\d]{0,20}(?: [^\W\d]{1,20})?)[*_]{0,2}[:：]\Z")


class AnswerReader(FormReader):
    """Takes an answer in pieces and returns what may be shown of each. After `close`, `answer` is complete."""

    def __init__(self) -> None:
        super().__init__()
        self.shown = ""
        self._state = self._head
        self._trial_from: Callable[[str], None] = self._head
        self._notes = NoteFilter(lambda char: self._state(char))
        self._marks = MarkFilter(self._notes.hear, self._met)
        self._held = ""
        self._last = ""
        self._prose: list[str] = []
        self._gap = self._tail = ""
        self._lined = False
        self._label_marks = 0
        self._closed = False

    def feed(self, piece: str) -> str:
        """The part of the next piece that may be shown; often empty."""
        for char in piece:
            if self._frames:
                self._state(char)
            else:
                self._marks.hear(char)
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
        return not self._values and bool(self._prose)

    @property
    def content(self) -> str:
        """The answer as it appears in the conversation: exactly what was shown."""
        return self.shown

    @property
    def answer(self) -> StructuredAnswer:
        """The parts of the answer, as far as they could be read; prose before a form is part of it."""
        told, values = _from_prose("".join(self._prose)), self._values
        action = " ".join(values.get("action").split())
        if self._lined:
            action = action.strip('"“”')
        return StructuredAnswer(
            dialogue=f"{told.dialogue} {values.get('dialogue')}".strip(),
            action=f"{told.action} {action}".strip(),
            internal=values.get("internal"),
            mood=mood_of(values.get("mood")),
            tension_shift=shift_of(values.get("tension_shift")),
        )

    def _take(self) -> str:
        new = "".join(self._new)
        self._new.clear()
        self.shown += new
        return new

    # Before it is clear whether this is a form or prose.

    def _head(self, char: str) -> None:
        if char == "{":
            self._begin_trial()
            return
        self._held += char
        text = self._held.lstrip()
        if not text or text.endswith(_LOST_CHANNELS):
            self._held = ""
        elif _KEY.match(text):
            self._held, self._look = "", "{" + text
            self._begin_object()
        elif text[0] in '*"“—' and len(text) > 1 and not _MAYBE_KEY.fullmatch(text):
            self._turn_to_prose()
        elif len(text) > HEAD_LIMIT and is_reasoning(text):
            self._held, self._state = "", self._reasoning
        elif len(text) > HEAD_LIMIT:
            self._turn_to_prose()

    def _reasoning(self, char: str) -> None:
        """Nothing of it is shown; a form follows, or the end of the thought."""
        if char == "{":
            self._begin_trial()
            return
        self._held = (self._held + char)[-len(_LOST_CHANNELS) :]
        if self._held == _LOST_CHANNELS:
            self._held, self._state = "", self._head

    def _turn_to_prose(self) -> None:
        held, self._held, self._look = without_preamble(self._held).lstrip(), "", ""
        self._state = self._line_start
        self._again(held)

    def _begin_trial(self) -> None:
        self._look, self._trial_from = "{", self._state
        self._state = self._trial_in_head

    def _trial_in_head(self, char: str) -> None:
        self._hold(char)
        if _OBJECT.match(self._look):
            self._held = ""
            self._begin_object()
        elif not _MAYBE_OBJECT.fullmatch(self._look):
            look, self._look = self._look, ""
            self._held += look[0]
            self._state = self._trial_from
            self._again(look[1:])

    def _met(self, kind: MarkKind, key: str) -> None:
        """A mark: the end of a thought that began before the text, or the tag of a visible part."""
        in_head = self._state in (self._head, self._reasoning, self._trial_in_head)
        if kind == "ends":
            if in_head:
                self._held, self._look, self._state = "", "", self._head
            return
        if in_head:
            self._turn_to_prose()
        if self._state not in (self._line_start, self._mid_line):
            return
        self._release()
        self._values.end()
        self._state, self._gap = self._mid_line, ""
        if kind == "opens":
            self._lined = True
            self._values.begin(key, f"<{key}>", first=not self._length, more=True)

    # Prose, line by line: the beginning of a line is held back while it may still be a label.

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
            if self._length < LONGEST_SHOWN:
                self._prose.append(self._gap + text)
            self._show(self._gap + text)
            self._gap = ""

    def _release(self) -> None:
        """What was held back while it could have been a label is text."""
        look, self._look = self._look, ""
        if look and look[0] not in "{`":
            self._tell(look)

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
            self._labelled(label)
        elif (heading := _HEADING.fullmatch(self._look)) and self._is_section(heading[1].lower()):
            self._look = ""
        elif char in "{`\n" or not _MAYBE_LABEL.fullmatch(self._look):
            look, self._look = self._look, ""
            self._tell(look[:-1])
            self._state = self._mid_line
            self._mid_line(char)

    def _labelled(self, label: re.Match[str]) -> None:
        """A label that is a key begins a value if the answer began with one; in prose it is left out."""
        name = label[1].strip().lower()
        if is_hidden_label(name, marked=any(mark in _NOTE_MARKS for mark in label[0])):
            if label[0].lstrip()[0] in '"“' and label[1][0].isupper():
                self._look, self._state = label[0], self._said_label
                return
            self._values.end()
            self._tail = ""
            self._state = self._hidden_line
            return
        is_first = not self._prose and not self._values.is_open
        if name in VISIBLE and (self._lined or is_first):
            self._lined, self._gap = True, ""
            self._values.end()
            self._values.begin(VISIBLE[name], name, first=not self._length, more=True, in_line=True)
        elif name not in VISIBLE and not (is_first and is_answer_label(name)):
            self._tell(label[0])
            self._state = self._mid_line
            return
        self._label_marks = sum(char in "*_" for char in label[0].partition(label[1])[0])
        self._state = self._after_label

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
        return False

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
        if char in "{`":
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
            self._state = self._line_start
        elif label := _LABEL.match(self._look):
            look, self._look = self._look, ""
            visible = label[1].strip().lower() in VISIBLE or is_answer_label(label[1])
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

    def _finish(self) -> None:
        if not self._frames:
            self._marks.end()
            self._notes.end()
        if self._state in (self._head, self._trial_in_head) and not self._values:
            self._held, look, self._look = _answered_in(self._held), self._look, ""
            if (self._held + look).strip() and self._trial_from == self._head:
                self._turn_to_prose()
                self._look += look
                self._state = self._trial_in_prose if look else self._state
        if self._state == self._trial_in_prose:
            self._finish_trial()
        elif self._state in (self._line_start, self._mid_line, self._ticks):
            self._release()
        self._lone()
        self._values.end()

    def _finish_trial(self) -> None:
        """A brace at the end of prose is text, unless a form may just have begun."""
        look, self._look = self._look, ""
        words = look.strip("{} \n")
        if ("}" in look or " " in words or "." in words) and not is_like_hidden(words):
            self._tell(look)


def _answered_in(text: str) -> str:
    """What is an answer in a short text without a form; what only speaks about one is left out."""
    return without_thoughts(text) if is_reasoning(text) else text


def _from_prose(text: str) -> StructuredAnswer:
    """Prose as an answer: text between asterisks is a gesture, the rest is speech."""
    deeds = re.findall(r"\*([^*\n]+)\*", text)
    spoken = " ".join(re.sub(r"\*[^*\n]+\*", " ", text).split())
    if len(spoken) > 2 and spoken[0] in '"“' and spoken[-1] in '"”' and not re.search(r'["“”]', spoken[1:-1]):
        spoken = spoken[1:-1].strip() or spoken
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
