"""The director's cut: what was hidden while an episode was played, for the player to see afterwards."""

from __future__ import annotations

from itertools import pairwise
from operator import not_

from pydantic import Field

from dramaturg.episodes.director import BeatMark
from dramaturg.episodes.state import EpisodeState
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.values import Value


class Thought(Value):
    """What the character thought during a message, and the director's note it had been given."""

    message_id: str
    turn: int
    said: str
    thought: str
    note: str = ""
    speaker: str = Field("", description="in a group: who thought it", exclude_if=not_)


class DirectorsCut(Value):
    """The hidden layer. `turning_point` is the message with the greatest change of tension: branch from there."""

    tension_curve: tuple[float, ...]
    tension_target: tuple[float, ...]
    beats: tuple[BeatMark, ...]
    signals: dict[str, int]
    thoughts: tuple[Thought, ...]
    turning_point: str | None = None


def directors_cut(state: EpisodeState) -> DirectorsCut:
    """The director's cut. Raises InvalidConfig if the template does not allow it or the episode is not complete."""
    if not state.template.directors_cut:
        raise InvalidConfig("This episode has no director's cut: its author keeps the secrets.")
    if state.completion is None:
        raise InvalidConfig("The director's cut becomes available when the episode is complete.")
    director = state.director
    before = ["", *(one.message_id for one in state.exchanges)]
    thoughts = tuple(
        Thought(
            message_id=key,
            turn=number,
            said=state.messages[key].text,
            thought=parts.internal if (parts := state.messages[key].structured) is not None else "",
            note=state.notes.get(before[number - 1], "") if key == one.message_id else "",
            speaker=state.messages[key].speaker,
        )
        for number, one in enumerate(state.exchanges, start=1)
        for key in (one.message_id, *one.others)
    )
    steps = [abs(after - level) for level, after in pairwise(director.tension_curve)]
    turning = state.exchanges[steps.index(max(steps)) + 1].message_id if steps else None
    return DirectorsCut(
        tension_curve=director.tension_curve,
        tension_target=director.tension_target,
        beats=director.marks,
        signals=dict(director.user_signals),
        thoughts=thoughts,
        turning_point=turning,
    )
