"""Macros in cards: `{{char}}`, `{{user}}`, `{{random:a,b}}` and others, expanded in a single pass.

The result of a macro is never searched for macros again, so a player cannot inject one with a name. The dice are
seeded: the same text in the same turn expands to the same words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

SOMEBODY = "the other person"
"""What `{{user}}` stands for in a scene, where no person plays."""
MAX_EXPANDED = 2_000_000
MAX_NESTING = 20
MAX_DICE, MAX_SIDES = 100, 1_000_000

_MARK = re.compile(r"\{\{|\}\}")
_OLD = re.compile(r"<(BOT|USER)>", re.IGNORECASE)
_TAG = re.compile(r"</(?:BOT|USER)>", re.IGNORECASE)
_DICE = re.compile(r"(\d{0,3})d(\d{1,7})(?: ?([+-]) ?(\d{1,7}))?|(\d{1,7})", re.IGNORECASE)
_WHOLE = re.compile(r"\{\{\s{0,3}([a-z_]{1,40})([^{}a-z_][^{}]{0,40})?\}\}", re.IGNORECASE)
_NAMED = re.compile(r"\s*(//|[a-z_]+)\s*(::|:)?", re.IGNORECASE)


class _ExpandedText(str):
    """The result of an inner macro; commas in it separate nothing."""

    __slots__ = ()


_Piece: TypeAlias = str
_Pieces: TypeAlias = list[_Piece]


@dataclass(frozen=True, slots=True)
class MacroContext:
    """What macros expand to: the names, and the seed of the dice.

    `seed` belongs to the chat and `turn` to the message: `{{pick}}` stays the same for the whole chat, `{{random}}` for
    one turn. `original` is our own text that `{{original}}` stands for. With `hidden_keys`, the words of
    `{{hidden_key:…}}` are kept, for a search of keys.
    """

    char: str
    user: str = SOMEBODY
    seed: str = ""
    turn: int = 0
    original: str = ""
    hidden_keys: bool = False


def expand_macros(text: str, context: MacroContext) -> str:
    """The text with its macros expanded. Unknown macros stay as they are; nothing is ever raised."""
    if "{{" not in text and "<" not in text:
        return text
    return _Expansion(context, tagged=_TAG.search(text) is not None).of(text)


def card_prompt(prompt: str, context: MacroContext) -> str:
    """The card's own prompt, or `context.original` if it has none."""
    return expand_macros(prompt, context) if prompt.strip() else context.original


def has_macros(text: str) -> bool:
    """Whether expanding the text would change it."""
    return bool(macros_in(text) & known_macros()) or (bool(_OLD.search(text)) and not _TAG.search(text))


def known_macros() -> frozenset[str]:
    return frozenset(_MACROS)


def macros_in(text: str) -> frozenset[str]:
    """The names of the macros in a text, in lower case, comments included."""
    return frozenset(name[1].lower() for name in re.finditer(r"\{\{\s*(//|[a-z_]+)", text, re.IGNORECASE))


def unread_macros(text: str) -> tuple[str, ...]:
    """The macros in a text that stay as they are, sorted: unknown names, and known ones with what they cannot read."""
    left = expand_macros(text, MacroContext(char=""))
    unread = {f"{one[1]}{one[2] or ''}".strip() for one in _WHOLE.finditer(left) if one[1].lower() in _MACROS}
    return tuple(sorted((macros_in(text) - known_macros()) | unread))


@dataclass(slots=True)
class _Expansion:
    context: MacroContext
    tagged: bool = False
    count: int = 0
    used_original: bool = False
    _open: list[_Pieces] = field(default_factory=lambda: [[]])

    def of(self, text: str) -> str:
        place = 0
        for mark in _MARK.finditer(text):
            self._add(text[place : mark.start()])
            place = mark.end()
            if mark[0] == "{{" and len(self._open) <= MAX_NESTING:
                self._open.append([])
            elif mark[0] == "}}" and len(self._open) > 1:
                self._close()
            else:
                self._open[-1].append(mark[0])
        self._add(text[place:])
        while len(self._open) > 1:  # opened and never closed: plain text
            pieces = self._open.pop()
            self._open[-1].extend(["{{", *pieces])
        return "".join(self._open[0])[:MAX_EXPANDED]

    def _add(self, words: str) -> None:
        if len(self._open) == 1 and not self.tagged:  # a '<user>' with a closing tag is markup, not a macro
            words = _OLD.sub(self._old, words)
        if words:
            self._open[-1].append(words)

    def _old(self, found: re.Match[str]) -> str:
        return self.context.user if found[1].upper() == "USER" else self.context.char

    def _close(self) -> None:
        pieces = self._open.pop()
        head = _NAMED.match(pieces[0]) if pieces and not isinstance(pieces[0], _ExpandedText) else None
        macro = _MACROS.get(head[1].lower()) if head else None
        said = None
        if head and macro:
            self.count += 1
            rest = [pieces[0][head.end() :], *pieces[1:]]
            said = macro(self, rest, head[2] or "")
        if said is None:
            self._open[-1].extend(["{{", *pieces, "}}"])
        else:
            self._open[-1].append(_ExpandedText(said[:MAX_EXPANDED]))

    def dice(self, *facts: object) -> Random:
        return Random("/".join(map(str, (self.context.seed, *facts))))

    def original(self) -> str:
        """The original text, once; empty after the first time."""
        first, self.used_original = not self.used_original, True
        return self.context.original if first else ""


_Macro: TypeAlias = Callable[["_Expansion", _Pieces, str], "str | None"]


def _char(expansion: _Expansion, rest: _Pieces, mark: str) -> str | None:
    return None if _words(rest) or mark else expansion.context.char


def _user(expansion: _Expansion, rest: _Pieces, mark: str) -> str | None:
    return None if _words(rest) or mark else expansion.context.user


def _random(expansion: _Expansion, rest: _Pieces, mark: str) -> str | None:
    return _choice(expansion.dice("random", expansion.context.turn, expansion.count), _listed(rest, mark))


def _pick(expansion: _Expansion, rest: _Pieces, mark: str) -> str | None:
    choices = _listed(rest, mark)
    return _choice(expansion.dice("pick", *choices), choices)


def _roll(expansion: _Expansion, rest: _Pieces, mark: str) -> str | None:
    dice = _DICE.fullmatch(_words(rest))
    if dice is None:
        return None
    many, sides = (1, int(dice[5])) if dice[5] else (int(dice[1] or 1), int(dice[2]))
    more = int(f"{dice[3]}{dice[4]}") if dice[3] else 0
    if not (1 <= many <= MAX_DICE and 1 <= sides <= MAX_SIDES):
        return None
    random = expansion.dice("roll", expansion.context.turn, expansion.count)
    return str(sum(random.randint(1, sides) for _ in range(many)) + more)


def _nothing(expansion: _Expansion, rest: _Pieces, mark: str) -> str:
    return ""


def _hidden(expansion: _Expansion, rest: _Pieces, mark: str) -> str:
    return _words(rest) if expansion.context.hidden_keys else ""


def _reverse(expansion: _Expansion, rest: _Pieces, mark: str) -> str | None:
    return _words(rest)[::-1] if mark else None


def _original(expansion: _Expansion, rest: _Pieces, mark: str) -> str | None:
    return None if _words(rest) or mark else expansion.original()


_MACROS: dict[str, _Macro] = {
    "char": _char,
    "user": _user,
    "random": _random,
    "pick": _pick,
    "roll": _roll,
    "//": _nothing,
    "comment": _nothing,
    "hidden_key": _hidden,
    "reverse": _reverse,
    "original": _original,
}


def _words(pieces: _Pieces) -> str:
    return "".join(pieces).strip()


def _listed(pieces: _Pieces, mark: str) -> list[str]:
    """The choices, separated by unescaped commas, or by '::' if the list begins with one."""
    if not mark or not _words(pieces):
        return []
    by = re.compile(r"::") if mark == "::" else re.compile(r"(?<!\\),")
    choices = [""]
    for piece in pieces:
        first, *others = [piece] if isinstance(piece, _ExpandedText) else by.split(piece)
        choices[-1] += first
        choices.extend(others)
    return [choice.replace("\\,", ",").strip() for choice in choices]


def _choice(random: Random, choices: Sequence[str]) -> str | None:
    return random.choice(choices) if choices else None
