"""A session as text: who answered, who commented on whom, who replied."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from dramaturg.ensemble.events import TURNS, TurnIndex
from dramaturg.ensemble.state import EnsembleState, in_order
from dramaturg.kernel.text.counts import counted

TITLES: Mapping[TurnIndex, str] = {1: "They answer", 2: "They comment on each other", 3: "They reply"}


def session_text(state: EnsembleState) -> str:
    """Every turn, as far as the session got."""
    return "\n".join(_rows(state)) + "\n"


def why_skipped(state: EnsembleState, turn: TurnIndex) -> str | None:
    """Why a turn was skipped; None if the turn before it says so already."""
    before = [one.message for number, one in state.skipped.items() if number < turn]
    message = state.skipped[turn].message
    return None if message in before else message


def dropped_note(number: int) -> str:
    """How many comments did not reach their slot."""
    return f"({counted(number, 'comment')} {'was' if number == 1 else 'were'} dropped: too many for one slot)"


def _rows(state: EnsembleState) -> Iterator[str]:
    for turn in TURNS:
        if turn in state.skipped:
            if why := why_skipped(state, turn):
                yield f"\n{why}"
        elif turn in state.opened_turns:
            yield f"\n{TITLES[turn]}"
            yield from _lines(state, turn)
            if turn == 2 and state.routed is not None and state.routed.dropped:
                yield dropped_note(len(state.routed.dropped))


def _lines(state: EnsembleState, turn: TurnIndex) -> Iterator[str]:
    for _, slot in in_order([place for place in state.lines if place[0] == turn]):
        seat, line = state.seat(slot), state.lines[turn, slot]
        target = f" → {line.target}" if line.target is not None else ""
        yield f"{slot} {seat.agent_id}{target} ({line.voice_profile}): {line.text}"
    for _, slot in in_order([place for place in state.failures if place[0] == turn]):
        yield f"{slot} {state.seat(slot).agent_id}: {state.failures[turn, slot].told}"
