"""The cue of a scaffold: a scene to plan, from numbered passages of the book."""

from __future__ import annotations

from dataclasses import dataclass

from dramaturg.kernel.models.port import Cue, CueAnswer


@dataclass(frozen=True, slots=True)
class NumberedPassage:
    """A passage that a plan may rest on."""

    id: str
    kind: str
    place: str
    text: str


@dataclass(frozen=True, slots=True)
class KnownPromise:
    """A promise that is open, and the words that planted it."""

    name: str
    quote: str


@dataclass(frozen=True, slots=True)
class ScaffoldCue(Cue):
    """Plan a scene. `beat` is the beat that the scenes before it leave for it; empty if they do not tell."""

    title: str
    beat: str
    protagonist: str
    names: tuple[str, ...]
    places: tuple[str, ...]
    passages: tuple[NumberedPassage, ...]
    promises: tuple[KnownPromise, ...] = ()

    def answer(self) -> CueAnswer:
        from dramaturg.workshop.rehearsal.scene_plan import plan_text

        return CueAnswer.composed(plan_text(self))
