"""The scene's progress, read from the transcript: which lines of the plan were said, which deeds are done."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from dramaturg.scenes.rehearsal.asides import is_aside
from dramaturg.scenes.rehearsal.outline import outline_of
from dramaturg.scenes.rehearsal.playbook import HeardLine, Playbook
from dramaturg.scenes.rehearsal.steps import Step
from dramaturg.scenes.rehearsal.verdicts import findings


@dataclass(frozen=True, slots=True)
class PlanProgress:
    """`ahead` are the lines of the plan still to be said. `met` are the goals whose deed is done.

    `foreign` have spoken words the plan did not know; `failing` were asked and could not answer, and have not
    spoken since. `broke_off` is set if the last line was not from the plan.
    """

    ahead: tuple[Step, ...]
    met: frozenset[int]
    foreign: frozenset[str]
    failing: frozenset[str]
    last: HeardLine | None
    event: HeardLine | None
    broke_off: bool

    @property
    def over(self) -> bool:
        return not self.ahead


@lru_cache(maxsize=512)
def progress_of(book: Playbook, lines: tuple[HeardLine, ...]) -> PlanProgress:
    """Fold the transcript over the plan."""
    steps = outline_of(book)
    found = findings(book, lines)
    met_at = {finding.line: finding.goal for finding in found}
    met = frozenset(finding.goal for finding in found)
    reader = _PlanReader(steps, book)
    for place, line in enumerate(lines):
        reader.hear(line, met_at.get(place, 0))
    spoken = [line for line in lines if line.kind == "line" and line.action in ("speak", "interrupt")]
    tail = next((line for line in reversed(lines) if line.kind != "system" and line.action != "react"), None)
    return PlanProgress(
        ahead=reader.ahead(met),
        met=met,
        foreign=frozenset(reader.foreign),
        failing=_failing(book, lines),
        last=spoken[-1] if spoken else None,
        event=tail if tail is not None and tail.kind == "event" else None,
        broke_off=reader.broke_off,
    )


def _failing(book: Playbook, lines: Sequence[HeardLine]) -> frozenset[str]:
    failing: set[str] = set()
    for line in lines:
        if line.kind == "line":
            failing.discard(line.speaker)
        elif line.kind == "system" and "unable" in line.content:
            failing.update(part.name for part in book.cast if line.content.startswith(part.name))
    return frozenset(failing)


class _PlanReader:
    """Walks the plan along the transcript."""

    def __init__(self, steps: tuple[Step, ...], book: Playbook) -> None:
        self._steps, self._book = steps, book
        self._place = {step.text: place for place, step in enumerate(steps)}
        self._cursor = 0
        self.foreign: set[str] = set()
        self.broke_off = False

    def hear(self, line: HeardLine, goal: int) -> None:
        if line.kind != "line" or line.action not in ("speak", "interrupt"):
            return
        place = self._find(line)
        if place is None and not goal and is_aside(line.content, self._book):
            return
        self.broke_off = place is None
        if place is not None:
            self._cursor = max(self._cursor, place + 1)
            return
        self.foreign.add(line.speaker)
        if goal:
            deeds = [spot for spot, step in enumerate(self._steps) if step.deed and step.goal == goal]
            self._cursor = max([self._cursor, *(spot + 1 for spot in deeds)])
        elif self._cursor < len(self._steps):
            self._pass(line)

    def _pass(self, line: HeardLine) -> None:
        """The expected speaker said something else: the rest of that passage would no longer fit."""
        step = self._steps[self._cursor]
        if step.speaker != line.speaker or step.essential:
            return
        passage = step.passage
        while self._cursor < len(self._steps) and self._steps[self._cursor].passage == passage:
            self._cursor += 1

    def _find(self, line: HeardLine) -> int | None:
        place = self._place.get(line.content)
        if place is None and line.content.endswith("—"):
            head = line.content.rstrip("—").rstrip()
            place = next((spot for text, spot in self._place.items() if head and text.startswith(head)), None)
        if place is None or self._steps[place].speaker != line.speaker:
            return None
        return place

    def ahead(self, met: frozenset[int]) -> tuple[Step, ...]:
        """The remaining steps: skipped deeds, the passage under way, and all that leads to no deed already done."""
        begun = self._steps[self._cursor - 1].passage if self._cursor else -1
        passed, rest = self._steps[: self._cursor], self._steps[self._cursor :]
        missed = [step for step in passed if step.deed and step.goal and step.goal not in met]
        left = [
            step
            for step in rest
            if step.goal not in met or step.goal == 0 or step.move == "close" or step.passage == begun
        ]
        return (*missed, *left)
