"""The cues of revision: a scene to judge on one dimension, and a scene to propose changes for."""

from __future__ import annotations

from dataclasses import dataclass

from dramaturg.kernel.models.port import Cue, CueAnswer


@dataclass(frozen=True, slots=True)
class VerdictCue(Cue):
    """Judge a scene on one dimension; `hits` are its anti-patterns, counted."""

    dimension: str
    paragraphs: tuple[str, ...]
    hits: int
    words: int

    def answer(self) -> CueAnswer:
        from dramaturg.workshop.rehearsal.editor import verdict_text

        return CueAnswer.composed(verdict_text(self))


@dataclass(frozen=True, slots=True)
class PatchCue(Cue):
    """Propose changes to a scene in one pass; `issues` are quotations with what is wrong about each."""

    pass_name: str
    prose: str
    issues: tuple[tuple[str, str], ...] = ()

    def answer(self) -> CueAnswer:
        from dramaturg.workshop.rehearsal.editor import patches_text

        return CueAnswer.composed(patches_text(self))
