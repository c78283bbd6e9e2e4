"""Takes of one scene, side by side: whether each met the goal, what it cost, and where they diverge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.settings import AgentMode
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.line import Line
from dramaturg.scenes.state import scene_state
from dramaturg.scenes.wire import metadata_of


@dataclass(frozen=True, slots=True)
class TakeSetup:
    """The settings of one take; None means the project's default."""

    model: str | None = None
    seed: int | None = None
    agent: AgentMode | None = None


class Take(WireValue):
    """One performance of several.

    `agent` is how it was played, if specified. `common` is the share of its lines that the first take has too;
    `departs` is its first line that the first take has not in that place, null where there is none. `usd` is null
    where a price is unknown.
    """

    number: int
    run: str
    model: str
    agent: str
    seed: int
    goal_achieved: bool
    reason: str
    beats: int
    lines: int
    interruptions: int
    tokens: int
    usd: float | None
    seconds: float
    common: float
    departs: Line | None


class TakeTable(WireValue):
    """The takes of one scene, and how many of them reached the goal."""

    scene: str
    takes: tuple[Take, ...]
    reached: int

    @property
    def pass_rate(self) -> float:
        return self.reached / len(self.takes) if self.takes else 0.0


def take_setups(
    models: Sequence[str], seeds: Sequence[int], agents: Sequence[AgentMode], *, count: int, first_seed: int
) -> tuple[TakeSetup, ...]:
    """Every combination of mode, model and seed; without seeds, `count` seeds from `first_seed` on."""
    chosen = tuple(seeds) or tuple(range(first_seed, first_seed + count))
    return tuple(
        TakeSetup(model, seed, agent)
        for agent in (tuple(agents) or (None,))
        for model in (tuple(models) or (None,))
        for seed in chosen
    )


def take_table(scene: str, logs: Mapping[str, Sequence[Entry[Event]]]) -> TakeTable:
    """Compare runs by id, in order; the first is the baseline for the others."""
    first = next((_said(entries) for entries in logs.values()), ())
    takes = tuple(_take(number, run, logs[run], first) for number, run in enumerate(logs, start=1))
    return TakeTable(scene=scene, takes=takes, reached=sum(take.goal_achieved for take in takes))


def _take(number: int, run: str, entries: Sequence[Entry[Event]], first: Sequence[Line]) -> Take:
    state = scene_state(entries)
    data = metadata_of(entries, state)
    said = _said(entries)
    models = dict.fromkeys(member.model for member in state.cast)
    return Take(
        number=number,
        run=run,
        model=", ".join(models),
        agent="" if state.scene.agent in (None, "auto") else str(state.scene.agent),
        seed=state.scene.seed,
        goal_achieved=data.goal_achieved,
        reason=data.reason or "",
        beats=data.total_beats,
        lines=len(said),
        interruptions=sum(line.action == "interrupt" for line in said),
        tokens=data.costs.total_tokens,
        usd=data.costs.estimated_usd,
        seconds=data.duration / 1000,
        common=_common(said, first),
        departs=_departs(said, first),
    )


def _said(entries: Sequence[Entry[Event]]) -> tuple[Line, ...]:
    return tuple(line for line in scene_state(entries).lines if line.kind == "line")


def _common(said: Sequence[Line], first: Sequence[Line]) -> float:
    here, there = (Counter(line.rendered() for line in lines) for lines in (said, first))
    longest = max(len(said), len(first))
    return round((here & there).total() / longest, 4) if longest else 1.0


def _departs(said: Sequence[Line], first: Sequence[Line]) -> Line | None:
    for place, line in enumerate(said):
        if place >= len(first) or line.rendered() != first[place].rendered():
            return line
    return None
