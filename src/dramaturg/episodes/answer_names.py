"""Who is there when an answer is read: whose rows end it, whose name is left out, and whom macros mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from dramaturg.episodes.events import SessionOpened
from dramaturg.episodes.persona_name import told_name

_MARKS = "*_#[]【】 \t"
_MACROS = ("{{user}}", "{{char}}")
_MANNERS = "(（"


@dataclass(frozen=True)
class AnswerNames:
    """The names of the character who answers, of the player, and of the others of a group."""

    own: str = ""
    player: str = ""
    others: tuple[str, ...] = ()

    def whose(self, label: str) -> Literal["own", "other", ""]:
        """Whom the words before a colon name, at the beginning of a row: `**Anna** (softly)`."""
        name = _named_in(label)
        if name in self._own:
            return "own"
        return "other" if name in self._others else ""

    def meant_by(self, macro: str) -> str:
        return told_name(self.player) if macro == _MACROS[0] else self.own or macro

    @cached_property
    def _own(self) -> frozenset[str]:
        return frozenset(_called(self.own))

    @cached_property
    def _others(self) -> frozenset[str]:
        return frozenset(name for one in (self.player, *self.others) for name in _called(one)) - self._own


NO_NAMES = AnswerNames()


def names_in(session: SessionOpened, speaker: str) -> AnswerNames:
    """The names in a session for an answer of this member of a group; without one, of its only character."""
    own = next((one.display_name for one in session.cast if one.character == speaker), session.display_name)
    others = tuple(one.display_name for one in session.cast if one.display_name != own)
    return AnswerNames(own, session.player.name, others)


class MacroFilter:
    """Takes a text by the character and passes it on with names in place of `{{user}}` and `{{char}}`."""

    def __init__(self, pass_on: Callable[[str], None], names: AnswerNames) -> None:
        self._pass_on, self._names = pass_on, names
        self._held = ""

    def hear(self, char: str) -> None:
        if not self._held and char != "{":
            self._pass_on(char)
            return
        self._held += char
        while self._held and not any(macro.startswith(self._held.lower()) for macro in _MACROS):
            first, self._held = self._held[0], self._held[1:]
            self._pass_on(first)
        if self._held.lower() in _MACROS:
            macro, self._held = self._held.lower(), ""
            for one in self._names.meant_by(macro):
                self._pass_on(one)

    def end(self) -> None:
        """The text is over: what was held back is no macro."""
        held, self._held = self._held, ""
        for char in held:
            self._pass_on(char)


def _named_in(label: str) -> str:
    """A label without marks and without the manner behind the name."""
    for mark in _MANNERS:
        label = label.partition(mark)[0]
    return label.strip(_MARKS).casefold()


def _called(name: str) -> Iterator[str]:
    """How somebody is called before a colon: by the whole name, or by its first word."""
    words = name.casefold().split()
    if words:
        yield " ".join(words)
        yield words[0]
