"""The prompts of a draft: ours, or the project's own in `prompts/drafts/`. Strategies are those of the voice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dramaturg.workshop.calibration.tournament.prompts import MOST_BANNED, VoicePrompts
from dramaturg.workshop.drafts.events import DraftBegan, PlannedVariant
from dramaturg.workshop.project_prompts import ProjectPrompts
from dramaturg.workshop.voice.rules import Rule

LONGEST_SO_FAR = 9000
"""How much of what is written a section is shown: the section before, and the end of the one before that."""


class DraftPrompts:
    """The prompt files of one project."""

    def __init__(self, project: Path) -> None:
        self._files = ProjectPrompts(project, "drafts")
        self._voice = VoicePrompts(project)

    def system(self, began: DraftBegan, variant: PlannedVariant, rules: Sequence[Rule]) -> str:
        """How a variant is written."""
        banned = [f"- {rule.says}" for rule in rules if rule.severity == "zero_tolerance"][:MOST_BANNED]
        return self._files.text(
            "scene",
            **began.book,
            voice=began.voice,
            strategy=self._voice.strategy(variant.strategy),
            banned="\n".join(banned),
            performed=bool(began.base),
        )

    def section(self, began: DraftBegan, *, number: int, of: int, words: int, lines: Sequence[str], so_far: str) -> str:
        """What a section tells, and what stands before it."""
        return self._files.text(
            "section",
            number=number,
            of=of,
            words=words,
            scaffold=began.scaffold.strip(),
            brief=began.brief,
            bible=began.bible,
            before=began.before if number == 1 else "",
            lines="\n".join(lines),
            so_far=_end(so_far),
        )

    def again(self, asked: str, text: str, marks: Sequence[str], words: int) -> str:
        """The same request with what was wrong with the first answer."""
        told = "\n".join(f"- {mark}" for mark in marks)
        return self._files.text("again", asked=asked, text=text, marks=told, words=words)


def _end(text: str) -> str:
    if len(text) <= LONGEST_SO_FAR:
        return text
    return text[-LONGEST_SO_FAR:].partition("\n\n")[2] or text[-LONGEST_SO_FAR:]
