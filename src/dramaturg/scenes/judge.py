"""The director watches a scene: one question to a model, and only quotes that are really there count."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from types import TracebackType

from dramaturg.kernel.director import Judgement, Utterance, check_judgement
from dramaturg.kernel.errors import ModelError
from dramaturg.kernel.models.port import Message, Model, ModelRequest
from dramaturg.kernel.models.rehearsal.cues import Playbook, VerdictCue
from dramaturg.kernel.models.structured import ask
from dramaturg.kernel.prompts import Template
from dramaturg.scenes.agent import heard
from dramaturg.scenes.events import VerdictReached
from dramaturg.scenes.state import SceneState

MAX_TOKENS = 800
Verdicts = tuple[VerdictReached, ...]


@dataclass(frozen=True, slots=True)
class SceneJudge:
    """Judges a beat. A judge that fails leaves the verdict as it was, and says that the beat is unscored."""

    model: Model
    system: str
    question: Template
    playbook: Playbook

    async def judge(self, state: SceneState, beat: int) -> VerdictReached:
        """The verdict on the scene up to and with a beat."""
        seen = [line for line in state.lines if line.beat <= beat]
        transcript = "\n".join(line.rendered() for line in seen)
        request = ModelRequest(
            key=f"beat-{beat}/judge",
            purpose="judging",
            system=self.system,
            messages=(Message("user", self.question.render(transcript=transcript)),),
            max_tokens=MAX_TOKENS,
            cue=VerdictCue(book=self.playbook, lines=heard(seen)),
        )
        try:
            judgement = (await ask(self.model, request, Judgement)).value
        except ModelError as error:
            kept = state.verdict.model_copy(update={"natural_end": False, "refused": ()})
            return VerdictReached(beat=beat, verdict=kept, unscored=error.message)
        lines = [Utterance(line.speaker, line.content) for line in seen if line.kind == "line"]
        verdict = check_judgement(judgement, state.goals, lines, before=state.verdict.met)
        return VerdictReached(beat=beat, verdict=verdict)


class Watch:
    """The judge at work beside the scene.

    With `ahead`, a beat is judged while the next one is asked, and its verdict comes a beat later; a beat whose
    verdict a killed run did not live to see is judged first. Without, each verdict is waited for.
    """

    def __init__(self, judge: SceneJudge, state: SceneState, *, ahead: bool) -> None:
        self._judge, self._ahead = judge, ahead
        self._task: asyncio.Task[VerdictReached] | None = None
        self._unjudged = state if ahead and not state.played and state.judged < state.beat - 1 else None

    async def __aenter__(self) -> Watch:
        if self._unjudged is not None and _spoken(self._unjudged, self._unjudged.beat - 1):
            self._begin(self._unjudged, self._unjudged.beat - 1)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    @property
    def busy(self) -> bool:
        return self._task is not None

    async def verdicts(self, state: SceneState) -> Verdicts:
        """What is known after the beat that was just played: its own verdict, or with `ahead` the one before."""
        known = await self.finish()
        state = state.after(known)
        if _spoken(state, state.beat) and state.judged < state.beat:
            self._begin(state, state.beat)
        return known if self._ahead else (*known, *await self.finish())

    async def finish(self) -> Verdicts:
        """Wait for the verdict under way."""
        if self._task is None:
            return ()
        task, self._task = self._task, None
        return (await task,)

    def _begin(self, state: SceneState, beat: int) -> None:
        self._task = asyncio.create_task(self._judge.judge(state, beat))


def _spoken(state: SceneState, beat: int) -> bool:
    return any(line.kind == "line" and line.beat == beat for line in state.lines)
