"""What a complete answer says, without everything that a model writes beside it."""

from __future__ import annotations

from dramaturg.kernel.reasoning import without_reasoning
from dramaturg.model_notes.markup import without_markup
from dramaturg.model_notes.notes import without_notes, without_thoughts
from dramaturg.model_notes.sections import below_thoughts
from dramaturg.model_notes.thought_tags import with_usual_tags

NO_WORDS = frozenset(("null", "true", "false", "undefined"))
"""Whole answers that are literals of a program, and nobody's words."""


def spoken_part(text: str) -> str:
    """A text without its reasoning, the notes in it and the thoughts it begins with."""
    text = below_thoughts(without_reasoning(with_usual_tags(text)))
    return without_thoughts(without_notes(without_markup(text))).strip()
