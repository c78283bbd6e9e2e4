"""The names of a cast, and where a text mentions or addresses them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dramaturg.kernel.models.rehearsal.person import forms_of


@dataclass(frozen=True, slots=True)
class CastNames:
    """The names of the cast, and how to find them in a text."""

    names: tuple[str, ...]

    def find(self, text: str) -> tuple[str, ...]:
        """The members named in a text, in the order of their first mention."""
        places = [(place, name) for name in self.names if (place := self._place(text, name)) >= 0]
        return tuple(name for _, name in sorted(places))

    def _place(self, text: str, name: str) -> int:
        starts = [
            found.start()
            for form in forms_of(name)
            if (found := re.search(rf"(?<!\w){re.escape(form)}(?!\w)", text)) is not None
        ]
        return min(starts, default=-1)

    def pattern(self) -> str:
        """Any name of the cast, as a regular expression."""
        forms = sorted({form for name in self.names for form in forms_of(name)}, key=len, reverse=True)
        return "(?:" + "|".join(re.escape(form) for form in forms) + ")"

    def who(self, text: str) -> str:
        found = self.find(text)
        return found[0] if found else ""


def calls(text: str, names: Sequence[str]) -> tuple[str, ...]:
    """The names that a line addresses: 'Look at me, Bob.'"""
    return tuple(
        name
        for name in names
        for form in forms_of(name)
        if re.search(rf"(?:^|[.!?] ){re.escape(form)}[,.?!]|, {re.escape(form)}[.,?!;]", text)
    )
