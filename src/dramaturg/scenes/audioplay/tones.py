"""From the tone of a line to the way it is spoken. The table is `tones.toml`."""

from __future__ import annotations

import re
from functools import cache

from dramaturg.kernel.text.tables import table
from dramaturg.kernel.values import Value

WHOLE_BELOW = 4
"""A word shorter than this must match exactly."""


class Shade(Value):
    """A way of speaking: a voice profile, and how much softer or louder than other lines, in dB."""

    name: str = "plain"
    profile: str | None = None
    level: float = 0.0
    words: tuple[str, ...] = ()

    def fits(self, tone: str) -> bool:
        """Whether a tone, in lower case and single spaces, has one of its words."""
        said = re.findall(r"\w+", tone)
        return any(_matches(word, said, tone) for word in self.words)


@cache
def shades() -> tuple[Shade, ...]:
    """The table, in lookup order."""
    raw = table(__package__, "tones.toml")
    return tuple(Shade(name=name, **row) for name, row in raw.items())


def shade_of(tone: str) -> Shade:
    """The shade of a tone; the plain one if none fits."""
    tone = " ".join(tone.casefold().split())
    return next((shade for shade in shades() if shade.fits(tone)), Shade())


def _matches(word: str, said: list[str], tone: str) -> bool:
    if " " in word:
        return word in tone
    if len(word) < WHOLE_BELOW:
        return word in said
    return any(one.startswith(word) for one in said)
