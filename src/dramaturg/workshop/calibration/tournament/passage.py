"""Whether a text is long enough to be a passage."""

from __future__ import annotations

from dramaturg.workshop.voice.prose import count_words

FEWEST_WORDS = 60
"""Fewer are a refusal or an accident, not a passage."""


def flaw_of(passage: str) -> str:
    """Why a text is no passage; empty if it is one."""
    words = count_words(passage)
    return f"it wrote {words} words, which is no passage" if words < FEWEST_WORDS else ""
