"""Who is there when an answer is read: whose rows end it, whose name is left out, and whom macros mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import accumulate, chain
from typing import Literal

from dramaturg.episodes.answer_keys import GUARDED, VISIBLE
from dramaturg.episodes.events import SessionOpened
from dramaturg.episodes.persona_name import told_name
from dramaturg.model_notes.labels import labels

_MARKS = "*_#[]【】<>-–— \t"
_MACROS = ("{{user}}", "{{char}}")
_COLONS = ":："
_BRACKETS = ("[]", "【】", "<>")
_DASHES = ("-", "–", "—")
_SPEECH = '"“„«「『*'
_SHOWN_AGAIN = ("", *_SPEECH, "—")
"""How a row begins that is the character's again: empty, or as speech and gestures do."""
_LONGEST_LABEL, _LONGEST_MANNER = 64, 3
_THINKING = labels("thoughts") | labels("verbs") | frozenset(GUARDED)
"""What behind the own name says that nobody hears what follows."""
Whose = Literal["own", "thought", "other", ""]


@dataclass(frozen=True)
class AnswerNames:
    """The names of the character who answers, of the player, and of the others of a group."""

    own: str = ""
    player: str = ""
    others: tuple[str, ...] = ()

    def whose(self, label: str) -> Whose:
        """Whom the words before a colon name, at the beginning of a row: `**Anna** (softly)`, `Anna thinks`."""
        name = _named_in(label)
        if name in self._own or self._is_own_with_manner(name):
            return "thought" if _manner_in(label) in _THINKING else "own"
        return "thought" if name in self._own_thoughts else "other" if name in self._others else ""

    def may_begin(self, words: str) -> bool:
        """Whether the beginning of a row may become such a label."""
        name = _named_in(words)
        return len(words) < _LONGEST_LABEL and (name in self._beginnings or self._is_own_with_manner(name))

    def _is_own_with_manner(self, name: str) -> bool:
        """`Anna Berg, very quietly`; others may be spoken to in that way."""
        own, comma, manner = name.partition(",")
        words = manner.split()
        is_manner = len(words) <= _LONGEST_MANNER and "," not in manner and self._others.isdisjoint(words)
        return bool(comma) and own in self._own and is_manner

    @property
    def is_empty(self) -> bool:
        return not (self._own or self._others)

    def meant_by(self, macro: str) -> str:
        return told_name(self.player) if macro == _MACROS[0] else self.own or macro

    @cached_property
    def _own(self) -> frozenset[str]:
        return frozenset(f"{name} {says}".rstrip() for name in self._called for says in ("", *labels("saying")))

    @cached_property
    def _called(self) -> frozenset[str]:
        return frozenset((*_called(self.own), *_words_of(self.own)))

    @cached_property
    def _own_thoughts(self) -> frozenset[str]:
        ends = (*(f" {thinks}" for thinks in labels("verbs")), *(f"'s {thought}" for thought in labels("thoughts")))
        return frozenset(f"{name}{end}" for name in self._called for end in ends)

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        known = self._own | self._own_thoughts | self._others
        return frozenset(("", *chain.from_iterable(map(accumulate, known))))

    @cached_property
    def _others(self) -> frozenset[str]:
        named = frozenset(name for one in (self.player, *self.others) for name in _called(one))
        return named - self._own - VISIBLE.keys()  # a player may be called Action


NO_NAMES = AnswerNames()


def names_in(session: SessionOpened, speaker: str) -> AnswerNames:
    """The names in a session for an answer of this member of a group; without one, of its only character."""
    own = next((one.display_name for one in session.cast if one.character == speaker), session.display_name)
    others = tuple(one.display_name for one in session.cast if one.display_name != own)
    return _answer_names(own, session.player.name, others)


@lru_cache(maxsize=256)
def _answer_names(own: str, player: str, others: tuple[str, ...]) -> AnswerNames:
    """Kept for the next answer: how each name may begin a row is worked out once."""
    return AnswerNames(own, player, others)


class MacroFilter:
    """Takes a text by the character and passes it on with names in place of `{{user}}` and `{{char}}`.

    Only a brace, and what follows it while something is `held` back, has to be heard here.
    """

    def __init__(self, pass_on: Callable[[str], None], names: AnswerNames) -> None:
        self._pass_on, self._names = pass_on, names
        self.held = ""

    def hear(self, char: str) -> None:
        self.held += char
        while self.held and not any(macro.startswith(self.held.lower()) for macro in _MACROS):
            first, self.held = self.held[0], self.held[1:]
            self._pass_on(first)
        if self.held.lower() in _MACROS:
            macro, self.held = self.held.lower(), ""
            for one in self._names.meant_by(macro):
                self._pass_on(one)

    def end(self) -> None:
        """The text is over: what was held back is no macro."""
        held, self.held = self.held, ""
        for char in held:
            self._pass_on(char)


class NameRows:
    """Takes a text by the character and passes on the rows that are the character's.

    The own name in front of a row is left out, and so is what it thinks. A row of somebody else ends the text; before
    the first words it is passed over, up to an empty row, to the own name, or to speech and gestures.
    """

    def __init__(self, pass_on: Callable[[str], None], names: AnswerNames) -> None:
        self._pass_on, self._names = pass_on, names
        self._held = ""
        self._begins, self._spoke = not names.is_empty, False
        self._hides: Literal["", "row", "turn", "rest"] = ""
        self._marks: int | None = None
        self._passes = names.is_empty

    def hear(self, char: str) -> None:
        if self._passes and char != "\n":  # in the middle of a row that is the character's
            self._pass_on(char)
            return
        if self._hides == "rest":
            return
        if self._marks is not None and (char in " \t" or (char in "*_" and self._marks)):
            self._marks -= char in "*_"
        elif self._begins and (char != "\n" or self._held):
            self._held += char
            self._judge(char)
        else:
            self._tell(char)

    def end(self) -> None:
        """Nothing more belongs to what was held back: it is no label."""
        held, self._held = self._held, ""
        for char in held:
            self._tell(char)

    def restart(self) -> None:
        """What was heard so far is no part of the text."""
        self._held, self._hides, self._marks = "", "", None
        self._begins, self._spoke, self._passes = not self._names.is_empty, False, self._names.is_empty

    def _tell(self, char: str) -> None:
        self._marks = None
        if char == "\n" and self._begins and self._hides == "row":  # an empty row
            self._hides = ""
        self._begins = char == "\n" and not self._names.is_empty
        if not self._hides:
            self._spoke = self._spoke or not char.isspace()
            self._passes = self._spoke and not self._begins
            self._pass_on(char)

    def _judge(self, char: str) -> None:
        whose = self._names.whose(self._held[:-1]) if _ends_label(self._held) else ""
        if whose == "own":
            self._begin_own(char)
        elif whose == "thought":
            self._held, self._begins, self._hides = "", char == "\n", "row"
        elif whose:
            self._held, self._begins = "", char == "\n"
            self._hides = "rest" if self._spoke else "turn" if self._begins else "row"
        elif char == "\n" or not self._names.may_begin(self._held):
            if self._hides == "row" and self._held.lstrip()[:1] in _SHOWN_AGAIN:
                self._hides = ""
            self.end()

    def _begin_own(self, char: str) -> None:
        """The own name stands there, and what this character ends it with."""
        held, self._held, self._hides, self._begins = self._held, "", "", char == "\n"
        if char in _COLONS:
            before = len(held) - len(held.lstrip("*_ \t"))
            marks = [sum(mark in "*_" for mark in part) for part in (held[:before], held[before:])]
            self._marks = max(0, marks[0] - marks[1])
        elif char != "\n":
            self._tell(char)


def _ends_label(held: str) -> bool:
    """Whether the last character shows that what stands before it in a row may only be the name of who speaks.

    A colon does; speech behind a name in bold or with a dash; the end of a row of nothing but a heading or capitals;
    and everything behind a name in brackets.
    """
    label, char = held[:-1], held[-1]
    name = label.strip()
    if char in _COLONS:
        return True
    if not name or char in " \t":
        return False
    in_bold = name.startswith("**") and name.endswith("**")
    if name[0] + name[-1] in _BRACKETS:
        return True
    if char == "\n":
        return in_bold or name[0] == "#" or name.partition("(")[0].isupper()
    return char in _SPEECH and (in_bold or name.endswith(_DASHES)) and (char != "*" or label[-1].isspace())


def _named_in(label: str) -> str:
    """A label without marks and without the manner behind the name."""
    return label.partition("(")[0].partition("（")[0].strip(_MARKS).casefold().replace("’", "'")


def _manner_in(label: str) -> str:
    """The manner behind the name: in brackets, or behind a comma."""
    name, bracket, manner = label.replace("（", "(").partition("(")
    words = manner.partition(")")[0].partition("）")[0] if bracket else name.partition(",")[2]
    return words.strip(_MARKS).casefold()


def _called(name: str) -> Iterator[str]:
    """How somebody is called before a colon: by the whole name, or by its first or last word."""
    words = _words_of(name)
    if words:
        yield from (" ".join(words), words[0], words[-1])


def _words_of(name: str) -> list[str]:
    return name.casefold().replace("’", "'").split()
