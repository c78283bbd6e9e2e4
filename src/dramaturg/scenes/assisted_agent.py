"""Small models act with help: the rehearsal plan decides who speaks, how and what for; the model finds the words.

It is shown one script that is only ever added to, breaking off inside the quotation marks of the next line.
What it cannot give in two tries, the rehearsal company says in its own words. So the form of every line is right,
and the scene arrives where it would have arrived in rehearsal.
"""

from __future__ import annotations

from collections.abc import Callable

from dramaturg.kernel.models.port import Model
from dramaturg.scenes.agent import EventSink, PartContext, SceneUpdate, Thread
from dramaturg.scenes.events import CueGiven, LinePlanned
from dramaturg.scenes.planned_line import Assistance, PlannedLine, plan_line
from dramaturg.scenes.response import CharacterResponse, read_response


class AssistedCharacterAgent:
    """Plays a character with a model of little understanding. `role.system` is the head of the script.

    `now` is the time at which a line without a wait would be heard.
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
        start, profile = self._now(), self._model.profile
        line = plan_line(self._role, self._help, update, chat=not profile.continues).within(profile.context_window)
        words: str | None = None
        warnings: tuple[str, ...] = ()
        if line.mine.action != "silent":
            self._note_down(line)
            if not line.fixed:
                words, warnings = await line.words(self._model.complete)
        raw = line.delivered(words)
        cast = [part.name for part in self._role.playbook.cast]
        parsed, read = read_response(raw, me=self._role.display_name, cast=cast)
        at = start + line.mine.latency
        return CharacterResponse(raw=raw, parsed=parsed, timestamp=at, warnings=(*warnings, *read))

    def _note_down(self, line: PlannedLine) -> None:
        """The plan, and what the model is about to be shown, logged before it is sent; once a beat."""
        beat = line.update.beat
        if self._cue is not None and self._cue.beat == beat:
            return
        self._log(LinePlanned(beat=beat, character=self._role.name, plan=line.plan))
        if line.fixed:
            return
        fresh = self._cue is None
        self._cue = CueGiven(
            beat=beat,
            character=self._role.name,
            message=line.direction,
            heard=len(line.update.heard),
            fresh=fresh,
            receipt=self._role.system.receipt if fresh else None,
        )
        self._log(self._cue)
