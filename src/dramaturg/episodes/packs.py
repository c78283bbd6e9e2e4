"""Evaluation packs: archetypes that a player may turn out to be, as data. A host can write one without code."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from pydantic import Field, model_validator

from dramaturg.authored import AuthoredForm, check_folder, known_files
from dramaturg.episodes.template import KEY
from dramaturg.kernel.errors import NotFound
from dramaturg.kernel.values import Value

FOLDER = "evaluations"
KIND = "evaluation pack"
BUILT_IN = ("episode_summary", "mystery_progress")


class Archetype(Value):
    """One possible result: its key, its display name, its description, and the signals that support it."""

    key: str = Field(pattern=KEY)
    title: str = Field(min_length=1, max_length=80)
    meaning: str = Field(min_length=1, max_length=300, description="told to whoever judges")
    description: str = Field(min_length=1, max_length=500, description="told to the player who got it")
    signals: tuple[str, ...] = Field((), description="kinds of signals that speak for it")
    themes: tuple[str, ...] = ()


class EvaluationPack(Value):
    """A pack. `name` is the evaluation type; `question` says in a sentence what is judged."""

    name: str = Field(pattern=KEY)
    title: str = Field("", max_length=100)
    question: str = Field(min_length=1, max_length=500)
    archetypes: tuple[Archetype, ...] = Field(min_length=2, max_length=24)

    @model_validator(mode="after")
    def _sound(self) -> EvaluationPack:
        keys = [archetype.key for archetype in self.archetypes]
        if len(set(keys)) != len(keys):
            raise ValueError("two archetypes have the same key. Give each its own.")
        if self.name in BUILT_IN:
            raise ValueError(f"'{self.name}' is the name of a built-in evaluation. Choose another.")
        return self

    def archetype(self, key: str) -> Archetype | None:
        return next((one for one in self.archetypes if one.key == key), None)


FORM = AuthoredForm(EvaluationPack, KIND)


def known_packs(project: Path) -> tuple[str, ...]:
    """The packs of the project and the built-in ones; the project's own come first."""
    with as_file(files("dramaturg.episodes") / "packs") as folder:
        return tuple(sorted({*known_files(project / FOLDER), *known_files(folder)}))


def named_pack(project: Path, name: str) -> EvaluationPack:
    """The pack of that name, the project's own first. Raises NotFound, InvalidConfig."""
    check_folder(project / FOLDER)
    with as_file(files("dramaturg.episodes") / "packs") as folder:
        for place in (project / FOLDER, folder):
            known = known_files(place)
            if name in known:
                return FORM.read(known[name], project=place.parent)
    known_here = ", ".join((*BUILT_IN, *known_packs(project)))
    raise NotFound(f"Evaluation '{name}' not found. Known here: {known_here}.", name=name, evaluation=name)


def pack_for(project: Path, evaluation: str | None) -> EvaluationPack | None:
    """The pack that an evaluation type needs; None for the built-in types and if there is no evaluation."""
    return named_pack(project, evaluation) if evaluation and evaluation not in BUILT_IN else None
