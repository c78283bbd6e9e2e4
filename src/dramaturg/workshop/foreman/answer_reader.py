"""Reads the Foreman's protocol from whatever a model wrote. One scan, left to right; it never raises.

The rules, in the order in which they decide:
- Reasoning never runs: what is inside `<thinking>` (by any of its names and marks), and everything before a closing
  tag of reasoning that nothing opened. Only a message with which the answer began stays said, since it was shown
  while it came. Unclosed reasoning ends at the first message; actions after it are not run.
- The answer ends where somebody else's turn begins. Below a label of reasoning nothing is done up to the message.
- Comments, examples in code fences, and parts of the prompt that a model repeats or
  invents, are neither run nor said.
- `<content_update>` is taken verbatim up to its closing tag: tags inside it are prose.
- `<action>` may be anywhere else, even inside the message; but not inside code there, which is quotation, and not
  where a sentence only speaks of it.
- Everything else is said to the writer, in order, whether or not it is inside `<message>`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Mapping

from dramaturg.kernel.reasoning import is_reasoning_name, without_fenced_reasoning, without_reasoning
from dramaturg.model_notes.blocks import is_unspoken
from dramaturg.model_notes.fences import unfenced
from dramaturg.model_notes.loose_json import load_json
from dramaturg.model_notes.own_turn import own_turn
from dramaturg.model_notes.prose_notes import without_notes_around
from dramaturg.workshop.foreman.answer import ActionRequest, ContentUpdate, ForemanAnswer
from dramaturg.workshop.foreman.answer_parts import Known, KnownActions
from dramaturg.workshop.foreman.answer_scan import AnswerScan
from dramaturg.workshop.foreman.code_calls import calls_of
from dramaturg.workshop.foreman.json_answer import answer_in_half_json, answer_in_json
from dramaturg.workshop.foreman.json_calls import OTHER_FORM
from dramaturg.workshop.foreman.loose_words import words_before
from dramaturg.workshop.foreman.mentions import is_within_sentence
from dramaturg.workshop.foreman.parameters import params_of
from dramaturg.workshop.foreman.tags import (
    ACTION,
    CALL,
    MESSAGE,
    THINKING,
    UPDATE,
    Tag,
    attributes_of,
    plain_name,
    tags_of,
    without_cut_tag,
)

LONGEST_QUOTE = 80
TARGETS = ("target", "file", "path", "name")
PROSE = ("content", "text", "prose", "body")
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
    raw = without_fenced_reasoning(own_turn(text.replace("\r\n", "\n").replace("\0", "")))
    actions = KnownActions(known)
    text = _unescaped(raw)
    whole = without_cut_tag(text, actions.names)
    scan = _Scan(whole, actions)
    scan.break_off(text[len(whole) :].strip())
    if not scan.has_protocol():
        words = words_before(without_reasoning(raw)).said
        given = answer_in_json(words, actions.names) or answer_in_half_json(words)
        if given is not None:
            thinking = given.thinking or scan.answer().thinking
            return given.model_copy(update={"actions": tuple(map(actions.named, given.actions)), "thinking": thinking})
    return scan.answer()


def _unescaped(text: str) -> str:
    """Unescapes the tags of an answer, unless it has real ones too."""
    if not _ESCAPED.search(text) or {tag.name for tag in tags_of(text)} & (THINKING | MESSAGE | UPDATE | ACTION):
        return text
    return own_turn(text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&"))


class _Scan(AnswerScan):
    """The actions and the prose that an answer asks for."""

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
        self._save(target, without_notes_around(_unwrapped(text)), whole=end is not None)
        self._rows.end_element()

    def _save(self, target: str, text: str, *, whole: bool) -> None:
        why = ""
        if not self._suspect and self._not_done(text):
            return
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
            name = attributes_of(tag.attributes).get("name", "")
            named = plain_name(name)
            if named not in self._known.names and is_reasoning_name(name):
                self._think(self._body(tag.name, {})[0])
                return
            if named in self._known.names or tag.name == "invoke":
                self._action(tag)
                return
        start = self._at
        body, _ = self._body(tag.name, {})
        if is_unspoken(load_json(body.strip())):
            self._think(body)
            return
        found = self._called(body)
        actions = found.actions or calls_of(body, self._known.names)
        if not actions:
            self._at = start
            if tag.name == "function":
                self._put(self._text[tag.start : tag.end])
            return
        self._parts.gap()
        for action in actions:
            if not self._not_done(action.raw):
                self._parts.take(action)
        self._rows.end_element()
        self._parts.note("mended", OTHER_FORM, actions[0].raw)

    def _think(self, body: str) -> None:
        """A call of a tool to think with."""
        self._parts.thought(body)
        self._parts.gap()

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
        if self._not_done(raw):
            pass
        elif not kind.strip():
            self._parts.note("unclear", 'An action says which it is: <action type="…">. It was not run.', raw)
        elif not whole and read.open_param:
            what = f"The action {kind} broke off inside <{read.open_param}> and was not run."
            self._parts.note("left_out", what, raw)
            self._parts.thought(raw)
        else:
            request = ActionRequest.model_validate({"type": kind.strip(), "params": read.params, "raw": raw})
            self._parts.take(request, attributes)
            for what in read.mended:
                self._parts.note("mended", f"{kind}: {what}", raw)
        self._rows.end_element()

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
