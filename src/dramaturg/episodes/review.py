"""The review after a turn: what a model finds in it, the summary, and what is remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dramaturg.episodes.director import PlayerExchange
from dramaturg.episodes.evaluation import SUMMARY, evaluate
from dramaturg.episodes.extraction import extract
from dramaturg.episodes.state import EpisodeState

if TYPE_CHECKING:
    from dramaturg.episodes.open_session import OpenSession

MOST_REVIEWED = 6
"""How many exchanges at most a model reviews after a change."""


async def review(session: OpenSession, *, extraction: bool) -> None:
    """Reviews exchanges that no model has seen, summarizes a completed episode of a series, and saves the findings."""
    if extraction:
        for state, exchange in due_extractions(session.state)[-MOST_REVIEWED:]:
            await session.write(await extract(state, exchange, session.models().director))
    await sum_up(session)
    await session.tables.remember(session)


def due_extractions(state: EpisodeState) -> tuple[tuple[EpisodeState, PlayerExchange], ...]:
    """The exchanges that no model has looked at yet, each as the character who answered knows it."""
    if not state.cast:
        return tuple((state, one) for one in state.to_extract)
    views = [state.heard_by(member.character) for member in state.cast]
    places = {message.id: place for place, message in enumerate(state.conversation)}
    due = [(view, one) for view in views for one in view.to_extract]
    return tuple(sorted(due, key=lambda pair: places[pair[1].message_id]))


async def sum_up(session: OpenSession) -> None:
    """A summary of the episode for the next one of its series, whatever the evaluation type."""
    state = session.state
    if state.completion is None or state.session.series is None or state.template.evaluation == SUMMARY:
        return
    known = [one.evaluation_type for one in state.evaluations] + [one.evaluation_type for one in state.unready]
    if SUMMARY not in known:
        await session.write(await evaluate(state, SUMMARY, session.models().director))
        await session.tables.record(session)
