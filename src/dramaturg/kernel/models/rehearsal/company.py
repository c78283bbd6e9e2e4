"""The rehearsal company: players that need no key, no server and no download.

Each is asked alone and in parallel, and yet they play together: what happens in a beat is a pure function of
the playbook and the transcript, so every player works out the whole beat and delivers only its own part.
"""

from __future__ import annotations

import random
import re
from collections.abc import AsyncIterator

import orjson

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import ModelRejected
from dramaturg.kernel.models.port import Cue, ModelAnswer, ModelRequest, Usage
from dramaturg.kernel.models.profiles import ModelProfile
from dramaturg.kernel.models.rehearsal.asides import Asides
from dramaturg.kernel.models.rehearsal.beats import Delivery, hint_of, plan_beat
from dramaturg.kernel.models.rehearsal.chat import answer_text
from dramaturg.kernel.models.rehearsal.chat_notes import evaluation_text, extraction_text
from dramaturg.kernel.models.rehearsal.chat_players import player_text
from dramaturg.kernel.models.rehearsal.cues import LineCue, TableCue, VerdictCue
from dramaturg.kernel.models.rehearsal.deeds import deeds_of
from dramaturg.kernel.models.rehearsal.episode_cues import AnswerCue, EvaluationCue, ExtractionCue, PlayerCue
from dramaturg.kernel.models.rehearsal.foreman import foreman_text
from dramaturg.kernel.models.rehearsal.foreman_cues import ForemanCue
from dramaturg.kernel.models.rehearsal.progress import progress_of
from dramaturg.kernel.models.rehearsal.table import table_text
from dramaturg.kernel.models.rehearsal.verdicts import findings

NAME = "rehearsal"
_PROFILE = ModelProfile(
    id=NAME,
    provider=NAME,
    context_window=1_000_000,
    max_output_tokens=4096,
    tier="full",
    xml_reliability="very_high",
    instruction_following="very_high",
    structured_output="json_object",
    prefix_caching="none",
    is_stand_in=True,
    reads_cues=True,
)
_JUDGING_SECONDS = 0.2
_THINKING_SECONDS, _SECONDS_A_CHARACTER = 0.4, 0.008


class RehearsalCompany:
    """The `Model` that plays for newcomers and tests. `pace` 1.0 takes the time the lines would take; 0 none."""

    def __init__(self, clock: Clock, pace: float = 0.0) -> None:
        self._clock, self._pace = clock, pace

    @property
    def name(self) -> str:
        return NAME

    @property
    def profile(self) -> ModelProfile:
        return _PROFILE

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        """One answer, whole. Raises ModelRejected for a request that carries no cue it knows."""
        text, latency = _answer(request)
        arrived_at = self._clock.now() + latency
        if self._pace > 0:
            await self._clock.sleep(latency * self._pace)
        return _spoken(text, arrived_at)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        """The words one by one, then the whole answer."""
        text, latency = _answer(request)
        arrived_at = self._clock.now() + latency
        pieces = re.findall(r"\S+\s*", text)
        for piece in pieces:
            if self._pace > 0:
                await self._clock.sleep(latency * self._pace / len(pieces))
            yield piece
        yield _spoken(text, arrived_at)


def _spoken(text: str, arrived_at: float) -> ModelAnswer:
    return ModelAnswer(text=text, model=NAME, usage=Usage(), cost_usd=0.0, arrived_at=arrived_at)


def _answer(request: ModelRequest) -> tuple[str, float]:
    cue = request.cue
    if isinstance(cue, LineCue):
        delivery = deliver(cue)
        return response_text(delivery), delivery.latency
    if isinstance(cue, VerdictCue):
        return verdict_text(cue), _JUDGING_SECONDS
    if isinstance(cue, TableCue):
        text = table_text(cue)
        return text, _THINKING_SECONDS + _SECONDS_A_CHARACTER * len(text)
    if isinstance(cue, ForemanCue):
        text = foreman_text(cue)
        return text, _THINKING_SECONDS + _SECONDS_A_CHARACTER * len(text)
    answered = episode_text(cue)
    if answered is not None:
        return answered, _JUDGING_SECONDS
    raise ModelRejected(
        f"The rehearsal company cannot answer {request.key!r} yet: it plays scenes, episodes and ensembles, "
        "and plans books. "
        "Set [models] default to a provider's model for the rest.",
        key=request.key,
        purpose=request.purpose,
    )


def episode_text(cue: Cue | None) -> str | None:
    """What the company answers in an episode, to a cue of one."""
    match cue:
        case AnswerCue():
            return answer_text(cue)
        case ExtractionCue():
            return extraction_text(cue)
        case EvaluationCue():
            return evaluation_text(cue)
        case PlayerCue():
            return player_text(cue)
    return None


def deliver(cue: LineCue) -> Delivery:
    """What `cue.me` does in this beat."""
    plan = plan_beat(cue.book, cue.lines, cue.beat, hint_of(cue.note), back=cue.me if _failed(cue) else "")
    own = next((delivery for delivery in plan if delivery.speaker == cue.me), None)
    if own is not None:
        return own
    asides = Asides(cue.book, cue.lines, random.Random(f"{cue.book.seed}/{cue.beat}/{cue.me}/idle"))
    if _personal(cue.note) and (steps := asides.filler(cue.me)):
        latest = max((delivery.latency for delivery in plan), default=1.0)
        return Delivery(cue.me, "speak", steps[0].text, steps[0].tone, gesture=steps[0].gesture, latency=latest + 1.0)
    return Delivery(cue.me, "silent", gesture=asides.silent_gesture(cue.me))


def _failed(cue: LineCue) -> bool:
    return cue.me in progress_of(cue.book, cue.lines).failing


def _personal(note: str) -> bool:
    """A note to one actor about their playing, such as "You're being too passive"."""
    return bool(re.match(r"(?:you['’]re|you are being|your character)\b", note.strip(), re.IGNORECASE)) and not hint_of(
        note
    )


def response_text(delivery: Delivery) -> str:
    """A delivery in the scene's response format."""
    gesture = [f"*{delivery.gesture}*"] if delivery.gesture else []
    tone = f"TONE: {delivery.tone or 'neutral'}"
    if delivery.action == "silent":
        return f"[{', '.join(['SILENT', *gesture])}]"
    if delivery.action == "react":
        return f"[{', '.join(['REACT', tone, *gesture])}]"
    head = [f'INTERRUPT after "{delivery.cut_after}"'] if delivery.action == "interrupt" else []
    to = [f"TO: {delivery.target}"] if delivery.target else []
    return f'[{", ".join([*head, *to, tone, *gesture])}] "{delivery.text}"'


def verdict_text(cue: VerdictCue) -> str:
    """The judge's JSON: one entry for every sub-goal, each quote verbatim."""
    met = {finding.goal: finding for finding in findings(cue.book, cue.lines)}
    goals = [
        {"id": deed.number, "met": True, "quote": met[deed.number].quote, "speaker": met[deed.number].speaker}
        if deed.number in met
        else {"id": deed.number, "met": False, "quote": "", "speaker": ""}
        for deed in deeds_of(cue.book)
    ]
    complete = len(met) == len(goals)
    share = len(met) / len(goals) if goals else 1.0
    said = any(line.kind == "line" for line in cue.lines)
    progress = progress_of(cue.book, cue.lines)
    natural_end = said and complete and all(step.speaker in progress.failing for step in progress.ahead)
    return orjson.dumps(
        {"goals": goals, "confidence": round(0.35 + 0.6 * share, 2), "natural_end": natural_end}
    ).decode()
