"""The phrase banks: passages of one to four lines, written to answer each other, kept as plain text.

    ## resist fault office                 what the passage is for, then when it fits: family, deed, world
    A defensive *looks up*: I can explain, ^ it was not as simple as it looked.
    / (nervous) wary: Can I just say, ^ before anybody starts, that it was not simple.
    P! furious: Then make it simple.

One line of text is one line of dialogue; `/` gives another wording of the line above. The letter is the part: A is
whoever must do the deed, P whoever wants it, T and U are the others. Marks after the letter: `!` cuts the line before
it, at its `^`; `+` follows in the same beat; `=` is the deed; `?` may be left out. `A>T` is said to T. Words in
parentheses are manners; then comes a tone, or several separated by `/`. Slots are in braces.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from dramaturg.kernel.models.rehearsal.sheet import load_sheet

_LINE = re.compile(
    r"^(?:(?P<part>[APTU])(?:>(?P<to>[APTU]))?(?P<marks>[!+=?]*)|/)"
    r"(?: \((?P<manners>[^)]*)\))?(?: (?P<tone>[^*:{]+?))?(?: \*(?P<gesture>[^*]+)\*)?: (?P<text>.+)$"
)
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to say a line."""

    text: str
    tones: tuple[str, ...]
    manners: tuple[str, ...] = ()
    gesture: str = ""
    slots: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PassageLine:
    """One line of a passage, in one or more wordings."""

    part: str
    to: str
    wordings: tuple[Wording, ...]
    cuts: bool = False
    quick: bool = False
    deed: bool = False
    optional: bool = False


@dataclass(frozen=True, slots=True)
class BankPassage:
    """A few lines that belong together. All of its `tags` must fit the situation."""

    key: str
    move: str
    tags: frozenset[str]
    lines: tuple[PassageLine, ...]
    parts: frozenset[str]

    @property
    def cuts(self) -> bool:
        return any(line.cuts for line in self.lines)


class BankError(ValueError):
    """A bank has a line that cannot be read."""


@cache
def passages() -> Mapping[str, tuple[BankPassage, ...]]:
    """Every passage, by move."""
    found: dict[str, list[BankPassage]] = {}
    folder = files(__package__) / "banks"
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".lines.txt"):
            for passage in read_passages(file.read_text(encoding="utf-8"), file.name.split(".")[0]):
                found.setdefault(passage.move, []).append(passage)
    return {move: tuple(every) for move, every in found.items()}


def sheet(name: str) -> Mapping[str, tuple[str, ...]]:
    """A word list of the banks, by heading."""
    return load_sheet(__package__, f"banks/{name}.txt")


def lists() -> Mapping[str, tuple[str, ...]]:
    """The lists that fill slots: moods, gestures, measures, details."""
    return sheet("lists")


def read_passages(text: str, name: str = "bank") -> tuple[BankPassage, ...]:
    """Read one bank. Raises BankError with the offending line."""
    found: list[BankPassage] = []
    heading: list[str] = []
    block: list[str] = []
    for number, line in enumerate((*text.splitlines(), ""), start=1):
        stripped = line.strip()
        if stripped.startswith("## "):
            heading = stripped[3:].split()
        elif stripped and not stripped.startswith("#"):
            block.append(stripped)
        elif block and not stripped:
            if not heading:
                raise BankError(f"{name}, line {number}: a passage before the first heading.")
            key = f"{name}/{len(found)}"
            lines = _lines(block, name)
            parts = frozenset(line.part for line in lines)
            found.append(BankPassage(key, heading[0], frozenset(heading[1:]), lines, parts))
            block = []
    return tuple(found)


def _lines(block: list[str], name: str) -> tuple[PassageLine, ...]:
    lines: list[PassageLine] = []
    for row in block:
        found = _LINE.match(row)
        if not found or (not lines and not found["part"]):
            raise BankError(f"{name}: cannot read the line {row!r}.")
        if found["part"]:
            marks = found["marks"]
            if lines and lines[-1].part == found["part"]:
                raise BankError(f"{name}: {found['part']} speaks twice in a row at {row!r}.")
            lines.append(
                PassageLine(
                    found["part"],
                    found["to"] or "",
                    (_wording(found, ("plain",)),),
                    cuts="!" in marks,
                    quick="+" in marks,
                    deed="=" in marks,
                    optional="?" in marks,
                )
            )
        else:
            last = lines[-1]
            other = _wording(found, last.wordings[0].tones)
            lines[-1] = PassageLine(
                last.part, last.to, (*last.wordings, other), last.cuts, last.quick, last.deed, last.optional
            )
    return tuple(lines)


def _wording(found: re.Match[str], tones: tuple[str, ...]) -> Wording:
    return Wording(
        text=found["text"].strip(),
        tones=tuple(tone.strip() for tone in found["tone"].split("/")) if found["tone"] else tones,
        manners=tuple((found["manners"] or "").replace(",", " ").split()),
        gesture=(found["gesture"] or "").strip(),
        slots=tuple(_SLOT.findall(found["text"])),
    )
