"""Reasoning that a model writes before its answer without any mark around it."""

from __future__ import annotations

import re

LEAST_SIGNS = 2
_SIGNS = tuple(
    re.compile(sign, re.IGNORECASE)
    for sign in (
        r"\b(?:the|this) (?:user|player|person)\b|\bder (?:be)?nutzer\b|\bl'utilisateur\b|\bel usuario\b|\bo usuário\b",
        r"用户|ユーザー|사용자|пользовател",
        r"\bjson\b|\bthe (?:format|schema|form)\b",
        r"\b(?:in|stay in|break) character\b|\bin der rolle\b|\broleplay",
        r"\b(?:i|we) (?:need|have|should|must|ought)\b|\bich (?:muss|sollte)\b",
        r"\b(?:respond|reply|answer) (?:as|with|in)\b|\bas (?:the|this) character\b|\binstructions?\b",
        r"^\s*(?:ok(?:ay)?|alright|hmm+|let me think|let's (?:see|think)|first,|analysis)",
        r"\b(?:dialogue|tension_shift|internal) (?:and|field|should|must|is)\b",
    )
)
_LOST_CHANNEL = re.compile(r"\s*analysis[A-Z]")


def is_reasoning(text: str) -> bool:
    """Whether the beginning of a text speaks about the answer instead of giving it."""
    head = text[:400]
    return bool(_LOST_CHANNEL.match(head)) or sum(bool(sign.search(head)) for sign in _SIGNS) >= LEAST_SIGNS
