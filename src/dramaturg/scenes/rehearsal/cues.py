"""The cues of a scene: they travel beside the prompt in `ModelRequest.cue`, and providers never see them.

What answers a cue is imported when it is first asked for: a scene that models play never needs it.
"""

from __future__ import annotations

from dataclasses import dataclass

from dramaturg.kernel.models.port import Cue, CueAnswer
from dramaturg.scenes.rehearsal.playbook import HeardLine, Playbook


@dataclass(frozen=True, slots=True)
class LineCue(Cue):
    """Your turn, `me`, at this beat: answer in the scene's response format."""

    book: Playbook
    me: str
    beat: int
    lines: tuple[HeardLine, ...]
    note: str = ""

    def answer(self) -> CueAnswer:
        from dramaturg.scenes.rehearsal.answers import deliver, response_text

        delivery = deliver(self.book, self.me, self.beat, self.lines, self.note)
        return CueAnswer(response_text(delivery), delivery.latency)


@dataclass(frozen=True, slots=True)
class VerdictCue(Cue):
    """Which sub-goals are met, and by which words? Answer in the judge's JSON."""

    book: Playbook
    lines: tuple[HeardLine, ...]

    def answer(self) -> CueAnswer:
        from dramaturg.scenes.rehearsal.answers import verdict_text

        return CueAnswer(verdict_text(self.book, self.lines))
