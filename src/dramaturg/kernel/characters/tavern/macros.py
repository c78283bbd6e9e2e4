"""Macros of foreign cards: `{{char}}`, `{{user}}`, `{{random:a,b}}` and the like, spoken once and in one pass.

What a macro brings in is never read for macros again, so a player cannot smuggle one in by a name. The dice
are seeded: the same text at the same turn is the same words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeAlias

SOMEBODY = "the other person"
"""Whom a card means by `{{user}}` where no person plays: on a stage."""
MAX_SPOKEN = 2_000_000
MAX_NESTING = 20
MAX_DICE, MAX_SIDES = 100, 1_000_000

_MARK = re.compile(r"\{\{|\}\}")
_OLD = re.compile(r"<(BOT|USER)>", re.IGNORECASE)
_TAG = re.compile(r"</(?:BOT|USER)>", re.IGNORECASE)
_DICE = re.compile(r"(\d{0,3})d?(\d{1,7})", re.IGNORECASE)
_NAMED = re.compile(r"\s*(//|[a-z_]+)\s*(::|:)?", re.IGNORECASE)


class _Spoken(str):
    """What an inner macro gave: words, in which a comma divides nothing."""

    __slots__ = ()


_Piece: TypeAlias = str
_Pieces: TypeAlias = list[_Piece]


@dataclass(frozen=True, slots=True)
class MacroContext:
    """Who speaks to whom, and the dice.

    `seed` belongs to the chat and `turn` to the message: a pick stays for the whole chat, a random choice for
    one turn. `original` is the text of ours that `{{original}}` stands for. With `hidden_keys` the words of
    `{{hidden_key:…}}` are left in, for those who look for keys.
    """

    char: str
    user: str = SOMEBODY
    seed: str = ""
    turn: int = 0
    original: str = ""
    hidden_keys: bool = False


def expand_macros(text: str, speech: MacroContext) -> str:
    """The text with its macros spoken. An unknown one stays as it is; nothing is ever raised."""
    if "{{" not in text and "<" not in text:
        return text
    return _Speaking(speech, tagged=_TAG.search(text) is not None).spoken(text)


def card_prompt(prompt: str, speech: MacroContext) -> str:
    """A card's own prompt, or ours, which is `speech.original`, where it has none."""
    return expand_macros(prompt, speech) if prompt.strip() else speech.original


def has_macros(text: str) -> bool:
    """Whether speaking a text would change it."""
    return bool(macros_in(text) & known_macros()) or (bool(_OLD.search(text)) and not _TAG.search(text))


def known_macros() -> frozenset[str]:
    return frozenset(_MACROS)


def macros_in(text: str) -> frozenset[str]:
    """The names of the macros in a text, in small letters; those of comments too."""
    return frozenset(name[1].lower() for name in re.finditer(r"\{\{\s*(//|[a-z_]+)", text, re.IGNORECASE))


@dataclass(slots=True)
class _Speaking:
    speech: MacroContext
    tagged: bool = False
    count: int = 0
    used_original: bool = False
    _open: list[_Pieces] = field(default_factory=lambda: [[]])

    def spoken(self, text: str) -> str:
        place = 0
        for mark in _MARK.finditer(text):
            self._say(text[place : mark.start()])
            place = mark.end()
            if mark[0] == "{{" and len(self._open) <= MAX_NESTING:
                self._open.append([])
            elif mark[0] == "}}" and len(self._open) > 1:
                self._close()
            else:
                self._open[-1].append(mark[0])
        self._say(text[place:])
        while len(self._open) > 1:  # opened and never closed: words like any other
            pieces = self._open.pop()
            self._open[-1].extend(["{{", *pieces])
        return "".join(self._open[0])[:MAX_SPOKEN]

    def _say(self, words: str) -> None:
        if len(self._open) == 1 and not self.tagged:  # '<user>' that is closed somewhere is a mark and no macro
            words = _OLD.sub(self._old, words)
        if words:
            self._open[-1].append(words)

    def _old(self, found: re.Match[str]) -> str:
        return self.speech.user if found[1].upper() == "USER" else self.speech.char

    def _close(self) -> None:
        pieces = self._open.pop()
        head = _NAMED.match(pieces[0]) if pieces and not isinstance(pieces[0], _Spoken) else None
        macro = _MACROS.get(head[1].lower()) if head else None
        said = None
        if head and macro:
            self.count += 1
            rest = [pieces[0][head.end() :], *pieces[1:]]
            said = macro(self, rest, head[2] or "")
        if said is None:
            self._open[-1].extend(["{{", *pieces, "}}"])
        else:
            self._open[-1].append(_Spoken(said[:MAX_SPOKEN]))

    def dice(self, *facts: object) -> Random:
        return Random("/".join(map(str, (self.speech.seed, *facts))))

    def original(self) -> str:
        """Ours, the first time it is asked for."""
        first, self.used_original = not self.used_original, True
        return self.speech.original if first else ""


_Macro: TypeAlias = Callable[["_Speaking", _Pieces, str], "str | None"]


def _char(speaking: _Speaking, rest: _Pieces, mark: str) -> str | None:
    return None if _words(rest) or mark else speaking.speech.char


def _user(speaking: _Speaking, rest: _Pieces, mark: str) -> str | None:
    return None if _words(rest) or mark else speaking.speech.user


def _random(speaking: _Speaking, rest: _Pieces, mark: str) -> str | None:
    return _choice(speaking.dice("random", speaking.speech.turn, speaking.count), _listed(rest, mark))


def _pick(speaking: _Speaking, rest: _Pieces, mark: str) -> str | None:
    choices = _listed(rest, mark)
    return _choice(speaking.dice("pick", *choices), choices)


def _roll(speaking: _Speaking, rest: _Pieces, mark: str) -> str | None:
    dice = _DICE.fullmatch(_words(rest))
    if dice is None:
        return None
    is_bare = "d" not in dice[0].lower()
    many, sides = (1, int(dice[0])) if is_bare else (int(dice[1] or 1), int(dice[2]))
    if not (1 <= many <= MAX_DICE and 1 <= sides <= MAX_SIDES):
        return None
    random = speaking.dice("roll", speaking.speech.turn, speaking.count)
    return str(sum(random.randint(1, sides) for _ in range(many)))


def _nothing(speaking: _Speaking, rest: _Pieces, mark: str) -> str:
    return ""


def _hidden(speaking: _Speaking, rest: _Pieces, mark: str) -> str:
    return _words(rest) if speaking.speech.hidden_keys else ""


def _reverse(speaking: _Speaking, rest: _Pieces, mark: str) -> str | None:
    return _words(rest)[::-1] if mark else None


def _original(speaking: _Speaking, rest: _Pieces, mark: str) -> str | None:
    return None if _words(rest) or mark else speaking.original()


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
    """The choices: divided by commas that are not escaped, or by '::' where the list begins with one."""
    if not mark or not _words(pieces):
        return []
    by = re.compile(r"::") if mark == "::" else re.compile(r"(?<!\\),")
    choices = [""]
    for piece in pieces:
        first, *others = [piece] if isinstance(piece, _Spoken) else by.split(piece)
        choices[-1] += first
        choices.extend(others)
    return [choice.replace("\\,", ",").strip() for choice in choices]


def _choice(random: Random, choices: Sequence[str]) -> str | None:
    return random.choice(choices) if choices else None
