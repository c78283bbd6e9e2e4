"""A model with prepared answers, for tests, demonstrations and scripted rehearsals."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import ModelRejected
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest, Usage
from dramaturg.kernel.models.profiles import REHEARSAL, ModelProfile, profile_of
from dramaturg.kernel.models.tokens import estimate_request, estimate_tokens

ScriptedAnswer = str | ModelAnswer | Exception
Script = Callable[[ModelRequest], ScriptedAnswer | Awaitable[ScriptedAnswer]]


class ScriptedModel:
    """Gives its answers in order, or computes them from the request. An answer that is an exception is raised.

    `requests` holds every request received. With a clock, `delay` seconds pass before each answer. Once the script
    has run out, ModelRejected is raised. Streams yield one word at a time.
    """

    def __init__(
        self,
        answers: Sequence[ScriptedAnswer] | Script,
        *,
        name: str = "scripted",
        profile: ModelProfile | None = None,
        clock: Clock | None = None,
        delay: float = 0.0,
    ) -> None:
        self._script = answers if callable(answers) else _in_order(answers)
        self._name = name
        self._profile = profile or _profile(name)
        self._clock = clock
        self._delay = delay
        self.requests: list[ModelRequest] = []

    @property
    def name(self) -> str:
        return self._name

    @property
    def profile(self) -> ModelProfile:
        return self._profile

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        self.requests.append(request)
        if self._clock and self._delay:
            await self._clock.sleep(self._delay)
        spoken = self._script(request)
        if inspect.isawaitable(spoken):
            spoken = await spoken
        if isinstance(spoken, Exception):
            raise spoken
        return self._answer(request, spoken) if isinstance(spoken, str) else spoken

    async def stream(self, request: ModelRequest) -> AsyncIterator[str | ModelAnswer]:
        answer = await self.complete(request)
        if answer.finish != "refusal":
            for word in answer.text.split(" ")[:-1]:
                yield word + " "
            yield answer.text.rpartition(" ")[2]
        yield answer

    def _answer(self, request: ModelRequest, text: str) -> ModelAnswer:
        usage = Usage(input_tokens=estimate_request(request), output_tokens=estimate_tokens(text), reported=False)
        now = self._clock.now() if self._clock else 0.0
        return ModelAnswer(text=text, model=self._name, usage=usage, cost_usd=0.0, arrived_at=now)


def _profile(name: str) -> ModelProfile:
    """As able as the rehearsal company, and reading cues as it does, but standing in for a language model."""
    return profile_of(REHEARSAL).model_copy(update={"id": name, "provider": name, "is_stand_in": False})


def _in_order(answers: Sequence[ScriptedAnswer]) -> Script:
    left = iter(answers)

    def next_of(request: ModelRequest) -> ScriptedAnswer:
        for spoken in left:
            return spoken
        return ModelRejected(
            f"The script of {len(answers)} answers has run out; '{request.key}' was not expected.",
            key=request.key,
        )

    return next_of
