"""Shows an answer while it is being written: the text inside `<message>`, and nothing else.

The result does not depend on how the text was split. What is shown is what `answer_reader.py` keeps: a message after
loose words is held back until the answer is complete, since a server may have kept the tag that opened reasoning.
What a model says outside its tags is shown when the answer is complete and has been parsed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection

from dramaturg.kernel.reasoning import REASONING_TAGS, OpenThoughts, ReasoningMark
from dramaturg.model_notes.own_turn import OwnTurn
from dramaturg.workshop.foreman.loose_words import LooseRows, Whose
from dramaturg.workshop.foreman.mentions import (
    FEW_WORDS,
    LOOK_AHEAD,
    LOOK_BACK,
    is_within_sentence,
    leads_to_name,
    sentence_goes_on,
)
from dramaturg.workshop.foreman.prompt_parts import PROMPT_PARTS, WRAPPERS
from dramaturg.workshop.foreman.tag_stream import TagStream
from dramaturg.workshop.foreman.tags import (
    ACTION,
    CALL,
    MESSAGE,
    TEMPLATE,
    THINKING,
    UPDATE,
    Tag,
    attributes_of,
    plain_name,
    same_reasoning,
    tags_of,
)

READER = "the Foreman's answer"
LONGEST_GAP = 1_000
LONGEST_CODE = 400
LONGEST_END = 40
FENCE = 3
_BLANK_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")
_NOTHING: frozenset[str] = frozenset()


class _CodeMarks:
    """Follows the backticks of a message; `opened` says how many of them began the code, if any."""

    def __init__(self) -> None:
        self.opened = self._ticks = 0

    def hear(self, char: str) -> bool:
        """Whether a character is inside code, where tags are only quoted."""
        if char == "`":
            self._ticks = 0 if self.opened == 1 else self._ticks + 1
            inside = self.opened > 0
            if self.opened == 1 or self._ticks == FENCE:
                self.opened, self._ticks = 0 if self.opened else FENCE, 0
            return inside
        if self._ticks and not self.opened:
            self.opened = 1
        self._ticks = 0
        if char == "\n" and self.opened == 1:
            self.opened = 0
        return self.opened > 0


class MessageReader:
    """Reads an answer piece by piece; `feed` returns what may be shown of it now. `names` are the known actions."""

    def __init__(self, names: Collection[str] = frozenset()) -> None:
        self._names = frozenset(map(plain_name, names))
        self._own = OwnTurn()
        self._rows = LooseRows()
        self._tags = TagStream(self._text, self._met, self._is_hidden)
        self._state: Callable[[str], None] = self._outside
        self._until: frozenset[str] = _NOTHING
        self._hidden = OpenThoughts()
        self._opened: set[str] = set()
        self._in_message = False
        self._doubt: Tag | None = None
        self._weighed: tuple[Tag, str] | None = None
        self._words: list[str] = []
        self._opening = ""
        self._ahead = ""
        self._raw = ""
        self._code = _CodeMarks()
        self._span = ""
        self._line = ""
        self._is_loose = self._has_begun = False
        self._space = ""
        self._out: list[str] = []
        self._held_back: list[str] = []
        self.shown = ""

    def feed(self, text: str) -> str:
        self._read(self._own.feed(text.replace("\0", "")))
        return self._taken()

    def _read(self, text: str) -> None:
        for char in text:
            self._state(char)
            self._raw = (self._raw + char)[-2 * LOOK_BACK :]

    def close(self) -> str:
        """Ends the answer; returns what was held back and may be shown after all."""
        self._read(self._own.close())
        if self._doubt is not None:
            self._decide()
        if self._weighed is not None:
            self._weigh(over=True)
        if self._span:
            self._replay()
        if self._state != self._hiding and not self._tags.in_comment:  # reasoning may have ended where nothing is heard
            self._out += self._held_back
        self._held_back.clear()
        return self._taken()

    def _taken(self) -> str:
        piece = "".join(self._out)
        self._out.clear()
        self.shown += piece
        return piece

    # Where the reader is.

    def _outside(self, char: str) -> None:
        self._tags.hear(char)

    def _inside(self, char: str) -> None:
        if self._span:
            self._in_code(char)
        elif not self._tags.is_holding and self._code.hear(char):
            if self._code.opened == 1 and char == "<":
                self._span = char
            elif self._code.opened > 1 and char == "<":
                self._tags.hear(char)
            else:
                self._tell(char)
        else:
            self._tags.hear(char)

    def _hiding(self, char: str) -> None:
        self._tags.hear(char)

    def _in_code(self, char: str) -> None:
        """Holds a tag in what may be code until the code's end shows whether it is."""
        self._span += char
        if char == "`":
            self._code.hear(char)
            for one in self._span:
                self._tell(one)
            self._span = ""
        elif char == "\n" or len(self._span) > LONGEST_CODE:
            self._replay()

    def _replay(self) -> None:
        span, self._span = self._span, ""
        self._code = _CodeMarks()
        for one in span:
            self._state(one)

    def _text(self, char: str) -> None:
        if self._state == self._inside:
            self._tell(char)
        elif self._state == self._outside:
            self._look_for_words(char)

    def _look_for_words(self, char: str) -> None:
        """Words outside a message before the first one may be reasoning; the line of a code fence is none."""
        self._rows.collect(char)
        if char == "\n":
            self._line = ""
        elif len(self._line) < FENCE and (self._line or not char.isspace()):
            self._line += char
        if self._line != "`" * FENCE and (char.isalnum() or char == "_"):
            self._is_loose = True

    # Tags.

    def _is_hidden(self, name: str) -> bool:
        hidden = THINKING | UPDATE | ACTION | CALL | PROMPT_PARTS
        return name in hidden or plain_name(name) in self._names

    def _met(self, tag: Tag, text: str) -> None:
        if self._state == self._outside:
            self._rows.judge()
        if self._state == self._hiding:
            self._met_hidden(tag)
        elif self._state == self._inside and self._code.opened > 1:
            if tag.name in MESSAGE and tag.close:
                self._meet_message(tag)
            else:
                self._tell_all(text)
        elif tag.name in MESSAGE:
            self._met_message(tag, text)
        elif tag.name in THINKING and tag.close:
            self._end_of_reasoning()
        elif self._may_be_word(tag, text):
            self._weighed, self._words, self._opening, self._state = (tag, text), [], "", self._weighing
        elif not self._hide(tag):
            self._met_other(tag, text)

    def _met_other(self, tag: Tag, text: str) -> None:
        if tag.name in ("", TEMPLATE):
            return
        if self._state == self._outside:
            for char in "" if tag.name in WRAPPERS else text:
                self._look_for_words(char)
        elif tag.close and tag.name not in self._opened:  # a misspelt end of the message
            self._state = self._outside
        else:
            self._opened.add(tag.name)
            self._tell_all(text)

    def _met_message(self, tag: Tag, text: str) -> None:
        before = self._raw.removesuffix(text[:-1])
        ticked = before.endswith("`") and not before.endswith("``")
        amid = leads_to_name(before) if tag.close else is_within_sentence(before)
        if tag.attributes or not (ticked or (amid and self._state == self._inside)):
            self._meet_message(tag)
            return
        self._doubt, self._doubted, self._ahead, self._before = tag, text, "", self._state
        self._ticked = ticked
        self._state = self._doubting

    def _doubting(self, char: str) -> None:
        """Waits for the words after a tag that may only be spoken of."""
        self._ahead += char
        if self._ticked or len(self._ahead) >= LOOK_AHEAD:
            self._decide()

    def _decide(self) -> None:
        tag, ahead, self._doubt, self._ahead = self._doubt, self._ahead, None, ""
        self._state = self._before
        named = ahead.startswith("`") if self._ticked else sentence_goes_on(ahead)
        if named:
            for char in self._doubted:
                self._text(char)
        elif tag is not None:
            self._meet_message(tag)
        self._again(ahead)

    def _may_be_word(self, tag: Tag, text: str) -> bool:
        """Whether a message may only speak of a tag of reasoning."""
        known = self._state == self._inside and tag.opens and not tag.attributes and tag.name in REASONING_TAGS
        return known and leads_to_name(self._raw.removesuffix(text[:-1]))

    def _weighing(self, char: str) -> None:
        """Waits for the next tag: one that is only spoken of is closed at once, or never within the message."""
        if not self._opening and char != "<":
            self._words.append(char)
            return
        self._opening += char
        if char == ">" or len(self._opening) > LONGEST_END:
            self._weigh()

    def _weigh(self, *, over: bool = False) -> None:
        if self._weighed is None:
            return
        (tag, text), inside, opening = self._weighed, "".join(self._words), self._opening
        self._weighed, self._words, self._opening, self._state = None, [], "", self._inside
        end = next(tags_of(opening), None)
        name = end.name if end is not None and end.close and not end.start else ""
        if name in THINKING and len(inside.split()) <= FEW_WORDS:
            self._tell_all(text + inside + opening)
            return
        if sentence_goes_on(inside) and (name in MESSAGE or (over and not opening)):
            self._tell_all(text)
        else:
            self._hide(tag)
        self._again(inside + opening)

    def _again(self, text: str) -> None:
        for char in text:
            self._state(char)

    def _meet_message(self, tag: Tag) -> None:
        if tag.empty:
            return
        if tag.close and self._state == self._outside:
            return
        if not tag.close and self._state == self._outside and self._rows.whose is Whose.NOBODYS:
            return
        if tag.close:
            self._rows.end_element()
        else:
            self._rows.begin_message()
            self._has_begun = self._has_begun or not self._is_loose
        self._space = "\n\n"
        self._code = _CodeMarks()
        self._state = self._outside if tag.close else self._inside

    def _end_of_reasoning(self) -> None:
        """A closing tag that nothing opened: what was held back was reasoning."""
        self._is_loose = False
        self._space = "\n\n"
        if not self._has_begun:
            self._rows = LooseRows()
            self._held_back.clear()
            self._state = self._outside

    def _hide(self, tag: Tag) -> bool:
        """Skips the content of a tag that is not shown."""
        name = tag.name
        if not self._is_hidden(name) and not self._is_typed(tag):
            return False
        if tag.opens:
            same = UPDATE if name in UPDATE else same_reasoning(name)
            self._until = same | ACTION if self._is_action(name) else same
            self._hidden, self._in_message = OpenThoughts(), self._state == self._inside
            self._hidden.meet(ReasoningMark(name, closes=False))
            self._state = self._hiding
        elif self._is_done(name):
            self._rows.end_element()
        self._space = "\n\n"
        return True

    def _is_action(self, name: str) -> bool:
        return name not in THINKING | UPDATE | PROMPT_PARTS

    def _is_done(self, name: str) -> bool:
        return name not in THINKING | PROMPT_PARTS

    def _is_typed(self, tag: Tag) -> bool:
        named = "" if tag.close or not tag.attributes else attributes_of(tag.attributes).get("type", "")
        return bool(named) and plain_name(named) in self._names

    def _met_hidden(self, tag: Tag) -> None:
        name, inner = tag.name, next(iter(self._until))
        in_thought = bool(self._until & THINKING)
        if name in self._until and not tag.empty:
            if tag.close or name in THINKING:
                self._hidden.meet(ReasoningMark(name, tag.close))
            if not self._hidden:
                if self._is_done(inner):
                    self._rows.end_element()
                self._state = self._inside if self._in_message else self._outside
        elif in_thought or self._until & UPDATE:
            return
        elif name in THINKING and tag.close:
            self._state = self._inside if self._in_message else self._outside
            self._end_of_reasoning()
        elif name in MESSAGE and self._is_action(inner):
            self._state = self._inside if self._in_message else self._outside
            self._meet_message(tag)
        elif tag.opens and name in THINKING | UPDATE | PROMPT_PARTS:
            self._state = self._inside if self._in_message else self._outside
            self._hide(tag)

    # What is shown.

    def _tell_all(self, text: str) -> None:
        for char in text:
            self._tell(char)

    def _tell(self, char: str) -> None:
        if char.isspace():
            self._space += char if len(self._space) < LONGEST_GAP else ""
            return
        sink = self._out if self._has_begun else self._held_back
        if self._space:
            first = not self.shown and not sink
            sink.append("" if first else _BLANK_LINES.sub("\n\n", self._space))
            self._space = ""
        sink.append(char)


def shown_text(text: str, names: Collection[str]) -> str:
    """What is shown of a complete answer."""
    reader = MessageReader(names)
    return reader.feed(text) + reader.close()
