"""Takes of one scene side by side: the same lines in one row, and those that differ opposite their likeliest match.

The first take is the baseline. Lines that are equal anchor the others; between two anchors, lines are paired by speaker
and by the words they share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.text.words import words
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.line import Line
from dramaturg.scenes.state import scene_state
from dramaturg.scenes.transcript import end_line, goal_of, played_by
from dramaturg.scenes.wire import metadata_of

SAME_SPEAKER = 0.35
LEAST_ALIKE = 0.3
"""Lines less alike than this are not put into one row."""
Pair = tuple[int | None, int | None]


class ComparedTake(WireValue):
    """A take above its column."""

    run: str
    played_by: str
    seed: int
    end: str
    beats: int
    picked: bool = False


class TakeRow(WireValue):
    """One row: an entry of each take's transcript, or null where a take has nothing there."""

    cells: tuple[Line | None, ...]

    @property
    def same(self) -> bool:
        """Whether every take has the same words here."""
        return len({cell.rendered() if cell else "" for cell in self.cells}) == 1


class TakeComparison(WireValue):
    """Takes side by side."""

    scene: str
    title: str
    goal: str
    takes: tuple[ComparedTake, ...]
    rows: tuple[TakeRow, ...]

    @property
    def differing(self) -> int:
        return sum(not row.same for row in self.rows)


def compare_takes(logs: Mapping[str, Sequence[Entry[Event]]], picked: Mapping[str, bool]) -> TakeComparison:
    """The runs of one scene by id, in order; the first is the baseline."""
    states = {run: scene_state(entries) for run, entries in logs.items()}
    first = next(iter(states.values())).scene.config
    return TakeComparison(
        scene=first.name,
        title=first.title,
        goal=goal_of(first),
        takes=tuple(
            ComparedTake(
                run=run,
                played_by=played_by(state),
                seed=state.scene.seed,
                end=end_line(state, metadata_of(logs[run], state).reason),
                beats=state.ended.beats if state.ended else state.beat,
                picked=picked.get(run, False),
            )
            for run, state in states.items()
        ),
        rows=align([state.lines for state in states.values()]),
    )


def align(takes: Sequence[Sequence[Line]]) -> tuple[TakeRow, ...]:
    """The lines of all takes in rows, in the order of the first; each line stands in exactly one row."""
    base = takes[0]
    beside = [_beside(base, other) for other in takes[1:]]
    rows: list[TakeRow] = []
    for place in range(len(base) + 1):
        gaps = [added[place] for _, added in beside]
        rows.extend(TakeRow(cells=(None, *cells)) for cells in zip_longest(*gaps))
        if place < len(base):
            rows.append(TakeRow(cells=(base[place], *(matched.get(place) for matched, _ in beside))))
    return tuple(rows)


def _beside(base: Sequence[Line], other: Sequence[Line]) -> tuple[dict[int, Line], list[list[Line]]]:
    """What stands opposite each line of the baseline, and what comes before each of them without a match."""
    matched: dict[int, Line] = {}
    added: list[list[Line]] = [[] for _ in range(len(base) + 1)]
    gap = 0
    for here, there in _pairs(base, other):
        if here is not None:
            gap = here + 1
        if there is not None and here is not None:
            matched[here] = other[there]
        elif there is not None:
            added[gap].append(other[there])
    return matched, added


def _pairs(base: Sequence[Line], other: Sequence[Line]) -> list[Pair]:
    here, there = ([line.rendered() for line in lines] for lines in (base, other))
    found: list[Pair] = []
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, here, there, autojunk=False).get_opcodes():
        if kind == "equal":
            found.extend(zip(range(i1, i2), range(j1, j2), strict=True))
            continue
        for one, two in _most_alike(base[i1:i2], other[j1:j2]):
            found.append((None if one is None else i1 + one, None if two is None else j1 + two))
    return found


def _most_alike(base: Sequence[Line], other: Sequence[Line]) -> list[Pair]:
    """The pairs, in order, whose likeness is greatest in sum; lines that are alike to none stand alone."""
    rows, columns = len(base), len(other)
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    alike = [[likeness(one, two) for two in other] for one in base]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            together = best[i + 1][j + 1] + alike[i][j] if alike[i][j] >= LEAST_ALIKE else 0.0
            best[i][j] = max(best[i + 1][j], best[i][j + 1], together)
    pairs: list[Pair] = []
    i = j = 0
    while i < rows and j < columns:
        if alike[i][j] >= LEAST_ALIKE and best[i][j] == best[i + 1][j + 1] + alike[i][j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            pairs.append((i, None))
            i += 1
        else:
            pairs.append((None, j))
            j += 1
    return [*pairs, *((left, None) for left in range(i, rows)), *((None, left) for left in range(j, columns))]


def likeness(one: Line, two: Line) -> float:
    """How alike two entries are, 0 to 1: most of it their words, some of it the speaker."""
    if one.kind != two.kind:
        return 0.0
    here, there = set(words(one.content)), set(words(two.content))
    shared = len(here & there) / len(here | there) if here | there else 1.0
    return SAME_SPEAKER * (one.speaker == two.speaker) + (1 - SAME_SPEAKER) * shared
