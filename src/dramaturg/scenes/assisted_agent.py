"""Small models act with help: with the form of a line and with turns. What is said stays theirs.

A line that a model cannot give in two tries is walked through; nobody else's words are put in its place.
"""

from __future__ import annotations

from collections.abc import Callable

from dramaturg.kernel.models.port import Model
from dramaturg.scenes.agent import EventSink, PartContext, SceneUpdate, Thread
from dramaturg.scenes.assisted_line import Assistance, AssistedLine
from dramaturg.scenes.events import NOT_ITS_TURN, CueGiven, TurnGiven
from dramaturg.scenes.response import CharacterResponse, ParsedResponse, render_response
from dramaturg.scenes.turns import whose_turn


class AssistedCharacterAgent:
    """Plays a character with a model of little understanding; one of the helped speaks at a time.

    `now` is the time at which a silence is heard.
    """

    def __init__(
        self,
        role: PartContext,
        model: Model,
        log: EventSink,
        thread: Thread,
        given: Assistance,
        now: Callable[[], float],
    ) -> None:
        self._role, self._model, self._log, self._help, self._now = role, model, log, given, now
        self._cue = thread.cue

    @property
    def name(self) -> str:
        return self._role.name

    async def respond_to(self, update: SceneUpdate) -> CharacterResponse:
        if update.beat and self._turn(update) != self._role.display_name:
            silent = ParsedResponse(action="silent")
            at = self._now()
            return CharacterResponse(raw=render_response(silent), parsed=silent, timestamp=at, warnings=(NOT_ITS_TURN,))
        profile = self._model.profile
        line = AssistedLine(self._role, self._help, update, update.offer, chat=not profile.continues)
        line = line.within(profile.context_window)
        self._note_down(line)
        parsed, warnings, arrived = await line.answered(self._model.complete)
        at = self._now() if arrived is None else arrived
        return CharacterResponse(raw=render_response(parsed), parsed=parsed, timestamp=at, warnings=warnings)

    def _turn(self, update: SceneUpdate) -> str:
        here = [name for name in self._help.helped if not update.present or name in update.present]
        here = [name for name in here if name not in update.muted]
        return whose_turn(here, update.staged or update.heard, update.beat)

    def _note_down(self, line: AssistedLine) -> None:
        """The turn, and what the model is about to be shown, logged before it is sent; once a beat."""
        beat, name = line.update.beat, self._role.name
        if self._cue is not None and self._cue.beat == beat:
            return
        goal, due = line.goal.id if line.goal else 0, line.is_due
        self._log(TurnGiven(beat=beat, character=name, goal=goal, due=due, omitted=line.omitted, chat=line.chat))
        fresh = self._cue is None
        self._cue = CueGiven(
            beat=beat,
            character=name,
            message=line.direction,
            heard=len(line.update.heard),
            fresh=fresh,
            receipt=self._role.system.receipt if fresh else None,
            lore=tuple(one.uid for one in line.update.lore),
        )
        self._log(self._cue)
