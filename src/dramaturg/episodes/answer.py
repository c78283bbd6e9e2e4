"""A character's answer: words, a gesture, and what stays hidden from the player."""

from __future__ import annotations

import math
import re

from pydantic import Field

from dramaturg.kernel.values import Value

OPENING_QUOTES = "\"'“„«‘"
LONGEST_MOOD = 60
_MOOD = re.compile(rf"[^<>\[\](){{}}:;*|=#`]{{1,{LONGEST_MOOD}}}")


class AnswerForm(Value):
    """The form a character's model fills in. What may be seen comes first, so that it can be shown as it comes."""

    action: str = Field("", description="what you visibly do, in the third person, one sentence; empty if nothing")
    dialogue: str = Field(description="what you say aloud, one to four sentences, without quotation marks")
    internal: str = Field("", description="what you think and do not say, one sentence")
    mood: str = Field("", description="your mood in one word")
    tension_shift: float = Field(0.0, description="how much tenser (up to 1) or calmer (down to -1) it became")


PLACEHOLDERS = tuple(
    text.casefold()
    for field in (AnswerForm.model_fields["action"], AnswerForm.model_fields["dialogue"])
    for text in (field.description or "", (field.description or "").partition(", one ")[0])
)
"""What the form says of its own values: a model that copies it has said nothing."""


class StructuredAnswer(Value):
    """An answer in its parts. `internal` is never shown."""

    dialogue: str = ""
    action: str = ""
    internal: str = ""
    mood: str = ""
    tension_shift: float = Field(0.0, ge=-1, le=1)

    @property
    def content(self) -> str:
        """As it is shown: the gesture between asterisks, the words between quotation marks."""
        return rendered(self.action, self.dialogue)

    @property
    def is_empty(self) -> bool:
        return not self.dialogue.strip() and not self.action.strip()


def rendered(action: str, dialogue: str) -> str:
    """Gesture and words as they are shown. Marks already in the text are not doubled."""
    parts = []
    if deed := " ".join(action.split()):
        parts.append(deed if deed.startswith("*") else f"*{deed}*")
    if words := dialogue.strip():
        parts.append(words if words[0] in OPENING_QUOTES else f'"{words}"')
    return "\n".join(parts)


def shift_of(text: str) -> float:
    """A model's tension shift, clamped to -1 and 1; 0 if it is not a number."""
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return max(-1.0, min(1.0, value)) if math.isfinite(value) else 0.0


def mood_of(text: str) -> str:
    """The words that name a mood; what a model adds in tags, in brackets or behind a label is none."""
    found = _MOOD.match(" ".join(text[: 4 * LONGEST_MOOD].split()).strip(" *_`"))
    return found[0].strip() if found else ""
