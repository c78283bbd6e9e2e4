"""The judge of a scene: one question to a model per beat; only quotes found in the transcript count."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from types import TracebackType

from dramaturg.kernel.errors import ModelError
from dramaturg.kernel.models.port import Message, Model, ModelRequest, Purpose
from dramaturg.kernel.prompts import Template
from dramaturg.kernel.values import Value
from dramaturg.model_notes.spoken_part import spoken_part
from dramaturg.model_notes.structured import ask
from dramaturg.scenes.agent import heard
from dramaturg.scenes.audit import confidence_of
from dramaturg.scenes.director.verdict import Judgement, check_judgement
from dramaturg.scenes.events import LineGlossed, VerdictReached
from dramaturg.scenes.hearing import ENGLISH, same_language
from dramaturg.scenes.line import Line
from dramaturg.scenes.moderator import wants_event
from dramaturg.scenes.question_keys import event_key, judge_key
from dramaturg.scenes.rehearsal.cues import VerdictCue
from dramaturg.scenes.rehearsal.playbook import Playbook
from dramaturg.scenes.state import SceneState, quotable

MAX_TOKENS = 800
LONGEST_EVENT = 160
Verdicts = tuple[VerdictReached, ...]


@dataclass(frozen=True, slots=True)
class SceneJudge:
    """Judges beats. If the model fails, the verdict stays as it was and the beat is marked unscored."""

    model: Model
    system: str
    question: Template
    event: Template
    translation: Template
    playbook: Playbook

    async def judge(self, state: SceneState, beat: int, again: str = "") -> VerdictReached:
        """The verdict on the scene up to and including a beat. `again` marks the question after a revision."""
        seen = state.lines
        while seen and seen[-1].beat > beat:
            seen = seen[:-1]
        text = self.question.render(transcript="\n".join(state.page[: len(seen)]))
        request = replace(
            self._request(f"{judge_key(beat)}{again}", "judging", text),
            cue=VerdictCue(book=self.playbook, lines=heard(seen)) if self.model.profile.reads_cues else None,
        )
        try:
            judgement = (await ask(self.model, request, Judgement)).value
        except ModelError as error:
            kept = state.verdict.model_copy(update={"natural_end": False, "refused": ()})
            return VerdictReached(beat=beat, verdict=kept, unscored=error.message)
        lines = tuple(quotable(seen)) if any(claim.met for claim in judgement.goals) else ()
        cast = [member.display_name for member in state.cast]
        literally = self.model.profile.instruction_following == "low" and not self.model.profile.reads_cues
        verdict = check_judgement(
            judgement,
            state.goals,
            lines,
            before=state.verdict.met,
            cast=cast,
            literally=literally,
            confidence=confidence_of(state),
        )
        return VerdictReached(beat=beat, verdict=verdict)

    async def propose(self, state: SceneState) -> str | None:
        """A model's idea of what might happen, where the scene asks for one and something should; else None."""
        if state.scene.config.world_events != "model" or not wants_event(state):
            return None
        used = [line.content for line in state.lines if line.kind == "event"]
        text = self.event.render(transcript="\n".join(state.page), used=used)
        request = self._request(event_key(state.beat), "events", text)
        try:
            idea = " ".join((await ask(self.model, request, Idea)).value.event.split()).strip("[] .")
        except ModelError:
            return None
        fits = 0 < len(idea) <= LONGEST_EVENT and '"' not in idea and idea not in used
        return idea.removeprefix("EVENT:").strip() if fits else None

    async def gloss(self, state: SceneState) -> tuple[LineGlossed, ...]:
        """The foreign lines of the beat in the reader's language, where the scene asks for it."""
        wanted = state.scene.config.gloss
        if wanted is None or self.model.profile.reads_cues:
            return ()
        said = [(line, _language_of(line, state)) for line in state.lines_of(state.beat) if line.content]
        found = []
        for line, language in ((line, one) for line, one in said if one and not same_language(one, wanted)):
            text = self.translation.render(language=wanted, spoken=language, line=line.content)
            try:
                answer = await self.model.complete(self._request(f"line-{line.number}/gloss", "extraction", text))
            except ModelError:
                continue
            gloss = " ".join(spoken_part(answer.text).split()).strip('"“” ')
            if gloss:
                found.append(LineGlossed(number=line.number, gloss=gloss))
        return tuple(found)

    def _request(self, key: str, purpose: Purpose, text: str) -> ModelRequest:
        return ModelRequest(
            key=key, purpose=purpose, system=self.system, messages=(Message("user", text),), max_tokens=MAX_TOKENS
        )


def _language_of(line: Line, state: SceneState) -> str:
    """What a line was spoken in, where a card, the scene or the line itself names it; else nothing is known."""
    if line.language:
        return line.language
    spoken = next((one.languages[0] for one in state.cast if one.display_name == line.speaker), "")
    return spoken if spoken != ENGLISH or state.scene.config.language else ""


class Idea(Value):
    """What might happen, in one short sentence."""

    event: str


class JudgeAhead:
    """Runs the judge concurrently with the scene.

    With `ahead`, a beat is judged while the next one is played, and its verdict arrives one beat later; a beat left
    unjudged by a killed run is judged first. Without it, each verdict is awaited.
    """

    def __init__(self, judge: SceneJudge, state: SceneState, *, ahead: bool) -> None:
        self._judge, self._ahead = judge, ahead
        self._task: asyncio.Task[VerdictReached] | None = None
        self._unjudged = state if ahead and not state.played and state.judged < state.beat - 1 else None

    async def __aenter__(self) -> JudgeAhead:
        if self._unjudged is not None and _spoken(self._unjudged, self._unjudged.beat - 1):
            self._begin(self._unjudged, self._unjudged.beat - 1)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._task is not None:
            if not isinstance(error, Exception):  # where the scene breaks off, its answer is paid for and stored
                self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)  # what ended the scene is raised already

    @property
    def busy(self) -> bool:
        return self._task is not None

    def use(self, judge: SceneJudge) -> None:
        """Let another judge go on, once the pending verdict is in."""
        self._judge = judge

    async def verdicts(self, state: SceneState) -> Verdicts:
        """The verdicts available after the beat just played: its own, or with `ahead` the previous one."""
        known = await self.finish()
        state = state.after(known)
        if _spoken(state, state.beat) and state.judged < state.beat:
            self._begin(state, state.beat)
        return known if self._ahead else (*known, *await self.finish())

    async def finish(self) -> Verdicts:
        """Wait for the pending verdict."""
        if self._task is None:
            return ()
        task, self._task = self._task, None
        return (await task,)

    def _begin(self, state: SceneState, beat: int) -> None:
        self._task = asyncio.create_task(self._judge.judge(state, beat))


def _spoken(state: SceneState, beat: int) -> bool:
    return any(line.kind == "line" for line in state.lines_of(beat))
