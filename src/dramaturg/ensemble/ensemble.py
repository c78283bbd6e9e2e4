"""An ensemble as its author writes it, in `ensemble.yaml`: one to six slots, each with an agent and its manner.

A project without the file gets the built-in ensemble of six.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from dramaturg.authored import AuthoredForm
from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.values import WireValue

FILE_NAME = "ensemble.yaml"
FEWEST, MOST = 1, 6
FILE_LIMIT = 200_000

Turn3 = Literal["commented", "all"]


def _trimmed(value: object) -> object:
    return value.strip() if isinstance(value, str) else value


Text = Annotated[str, BeforeValidator(_trimmed)]


class Slot(WireValue):
    """One seat of the ensemble. `agent` is a name of your own, a card of `.claude/agents/`, or a model's name."""

    slot: int = Field(ge=1, le=MOST, description="its number, 1 to 6")
    agent: Text = Field(min_length=1, max_length=80, description="who sits there: a name, a card, or a model")
    persona: Text = Field("", max_length=4000, description="who that is, in a sentence or two")
    model: Text | None = Field(None, description="what plays it; the project's model if not set")
    voice: Text | None = Field(None, description="pins it to one voice of the speech engine")
    voice_profile: Text | None = Field(None, description="how it sounds unless it chooses otherwise")
    language: Text | None = Field(None, max_length=40, description="what it speaks; the question's language if not set")
    lorebooks: tuple[str, ...] = Field((), description="books of lorebooks/ that only this seat knows")


class Ensemble(WireValue):
    """Up to six voices around a table. Wire names are camelCase; both spellings are read."""

    name: Text = Field("ensemble", min_length=1, max_length=80)
    system: Text = Field("", max_length=8000, description="what all of them are told")
    slots: tuple[Slot, ...] = Field(description="one to six seats")
    lorebooks: tuple[str, ...] = Field((), description="books of lorebooks/ that all of them know")
    turn3: Turn3 | None = Field(None, description="who replies: those with a comment, or all")

    @model_validator(mode="after")
    def _playable(self) -> Ensemble:
        if problem := problem_of_slots([slot.slot for slot in self.slots]):
            raise ValueError(problem)
        return self


def problem_of_slots(numbers: list[int]) -> str | None:
    """The reason these slots cannot share a table, as a sentence that says how to fix it."""
    if len(numbers) < FEWEST:
        return f"An ensemble needs {FEWEST} to {MOST} slots; there is none. Name at least one."
    if len(numbers) > MOST:
        return f"An ensemble takes at most {MOST} slots, not {len(numbers)}. Leave some out."
    if wrong := [number for number in numbers if not FEWEST <= number <= MOST]:
        return f"There is no slot {wrong[0]}; slots are numbered {FEWEST} to {MOST}."
    if twice := sorted({number for number in numbers if numbers.count(number) > 1}):
        return f"Slot {twice[0]} is named twice. Name each slot once."
    return None


FORM = AuthoredForm(Ensemble, "ensemble", such_as="name and slots", limit=FILE_LIMIT, named_by_file=False)


def read_ensemble(project: Path) -> Ensemble:
    """The project's `ensemble.yaml`, or the built-in ensemble if there is none. Raises InvalidConfig."""
    try:
        return FORM.read(project / FILE_NAME, project=project)
    except NotFound:
        return house_ensemble()


@cache
def house_ensemble() -> Ensemble:
    """The built-in ensemble: six voices that need no project."""
    text = (files("dramaturg.ensemble") / "house.yaml").read_text(encoding="utf-8")
    return ensemble_from(FORM.parse(text, "house.yaml"), where="house.yaml")


def ensemble_from(raw: object, *, where: str = FILE_NAME) -> Ensemble:
    """An ensemble from parsed YAML. Raises InvalidConfig; for an unknown key it suggests the nearest known one."""
    return FORM.value(raw, where=where)
