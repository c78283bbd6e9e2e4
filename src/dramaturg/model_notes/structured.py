"""Structured answers: ask for a pydantic model, find its JSON in the answer, repair once, or raise a typed error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from dramaturg.kernel.errors import ModelRejected, ModelUnreadable
from dramaturg.kernel.models.bounds import read_answer_with
from dramaturg.kernel.models.forms import form_of
from dramaturg.kernel.models.port import Message, Model, ModelAnswer, ModelRequest
from dramaturg.kernel.problems import real_problems, worded_problem
from dramaturg.kernel.reasoning import without_reasoning
from dramaturg.kernel.text.shortened import short_line
from dramaturg.model_notes.loose_json import find_json, load_json

T = TypeVar("T", bound=BaseModel)

LONGEST_QUOTE = 200

_FENCE = re.compile(r"```[\w-]*[ \t]*\n?(.*?)(?:```|\Z)", re.S)


@dataclass(frozen=True, slots=True)
class ParsedAnswer(Generic[T]):
    """A value parsed from a model's answer, with every answer that was paid for to get it."""

    value: T
    answers: tuple[ModelAnswer, ...]


async def ask(model: Model, request: ModelRequest, form: type[T]) -> ParsedAnswer[T]:
    """Asks for `form` and parses the answer.

    An invalid answer is sent back to the model once, with the validation error (purpose `repair`, key
    `<key>#repair`). Raises ModelUnreadable if the second answer is invalid too, ModelRejected if the model declines.
    """
    request = replace(request, output=form_of(form))
    answer = await _answered(model, request)
    value, wrong = _attempt(answer.text, form)
    if value is not None:
        return ParsedAnswer(value, (answer,))
    repair = replace(
        request,
        key=f"{request.key}#repair",
        purpose="repair",
        messages=(*request.messages, *_correction(answer.text, wrong)),
    )
    second = await _answered(model, repair)
    value, wrong = _attempt(second.text, form)
    if value is not None:
        return ParsedAnswer(value, (answer, second))
    raise ModelUnreadable(
        f"{model.name} did not fill in the form it was asked for, in two attempts: {wrong} "
        f"It said: {short_line(second.text, LONGEST_QUOTE) or 'nothing'}",
        model=model.name,
        key=request.key,
        finish=second.finish,
    )


def read(text: str, form: type[T]) -> T:
    """The first JSON in `text` that validates as `form`. Raises ModelUnreadable, and nothing else, for any text."""
    value, wrong = _read(text, form)
    if value is None:
        raise ModelUnreadable(
            f"Not the form that was asked for: {wrong} Found: {short_line(text, LONGEST_QUOTE) or 'nothing'}"
        )
    return value


def json_values(text: str) -> Iterator[object]:
    """Yields every JSON object or array in `text`, the most likely first.

    The whole text is tried first, then code fences, then the prose; reasoning is ignored.
    """
    whole = load_json(text.strip())
    if isinstance(whole, dict | list):
        yield whole
        return
    spoken = without_reasoning(text)
    for fenced in _FENCE.findall(spoken):
        value = load_json(fenced.strip())
        if isinstance(value, dict | list):
            yield value
    yield from find_json(spoken)


def _attempt(text: str, form: type[T]) -> tuple[T | None, str]:
    try:
        return read_answer_with(form.__name__, lambda: _read(text, form))
    except ModelUnreadable as error:
        return None, error.message


def _read(text: str, form: type[T]) -> tuple[T | None, str]:
    wrong = "there is no JSON in it."
    first = True
    for value in json_values(text):
        try:
            return form.model_validate(_spoken(value)), ""
        except (ValidationError, RecursionError) as error:
            if first:
                wrong = _explained(error, value)
                first = False
    return None, wrong


def _spoken(value: object) -> object:
    """The value with its texts as they are meant to be read: some models reason inside a form, too."""
    if isinstance(value, str):
        return without_reasoning(value)
    if isinstance(value, list):
        return [_spoken(one) for one in value]
    return {key: _spoken(one) for key, one in value.items()} if isinstance(value, dict) else value


def _explained(error: ValidationError | RecursionError, given: object) -> str:
    if isinstance(error, RecursionError):
        return "the JSON is nested too deep."
    problems = real_problems(error.errors(include_url=False), given)[:3]
    told = (f"{'.'.join(map(str, one['loc'])) or 'the whole'}: {worded_problem(one)}" for one in problems)
    return "; ".join(told) + "."


async def _answered(model: Model, request: ModelRequest) -> ModelAnswer:
    answer = await model.complete(request)
    if answer.finish == "refusal":
        raise ModelRejected(
            f"{model.name} declined to answer: {short_line(answer.text, LONGEST_QUOTE) or 'it gave no reason.'} "
            "Change the scene or the card, or choose another model.",
            model=model.name,
            key=request.key,
            finish=answer.finish,
        )
    return answer


def _correction(text: str, wrong: str) -> tuple[Message, ...]:
    plea = Message(
        "user",
        f"That cannot be used: {wrong} Send the JSON object again, complete and corrected, and nothing else.",
    )
    return (Message("assistant", text), plea) if text.strip() else (plea,)
