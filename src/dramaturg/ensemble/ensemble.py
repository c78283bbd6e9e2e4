"""An ensemble as its author writes it, in `ensemble.yaml`: one to six slots, each with an agent and its manner.

A project without the file has the house's own six.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Literal, cast

import yaml
from pydantic import BeforeValidator, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from dramaturg.kernel.errors import InvalidConfig
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


class Ensemble(WireValue):
    """Up to six voices around a table. Wire names are camelCase; both spellings are read."""

    name: Text = Field("ensemble", min_length=1, max_length=80)
    system: Text = Field("", max_length=8000, description="what all of them are told")
    slots: tuple[Slot, ...] = Field(description="one to six seats")
    turn3: Turn3 | None = Field(None, description="who replies: those with a comment, or all")

    @model_validator(mode="after")
    def _playable(self) -> Ensemble:
        if problem := problem_of_slots([slot.slot for slot in self.slots]):
            raise ValueError(problem)
        return self


def problem_of_slots(numbers: list[int]) -> str | None:
    """What keeps these slots from sitting at one table, as a sentence with the way out."""
    if len(numbers) < FEWEST:
        return f"An ensemble needs {FEWEST} to {MOST} slots; there is none. Name at least one."
    if len(numbers) > MOST:
        return f"An ensemble takes at most {MOST} slots, not {len(numbers)}. Leave some out."
    if wrong := [number for number in numbers if not FEWEST <= number <= MOST]:
        return f"There is no slot {wrong[0]}; slots are numbered {FEWEST} to {MOST}."
    if twice := sorted({number for number in numbers if numbers.count(number) > 1}):
        return f"Slot {twice[0]} is named twice. Name each slot once."
    return None


def read_ensemble(project: Path) -> Ensemble:
    """The project's `ensemble.yaml`, else the house's own. Raises InvalidConfig with the place and the way out."""
    path = project / FILE_NAME
    try:
        if path.stat().st_size > FILE_LIMIT:
            raise InvalidConfig(
                f"{path} is larger than {FILE_LIMIT // 1000} kB; an ensemble is a page.", file=str(path)
            )
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        return house_ensemble()
    except UnicodeDecodeError as error:
        reason = f"{path} is not UTF-8 text (byte {error.start}). Save it as UTF-8."
        raise InvalidConfig(reason, file=str(path)) from error
    except OSError as error:
        raise InvalidConfig(f"{path} cannot be read: {error.strerror}.", file=str(path)) from error
    return ensemble_from(_load(text, str(path)), where=str(path))


@cache
def house_ensemble() -> Ensemble:
    """Six voices that need no project."""
    text = (files("dramaturg.ensemble") / "house.yaml").read_text(encoding="utf-8")
    return ensemble_from(_load(text, "house.yaml"), where="house.yaml")


def ensemble_from(raw: object, *, where: str = FILE_NAME) -> Ensemble:
    """An ensemble from parsed YAML. Unknown keys are refused with the nearest known one."""
    if not isinstance(raw, Mapping):
        found = "nothing" if raw is None else f"a {type(raw).__name__}"
        raise InvalidConfig(f"{where}: expected keys such as name and slots; found {found}.", file=where)
    try:
        return Ensemble.model_validate({str(key): value for key, value in raw.items()})
    except ValidationError as error:
        raise InvalidConfig(explain(error.errors()[0], where), file=where) from error


def _load(text: str, where: str) -> object:
    try:
        return cast("object", yaml.safe_load(text))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}" if mark else "somewhere"
        problem = error.problem or "not YAML"
    except yaml.YAMLError as error:
        place, problem = "somewhere", str(error).splitlines()[0]
    reason = f"{where}, {place}: {problem}. The file is not valid YAML; mend that place."
    raise InvalidConfig(reason, file=where, place=place)


def explain(first: ErrorDetails, where: str) -> str:
    """What pydantic found, as a sentence for the author."""
    if first["type"] == "value_error":
        return f"{where}: {first['ctx']['error']}"
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        inside = Slot if "slots" in first["loc"] else Ensemble
        known = list(inside.model_fields)
        near = get_close_matches(str(first["loc"][-1]), known, n=1)
        meant = f"Did you mean '{near[0]}'?" if near else f"Known keys: {', '.join(known)}."
        return f"{where}: '{key}' is not a key of an ensemble. {meant}"
    if first["type"] == "missing":
        return f"{where}: '{key}' is missing."
    found = repr(first["input"])
    shown = found if len(found) <= 60 else found[:57] + "..."
    return f"{where}: '{key}': {first['msg'].lower()} (found {shown})."
