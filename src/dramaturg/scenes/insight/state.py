"""What is known of a tested line: a fold over the events of its run."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.runs.fold import Fold
from dramaturg.scenes.insight.events import CauseTested, Effect, LineQuestioned


@dataclass(frozen=True, slots=True)
class WhyState:
    """The question, and the effects measured so far."""

    question: LineQuestioned | None = None
    effects: tuple[Effect, ...] = ()


WHY_FOLD = Fold(WhyState())


@WHY_FOLD.on(LineQuestioned)
def _(event: LineQuestioned, state: WhyState, entry: Entry[Event]) -> WhyState:
    return state if state.question is not None else replace(state, question=event)


@WHY_FOLD.on(CauseTested)
def _(event: CauseTested, state: WhyState, entry: Entry[Event]) -> WhyState:
    return replace(state, effects=(*state.effects, event.effect))
