"""A character played as a task: at every beat a new subagent reads the card and the transcript, and answers once."""

from __future__ import annotations

from dramaturg.kernel.models.port import Message, Model
from dramaturg.scenes.agent import EventSink, PartContext, SceneUpdate, Thread, line_request, lore_texts
from dramaturg.scenes.events import CueGiven
from dramaturg.scenes.response import CharacterResponse, read_response


class TaskCharacterAgent:
    """Hands the card and the last exchanges to a subagent of Claude Code (a model named `claude-code/…`).

    A task remembers nothing, so the transcript is sent again at each beat, as far back as the window
    reaches; nothing else of the character lives outside the log.
    """

    def __init__(self, role: PartContext, model: Model, log: EventSink, thread: Thread) -> None:
        self._role, self._model, self._log = role, model, log
        self._given = thread.cue

    @property
    def name(self) -> str:
        return self._role.name

    async def respond_to(self, update: SceneUpdate) -> CharacterResponse:
        role, note = self._role, update.moderator_note or ""
        cue = await self._cue(update, note)
        request = line_request(role, (Message("user", cue.message),), update.beat, update.heard, note, cued=False)
        answer = await self._model.complete(request)
        cast = [part.name for part in role.playbook.cast]
        parsed, warnings = read_response(answer.text, me=role.display_name, cast=cast, key=request.key)
        return CharacterResponse(raw=answer.text, parsed=parsed, timestamp=answer.arrived_at, warnings=warnings)

    async def _cue(self, update: SceneUpdate, note: str) -> CueGiven:
        """The task, logged before it is sent; a resumed beat reuses the one in the log."""
        if self._given is not None and self._given.beat == update.beat:
            return self._given
        role = self._role
        recent = tuple(line.rendered() for line in update.heard[-role.window :])
        cue = CueGiven(
            beat=update.beat,
            character=role.name,
            message=role.turn.render(
                name=role.display_name, beat=update.beat, lines=recent, note=note, lore=lore_texts(update.lore)
            ),
            heard=len(update.heard),
            fresh=True,
            receipt=role.system.receipt,
            lore=tuple(one.uid for one in update.lore),
        )
        self._given = cue
        self._log(cue)
        return cue
