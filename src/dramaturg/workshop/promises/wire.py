"""Promises as faces show and change them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, ValidationError

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.problems import first_problem
from dramaturg.kernel.values import WireValue
from dramaturg.workshop.promises.ledger import LONGEST_NAME, LONGEST_QUOTE

PromiseState = Literal["planned", "planted", "echoed", "due", "overdue", "paid", "dropped"]
Step = Literal["plant", "echo", "pay", "drop"]


class PromisePlace(WireValue):
    """A scene that plants, takes up or keeps a promise, and its words for it; empty if they do not stand there."""

    scene: str
    quote: str = ""
    found: bool = Field(False, description="whether the words were found by the promise's name, and not noted")


class Promise(WireValue):
    """One promise of the book, and where it stands."""

    name: str
    what: str = ""
    state: PromiseState
    planted: PromisePlace | None = None
    echoed: tuple[PromisePlace, ...] = ()
    due: str = ""
    paid: PromisePlace | None = None
    dropped: str = Field("", description="why it is given up")
    planned_in: tuple[str, ...] = Field((), description="the scaffolds that plant it or take it up")
    is_noted: bool = Field(False, description="whether it stands in the writer's ledger")
    problems: tuple[str, ...] = ()


class PromiseList(WireValue):
    """The promises of a book. `problem` says why the writer's own ledger cannot be read."""

    promises: tuple[Promise, ...]
    problem: str = ""


class PromiseStep(WireValue):
    """What happens to a promise. Without a quotation, the scene is searched for the words of its name."""

    step: Step
    name: str = Field(min_length=1, max_length=LONGEST_NAME)
    scene: str = Field("", max_length=200)
    quote: str = Field("", max_length=LONGEST_QUOTE)
    what: str = Field("", max_length=LONGEST_QUOTE, description="in a sentence; for `plant`")
    due: str = Field("", max_length=200, description="a scene, a beat, or `end`; for `plant`")
    reason: str = Field("", max_length=LONGEST_QUOTE, description="for `drop`")


class PromiseChanged(WireValue):
    """A promise after a step."""

    said: str
    promise: Promise


def read_step(given: dict[str, object]) -> PromiseStep:
    """A step from what somebody typed. Raises InvalidConfig that says what is wrong."""
    try:
        return PromiseStep.model_validate(given)
    except ValidationError as error:
        raise InvalidConfig(f"{first_problem(error, given, 'the step')}.", promise=given.get("name")) from error
