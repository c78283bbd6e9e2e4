"""The director watches a scene: one question to a model, and only quotes that are really there count."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class SceneJudge:
    """Judges a beat. A judge that fails leaves the verdict as it was, and says that the beat is unscored."""

    model: Model
    system: str
    question: Template
    playbook: Playbook

    async def watch(self, state: SceneState) -> tuple[VerdictReached, ...]:
        """The verdict on the beat just played; nothing if nobody said anything."""
        if state.silent_streak or not state.lines:
            return ()
        transcript = "\n".join(line.rendered() for line in state.lines)
        request = ModelRequest(
            key=f"beat-{state.beat}/judge",
            purpose="judging",
            system=self.system,
            messages=(Message("user", self.question.render(transcript=transcript)),),
            max_tokens=MAX_TOKENS,
            cue=VerdictCue(book=self.playbook, lines=heard(state.lines)),
        )
        try:
            judgement = (await ask(self.model, request, Judgement)).value
        except ModelError as error:
            kept = state.verdict.model_copy(update={"natural_end": False, "refused": ()})
            return (VerdictReached(beat=state.beat, verdict=kept, unscored=error.message),)
        lines = [Utterance(line.speaker, line.content) for line in state.lines if line.kind == "line"]
        verdict = check_judgement(judgement, state.goals, lines, before=state.verdict.met)
        return (VerdictReached(beat=state.beat, verdict=verdict),)
