"""Whose words they are: rows that begin with a name, as in a script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from dramaturg.scenes.answers.marks import SAYING
from dramaturg.scenes.director.names import CastNames

_EDGE = "(?![a-zà-ÿ0-9])"
"""Where a name ends in scripts with spaces: "Tom" is not in "Tomorrow"."""


@dataclass(frozen=True, slots=True)
class OwnPart:
    """The rows that are a character's own: who else was spoken for, and the manner that stands behind its name."""

    text: str
    foreign: str | None = None
    manner: str = ""


@dataclass(frozen=True, slots=True)
class Names:
    """How a cast may be named in an answer: the speaker, and the others."""

    me: str
    mine: re.Pattern[str]
    others: re.Pattern[str]
    label: re.Pattern[str]
    row: re.Pattern[str]
    before_deed: re.Pattern[str]
    forms: dict[str, str]

    def is_me(self, name: str) -> bool:
        return self.forms.get(name.casefold()) == self.me

    def has_other(self, text: str) -> bool:
        """Whether a text names somebody else than the speaker."""
        return any(not text[: found.start()][-1:].isalnum() for found in self.others.finditer(text))


@lru_cache(maxsize=256)
def names_of(me: str, cast: tuple[str, ...]) -> Names:
    everybody = tuple(dict.fromkeys(name for name in (me, *cast) if name.strip()))
    known = CastNames(everybody)
    forms = {form.casefold(): name for name in everybody for form in (*known.forms(name), name)}
    mine = _any(form for form, name in forms.items() if name == me)
    others = _any(form for form, name in forms.items() if name != me)
    anybody = _any(forms)
    marks = r"[ \t>#*_-]{0,8}"
    who = rf"[<\[【]?(?P<who>{anybody})(?:(?P<angle>>)|[\]】])?[*_]{{0,2}}[ \t]{{0,8}}"
    head = rf"{marks}(?P<beat>beat \d{{1,4}}[.:]? {{0,3}})?{who}"
    manner = r"(?:[(*](?P<manner>[^()*\n]{1,80})[)*][*_ \t]{0,8})?"
    said = rf"(?:[ \t]?{SAYING}(?:[ \t]\w{{1,14}})?[ \t]?(?=[:：]))?"
    ends = r"""(?:[:：]|(?=[\[【])|[-–—][ \t]?(?=["“„«「])|(?(angle)|(?!)))"""
    label = re.compile(f"{head}{manner}{said}{ends}", re.IGNORECASE)
    row = re.compile(rf"(?P<marks>{marks})(?P<who>{anybody})[*_]{{0,2}}[ \t]{{0,8}}{manner}", re.IGNORECASE)
    before_deed = re.compile(rf"(?P<marks>{marks})(?P<who>{mine})(?P<manner>)[ \t]{{1,8}}(?=\*[^*\n]{{1,200}}\*)", re.I)
    return Names(me, re.compile(mine, re.I), re.compile(others, re.I), label, row, before_deed, forms)


def _any(forms: Iterable[str]) -> str:
    listed = sorted(forms, key=len, reverse=True)
    return "(?:" + "|".join(re.escape(form) for form in listed) + f"){_EDGE}" if listed else "(?!)"


def own_part(text: str, names: Names) -> OwnPart:
    """The part of the answer that is this character's own.

    Lines of others before it are an echo of the script if a row with the own name follows; behind it they are cut off.
    """
    own: list[str] = []
    foreign: str | None = None
    manner, skipping, written = "", False, False
    rows = text.splitlines()
    for at, row in enumerate(rows):
        found = _label(row, names, is_last=at == len(rows) - 1) if row.strip() else None
        if found is None:
            if not skipping:
                own.append(row.lstrip("# "))
                written = written or bool(own[-1].strip())
            continue
        begun = written and not skipping
        who = names.forms[found["who"].casefold()]
        if who == names.me:
            if begun and found.groupdict().get("beat"):
                break
            skipping, manner = False, manner or found["manner"] or ""
            own.append(row[found.end() :])
            written = written or bool(own[-1].strip())
        elif begun:
            return OwnPart("\n".join(own).strip(), who, manner)
        else:
            foreign, skipping = who, True
    return OwnPart("\n".join(own).strip(), foreign if skipping else None, manner)


def _label(row: str, names: Names, *, is_last: bool) -> re.Match[str] | None:
    found = names.label.match(row) or names.before_deed.match(row)
    if found is not None:
        return found
    alone = None if is_last else names.row.fullmatch(row)
    if alone is None or not (alone["who"].isupper() or "#" in alone["marks"] or alone["manner"]):
        return None
    return alone


def cast_of(me: str, cast: Sequence[str]) -> Names:
    return names_of(me, tuple(cast))
