"""Marks that models leave in their text: thinking tags, channels, tokens of a chat template. None of them is shown.

What stands between the marks of a thought is dropped. The tags of visible parts, and the end of a thought whose
beginning is missing, are reported to the reader; everything else passes unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from dramaturg.episodes.answer_keys import HIDDEN_TAGS, VISIBLE, VISIBLE_TAGS
from dramaturg.kernel.reasoning import (
    BRACKETED,
    TURN_ENDS,
    OpenThoughts,
    ReasoningMark,
    is_reasoning_name,
    reasoning_mark,
)
from dramaturg.model_notes.markup import AT_START, CALL_TAGS, NAMED_TAGS, PAGE_TAGS, name_in_tag
from dramaturg.model_notes.thought_tags import is_thought_tag, with_usual_tags

MarkKind = Literal["opens", "closes", "ends", "stops"]
Listener = Callable[[MarkKind, str], None]
"""Called with `opens` or `closes` and a visible key, with `ends` where a thought ends that never began, and with
`stops` where a turn ends."""

_OPENERS, _THOUGHT_OPENERS = "<[◁＜&", "<[◁"
_COMMENT, _COMMENT_END = "<!--", "-->"
_NAME = r"(?:[^\W\d]|:)[\w:-]{0,39}"
_COMPOUND = r"[a-z]{1,12}_[a-z_]{1,24}"
_MARK = re.compile(
    r"<!--|<(?:[|｜](?P<token>/?[\w▁]{1,40})[|｜]?|(?P<over>channel\|))>"
    rf"|<\s{{0,2}}(?P<end>/?)\s{{0,2}}(?P<tag>{_NAME})(?P<more>\s[^<>{{\n]{{0,60}})?/?>"
    rf"|(?:＜|&lt;)(?P<end4>[/／]?)(?P<odd>{_NAME})\s?(?:＞|&gt;)"
    rf"|\[(?P<end2>/?)(?P<bracket>{'|'.join(BRACKETED)}|scratchpad|analysis|cot|inst|{_COMPOUND})\]|◁(?P<end3>/?)think▷",
    re.IGNORECASE,
)
_MAYBE_MARK = re.compile(
    rf"<(?:!-?|[|｜](?:[/／]?(?:[\w▁]{{1,40}}[|｜]?)?)?|channel\||\s{{0,2}}/?\s{{0,2}}(?:{_NAME}(?:\s[^<>{{\n]{{0,60}})?/?)?)"
    rf"|(?:＜[/／]?|&lt;/?)(?:{_NAME}\s?(?:&g?t?)?)?|&(?:lt?)?|\[/?[a-z]{{0,12}}(?:_[a-z_]{{0,24}})?|◁/?t?h?i?n?k?",
    re.IGNORECASE,
)
_LONG = re.compile(rf"<\s{{0,2}}(?:\w{{1,12}}:)?(?P<tag>{_NAME})\s(?P<more>[^<>{{\n]{{0,60}})[^<>]")
"""A tag whose attributes go on longer than those of tags do, or over a row."""
_LONGEST_MORE = 60
_DROPPED = frozenset(
    {
        *("s", "bos", "eos", "start_of_turn", "end_of_turn", "response", "answer", "output", "reply", "final", "xml"),
        *("json", "character", "assistant", "narration", "narrator", "message", "roleplay", "scene", "root", "line"),
        *("invoke", "function", "function_calls", *NAMED_TAGS),
    }
)
_AROUND = frozenset({"response", "answer", "output", "reply", "message", "line", "character"})
"""Tags around a whole answer, whose attributes may be its keys."""
_ATTRIBUTE = re.compile(r"(?:\A|(?<=[\"']))\s{0,9}(?P<name>[^\W\d]\w{0,30})\s?=\s?(?=[\"'])")
_ROW_TAGS = frozenset({"player", "user", "status", "stats", "meta", "lore"})
"""Hidden with what they hold where they begin a row below something: elsewhere they may stand for a name."""
_BREAK = "br"
"""A new row, which may begin with a label like any other."""
_TAG_STOPS = frozenset({"end_of_turn", "start_of_turn", "s", "eos"})
_STOPS = frozenset(
    {
        *("im_end", "end", "eot_id", "end_of_turn", "endoftext", "end_of_text", "eom_id", "return"),
        "end_of_sentence",
        *("user", "im_start", "start_header_id", "start"),
    }
)
"""Where a turn ends, or another begins: nothing behind it is the answer any more, if there was one before."""
_STARTS = {"start": "assistant", "im_start": "assistant", "start_header_id": "assistant"}
_MARK_ENDS = ">]▷"
_PLAIN = {"＜": "<", "＞": ">", "／": "/"}
_ENTITIES = {"&lt;": "<", "&gt;": ">"}
_FINALS = ("final", "response")
_CHANNEL, _MESSAGE, _FINAL = "<|channel|>", "<|message|>", "final"
_CHANNEL_NAMED, _TURN = "<|channel>", "<|im_start|>"
_LONGEST_NAME = 20
"""How long the names of turns and channels are."""
_VISIBLE_LABELS = tuple(f"\n[{name}]" for name in VISIBLE)
"""What ends a thought behind a label in brackets that is never closed."""
_TAIL = 64
LONGEST_CALL = 20_000


class MarkFilter:
    """Takes a text by the character and passes on what is no mark and stands in no thought."""

    def __init__(self, show: Callable[[str], None], met: Listener | None = None) -> None:
        self._show, self._met = show, met
        self._held = self._tail = self._last = ""
        self._until: tuple[str, ...] = ()
        self._thoughts = OpenThoughts()
        self._named: str | None = None
        self._names: Literal["turn", "channel"] = "turn"
        self._role = ""
        self._in_call = False
        self.call: list[str] | None = None
        """What stood in a tool's call, which is hidden: the answer, if there is no other."""

    def hear(self, char: str) -> None:
        if self._until or self._thoughts:
            self._pass_over(char)
        elif self._named is not None:
            self._name(char)
        elif self._held:
            self._held += char
            self._judge()
        elif char in _OPENERS:
            self._held = char
        else:
            self._tell(char)

    def end(self) -> None:
        """The text is over: what was held back is no mark."""
        self._end_name()
        held, self._held = self._held, ""
        for char in held:
            self._show(char)
        self._until, self._thoughts = (), OpenThoughts()

    def _tell(self, text: str) -> None:
        for char in text:
            self._last = char
            self._show(char)

    def _name(self, char: str) -> None:
        """A letter of the name of a turn or a channel, which begins behind its mark."""
        named = self._named or ""
        if char.isalpha() or char == "_":
            self._named = named + char
            if len(named) < _LONGEST_NAME and self._named.lower() != self._role:
                return
            self._end_name()
        else:
            self._end_name()
            self.hear(char)

    def _end_name(self) -> None:
        """What stands behind the mark of a turn or a channel: its name, which may be one of reasoning, or words."""
        name, self._named = self._named or "", None
        if self._names == "channel":
            if name.lower() not in _FINALS:
                self._thoughts.meet(ReasoningMark("channel", closes=False))
            self._names = "turn"
        elif is_reasoning_name(name):
            self._until = TURN_ENDS
        elif name.lower() != self._role:
            self._tell(name)

    def _pass_over(self, char: str) -> None:
        if self._in_call and self.call is not None and len(self.call) < LONGEST_CALL:
            self.call.append(char)
        char = _PLAIN.get(char, char)
        if char.isspace() and self._tail.endswith(("<", "/")):
            return
        tail = self._tail.rstrip() if char == ">" else self._tail
        self._tail = (tail + char)[-_TAIL:]
        if char == ";" and (entity := self._tail[-4:].lower()) in _ENTITIES:
            char = _ENTITIES[entity]
            self._tail = self._tail[:-4] + char
        if char in _MARK_ENDS:
            self._pass_mark()

    def _pass_mark(self) -> None:
        if self._thoughts and self._is_thought_out():
            self._until, self._tail = (), ""
        if not self._until or not self._tail.lower().endswith(self._until):
            return
        self._thoughts = OpenThoughts()
        if self._in_call and self.call is not None and self._until == (">",):
            self.call = list(_as_form("".join(self.call)))
        self._in_call = False
        found, header, self._until, self._tail = self._until, self._tail.lower(), (), ""
        label = next((label for label in _VISIBLE_LABELS if header.endswith(label)), "")
        for char in label:
            self._show(char)
        if found == (_CHANNEL,):
            self._until = (_MESSAGE,)
        elif found == (_MESSAGE,) and not header.startswith(_FINAL):
            self._until = (_CHANNEL,)
        elif found == TURN_ENDS and header.endswith(_TURN):
            self._named, self._role = "", _STARTS["im_start"]

    def _is_thought_out(self) -> bool:
        tail = self._tail[max(0, *(self._tail.rfind(opener) for opener in _THOUGHT_OPENERS)) :]
        mark = reasoning_mark(with_usual_tags(tail))
        if mark is not None:
            self._thoughts.meet(mark)
        return not self._thoughts

    def _judge(self) -> None:
        mark = _MARK.fullmatch(self._held)
        if mark is None and _MAYBE_MARK.fullmatch(self._held):
            return
        held, self._held = self._held, ""
        if held == _COMMENT:
            self._until = (_COMMENT_END,)
            return
        if mark is not None and (self._is_token(mark) if mark["token"] or mark["over"] else self._is_tag(mark)):
            return
        long = _LONG.fullmatch(held)
        if long is not None and self._is_long_thought(long):
            self._thoughts.meet(ReasoningMark(long["tag"].lower(), closes=False))
            return
        if long is not None and long["tag"].lower() in _AROUND and "=" in long["more"]:
            self._begin_attributes(long["more"] + held[-1])
            return
        again = held[-1] if held[-1] in _OPENERS else ""
        self._tell(held[: len(held) - len(again)])
        if again:
            self.hear(again)

    def _is_long_thought(self, tag: re.Match[str]) -> bool:
        """Whether a tag that does not end holds reasoning, and its attributes are some, or are none of a sentence."""
        more = tag["more"]
        return is_reasoning_name(tag["tag"]) and (len(more) == _LONGEST_MORE or "=" in more)

    def _begin_attributes(self, begun: str) -> None:
        """The attributes of a tag around an answer are hidden, and a form: the answer, if there is no other."""
        self._until, self._tail = (">",), ""
        if self.call is None:
            self._in_call, self.call = True, list(begun)

    def _is_token(self, mark: re.Match[str]) -> bool:
        name = (mark["token"] or "").lower().replace("▁", "_")
        if name in _STARTS:
            self._named, self._role = "", _STARTS[name]
        if mark[0].lower() == _CHANNEL:
            self._until = (_MESSAGE,)
        elif mark[0].lower() == _CHANNEL_NAMED:
            self._named, self._names = "", "channel"
        elif not self._is_edge(mark[0]) and name in _STOPS:
            self._report("stops", "")
        return True

    def _is_edge(self, text: str) -> bool:
        """Whether a thought begins or ends here."""
        mark = reasoning_mark(text)
        if mark is None:
            return False
        self._thoughts.meet(mark)
        if mark.closes:
            self._report("ends", "")
        return True

    def _is_tag(self, mark: re.Match[str]) -> bool:
        """Whether a tag is one of ours, or of a page; others, such as `<sighs>`, belong to the text."""
        if mark["odd"]:
            return is_reasoning_name(mark["odd"]) and self._is_edge(f"<{mark['end4'] and '/'}{mark['odd']}>")
        full, thought = (mark["tag"] or mark["bracket"] or "think").lower(), _is_thought(mark)
        name, closes = full.rpartition(":")[2], bool(mark["end"] or mark["end2"] or mark["end3"])
        if mark["tag"] and self._is_of_page(full, name, mark, closes=closes):
            return True
        hidden = thought or name in HIDDEN_TAGS or (name in _ROW_TAGS and self._last == "\n")
        if not hidden and mark["tag"] and _is_sentence(mark["more"] or ""):
            return False
        if name in VISIBLE_TAGS and mark["tag"]:
            self._report("closes" if closes else "opens", VISIBLE_TAGS[name])
        elif hidden:
            self._meet_hidden(mark, full, name, closes=closes)
        elif name in _AROUND and self.call is None and "=" in (mark["more"] or ""):
            self.call = list(_as_form(mark["more"]))
        elif name in _TAG_STOPS and (closes or name != "s"):
            self._report("stops", "")
        return hidden or name in VISIBLE_TAGS or name in _DROPPED

    def _meet_hidden(self, mark: re.Match[str], full: str, name: str, *, closes: bool) -> None:
        """A tag or a bracket around what nobody is to see."""
        if mark[0].endswith("/>") or (closes and full == "inst"):
            return
        if closes:
            self._report("ends", "")
        elif self._is_edge(with_usual_tags(mark[0])):
            self._until = _VISIBLE_LABELS if mark["bracket"] else ()
        else:
            self._until = _ends_of(full, mark)
            self._in_call = name in CALL_TAGS
            self.call = [] if self._in_call and self.call is None else self.call

    def _is_of_page(self, full: str, name: str, mark: re.Match[str], *, closes: bool) -> bool:
        """Whether a tag is one of a page, of a tool's parameters, or a token without a name."""
        if full in PAGE_TAGS and mark[0][1].isspace():
            return False
        if full in PAGE_TAGS:
            self._format(full, closes)
        elif name in NAMED_TAGS:
            self._begin_value(name, "" if closes else name_in_tag(mark["more"] or ""))
        else:
            return name.startswith("unused") and self._is_edge(mark[0])
        return True

    def _begin_value(self, tag: str, named: str) -> None:
        """`<parameter name="dialogue">` begins a visible part; what has another name is hidden."""
        key = VISIBLE_TAGS.get(named)
        if not named or key is not None:
            self._report("opens" if key else "closes", key or "")
        else:
            self._until = (f"</{tag}>",)

    def _format(self, name: str, closes: bool) -> None:
        """A paragraph begins a row unless it is at the beginning of one."""
        shown = PAGE_TAGS[name]
        if closes and shown in AT_START and name != _BREAK:
            return
        if shown == "\n" and name != _BREAK and self._last in ("", "\n"):
            return
        for char in shown:
            self._last = char
            self._show(char)

    def _report(self, kind: MarkKind, key: str) -> None:
        if self._met is not None:
            self._met(kind, key)


def _is_thought(mark: re.Match[str]) -> bool:
    """Whether a tag or a bracket is around reasoning, or around what somebody else's turn was."""
    bracket = mark["bracket"]
    if bracket is not None and "_" not in bracket:
        return True
    name = (mark["tag"] or bracket or "").rpartition(":")[2]
    if mark["tag"] and not mark["more"] and is_thought_tag(name):
        return True
    return is_reasoning_name(name, mark["more"] or "") or reasoning_mark(mark[0]) is not None


def _as_form(attributes: str) -> str:
    """The attributes of a tag as the keys and values of a form."""
    return "{" + _ATTRIBUTE.sub(r', "\g<name>": ', attributes.rstrip("/> ")).lstrip(", ") + "}"


def _is_sentence(more: str) -> bool:
    """Whether words follow the name in a tag: `<do not open>`; what a tag of ours has there are attributes."""
    return bool(more.strip(" /")) and "=" not in more


def _ends_of(full: str, mark: re.Match[str]) -> tuple[str, ...]:
    """What ends the hidden part that a mark begins: `</note>`, `[/inst]`, `</inner thoughts>`."""
    if mark["bracket"]:
        return (f"[/{full}]", *_VISIBLE_LABELS)
    more = " ".join((mark["more"] or "").lower().split())
    spaced = (f"</{full} {more}>",) if more and "=" not in more else ()
    return (f"</{full}>", *spaced)
