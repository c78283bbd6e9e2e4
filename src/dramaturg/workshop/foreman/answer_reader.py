"""Reads the Foreman's protocol from whatever a model wrote. One scan, left to right; it never raises.

The rules, in the order in which they decide:
- Reasoning never runs: what is inside `<thinking>` (by any of its names and marks), and everything before a closing
  tag of reasoning that nothing opened. Only a message with which the answer began stays said, since it was shown
  while it came. Unclosed reasoning ends at the first message; actions after it are not run.
- Comments, and parts of the prompt that a model repeats or invents, are neither run nor said.
- `<content_update>` is taken verbatim up to its closing tag: tags inside it are prose.
- `<action>` may be anywhere else, even inside the message; but not inside code there, which is quotation, and not
  where a sentence only speaks of it.
- Everything else is said to the writer, in order, whether or not it is inside `<message>`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping

from dramaturg.kernel.text.fences import unfenced
from dramaturg.workshop.foreman.answer import ActionRequest, ContentUpdate, ForemanAnswer
from dramaturg.workshop.foreman.answer_layout import COMMENT, AnswerLayout
from dramaturg.workshop.foreman.answer_parts import AnswerParts, Known, KnownActions
from dramaturg.workshop.foreman.json_answer import answer_in_json
from dramaturg.workshop.foreman.json_calls import calls_in
from dramaturg.workshop.foreman.mentions import (
    LOOK_AHEAD,
    LOOK_BACK,
    is_within_sentence,
    leads_to_name,
    sentence_goes_on,
)
from dramaturg.workshop.foreman.parameters import params_of
from dramaturg.workshop.foreman.prompt_parts import PROMPT_PARTS, WRAPPERS
from dramaturg.workshop.foreman.tags import (
    ACTION,
    CALL,
    CHANNEL,
    MESSAGE,
    TEMPLATE,
    THINKING,
    UPDATE,
    Tag,
    attributes_of,
    plain_name,
    tags_of,
)

LONGEST_QUOTE = 80
FEW_WORDS = 3
TARGETS = ("target", "file", "path", "name")
PROSE = ("content", "text", "prose", "body")
_NOT_IN_MESSAGE = re.compile(r"^[ \t]*```[\w-]*[ \t]*$|<\?xml[^<>]{0,200}\?>|<!DOCTYPE[^<>]{0,200}>", re.M | re.I)
_ESCAPED = re.compile(
    r"&lt;\s*+/?\s*+(?:thinking|think|message|action|content_update)\b[^&]*+"
    r"(?:&(?:quot|amp|apos|#\d{1,6});[^&]*+){0,99}&gt;",
    re.I,
)
_FIELD = re.compile(r"\s*+<(target|file|path)>([^<>]{1,200}+)</\1>", re.I)
_WHOLE = re.compile(r"\s*+<(content|text|prose|body)>", re.I)
_CALLED = re.compile(r"\s*+([A-Za-z][\w-]{2,40}+)\s*+[(:\n]")


def read_answer(text: str, known: Known) -> ForemanAnswer:
    """Parses any text into an answer. `known` are the actions and their parameters."""
    raw = text.replace("\r\n", "\n").replace("\0", "")
    actions = KnownActions(known)
    scan = _Scan(_unescaped(raw), actions)
    if not scan.has_protocol():
        given = answer_in_json(raw, actions.names)
        if given is not None:
            return given.model_copy(update={"actions": tuple(map(actions.named, given.actions))})
    return scan.answer()


def _unescaped(text: str) -> str:
    """Unescapes the tags of an answer, unless it has real ones too."""
    if not _ESCAPED.search(text) or {tag.name for tag in tags_of(text)} & (THINKING | MESSAGE | UPDATE | ACTION):
        return text
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")


class _Scan:
    """One pass over one answer."""

    def __init__(self, text: str, known: KnownActions) -> None:
        self._text = text
        self._known = known
        self._layout = AnswerLayout(text)
        self._parts = AnswerParts(known)
        self._elements = [place for place, tag in enumerate(self._layout.tags) if self._begins(tag)]
        self._boundaries = [tag.start for tag in self._layout.boundaries]
        self._at = 0
        self._in_message = False
        self._suspect = False

    def has_protocol(self) -> bool:
        return any(self._role(tag) not in (None, "wrapper", "mark") for tag in self._layout.tags)

    def answer(self) -> ForemanAnswer:
        for tag in self._layout.tags:
            if tag.start < self._at:
                continue
            role = self._role(tag)
            if role is None or tag.start in self._layout.quoted:
                self._pass_over(tag)
                continue
            self._say_to(tag.start)
            if tag.start < self._at:  # a comment that is never closed ended past it
                continue
            if role == "thinking" and tag.close:
                self._end_of_reasoning(tag)
                continue
            self._at = tag.end
            getattr(self, f"_{role}")(tag)
        self._say_to(len(self._text))
        return self._parts.answer()

    def _role(self, tag: Tag) -> str | None:
        """What a tag means here; None if it is just text."""
        name = tag.name
        for role, names in (("thinking", THINKING | {CHANNEL}), ("message", MESSAGE), ("update", UPDATE)):
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
            return
        found = calls_in(text, self._known.names)
        if not self._suspect:
            for action in found.actions:
                self._parts.take(action)
        if found.actions:
            self._parts.note("mended", 'An action is written <action type="…">, not in JSON.', found.actions[0].raw)
        self._parts.say(_NOT_IN_MESSAGE.sub("", found.rest), in_message=False)

    def _message(self, tag: Tag) -> None:
        if self._in_message and self._is_named(tag):
            self._put(self._text[tag.start : tag.end])
            return
        if tag.close:
            self._in_message = False
        elif not tag.empty:
            self._in_message = True
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
            self._in_message = self._parts.take_back() and self._in_message
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
        if tag.attributes or tag.name == CHANNEL or not leads_to_name(self._before(tag)):
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

    # What is to be done.

    def _update(self, tag: Tag) -> None:
        if tag.close:
            return
        attributes = attributes_of(tag.attributes)
        target = next((attributes[name] for name in TARGETS if attributes.get(name)), "")
        end = tag if tag.empty else self._layout.closing(UPDATE, self._at, self._limit)
        if end is None and (not target or tag.attributes == "") and self._within(tag, tag.end):
            self._put(self._text[tag.start : tag.end])
            return
        body = "" if tag.empty else self._text[self._at : end.start if end else self._limit]
        self._at = end.end if end else self._limit
        text = next((attributes[name] for name in PROSE if attributes.get(name)), "") if not body.strip() else body
        if not target and (found := _FIELD.match(text)):
            target, text = found[2].strip(), text[found.end() :]
        self._save(target, _unwrapped(text), whole=end is not None)

    def _save(self, target: str, text: str, *, whole: bool) -> None:
        why = ""
        if not target or self._suspect:
            why = "It says no target." if not target else "It follows reasoning that was not closed."
        elif not text.strip():
            why = "It holds no text."
        if why:
            self._parts.note("left_out", f"A <content_update target=…> was not applied. {why}", text)
            self._parts.say(f"\n\n{text}\n\n", in_message=self._in_message)
            return
        if not whole:
            what = f"The text for {target} broke off; it is kept and not applied."
            self._parts.note("left_out", what, text[-LONGEST_QUOTE:])
        self._parts.update(ContentUpdate(target=target, text=text, whole=whole))

    def _call(self, tag: Tag) -> None:
        """`<invoke name=…>`, or JSON inside `<tool_call>`; around other tags it is only a wrapper."""
        if tag.close:
            return
        if tag.attributes:
            named = plain_name(attributes_of(tag.attributes).get("name", ""))
            if named in self._known.names or tag.name == "invoke":
                self._action(tag)
                return
        start = self._at
        body, _ = self._body(tag.name, {})
        found = calls_in(body, self._known.names)
        if not found.actions:
            self._at = start
            if tag.name == "function":
                self._put(self._text[tag.start : tag.end])
            return
        self._parts.gap()
        for action in found.actions:
            if self._suspect:
                self._parts.note("left_out", "An action after reasoning that was not closed was not run.", action.raw)
            else:
                self._parts.take(action)
        self._parts.note("mended", 'An action is written <action type="…">, not in JSON.', found.actions[0].raw)

    def _action(self, tag: Tag) -> None:
        if tag.close:
            return
        attributes = attributes_of(tag.attributes)
        start, body, whole = self._at, "", True
        if not tag.empty:
            body, whole = self._body(tag.name, attributes)
        named = "" if tag.name in ACTION | CALL else self._known.names.get(plain_name(tag.name), "")
        kind = named or next((attributes.pop(key) for key in ("type", "name", "action") if attributes.get(key)), "")
        kind, body = (kind, body) if kind else self._called_in(body)
        read = params_of(body, self._known.parameters(kind))
        kind = kind or str(read.params.pop("type", "") or read.params.pop("action", "") or read.params.pop("name", ""))
        nothing = not read.params and not attributes and not tag.empty
        if nothing and self._is_spoken_of(tag, start, kind, body, whole=whole):
            self._at = self._at if whole else start
            self._put(self._text[tag.start : self._at])
            return
        raw = self._text[tag.start : self._at]
        self._parts.gap()
        if not whole:
            self._parts.note("mended", "An action ends with </action>.", body)
        if self._suspect:
            self._parts.note("left_out", "An action after reasoning that was not closed was not run.", raw)
        elif not kind.strip():
            self._parts.note("unclear", 'An action says which it is: <action type="…">. It was not run.', raw)
        elif not whole and read.open_param:
            what = f"The action {kind} broke off inside <{read.open_param}> and was not run."
            self._parts.note("left_out", what, raw)
        else:
            request = ActionRequest.model_validate({"type": kind.strip(), "params": read.params, "raw": raw})
            self._parts.take(request, attributes)
            for what in read.mended:
                self._parts.note("mended", f"{kind}: {what}", raw)

    def _called_in(self, body: str) -> tuple[str, str]:
        """The action's name at the beginning of its body: `save_decision(…)`, `save_decision: …`."""
        found = _CALLED.match(body)
        name = self._known.names.get(plain_name(found[1]), "") if found else ""
        return (name, body[found.end() - 1 :]) if name and found else ("", body)

    def _is_spoken_of(self, tag: Tag, start: int, kind: str, body: str, *, whole: bool) -> bool:
        """Whether a sentence only names an action's tag: it holds no parameter, and words stand around it."""
        if whole and kind:
            return self._in_message and not body.strip() and self._within(tag, self._at)
        if whole:
            return bool(body.strip()) and "<" not in body and is_within_sentence(self._before(tag))
        return self._within(tag, start)

    def _body(self, name: str, attributes: Mapping[str, str]) -> tuple[str, bool]:
        """The body of an action and whether it is closed; an unclosed one ends where the next element begins."""
        own: Collection[str] = (name, attributes.get("type", "").lower(), *ACTION)
        end = self._layout.closing(own, self._at, self._limit)
        place = bisect_left(self._elements, self._layout.index_at(self._at))
        opening = self._layout.tags[self._elements[place]].start if place < len(self._elements) else len(self._text)
        stop = min(opening, self._message_end(), self._limit)
        if end is not None and end.start < stop:
            body = self._text[self._at : end.start]
            self._at = end.end
            return body, True
        body = self._text[self._at : stop]
        self._at = stop
        return body, False


def _unwrapped(body: str) -> str:
    """Prose without the blank lines, the CDATA, the tag or the code fence around it."""
    text = body.strip("\n").rstrip()
    if (opening := _WHOLE.match(text)) and text.lower().endswith(f"</{opening[1].lower()}>"):
        text = text[opening.end() : -len(opening[1]) - 3].strip("\n").rstrip()
    if text.strip().startswith("<![CDATA[") and text.strip().endswith("]]>"):
        return text.strip()[9:-3].strip("\n")
    fenced = unfenced(text)
    return text if fenced is None else fenced
