"""Rows that begin with a key of the answer, however they are written or mistyped, made into rows with a colon.

`• Dialogue: …`, `` `Internal`: … ``, `Plan — …`. Where a form of such rows has begun, a hidden key is known with one
character mistyped, too, and amid a row. A row that may be prose as well waits for the next one to tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from dramaturg.episodes.answer_keys import GUARDED, VISIBLE, is_hidden_label, key_of, near_guarded, visible_key
from dramaturg.model_notes.labels import is_thought_label
from dramaturg.model_notes.notes import begins_closed_label, closed_label

LONGEST_DOUBT = 2_000
"""How much of rows that may be prose is held back."""
_COLONS = ":：﹕∶꞉︓ː⁚׃"
_WEAK = "—–―−|>=→⇒➔…~-"
_NAME = r"[^\W\d_]{1,16}(?:[ _-][^\W\d_]{1,16}){0,2}"
_ITEM = r"(?:\(?(?:\d{1,2}|[A-Za-z])[.)](?!\w)[^\w\n]{0,8})?"
_BEFORE = rf"[^\w\n]{{0,16}}_{{0,3}}{_ITEM}_{{0,3}}"
_ROW = re.compile(rf"(?P<before>{_BEFORE})(?P<name>{_NAME})(?P<after>(?:[^\w\n]|_){{1,16}})(?=[^\W_]|\n)")
_PREFIX = re.compile(_BEFORE)
_MAYBE_ROW = re.compile(
    r"[^\w\n]{0,16}_{0,3}(?:(?:\(?(?:\d{1,2}|[A-Za-z])[.)][^\w\n]{0,8})?_{0,3}"
    r"(?:[^\W\d_]{1,16}(?:[ _-][^\W\d_]{0,16}){0,2}(?:[^\w\n]|_){0,16})?|\(?\d{1,2})"
)
_SIGN = re.compile(
    rf"(?P<closed>(?:(?![{_COLONS}.,;!?…|—–])[^\w\s]|_){{0,5}})[ \t.]{{0,2}}"
    rf"(?P<sign>[{_COLONS}]|[{_WEAK}]{{1,3}})(?P<more>[*_~`=”’»」>]{{0,3}})[ \t]{{0,3}}"
)
_PLAIN = re.compile(r"[ \t*_#>\"“,'/(\[-]*")
_PLAIN_END = re.compile(r"[*_\"”'\\]*[ \t]*[:：]")
_TOLD_AMID = re.compile(r"([^\s.!?…\"”)*_<>,;(\[-]{3,10})[*_`\" ]{0,4}\Z")
_QUOTES, _NO_FORM = ("'", '"', "“"), re.compile(r"[^\"“\[{]{0,64}")
_TAIL, _LOOK, _WORD = 24, 64, 12
Kind = Literal["shown", "thought", "note", ""]


@lru_cache(maxsize=1024)
def _kind_of(name: str) -> Kind:
    """What stands behind the words, if they are a key."""
    plain = " ".join(name.replace("_", " ").replace("-", " ").casefold().split())
    if plain in VISIBLE:
        return "shown"
    if is_thought_label(plain):
        return "thought"
    return "note" if is_hidden_label(plain) else ""


@dataclass(frozen=True, slots=True)
class _Begun:
    """The beginning of a row with a key: as it was written, with a colon, and whether it is surely one."""

    kind: Kind
    written: str
    clean: str
    sure: bool
    tag: bool = False


class KeyRows:
    """Takes a text by the character and passes it on with every row that begins with a key as `Key: …`."""

    def __init__(self, pass_on: Callable[[str], None]) -> None:
        self._pass_on = pass_on
        self.restart()

    def restart(self) -> None:
        """What was heard so far is no part of the text."""
        self._held = self._tail = self._sign = ""
        self._begins, self._form, self._tagged, self._titled, self._dropping = True, False, False, False, False
        self._doubt: list[tuple[_Begun, list[str]]] = []
        self._doubted = 0

    def met_tag(self, *, opens: bool) -> None:
        """The tag of a visible part stands here: whatever has no tag of its own begins a row."""
        self._form = self._form or opens
        self.end()
        self._form = self._tagged = self._titled = True
        self._begins, self._dropping, self._tail = not opens, False, ""

    def hear(self, char: str) -> None:
        if self._dropping:
            return
        if self._begins:
            self._held += char
            self._judge(over=char == "\n" or len(self._held) >= _LOOK)
        else:
            self._tell(char)

    def end(self) -> None:
        """The text is over, or interrupted: what was held back is judged as it is."""
        if self._held and not self._dropping:
            self._judge(over=True)
        self._settle(is_form=self._form)

    def _judge(self, *, over: bool) -> None:
        held = self._held
        if held.lstrip(" \t").startswith("|") or ("{" in held and not self._form):
            self._release()
            return
        if not held.strip():
            if over:
                self._release()
            return
        if (closed := closed_label(held)) is not None:
            self._begin(_Begun("note", held, closed, sure=True, tag=self._tagged))
            return
        if not over and begins_closed_label(held):
            return
        found = _ROW.match(held) or (_ROW.match(f"{held}\n") if over else None)
        begun = self._in_style(found) if found is not None else None
        if begun is None and (over or len(held) > _PREFIX.match(held).end() + _WORD):  # type: ignore[union-attr]
            begun = self._mistyped(held)
        if begun is not None:
            self._begin(begun)
        elif over or not self._may_begin(held):
            self._release()

    def _may_begin(self, held: str) -> bool:
        prefix = _PREFIX.match(held)
        short = prefix is not None and len(held) <= prefix.end() + _WORD
        return short if self._form or _ROW.match(held) else _MAYBE_ROW.fullmatch(held) is not None

    def _in_style(self, found: re.Match[str]) -> _Begun | None:
        """A row with a key in some style; one that is read as it is stays so."""
        kind, name = _kind_of(found["name"]), found["name"]
        sign = _SIGN.match(found["after"])
        plain = _PLAIN.fullmatch(found["before"]) and _PLAIN_END.match(found["after"])
        if not (kind or plain) and sign is not None and sign["sign"] in _COLONS:
            name = visible_key(key_of(name)) or ""
            kind = _kind_of(name)
        if not kind or sign is None:
            return None
        if found["before"].endswith(_QUOTES) and not _NO_FORM.fullmatch(self._held, found.start("after") + 1):
            return _Begun("", self._held, self._held, sure=True)
        if kind == "shown":
            self._sign, self._titled = sign["sign"][0], found["name"][0].isupper()
        end = found.start("after") + sign.end()
        if plain:
            return _Begun(kind, self._held, self._held, sure=True)
        sure = self._form or (kind != "note" and sign["sign"] in _COLONS)
        tag = self._tagged and kind != "shown"
        return _Begun(kind, self._held, f"{name}: {self._held[end:]}", sure, tag)

    def _mistyped(self, held: str) -> _Begun | None:
        prefix = _PREFIX.match(held)
        start = prefix.end() if prefix is not None else 0
        for at in (start, start + 2 if held[start + 1 : start + 2].strip(" ") else start):
            while held[at : at + 1] and not held[at].isalnum():
                at += 1
            if self._tagged and held[at - 1 : at] == "<" and held[at:].lower().startswith(GUARDED):
                return _Begun("note", held, "", sure=True, tag=True)
            for length in near_guarded(held[at : at + _WORD].lower()):
                end = at + length
                behind = held[end:].lstrip("*_`\"'”’])\\ ")[:1]
                in_tag = held[at - 1 : at] == "<" and behind == ">"
                if in_tag or self._is_key(held[at:end], behind, held[end : end + 1]):
                    rest = held[end:].lstrip(f" \t*_`\"'{_COLONS}{_WEAK}")
                    return _Begun("note", held, f"internal: {rest}", sure=self._form, tag=self._tagged)
        return None

    def _is_key(self, word: str, sign: str, behind: str) -> bool:
        """Whether a word that is like a hidden key is one, by the sign behind it."""
        if sign and (sign in _COLONS or (self._form and (sign == self._sign or (self._tagged and sign == ">")))):
            return True
        exact = len(word) in near_guarded(word.lower(), typos=0) and (self._tagged or sign in ("", "\n"))
        sure = exact or len(word) >= len(GUARDED[0])  # "Note how quiet they are" is speech
        return self._form and sure and (self._tagged or word[0].isupper() == self._titled) and not behind.isalnum()

    def _begin(self, begun: _Begun) -> None:
        self._held = ""
        if self._doubt and (begun.kind == "shown" or any(one.kind == "shown" for one, _ in self._doubt)):
            self._form = True
            self._settle(is_form=True)
        if not (begun.sure or self._form):
            self._doubt.append((begun, []))
            self._doubted += len(begun.written)
            self._begins = begun.written.endswith("\n")
            return
        self._settle(is_form=self._form)
        self._form = self._form or begun.kind == "shown"
        self._dropping = begun.tag
        if not begun.tag:
            self._begins, self._tail = begun.clean.endswith("\n"), ""
            for char in begun.clean:
                self._pass_on(char)

    def _release(self) -> None:
        """What was held back begins no row of a form."""
        held, self._held = self._held, ""
        if self._doubt and (not held.strip() or self._is_owed()):
            self._add(held)
            return
        self._settle(is_form=self._form)
        self._pass(held)

    def _is_owed(self) -> bool:
        """Whether the words of the last key stand in the row below it."""
        begun, rest = self._doubt[-1]
        return not any(map(str.strip, rest)) and begun.clean.rstrip().endswith(":")

    def _pass(self, text: str) -> None:
        self._begins = False
        for char in text:
            self._tell(char)

    def _settle(self, *, is_form: bool) -> None:
        """What was doubtful is a form, whose hidden rows are left out, or prose."""
        doubt, self._doubt, self._doubted = self._doubt, [], 0
        for begun, rest in doubt:
            if not is_form:
                self._pass(begun.written + "".join(rest))
            elif begun.kind == "shown":
                self._pass(begun.clean + "".join(rest))

    def _add(self, text: str) -> None:
        self._doubt[-1][1].append(text)
        self._doubted += len(text)
        self._begins = text.endswith("\n")
        if self._doubted > LONGEST_DOUBT:
            begins = self._begins
            self._settle(is_form=False)
            self._begins = begins

    def _tell(self, char: str) -> None:
        if self._doubt:
            self._add(char)
            return
        self._begins = char == "\n"
        if self._form and not self._tagged and char in _COLONS and self._is_amid():
            for mark in "\ninternal:":
                self._pass_on(mark)
            self._tail = ""
            return
        self._tail = "" if self._begins else (self._tail + char)[-_TAIL:]
        self._pass_on(char)

    def _is_amid(self) -> bool:
        """Whether a hidden key stands before this colon amid a row, as if its row had not begun anew."""
        found = _TOLD_AMID.search(self._tail)
        if found is None or found.start() == 0:
            return False
        word, before = found[1], self._tail[: found.start()]
        if len(word) not in near_guarded(word.lower()) or before.rstrip()[-1:].isalnum():
            return False  # "my plan: we leave" is speech
        return any(map(str.isupper, word)) if self._titled else not before[-1].isspace()
