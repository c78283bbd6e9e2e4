"""The rehearsal company: players that need no key, no server and no download.

It knows no capability. Each request brings a cue, and the cue answers itself.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import ModelRejected
from dramaturg.kernel.models.port import CueAnswer, ModelAnswer, ModelRequest, Usage
from dramaturg.kernel.models.profiles import ModelProfile

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
        """The whole answer. Raises ModelRejected for a request without a cue."""
        answer = _answer(request)
        arrived_at = self._clock.now() + answer.seconds
        if self._pace > 0:
            await self._clock.sleep(answer.seconds * self._pace)
        return _model_answer(answer, arrived_at)

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        """The words one by one, then the whole answer."""
        answer = _answer(request)
        arrived_at = self._clock.now() + answer.seconds
        pieces = re.findall(r"\S+\s*", answer.text)
        for piece in pieces:
            if self._pace > 0:
                await self._clock.sleep(answer.seconds * self._pace / len(pieces))
            yield piece
        yield _model_answer(answer, arrived_at)


def _model_answer(answer: CueAnswer, arrived_at: float) -> ModelAnswer:
    return ModelAnswer(text=answer.text, model=NAME, usage=Usage(), cost_usd=0.0, arrived_at=arrived_at)


def _answer(request: ModelRequest) -> CueAnswer:
    if request.cue is not None:
        return request.cue.answer()
    raise ModelRejected(
        f"The rehearsal company cannot answer {request.key!r} yet: it plays scenes, episodes and ensembles, "
        "and plans books. "
        "Set [models] default to a provider's model for the rest.",
        key=request.key,
        purpose=request.purpose,
    )
