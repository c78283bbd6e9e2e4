"""A "why" that is tested: the beat is asked again with one cause removed at a time, and the answers are compared.

Asking again unchanged shows how far the line moves by itself; only what moves it further is a cause.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from dramaturg.kernel.errors import InvalidConfig, ModelError
from dramaturg.kernel.models.port import Model, ModelAnswer, ModelRequest
from dramaturg.kernel.models.prices import Price
from dramaturg.kernel.models.tokens import estimate_request, estimate_tokens
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.assisted_line import AssistedLine
from dramaturg.scenes.insight.account import is_said_by_person, occasion_of_line, response_to
from dramaturg.scenes.insight.causes import Cause, causes_of, without
from dramaturg.scenes.insight.events import CauseTested, Effect, LineQuestioned, WhyRun
from dramaturg.scenes.insight.movement import movement
from dramaturg.scenes.insight.occasion import Occasion
from dramaturg.scenes.insight.state import WHY_FOLD
from dramaturg.scenes.line import Line
from dramaturg.scenes.response import ParsedResponse, parse_response, render_response


@dataclass(frozen=True, slots=True)
class Question:
    """The beat asked once more: without a cause, or unchanged. `key` tells it from other questions for the same line.

    Of a helped character the `line` is played again whole, with a second try where the first is no good.
    """

    cause: Cause | None
    requests: tuple[ModelRequest, ...]
    line: AssistedLine | None = None
    key: str = ""

    async def answered(self, model: Model, me: str, cast: Sequence[str]) -> ParsedResponse:
        """The answer given now, as it is understood."""
        return parse_response((await self.asked(model)).text, me=me, cast=cast)[0]

    async def asked(self, model: Model) -> ModelAnswer:
        """The answer given now."""
        if self.line is None:
            return await model.complete(self.requests[0])
        parsed, _, arrived = await self.line.answered(lambda asked: model.complete(_keyed(asked, self.key)))
        return ModelAnswer(text=render_response(parsed), model=model.name, arrived_at=arrived or 0.0)


class Estimate(WireValue):
    """The most that testing a line will cost. `usd` is null if the price is unknown."""

    calls: int
    input_tokens: int
    output_tokens: int
    usd: float | None


class Ablation(WireValue):
    """The findings about one line: its effects, the strongest first.

    `floor` is how far the line moved when nothing was removed; null where that could not be asked.
    """

    run: str
    line: Line
    character: str
    model: str
    said: ParsedResponse
    floor: float | None
    effects: tuple[Effect, ...]

    def stands_out(self, effect: Effect) -> bool:
        """Whether the line moved further than it does by itself."""
        return effect.movement is not None and self.floor is not None and effect.movement.moved > self.floor


def questioned(run_id: str, entries: Sequence[Entry[Event]], line: Line, again: int) -> LineQuestioned:
    """The first event of the run that will test a line. Raises InvalidConfig for one that no model said."""
    occasion = occasion_of_line(entries, line)
    if is_said_by_person(entries, occasion):
        raise InvalidConfig(f"A person said line {line.number}; there is no model to ask again.", line=line.number)
    return LineQuestioned(
        run=run_id,
        line=line,
        character=occasion.member.name,
        model=occasion.member.model,
        said=response_to(entries, occasion).response.parsed,
        causes=causes_of(occasion),
        again=again,
    )


def questions(asked: LineQuestioned, occasion: Occasion, settings: Settings) -> tuple[Question, ...]:
    """Every question the test asks: unchanged, then without each cause."""
    again = (ask_again(None, occasion, f"again-{number}", settings) for number in range(1, asked.again + 1))
    less = (ask_again(cause, without(occasion, cause), f"without-{cause.key}", settings) for cause in asked.causes)
    return (*again, *less)


def ask_again(cause: Cause | None, occasion: Occasion, key: str, settings: Settings) -> Question:
    """The question for a line once more, under a key of its own."""
    if not occasion.helped:
        return Question(cause, (_keyed(occasion.request(settings), key),), key=key)
    line = occasion.assisted(settings)
    return Question(cause, tuple(_keyed(one, key) for one in line.requests()), line, key)


def _keyed(request: ModelRequest, key: str) -> ModelRequest:
    return replace(request, key=f"{request.key}#{key}")


def estimate_of(asked: Iterable[Question], said: str, price: Price | None) -> Estimate:
    """What the questions will cost at most, if the answers are as long as the one that was given."""
    requests = [request for question in asked for request in question.requests]
    taken, given = sum(map(estimate_request, requests)), estimate_tokens(said) * len(requests)
    usd = None if price is None else round((taken * price.input_usd + given * price.output_usd) / 1e6, 6)
    return Estimate(calls=len(requests), input_tokens=taken, output_tokens=given, usd=usd)


async def try_causes(run: WhyRun, occasion: Occasion, model: Model, settings: Settings) -> None:
    """Ask, compare, and write the effects into the run that questions the line.

    Answers already in the log are not requested again. A failed answer leaves its cause untested; if all
    fail, the first failure is raised.
    """
    asked = WHY_FOLD(run.entries).question
    if asked is None:
        raise AssertionError("the run questions no line")
    asking = questions(asked, occasion, settings)
    cast = [member.display_name for member in occasion.state.cast]
    outcomes = await asyncio.gather(*(_effect(asked, cast, question, model) for question in asking))
    failures = [outcome for outcome in outcomes if isinstance(outcome, ModelError)]
    if len(failures) == len(outcomes):
        raise failures[0]
    effects = (
        Effect(cause=question.cause, failed=outcome.message) if isinstance(outcome, ModelError) else outcome
        for question, outcome in zip(asking, outcomes, strict=True)
    )
    await run.append(*(CauseTested(effect=effect) for effect in effects))


async def _effect(asked: LineQuestioned, cast: Sequence[str], question: Question, model: Model) -> Effect | ModelError:
    try:
        parsed = await question.answered(model, asked.line.speaker, cast)
    except ModelError as error:
        return error
    return Effect(cause=question.cause, said=parsed, movement=movement(asked.said, parsed))


def ablation_of(entries: Iterable[Entry[Event]]) -> Ablation | None:
    """The findings of the run; None if it was not finished."""
    state = WHY_FOLD(entries)
    asked, effects = state.question, state.effects
    if asked is None or not effects:
        return None
    plain = [effect.movement.moved for effect in effects if effect.cause is None and effect.movement]
    removed = [effect for effect in effects if effect.cause is not None]
    return Ablation(
        run=asked.run,
        line=asked.line,
        character=asked.character,
        model=asked.model,
        said=asked.said,
        floor=max(plain, default=None),
        effects=tuple(sorted(removed, key=_strength, reverse=True)),
    )


def _strength(effect: Effect) -> float:
    return effect.movement.moved if effect.movement else -1.0
