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
from dramaturg.episodes.answer_keys import is_like_hidden
from dramaturg.episodes.answer_marks import MarkFilter, MarkKind
from dramaturg.episodes.answer_names import NO_NAMES, AnswerNames, MacroFilter, NameRows
from dramaturg.episodes.answer_prose import MAYBE_OBJECT, OBJECT, ProseReader
from dramaturg.episodes.key_rows import KeyRows
from dramaturg.episodes.note_filter import NoteFilter
from dramaturg.kernel.reasoning import announces_reasoning, may_announce, without_fenced_reasoning
from dramaturg.model_notes.form_rows import FormRows
from dramaturg.model_notes.notes import without_thoughts
from dramaturg.model_notes.preambles import without_preamble
from dramaturg.model_notes.refusal import declines_to_play
from dramaturg.model_notes.spoken_part import NO_WORDS
from dramaturg.model_notes.thoughts import is_reasoning

ANSWER_READER = "a character's answer"
HEAD_LIMIT = 160
"""The most prose before the JSON, in characters; beyond that, the prose is the answer, unless it is reasoning."""
LONGEST_REASONING = 60_000
"""How much of a thought without marks is kept, in case that nothing but words follows it."""
_LOST_CHANNELS = "assistantfinal"
"""What remains of the marks of channels where a server removes them."""
_THOUGHT_ENDS = (_LOST_CHANNELS, "...done thinking.", "…done thinking.")
_LONGEST_END = max(map(len, _THOUGHT_ENDS))
_AFTER_FORM, _FORM_GOES_ON = "]},;`", "\"'“:"
_FENCE_BEGUN = re.compile(r"\s{0,9}```\w{0,20}\s{0,9}\Z")
_UNDER_KEY = re.compile(r"""(\w{1,24})["'”]\s{0,4}[:=]\s{0,4}\Z""")
_KEY = re.compile(r"""["'“]\w+["'”]\s*+:""")
_MAYBE_KEY = re.compile(r"""["'“]\w{0,40}(?:["'”]\s*)?""")


class AnswerReader(ProseReader):
    """Takes an answer in pieces and returns what may be shown of each. After `close`, `answer` is complete.

    With the `names` of who is there, it ends where somebody else's words begin.
    """

    def __init__(self, names: AnswerNames = NO_NAMES) -> None:
        super().__init__(names)
        self.shown = ""
        self._state = self._head
        self._trial_from: Callable[[str], None] = self._head
        self._notes = NoteFilter(lambda char: self._state(char))
        self._rows = NameRows(self._notes.hear, names)
        self._form_rows = FormRows(self._rows.hear)
        self._key_rows = KeyRows(lambda char: self._hear_in_row(char))
        self._marks = MarkFilter(self._key_rows.hear, self._met)
        self._macros = MacroFilter(self._read, names)
        self._held = ""
        self._preface = ""
        self._thought: list[str] = []
        self._closed = False
        self.declined = False
        """Whether the model declined to play, in words of its own: nothing of them is shown."""

    def feed(self, piece: str) -> str:
        """The part of the next piece that may be shown; often empty."""
        for char in piece:
            if char == "{" or self._macros.held:
                self._macros.hear(char)
            elif self._frames:
                self._state(char)
            else:
                self._marks.hear(char)
        return self._take()

    def _hear_in_row(self, char: str) -> None:
        """A character of a row; where the row began a form, the rest of it belongs to that."""
        if self._frames:
            self._state(char)
        else:
            self._form_rows.hear(char)

    def _read(self, char: str) -> None:
        if self._frames:
            self._state(char)
        else:
            self._marks.hear(char)

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
        elif announces_reasoning(text) or (len(text) > HEAD_LIMIT and is_reasoning(without_fenced_reasoning(text))):
            self._thought, self._held, self._state = [text], "", self._reasoning
        elif len(text) > HEAD_LIMIT or self._is_prose_at_once(text):
            self._turn_to_prose()

    def _is_prose_at_once(self, text: str) -> bool:
        """Whether a text begins as no form, no key and no heading over reasoning does."""
        begins = text[0] in '*"“—' and len(text) > 1
        return begins and not (_MAYBE_KEY.fullmatch(text) or may_announce(text))

    def _reasoning(self, char: str) -> None:
        """Nothing of it is shown while it arrives; a form follows, the end of the thought, or only words."""
        if char == "{":
            self._begin_trial()
            return
        if len(self._thought) < LONGEST_REASONING:
            self._thought.append(char)
        self._held = (self._held + char)[-_LONGEST_END:]
        if self._held.lower().endswith(_THOUGHT_ENDS):
            self._held, self._state = "", self._head
            self._thought.clear()

    def _seek(self, char: str) -> None:
        """Behind a form without words the answer may follow as prose: on a row of its own, not as a form goes on."""
        if char == "\n":
            self._held = (self._held + char)[:2]
        elif char == "{" or self._values.has_others:
            self._held = ""
            super()._seek(char)
        elif not char.isspace() and char not in _AFTER_FORM:
            follows = len(self._held) > (char in _FORM_GOES_ON)
            self._held, self._state = "", self._head if follows else self._only_forms
            self._state(char)

    def _only_forms(self, char: str) -> None:
        super()._seek(char)

    def _turn_to_prose(self) -> None:
        if declines_to_play(self._held, tagged=False):
            self.declined, self._held = True, ""
            self._stop()
            return
        held, self._held, self._look = without_preamble(self._held).lstrip(), "", ""
        self._state = self._line_start
        self._again(held)

    def _begin_trial(self) -> None:
        self._look, self._trial_from = "{", self._state
        self._state = self._trial_in_head

    def _trial_in_head(self, char: str) -> None:
        self._hold(char)
        if OBJECT.match(self._look):
            if not self._thought:
                self._preface = self._preface or self._held
            key, self._held = _UNDER_KEY.search(self._held[-HEAD_LIMIT:]), ""
            if key is None:
                self._begin_object()
            else:
                self._begin_value_of(key[1])
        elif not MAYBE_OBJECT.fullmatch(self._look):
            look, self._look = self._look, ""
            self._held += look[0]
            self._state = self._trial_from
            self._again(look[1:])

    def _begin_value_of(self, key: str) -> None:
        """An object under a key whose own brace is missing."""
        look = self._begin_form()
        self._named(key)
        self._state = self._value
        self._again(look)

    def _met(self, kind: MarkKind, key: str) -> None:
        """A mark: the end of a thought that began before the text, or the tag of a visible part."""
        in_head = self._state in (self._head, self._reasoning, self._trial_in_head)
        if kind == "ends":
            if in_head:
                self._key_rows.restart()
                self._form_rows.restart()
                self._rows.restart()
                self._held, self._look, self._state = "", "", self._head
                self._thought.clear()
            return
        if kind == "stops":
            self._key_rows.end()
        else:
            self._key_rows.met_tag(opens=kind == "opens")
        self._form_rows.end()
        self._rows.end()
        if kind == "stops":
            self._notes.end()
            self._conclude()
            if self._length:
                self._stop()
            return
        if in_head:
            self._turn_to_prose()
        hidden = kind == "opens" and self._state in (self._hidden_line, self._hidden_break, self._after_bold)
        if hidden:
            self._look = ""
        elif self._state not in (self._line_start, self._mid_line):
            return
        self._release()
        self._values.end()
        self._state, self._gap = self._mid_line, ""
        if kind == "opens":
            self._lined = True
            self._values.begin(key, f"<{key}>", first=not self._length, more=True)

    def _finish(self) -> None:
        self._macros.end()
        if not self._frames:
            self._marks.end()
            self._key_rows.end()
            self._form_rows.end()
            self._rows.end()
            self._notes.end()
        self._conclude()
        if not self._length:
            self._values.supply()
        if not self._length:
            self._conclude_preface()
        if not self._length and self._marks.call:
            self._read_call("".join(self._marks.call))

    def _read_call(self, text: str) -> None:
        """The answer stands in a tool's call, and nowhere else."""
        self._frames, self._state, self._held, self._look = [], self._head, "", ""
        self._again(text.rpartition("</")[0] or text)
        self._conclude()
        if not self._length:
            self._values.supply()

    def _conclude(self) -> None:
        """Decides about everything that was held back."""
        if self._state in (self._head, self._trial_in_head, self._reasoning) and not self._values.has_words:
            self._conclude_head()
        if self._state == self._hidden_break:
            self._end_hidden()
        if self._state == self._list_item:
            self._begin_item()
        if self._state == self._trial_in_prose:
            self._finish_trial()
        elif self._state in (self._line_start, self._mid_line, self._ticks, self._tilde_line):
            self._release()
        self._halves.end()
        self._values.end()
        self.declined = self.declined or self._values.declined
        self._closings.end()

    def _conclude_preface(self) -> None:
        """Words before a form that had none are the answer, unless they only announced it."""
        words = _answered_in(_FENCE_BEGUN.sub("", self._preface)).strip()
        if any(map(str.isalnum, words)) and not words.endswith((":", "：")):
            self._held, self._frames = words, []
            self._turn_to_prose()
            self._release()
            self._closings.end()

    def _conclude_head(self) -> None:
        look, self._look = self._look, ""
        if self._thought:
            self._held, look = _answered_in("".join(self._thought)), ""
            self._thought.clear()
        else:
            self._held = _answered_in(self._held)
        if (self._held + look).strip() in NO_WORDS:
            self._held = ""
        elif (self._held + look).strip():
            self._turn_to_prose()
            if self._state in (self._hidden_line, self._hidden_break, self._hidden_section, self._after_bold):
                self._again(look)
                return
            self._look += look
            self._state = self._trial_in_prose if look else self._state

    def _finish_trial(self) -> None:
        """A brace at the end of prose is text, unless a form may just have begun."""
        look, self._look = self._look, ""
        words = look.strip("{} \n")
        if ("}" in look or " " in words or "." in words) and not is_like_hidden(words):
            self._tell(look)


def _answered_in(text: str) -> str:
    """What is an answer in a short text without a form; what only speaks about one is left out."""
    told = without_fenced_reasoning(text)
    return without_thoughts(told) if is_reasoning(told) else told


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


def shown_text(text: str, names: AnswerNames = NO_NAMES) -> str:
    """What is shown of an answer, complete or not."""
    reader = AnswerReader(names)
    return reader.feed(text) + reader.close()
