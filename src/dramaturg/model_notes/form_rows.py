"""Rows of a form that models write in other ways than `Dialogue: …`, made into rows of that kind.

`1. Dialogue: …`, `[internal] …`, `Dialogue — …` and the rows of a table get their colon; the headings of a script, a
game's figures around an answer, a bubble before what is said, and every version of an answer but the first are left
out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from dramaturg.model_notes.labels import is_answer_label, is_note_label, is_thought_label, labels

LONGEST_ROW = 400
_NAME = r"[^\W\d_][\w '’-]{0,28}"
_WORDS = r"[^\W\d_][\w '’]{0,28}?"
_OPTION = r"(?:option|version|alternative|take|variant) "
_ANOTHER = (
    r"(?:alternatively|alternative (?:version|response|answer|take|reply)|alternativ|alternativamente|ou bien"
    r"|another (?:[a-z-]{3,14} )?(?:version|take|response|reply)|an? [a-z-]{3,14} (?:version|take))"
)
"""What announces a second answer, alone in its row."""
_FIGURE = rf"[*_]{{0,2}}{_NAME}:[ \t]?[+-]?\d{{1,6}}(?:[ \t]?/[ \t]?\d{{1,6}}|[ \t]?%)"
_BARS = rf"""(?=[^\n]{{0,240}}\d)\[?{_NAME}:[^\[\]"“„«\n|]{{1,40}}\|[^\[\]"“„«\n]{{0,160}}:[^\[\]"“„«\n]{{0,60}}\]?"""
_PLACE = r"(?:INT|EXT|INT\.?/EXT|I/E)\.? "
_CUT = r"(?:FADE IN|FADE OUT|CUT TO|DISSOLVE TO|SMASH CUT TO)"
_BEGINNING = re.compile(
    rf"[ \t]{{0,4}}(?:\d{{1,2}}[.)][ \t]{{0,2}}(?P<numbered>[*_]{{0,3}}(?P<first>{_WORDS})[*_]{{0,3}}[ \t]?[:：])"
    rf"|[\[(](?P<bracketed>{_WORDS})[\])]|\[/(?P<closed>{_WORDS})\]"
    rf"|[*_]{{0,3}}(?P<dashed>{_WORDS})[*_]{{0,3}}[ \t][—–-][ \t]"
    rf"|(?P<option>[#*_ \t]{{0,6}}(?i:{_OPTION})(?P<which>\w)(?:[ \t]?\([^()\n]{{0,30}}\))?[*_]{{0,3}}[:：][*_]{{0,3}}"
    r"[ \t]{0,3}(?P<mark>(?<=[ \t])\*|[\"“„«‘'—\n]))"
    r"|(?P<bubble>[🗣💬]\ufe0f?(?:[ \t]|(?P<quote>[\"“„«*]))))"
)
_WHOLE = re.compile(
    r"[ \t]{0,4}(?:(?P<table>\|[^\n]{1,400}\|[ \t]{0,3})"
    rf"|(?P<script>(?:{_PLACE}[^a-z\n]{{2,80}}|{_CUT}[:.])[ \t]{{0,3}})"
    rf"|(?P<figures>{_FIGURE}[^\w\n]{{0,12}}|{_BARS}[ \t]{{0,3}})|(?P<figure>{_NAME}:[ \t]?[^\n]{{1,24}})"
    r"|[*_#]{1,4}[ \t]?(?P<titled>(?i:stats?|status|state|stat block))[*_]{0,3}[:：]?[*_]{0,3}[ \t]{0,3}"
    rf"|[*_#]{{0,4}}[ \t]?(?P<another>(?i:{_ANOTHER}))[*_]{{0,3}}[ \t]?[:：][*_]{{0,3}}[ \t]{{0,3}}"
    r"|(?P<above>(?:Internal|Inner)(?: [A-Za-z]{5,9})?)[ \t]{0,3}|(?P<rule>-{3,10}[ \t]{0,3}))\n"
)
_MAYBE = re.compile(
    rf"[ \t]{{0,4}}(?:\d{{1,2}}(?:[.)][ \t]{{0,2}}[*_]{{0,3}}(?:{_NAME}[*_]{{0,3}}[ \t]?)?)?"
    rf"|[\[(]/?(?:{_NAME})?|[#*_ \t]{{0,6}}(?:{_NAME}[*_]{{0,3}}[:：]?[*_]{{0,3}}[ \t]{{0,3}}[—–-]?)?"
    rf"|[#*_ \t]{{0,6}}(?i:{_OPTION})\w(?:[ \t]?\([^()\n]{{0,30}}\)?)?[*_]{{0,3}}(?:[:：][*_]{{0,3}}[ \t]{{0,3}})?"
    rf"|\|[^\n]{{0,400}}|(?:INT|EXT|I/E)[./][^a-z\n]{{0,90}}|{_CUT}[:.]?[ \t]{{0,3}}"
    r"|[🗣💬]\ufe0f?"
    rf"|[\[*_]{{0,2}}{_NAME}:(?:[^\[\]\n|]{{0,40}}|[^\[\]\n|]{{1,40}}\|[^\[\]\n]{{0,220}}(?:\][ \t]{{0,3}})?)"
    r"|-{1,10}[ \t]{0,3})"
)
_MANNERS = frozenset({"think", "thinking", "reflection", "analysis"})
"""Between brackets before words these may be how somebody speaks."""
_FIRST = frozenset({"internal", "internal monologue", "inner monologue", "internal thoughts", "inner thoughts"})
"""Nobody begins a sentence with these and a dash, or has them alone in a row."""
_FIELDS = frozenset({"mood", "tone", "tension", "tension shift", "emotion"})
_OFFERED = re.compile(
    r"\W{0,8}(?:(?:sure|certainly|of course|okay|ok|absolutely|alright)\W{1,4})?"
    r"here(?: are|['’]re) (?:some|two|three|four|several|a few|\d)[^\n:]{0,60}:\W*",
    re.IGNORECASE,
)
"""What stands before several versions of an answer; "We have two options:" is somebody's words."""
_HEADING = 2
"""The rows of a table before its values."""
_MOST_FIGURES = 12
"""The rows of figures, and empty ones, that are held back until it is seen whether words follow them."""
_BORDER = frozenset("-: ")
_HOLDING = ("table", "figures", "figure", "titled")
"""The kinds of rows that settle themselves what was held back before them."""


@dataclass(slots=True)
class _Form:
    """What the rows so far have shown of the form: whether it has labels of its own, a table, figures, versions."""

    labelled: bool = False
    bracketed: bool = False
    figures: Literal["", "surely", "perhaps"] = ""
    versions: bool = False
    over: bool = False
    written: bool = False
    head: str = ""
    columns: tuple[str, ...] = ()
    held: list[str] = field(default_factory=list)

    def write(self, text: str) -> None:
        """What is passed on; marks alone are nothing yet."""
        self.written = self.written or any(map(str.isalnum, text))
        if len(self.head) < LONGEST_ROW:
            self.head += text

    def instead_of(self, found: re.Match[str]) -> str | None:
        """What stands in place of the beginning of a row, or of a whole one; None if it stays."""
        kind = found.lastgroup or ""
        if kind in ("figures", "titled") or (kind == "figure" and self.figures):
            return self._without_figures(found[0], sure=kind == "titled" or not self.written or "[" in found[0])
        self.figures = ""
        if kind == "script":
            return ""
        if kind == "rule":
            return None if self.written else ""
        if kind == "above":
            return f"{found[kind]}:\n" if found[kind].casefold() in _FIRST else None
        if kind == "another":
            self.over = self.written
            return ""
        if kind == "bubble":
            # An empty row ends the thought above it.
            return ("\n" if self.written else "") + (found["quote"] or "")
        return self._without_versions(found) if kind == "option" else self._labelled(found, kind)

    def _without_figures(self, row: str, *, sure: bool) -> str:
        """Below a heading, and before all words, they are a game's; elsewhere they may be read out."""
        before = "" if self.figures == "perhaps" else self.kept()
        if self.figures == "surely" or (sure and not self.figures):
            self.figures = "surely"
            return before
        self.figures = "perhaps"
        self.held.append(row)
        return before if len(self.held) <= _MOST_FIGURES else self.kept()

    def _without_versions(self, found: re.Match[str]) -> str | None:
        self.versions = self.versions or not self.written or _OFFERED.fullmatch(self.head) is not None
        self.over = self.versions and self.written and found["which"].casefold() not in "1a"
        return None if not self.versions else "" if self.over else found["mark"]

    def _labelled(self, found: re.Match[str], kind: str) -> str | None:
        if kind == "table":
            return self._row_of_table(found[0])
        if kind == "figure":
            return None
        if kind == "closed":
            return "" if self.bracketed and _is_visible(found["closed"]) else None
        name = found["first" if kind == "numbered" else kind]
        if kind == "bracketed" and not (self.written or self._is_known(name)) and is_answer_label(name):
            return ""
        if not self._is_known(name) or (kind == "bracketed" and name.casefold() in _MANNERS):
            return None
        if kind == "dashed" and not (self.labelled or name.casefold() in _FIRST | labels("spoken")):
            return None
        self.labelled, self.bracketed = True, self.bracketed or kind == "bracketed"
        return found["numbered"] if kind == "numbered" else f"{name}: "

    def _is_known(self, name: str) -> bool:
        if _is_visible(name) or is_thought_label(name):
            return True
        return self.labelled and (is_note_label(name) or name.casefold().replace("_", " ") in _FIELDS)

    def _row_of_table(self, row: str) -> str:
        """Rows of names and values are labelled; a row before them may be their heading, and is kept until then."""
        cells = tuple(cell.strip(" *_`") for cell in row.strip(" \t\n|").split("|"))
        if self.columns and len(cells) == len(self.columns) and not _BORDER.issuperset("".join(cells)):
            return "".join(f"{name}: {cell}\n" for name, cell in zip(self.columns, cells, strict=True))
        if len(cells) > 1 and any(map(_is_visible, cells)) and all(map(self._is_known_beside_words, cells)):
            self.columns, self.held = cells, []
        elif len(cells) > 1 and self._is_known(cells[0]):
            self.labelled, self.held = True, []
            return f"{cells[0]}: {' '.join(cells[1:])}\n"
        elif not (self.columns or self.labelled):
            self.held.append(row)
        return "" if len(self.held) <= _HEADING else self.kept()

    def _is_known_beside_words(self, name: str) -> bool:
        return self._is_known(name) or is_note_label(name) or name.casefold() in _FIELDS

    def passes(self, row: str) -> bool:
        """Whether a row without a label is passed on; an empty one is held back with the figures before it."""
        waits = self.figures == "perhaps" and not row.strip() and len(self.held) < _MOST_FIGURES
        if waits:
            self.held.append(row)
        elif row.strip():
            self.figures = ""
        return not waits

    def kept(self) -> str:
        """Rows of a table that is none of labels, and figures that words follow."""
        held, self.held, self.columns = self.held, [], ()
        return "".join(held)

    def kept_at_end(self) -> str:
        return "" if self.figures == "perhaps" else self.kept()


def _is_visible(name: str) -> bool:
    plain = name.strip(" *_").casefold()
    return plain in labels("spoken") or plain in labels("done")


class FormRows:
    """Takes a text by the character and passes it on with the rows of a form as rows with a colon."""

    def __init__(self, pass_on: Callable[[str], None]) -> None:
        self._pass_on = pass_on
        self.restart()

    def restart(self) -> None:
        """What was heard so far is no part of the text."""
        self._form = _Form()
        self._held = ""
        self._begins, self._within = True, False

    def hear(self, char: str) -> None:
        if self._form.over:
            return
        if self._begins and (char != "\n" or self._held or self._form.held):
            self._held += char
            self._judge()
        elif self._form.bracketed and char in "[(":
            self._held, self._begins, self._within = char, True, True
        else:
            self._tell(char)

    def end(self) -> None:
        """The text is over, or interrupted: a row that is held back is judged as it is."""
        if self._held:
            self._decide(_WHOLE.fullmatch(f"{self._held}\n"))
            self._form.held[-1:] = [row.removesuffix("\n") for row in self._form.held[-1:]]
        if self._form.figures == "perhaps":
            self._form.kept()
        self._release()

    def _judge(self) -> None:
        ends = self._held[-1] == "\n"
        found = (_WHOLE.fullmatch(self._held) if ends else None) or _BEGINNING.fullmatch(self._held)
        if found is not None or ends or not _MAYBE.fullmatch(self._held):
            self._decide(found)

    def _decide(self, found: re.Match[str] | None) -> None:
        instead = self._form.instead_of(found) if found is not None else None
        if found is None or instead is None:
            if self._form.passes(self._held):
                self._release()
            else:
                self._held = ""
            return
        instead = instead if found.lastgroup in _HOLDING else self._form.kept() + instead
        if not (self._held.endswith("\n") or found.lastgroup == "bubble"):
            instead = instead.removesuffix("\n")
        within, self._within = self._within, False
        self._begins, self._held = self._held.endswith("\n"), ""
        for char in f"\n{instead}" if within else instead:
            self._pass_on(char)
        self._form.write(instead)

    def _release(self) -> None:
        held, self._held = self._form.kept() + self._held, ""
        self._begins, self._within = self._begins and not held, False
        for char in held:
            self._tell(char)

    def _tell(self, char: str) -> None:
        self._form.write(char)
        self._begins = char == "\n"
        self._pass_on(char)


def with_labels(text: str) -> str:
    """A whole text with the rows of a form as rows with a colon."""
    if _SIGNS.search(text) is None:
        return text
    form, kept = _Form(), list[str]()
    for row in text.split("\n"):
        begun = f"{row}\n" if not row.strip() and not form.held else _with_label(form, f"{row}\n")
        kept.append(begun)
        if form.over:
            break
    return "".join((*kept, form.kept_at_end())).removesuffix("\n")


def _with_label(form: _Form, row: str) -> str:
    found = _BEGINNING.match(row) or _WHOLE.match(row)
    instead = form.instead_of(found) if found is not None else None
    if found is None or instead is None:
        if not form.passes(row):
            return ""
        kept, rest = form.kept(), row
    else:
        kept = "" if found.lastgroup in _HOLDING else form.kept()
        if form.over:
            return kept
        kept, rest = kept + instead, row[found.end() :]
    if form.bracketed:
        rest = _with_labels_within(form, rest)
    form.write(kept + rest)
    return kept + rest


def _with_labels_within(form: _Form, row: str) -> str:
    """Where one row begins with a label in brackets, others may stand amid a row."""
    kept, at = list[str](), 0
    for opening in _OPENING.finditer(row):
        found = _BEGINNING.match(row, opening.start())
        instead = form.instead_of(found) if found is not None else None
        if found is not None and instead is not None and found.start() >= at:
            kept += (row[at : found.start()], "\n", instead)
            at = found.end()
    return "".join((*kept, row[at:]))


_OPENING = re.compile(r"[\[(]")
_SIGNS = re.compile(
    rf"(?:\A|\n)[ \t]{{0,4}}(?:\d{{1,2}}[.)]|[\[(]{_NAME}[\])]|[*_]{{0,3}}{_NAME}[ \t][—–-][ \t]|\||{_PLACE}|{_CUT}"
    r"|[🗣💬]"
    rf"|[#*_ \t]{{0,6}}(?i:{_OPTION}|{_ANOTHER})|[*_#]{{1,4}}[ \t]?(?i:stat)|{_FIGURE}|\[?{_NAME}:[^\n|]{{1,40}}\||---"
    r"|Inner|Internal)"
)
