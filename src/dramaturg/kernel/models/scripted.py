"""A model that says what it was given to say: for tests, demonstrations and rehearsals of a script."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import ModelRejected
from dramaturg.kernel.models.port import ModelAnswer, ModelRequest, Usage
from dramaturg.kernel.models.profiles import ModelProfile, profile_of
from dramaturg.kernel.models.tokens import estimate_request, estimate_tokens

Spoken = str | ModelAnswer | Exception
Script = Callable[[ModelRequest], Spoken | Awaitable[Spoken]]


class ScriptedModel:
    """Answers in order, or by a function of the request. An answer that is an exception is raised.

    `requests` holds every request it got. With a clock, `delay` seconds pass on it before each answer. A
    script that has run out raises ModelRejected. Streams come word by word.
    """

    def __init__(
        self,
        answers: Sequence[Spoken] | Script,
        *,
        name: str = "scripted",
        profile: ModelProfile | None = None,
        clock: Clock | None = None,
        delay: float = 0.0,
    ) -> None:
        self._script = answers if callable(answers) else _in_order(answers)
        self._name = name
        self._profile = profile or profile_of("rehearsal").model_copy(update={"id": name, "provider": name})
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
        for word in answer.text.split(" ")[:-1]:
            yield word + " "
        yield answer.text.rpartition(" ")[2]
        yield answer

    def _answer(self, request: ModelRequest, text: str) -> ModelAnswer:
        usage = Usage(input_tokens=estimate_request(request), output_tokens=estimate_tokens(text), reported=False)
        now = self._clock.now() if self._clock else 0.0
        return ModelAnswer(text=text, model=self._name, usage=usage, cost_usd=0.0, arrived_at=now)


def _in_order(answers: Sequence[Spoken]) -> Script:
    left = iter(answers)

    def next_of(request: ModelRequest) -> Spoken:
        for spoken in left:
            return spoken
        return ModelRejected(
            f"The script of {len(answers)} answers has run out; '{request.key}' was not expected.",
            key=request.key,
        )

    return next_of
