"""Marks that models leave in their text: thinking tags, channels, tokens of a chat template. None of them is shown.

What stands between the marks of a thought is dropped. The tags of visible parts, and the end of a thought whose
beginning is missing, are reported to the reader; everything else passes unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from dramaturg.episodes.answer_keys import HIDDEN_TAGS, VISIBLE_TAGS
from dramaturg.model_notes.markup import PAGE_TAGS

MarkKind = Literal["opens", "closes", "ends", "stops"]
Listener = Callable[[MarkKind, str], None]
"""Called with `opens` or `closes` and a visible key, with `ends` where a thought ends that never began, and with
`stops` where a turn ends."""

_OPENERS = "<[◁"
_COMMENT, _COMMENT_END = "<!--", "-->"
_MARK = re.compile(
    r"<!--|<[|｜](?P<token>[\w▁]{1,24})[|｜]>"
    r"|<\s{0,2}(?P<end>/?)\s{0,2}(?P<tag>(?:[^\W\d]|:){1,24}|unused9[45])(?P<more>\s[^<>{\n]{0,60})?/?>"
    r"|\[(?P<end2>/?)(?P<bracket>think(?:ing)?|thoughts?|reasoning|scratchpad|analysis|cot|inst)\]|◁(?P<end3>/?)think▷",
    re.IGNORECASE,
)
_MAYBE_MARK = re.compile(
    r"<(?:!-?|[|｜](?:[\w▁]{1,24}[|｜]?)?|\s{0,2}/?\s{0,2}(?:(?:(?:[^\W\d]|:){1,24}|unused9?[45]?)(?:\s[^<>{\n]{0,60})?/?)?)"
    r"|\[/?[a-z]{0,10}|◁/?t?h?i?n?k?",
    re.IGNORECASE,
)
_DROPPED = frozenset(
    {
        *("s", "bos", "eos", "start_of_turn", "end_of_turn", "response", "answer", "output", "reply", "final", "xml"),
        *("json", "character", "assistant", "narration", "narrator", "message", "roleplay", "scene", "root", "line"),
    }
)
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
_THOUGHTS = {"start_thinking": "<|end_thinking|>", "begin_of_thought": "<|end_of_thought|>"}
_UNUSED = ("unused94", "unused95")
"""Tokens without a name, between which some models think."""
_MIXED_UP = frozenset({"think", "thinking"})
"""Tags that models close with one another."""
_CHANNEL, _MESSAGE, _FINAL = "<|channel|>", "<|message|>", "final"
_TAIL = 64


class MarkFilter:
    """Takes a text by the character and passes on what is no mark and stands in no thought."""

    def __init__(self, show: Callable[[str], None], met: Listener | None = None) -> None:
        self._show, self._met = show, met
        self._held = self._tail = self._role = self._last = ""
        self._until: tuple[str, ...] = ()

    def hear(self, char: str) -> None:
        if self._until:
            self._pass_over(char)
        elif self._held:
            self._held += char
            self._judge()
        elif char in _OPENERS:
            self._role, self._held = "", char
        elif self._role and char == self._role[0]:
            self._role = self._role[1:]
        else:
            self._role, self._last = "", char
            self._show(char)

    def end(self) -> None:
        """The text is over: what was held back is no mark."""
        held, self._held = self._held, ""
        for char in held:
            self._show(char)
        self._until = ()

    def _pass_over(self, char: str) -> None:
        if char.isspace() and self._tail.endswith(("<", "/")):
            return
        tail = self._tail.rstrip() if char == ">" else self._tail
        self._tail = (tail + char.lower())[-_TAIL:]
        if not self._tail.endswith(self._until):
            return
        found, header, self._until, self._tail = self._until, self._tail, (), ""
        if found == (_CHANNEL,):
            self._until = (_MESSAGE,)
        elif found == (_MESSAGE,) and not header.startswith(_FINAL):
            self._until = (_CHANNEL,)

    def _judge(self) -> None:
        mark = _MARK.fullmatch(self._held)
        if mark is None and _MAYBE_MARK.fullmatch(self._held):
            return
        held, self._held = self._held, ""
        if held == _COMMENT:
            self._until = (_COMMENT_END,)
            return
        if mark is not None and (self._is_token(mark) if mark["token"] else self._is_tag(mark)):
            return
        again = held[-1] if held[-1] in _OPENERS else ""
        for char in held[: len(held) - len(again)]:
            self._last = char
            self._show(char)
        if again:
            self.hear(again)

    def _is_token(self, mark: re.Match[str]) -> bool:
        name = mark["token"].lower().replace("▁", "_")
        self._role = _STARTS.get(name, "")
        if mark[0].lower() == _CHANNEL:
            self._until = (_MESSAGE,)
        elif name in _THOUGHTS:
            self._until = (_THOUGHTS[name],)
        elif mark[0].lower() in _THOUGHTS.values():
            self._report("ends", "")
        elif name in _STOPS:
            self._report("stops", "")
        return True

    def _is_tag(self, mark: re.Match[str]) -> bool:
        """Whether a tag is one of ours, or of a page; others, such as `<sighs>`, belong to the text."""
        full = (mark["tag"] or mark["bracket"] or "think").lower()
        name, closes = full.rpartition(":")[2], bool(mark["end"] or mark["end2"] or mark["end3"])
        if mark["tag"] and full in PAGE_TAGS:
            self._format(full, closes)
            return True
        if name in _UNUSED:
            self._until = (f"<{_UNUSED[1]}>",) if name == _UNUSED[0] else ()
            if not self._until:
                self._report("ends", "")
            return True
        hidden = mark["bracket"] is not None or name in HIDDEN_TAGS or (name in _ROW_TAGS and self._last == "\n")
        if name in VISIBLE_TAGS and mark["tag"]:
            self._report("closes" if closes else "opens", VISIBLE_TAGS[name])
        elif hidden and mark[0].endswith("/>"):
            return True
        elif hidden and closes and full != "inst":
            self._report("ends", "")
        elif hidden and closes:
            return True
        elif hidden:
            self._until = _ends_of(full, name, mark)
        elif name in _TAG_STOPS and (closes or name != "s"):
            self._report("stops", "")
        return hidden or name in VISIBLE_TAGS or name in _DROPPED

    def _format(self, name: str, closes: bool) -> None:
        """A paragraph begins a row unless it is at the beginning of one."""
        shown = PAGE_TAGS[name]
        if shown == "\n" and name != _BREAK and (closes or self._last in ("", "\n")):
            return
        for char in shown:
            self._last = char
            self._show(char)

    def _report(self, kind: MarkKind, key: str) -> None:
        if self._met is not None:
            self._met(kind, key)


def _ends_of(full: str, name: str, mark: re.Match[str]) -> tuple[str, ...]:
    """What ends the thought that a mark begins: `</think>`, `[/think]`, `</inner thoughts>`."""
    own = {"[": f"[/{full}]", "◁": "◁/think▷"}.get(mark[0][0], f"</{full}>")
    others = _MIXED_UP if name in _MIXED_UP else ()
    more = " ".join((mark["more"] or "").lower().split())
    spaced = (f"</{full} {more}>",) if more and "=" not in more else ()
    return (own, *(f"</{one}>" for one in others), *spaced)
