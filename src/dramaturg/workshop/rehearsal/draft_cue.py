"""The cue of a draft: a section of a scene to write."""

from __future__ import annotations

from dataclasses import dataclass

from dramaturg.kernel.models.port import Cue, CueAnswer


@dataclass(frozen=True, slots=True)
class SectionCue(Cue):
    """Write a section of this many words, by this strategy, told by somebody. `lines` are what actors played of it."""

    letter: str
    strategy: str
    told_by: str
    about: str
    number: int
    words: int
    lines: tuple[str, ...] = ()

    def answer(self) -> CueAnswer:
        from dramaturg.workshop.rehearsal.scene_prose import section_text

        return CueAnswer.composed(section_text(self))
