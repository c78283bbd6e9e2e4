"""What a player is told when an answer fails: one friendly sentence. The cause is in the author's log."""

from __future__ import annotations

_LATER = "There is no answer just now. Please try again in a moment."
_AGAIN = "The answer got lost on the way. Please try again."
_HOST = "The story cannot go on at the moment; its host has to look into it."
_BY_CODE = {
    "MODEL_UNAVAILABLE": _LATER,
    "MODEL_OVERLOADED": _LATER,
    "MODEL_TIMEOUT": _LATER,
    "MODEL_UNREADABLE": _AGAIN,
    "MODEL_REJECTED": "The answer was refused. Please try again, or say it another way.",
    "KEY_REJECTED": _HOST,
    "MODEL_NOT_FOUND": _HOST,
    "PROMPT_ERROR": _HOST,
    "INVALID_SETTINGS": _HOST,
    "BUDGET_EXCEEDED": "The limit for this story has been reached. Please come back later.",
}
INTERRUPTED = "The server restarted before the answer was complete. Please try again."
UNANSWERABLE = "The server stopped several times while answering this message. Try again, or say something else."


def apology(code: str, message: str) -> str:
    """The sentence for a failure; what was written for players is told as it is."""
    return message if message in (INTERRUPTED, UNANSWERABLE) else _BY_CODE.get(code, _AGAIN)
