"""The scan of an answer: what is said in it, what was only thought, and what is nobody's word."""

from __future__ import annotations

import re
from bisect import bisect_left

from dramaturg.kernel.reasoning import REASONING_TAGS
from dramaturg.workshop.foreman.answer import ForemanAnswer
from dramaturg.workshop.foreman.answer_layout import COMMENT, AnswerLayout
from dramaturg.workshop.foreman.answer_parts import AnswerParts, KnownActions
from dramaturg.workshop.foreman.code_calls import code_calls
from dramaturg.workshop.foreman.json_calls import OTHER_FORM, FoundCalls, calls_in
from dramaturg.workshop.foreman.list_calls import list_calls
from dramaturg.workshop.foreman.loose_words import LooseRows, Whose, begins_others_turn
from dramaturg.workshop.foreman.mentions import (
    FEW_WORDS,
    LOOK_AHEAD,
    LOOK_BACK,
    is_within_sentence,
    leads_to_name,
    sentence_goes_on,
)
from dramaturg.workshop.foreman.prompt_parts import PROMPT_PARTS, WRAPPERS
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
)

_NOT_IN_MESSAGE = re.compile(
    r"^[ \t]*```[\w-]*[ \t]*$|<\?xml[^<>]{0,200}\?>|<!DOCTYPE[^<>]{0,200}>|\[/?(?:MESSAGE|RESPONSE|INST)\]|</?s>",
    re.M | re.I,
)


IN_EXAMPLE = "What stands in an example is not done."


class AnswerScan:
    """One pass over one answer: its words and its reasoning. A subclass takes what is to be done."""

    def __init__(self, text: str, known: KnownActions) -> None:
        self._text = text
        self._known = known
        self._layout = AnswerLayout(text, known)
        self._parts = AnswerParts(known)
        self._elements = [place for place, tag in enumerate(self._layout.tags) if self._begins(tag)]
        self._boundaries = [tag.start for tag in self._layout.boundaries]
        self._at = 0
        self._in_message = False
        self._suspect = False
        self._rows = LooseRows()
        self._quotes_others = False

    def has_protocol(self) -> bool:
        """Whether there is any tag of the protocol besides those of reasoning."""
        return bool(self._layout.examples) or any(
            self._role(tag) not in (None, "wrapper", "mark", "thinking") for tag in self._layout.tags
        )

    def break_off(self, cut: str) -> None:
        """The text ended amid a tag: nobody's word, and nothing that it began is done."""
        if cut:
            self._parts.thought(cut)
        if cut and not cut.startswith("</"):
            self._parts.note("left_out", "The answer broke off amid a tag; what it began was not done.", cut)

    def answer(self) -> ForemanAnswer:
        if self._layout.examples:
            self._parts.note("left_out", IN_EXAMPLE, self._text[slice(*self._layout.examples[0])])
        for tag in self._layout.tags:
            if tag.start < self._at:
                continue
            role = self._role(tag)
            if role is None or tag.start in self._layout.quoted:
                self._pass_over(tag)
                continue
            self._say_to(tag.start)
            if tag.start < self._at or self._is_over(tag):  # a comment that is never closed ended past it
                continue
            if role == "thinking" and tag.close:
                self._end_of_reasoning(tag)
                continue
            self._at = tag.end
            getattr(self, f"_{role}")(tag)
        self._say_to(len(self._text))
        return self._parts.answer()

    def _is_over(self, tag: Tag) -> bool:
        """Whether somebody else's turn began before a tag; the answer goes on where that was unmarked reasoning."""
        if self._rows.whose is not Whose.NOBODYS:
            return False
        reasoned = self._limit < len(self._text) and not self._parts.has_begun
        self._at = self._limit if reasoned else len(self._text)
        return tag.start < self._at

    def _role(self, tag: Tag) -> str | None:
        """What a tag means here; None if it is just text."""
        name = tag.name
        for role, names in (("thinking", THINKING), ("message", MESSAGE), ("update", UPDATE)):
            if name in names:
                return role
        if name in ACTION or plain_name(name) in self._known.names:
            return "action"
        if name in PROMPT_PARTS:
            return "echo"
        if name == TEMPLATE or (name in WRAPPERS and not self._in_message):
            return "wrapper"
        if name in CALL:
            return "call"
        named = "" if tag.close or not tag.attributes else attributes_of(tag.attributes).get("type", "")
        return "action" if named and plain_name(named) in self._known.names else None

    def _begins(self, tag: Tag) -> bool:
        """Whether a tag opens another element, which ends an unclosed action."""
        if tag.close:
            return False
        name = tag.name
        return name in ACTION | MESSAGE | UPDATE | THINKING | PROMPT_PARTS | CALL or (
            plain_name(name) in self._known.names and not self._known.is_parameter(name)
        )

    @property
    def _limit(self) -> int:
        """Where the current part of the answer ends: at the end of reasoning that nothing opened, or of the text."""
        place = bisect_left(self._boundaries, self._at)
        return self._boundaries[place] if place < len(self._boundaries) else len(self._text)

    # Words.

    def _pass_over(self, tag: Tag) -> None:
        """Text that looks like a tag. An unmatched closing tag inside a message is a misspelt end of the message."""
        self._say_to(tag.start)
        if tag.start < self._at:
            return
        quoted = tag.start in self._layout.quoted
        if self._in_message and tag.close and not quoted and not self._parts.was_opened(tag.name):
            self._in_message = False
            self._parts.note("mended", "A message ends with </message>.", self._text[tag.start : tag.end])
        else:
            self._parts.opened(tag.name)
            self._put(self._text[tag.start : tag.end])
        self._at = tag.end

    def _say_to(self, end: int) -> None:
        """Everything up to a place is said, without the comments in it."""
        while (comment := self._layout.comment_at(self._at, end)) is not None:
            self._put(self._text[self._at : comment[0]])
            self._parts.thought(self._text[comment[0] : comment[1]])
            self._at = comment[1]
        opened = self._layout.open_comment
        if opened is not None and self._at <= opened < end:
            self._put(self._text[self._at : opened])
            self._at = opened + len(COMMENT[0])
            self._unclosed(COMMENT[1])
            return
        self._put(self._text[self._at : end])
        self._at = end

    def _put(self, text: str) -> None:
        if self._in_message:
            self._parts.say(text, in_message=True)
            self._quotes_others = self._quotes_others or any(map(begins_others_turn, text.split("\n")[1:]))
            return
        cut = self._rows.hear(text)
        if self._rows.whose is not Whose.NOBODYS:
            self._parts.thought(text[cut:])
        found = self._called(text[:cut])
        for action in found.actions:
            if self._rows.calls or not self._not_done(action.raw):
                self._parts.take(action)
        if found.actions:
            self._parts.note("mended", OTHER_FORM, found.actions[0].raw)
        self._parts.say(_NOT_IN_MESSAGE.sub("", found.rest), in_message=False)

    def _not_done(self, raw: str) -> bool:
        """Puts aside something to be done that stands in reasoning, or in somebody else's turn."""
        if self._suspect:
            self._parts.note("left_out", "An action after reasoning that was not closed was not run.", raw)
        elif self._rows.whose is Whose.THOUGHT:
            self._parts.put_aside("What stands below a label of reasoning is not done.", raw)
        elif self._rows.whose is not Whose.OWN or (self._in_message and self._quotes_others):
            self._parts.put_aside("What stands in somebody else's turn is not done.", raw)
        else:
            return False
        return True

    def _called(self, text: str) -> FoundCalls:
        """The actions that a text calls without their tags: in JSON, in code, in a list."""
        found = calls_in(text, self._known.names)
        for more in (code_calls(found.rest, self._known.names), list_calls(found.rest, self._known)):
            if not found.actions and more.actions:
                found = more
        return found

    def _message(self, tag: Tag) -> None:
        if self._in_message and self._is_named(tag):
            self._put(self._text[tag.start : tag.end])
            return
        if tag.close:
            if self._in_message:
                self._rows.end_element()
            self._in_message = self._quotes_others = False
        elif not tag.empty:
            self._suspect = self._suspect or (self._in_message and self._quotes_others)
            self._in_message = True
            self._rows.begin_message()
            self._parts.begin_message()
            if self._layout.closing(MESSAGE, self._at, self._limit) is None:
                self._parts.note("mended", "A message ends with </message>.", self._text[self._at : self._at + 400])
        self._parts.gap()

    def _is_named(self, tag: Tag) -> bool:
        """Whether a message only speaks of a message's tag."""
        before = self._before(tag)
        if tag.attributes or not sentence_goes_on(self._text[tag.end : tag.end + LOOK_AHEAD]):
            return False
        return leads_to_name(before) if tag.close else is_within_sentence(before)

    def _within(self, tag: Tag, end: int) -> bool:
        """Whether what lies between a tag's beginning and an end stands amid a sentence."""
        return is_within_sentence(self._before(tag)) and sentence_goes_on(self._text[end : end + LOOK_AHEAD])

    def _before(self, tag: Tag) -> str:
        return self._text[max(0, tag.start - LOOK_BACK) : tag.start]

    # Reasoning, and what is nobody's word.

    def _end_of_reasoning(self, tag: Tag) -> None:
        """A closing tag without an opening one: if it counts, everything before it was reasoning."""
        if self._limit == tag.start:
            begun = self._parts.take_back()
            self._in_message = begun and self._in_message
            self._rows = self._rows if begun else LooseRows()
            self._suspect = False
        self._at = tag.end
        self._parts.gap()

    def _thinking(self, tag: Tag) -> None:
        if tag.empty:
            self._parts.gap()
            return
        end = self._layout.thoughts.get(tag.start)
        inside = self._text[self._at : end.start] if end else ""
        if self._in_message and self._speaks_of_reasoning(tag, end, inside):
            self._put(self._text[tag.start : end.end if end else tag.end])
            self._at = end.end if end else tag.end
        elif end is not None:
            self._parts.thought(inside)
            self._parts.gap()
            self._at = end.end
        else:
            self._unclosed("</thinking>")

    def _speaks_of_reasoning(self, tag: Tag, end: Tag | None, inside: str) -> bool:
        if tag.attributes or tag.name not in REASONING_TAGS or not leads_to_name(self._before(tag)):
            return False
        if end is not None:
            return "<" not in inside and len(inside.split()) <= FEW_WORDS
        following = self._text.find("<", self._at, self._message_end())
        return following < 0 and sentence_goes_on(self._text[self._at : self._at + LOOK_AHEAD])

    def _unclosed(self, ending: str) -> None:
        """Reasoning, or a comment, without an end: it goes on to the message, and nothing after it is done."""
        end = min(self._layout.message_after(self._at), self._limit)
        self._parts.thought(self._text[self._at : end])
        self._parts.note("mended", f"Reasoning ends with {ending}; what followed up to the message was taken for it.")
        self._at = end
        self._suspect = True

    def _echo(self, tag: Tag) -> None:
        """A part of the prompt: nobody's words, and nothing in it runs."""
        if tag.close or tag.empty:
            return
        end = self._layout.closing((tag.name,), self._at, self._limit)
        if end is None and self._within(tag, tag.end):
            self._put(self._text[tag.start : tag.end])
            return
        self._parts.note("left_out", f"<{tag.name}> is told to you; it is not part of an answer.")
        self._parts.gap()
        if end is not None:
            self._at = end.end
            return
        self._at = min(self._layout.message_after(self._at), self._message_end(), self._limit)
        self._suspect = True

    def _message_end(self) -> int:
        """Where the message ends in which the scan is; else the end of the text."""
        end = self._layout.closing(MESSAGE, self._at, self._limit) if self._in_message else None
        return end.start if end else len(self._text)

    def _wrapper(self, tag: Tag) -> None:
        """Nothing of it is said."""
