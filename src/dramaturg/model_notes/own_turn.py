"""The turn that is the model's own: an answer ends where the model begins a turn of somebody else's.

The marks of a chat template say whose turn it is: `<|im_start|>user`, `<start_of_turn>user`, `<｜User｜>`, `[INST]`. A
turn of reasoning, and `<details type="reasoning">`, are left out up to their end.
"""

from __future__ import annotations

import re
from itertools import accumulate

from dramaturg.kernel.reasoning import END_OF_TURN, is_reasoning_name
from dramaturg.model_notes.labels import is_role_of_others

_LONGEST_ROLE = 20
_OWN = ("assistant", "model")
_BEFORE_ROLES = (
    *(f"<|{name}|>" for name in ("im_start", "start", "start_header_id", "start_of_role")),
    "<start_of_turn>",
)
"""What a role follows."""
_BARRED = (
    *"user human system developer tool observation ipython".split(),
    *"user_token system_token im_user im_system tool_response tool_outputs_begin tool_output_begin".split(),
)
_OTHERS = (
    *(f"<{bar}{name}{bar}>" for bar in "|｜" for name in _BARRED),
    "<<sys>>",
)
"""Marks that name somebody else themselves."""
_BRACKETED = ("[INST]", "[SYSTEM_PROMPT]", "[TOOL_RESULTS]")
"""The same in capitals; in small letters brackets are an editor's."""
_END = "<end_of_turn>"
"""A mark without bars that says nothing."""
_DETAILS = re.compile(r"<details\s(?:[^<>]{0,80}\s)?type\s?=\s?[\"']?(?P<type>[\w-]{1,20})[^<>]{0,80}>", re.I)
_DETAILS_BEGIN = "<details"
_DETAILS_END = re.compile(r"</details\s?>", re.I)
_LONGEST_TAG = 200
_LONGEST_END = 20
_OPENS = re.compile(r"<(?=[|｜<sed]|\Z)|\[(?=[IST]|\Z)", re.I)
_ROLE = re.compile(
    rf"(?:{'|'.join(map(re.escape, _BEFORE_ROLES))})\s{{0,3}}(?P<role>[^\W\d_]\w{{0,{_LONGEST_ROLE}}})", re.I
)
_OTHER = re.compile("|".join((*map(re.escape, _BRACKETED), f"(?i:{'|'.join(map(re.escape, _OTHERS))})")))
_ROLE_COMES = re.compile(rf"(?:{'|'.join(map(re.escape, _BEFORE_ROLES))})\s{{0,3}}\w{{0,{_LONGEST_ROLE}}}", re.I)
_MARKS = (*_BEFORE_ROLES, *_OTHERS, *(mark.lower() for mark in _BRACKETED), _END, _DETAILS_BEGIN)
_BEGINNINGS = frozenset(part for mark in _MARKS for part in accumulate(mark))
_LONGEST_MARK = max(map(len, _MARKS)) + _LONGEST_ROLE + 3


class OwnTurn:
    """Takes an answer in pieces and passes on what is in the model's own turn, whatever the pieces are."""

    def __init__(self) -> None:
        self._held = self._last = ""
        self._until: re.Pattern[str] | None = None
        self.is_over = False
        """Whether somebody else's turn has begun."""

    def feed(self, text: str) -> str:
        return "" if self.is_over else self._passed(self._held + text, ends=False)

    def close(self) -> str:
        """The text is over: what was held back is no mark."""
        return "" if self.is_over else self._passed(self._held, ends=True)

    def _passed(self, text: str, *, ends: bool) -> str:
        kept, at = list[str](), 0
        self._held = ""
        while at < len(text) and not self.is_over:
            if self._until is not None:
                at = self._after_hidden(self._until, text, at)
                continue
            opening = _OPENS.search(text, at)
            start = opening.start() if opening else len(text)
            self._keep(kept, text[at:start])
            at = start
            if opening and not ends and _may_become_mark(text, start):
                self._held = text[start:]
                break
            if opening:
                at = self._meet(text, start)
                if at == start + 1:  # marks are longer
                    self._keep(kept, text[start:at])
        return "".join(kept)

    def _keep(self, kept: list[str], text: str) -> None:
        kept.append(text)
        self._last = text[-1:] or self._last

    def _meet(self, text: str, start: int) -> int:
        """Judges the mark that may begin here; returns where it ends, or where the next letter is if it is none."""
        details = _DETAILS.match(text, start)
        if details is not None and is_reasoning_name(details["type"]):
            self._until = _DETAILS_END
            return details.end()
        if text[start : start + len(_END)].lower() == _END:
            return start + len(_END)
        other, turn = _OTHER.match(text, start), _ROLE.match(text, start)
        mark = other or turn
        if mark is None or (self._last == "`" == text[mark.end() : mark.end() + 1]):
            return start + 1
        role = turn["role"] if turn else ""
        if other or is_role_of_others(role):
            self.is_over = True
        elif is_reasoning_name(role):
            self._until = END_OF_TURN
        elif role.lower() not in _OWN:
            return start + 1
        return mark.end()

    def _after_hidden(self, until: re.Pattern[str], text: str, at: int) -> int:
        end = until.search(text, at)
        if end is not None:
            self._until = None
            return end.end()
        self._held = text[max(at, len(text) - _LONGEST_END) :]
        return len(text)


def own_turn(text: str) -> str:
    """What of a whole answer is in the model's own turn."""
    own = OwnTurn()
    return own.feed(text) + own.close()


def _may_become_mark(text: str, start: int) -> bool:
    """Whether a text, from a place on, may still become a mark, or its last letters belong to it."""
    left = len(text) - start
    if left > _LONGEST_TAG:
        return False
    rest = text[start:].lower()
    if rest in _BEGINNINGS:
        return True
    if left <= _LONGEST_MARK and _ROLE_COMES.fullmatch(rest):
        return True
    return rest.startswith(_DETAILS_BEGIN) and ">" not in rest and "<" not in rest[1:]
