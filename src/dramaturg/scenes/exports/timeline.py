"""When each line is heard: as recorded if readers can follow that pace, else by how long it takes to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from unicodedata import east_asian_width

from dramaturg.scenes.exports.script import Playscript, at_once, cuts, deed_of, plain, words_of
from dramaturg.scenes.line import Line

CHARACTERS_A_SECOND = 14
SYLLABLE = 3
"""How many letters a sign stands for that is a syllable or a word: Chinese, Japanese, Korean."""
SHORTEST, LONGEST_SILENCE = 1_000, 30_000
PAUSE, OVERLAP = 600, 800


@dataclass(frozen=True, slots=True)
class Timing:
    """From when to when a line is heard, in milliseconds from the start of the scene."""

    start: int
    end: int


def timings(script: Playscript) -> Mapping[int, Timing]:
    """A time for every line and event, by number; starts never go back.

    An interruption begins before the line it cuts has ended; what was said in the same instant begins together.
    """
    timeline = _Timeline(script)
    for line in timed(script.lines):
        timeline.place(line)
    return timeline.shown


def timed(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The lines that take time on stage: all but system lines."""
    return tuple(line for line in lines if line.kind != "system")


def length_of(line: Line) -> int:
    """Milliseconds it takes to say, to read in translation, or to do."""
    letters = max(map(_letters, (words_of(line) or deed_of(line), plain(line.gloss or ""))))
    return max(SHORTEST, round(1000 * letters / CHARACTERS_A_SECOND))


def _letters(text: str) -> int:
    return sum(SYLLABLE if east_asian_width(sign) in "WF" and sign.isalpha() else 1 for sign in text)


class _Timeline:
    """The timings placed so far: `last` is the latest start, `high` the latest end."""

    def __init__(self, script: Playscript) -> None:
        self.shown: dict[int, Timing] = {}
        self._cuts, self._together = cuts(script.lines), at_once(script)
        self._recorded = self._usable(script)
        self._last = self._high = 0
        self._before: int | None = None

    def place(self, line: Line) -> None:
        cut = self._cuts.get(line.number)
        if cut is not None and cut in self.shown:
            start = self._cutting_in(cut)
        elif line.number in self._together:
            start = self._last
        else:
            start = self._after_the_last(line)
            self._trim(start)
        self.shown[line.number] = Timing(start, start + length_of(line))
        self._last, self._before = start, line.number
        self._high = max(self._high, self.shown[line.number].end)

    def _after_the_last(self, line: Line) -> int:
        if self._recorded:
            # What has no time of its own (an event) follows at once.
            return max(self._last, self._recorded.get(line.number, self._high))
        return self._high + PAUSE if self.shown else 0

    def _cutting_in(self, cut: int) -> int:
        """Before the end of the line that is cut; where others have spoken since, that line is held until now."""
        held = self.shown[cut]
        overlap = min(OVERLAP, (held.end - held.start) // 2)
        start = max(self._last, held.end - overlap)
        self.shown[cut] = Timing(held.start, max(held.end, start + overlap))
        return start

    def _trim(self, start: int) -> None:
        """A recorded line that begins early ends the one before it."""
        if self._recorded and self._before is not None:
            before = self.shown[self._before]
            self.shown[self._before] = Timing(before.start, max(before.start + SHORTEST // 2, min(before.end, start)))

    def _usable(self, script: Playscript) -> Mapping[int, int]:
        """The recorded starts, if lines can be followed at that pace; else nothing."""
        spoken = [line for line in script.lines if line.kind == "line"]
        if len(spoken) < 2 or any(line.number not in script.arrivals for line in spoken):
            return {}
        first = script.arrivals[spoken[0].number]
        starts = {line.number: round(1000 * (script.arrivals[line.number] - first)) for line in spoken}
        for before, after in pairwise(spoken):
            step = starts[after.number] - starts[before.number]
            meant = after.number in self._cuts or after.number in self._together
            least = 0 if meant else length_of(before) // 2
            if not least <= step <= LONGEST_SILENCE:
                return {}
        return starts
