"""What a player is told when an answer fails: one friendly sentence. The cause is in the author's log."""

from __future__ import annotations

from dramaturg.kernel.errors import StoreUnavailable

_LATER = "There is no answer just now. Please try again in a moment."
_AGAIN = "The answer got lost on the way. Please try again."
STORE = "Nothing can be read or saved just now. Please try again in a moment."
DAMAGED = (
    "This conversation cannot go on: a part of it cannot be read. What comes before that is kept; branch from an "
    "earlier message into a new session to play on from there."
)
HOST = "The story cannot go on at the moment; its host has to look into it."
_BY_CODE = {
    "MODEL_UNAVAILABLE": _LATER,
    "MODEL_OVERLOADED": _LATER,
    "MODEL_TIMEOUT": _LATER,
    "MODEL_UNREADABLE": _AGAIN,
    "MODEL_REJECTED": "The answer was refused. Please try again, or say it another way.",
    "KEY_REJECTED": HOST,
    "MODEL_NOT_FOUND": HOST,
    "PROMPT_ERROR": HOST,
    "INVALID_SETTINGS": HOST,
    "PLAYER_TOKEN_REVOKED": "This was not answered: your token is not valid any more. What you wrote is kept.",
    "BUDGET_EXCEEDED": "The limit for this story has been reached. Please come back later.",
}
INTERRUPTED = "The server restarted before the answer was complete. Please try again."
UNANSWERABLE = "The server stopped several times while answering this message. Try again, or say something else."


def tells_of_damage(error: StoreUnavailable) -> bool:
    """Whether an error means that a session cannot go on because an entry of its log is damaged."""
    return {"session", "seq"} <= error.context.keys()


def apology(code: str, message: str) -> str:
    """The sentence for a failure; what was written for players is told as it is."""
    return message if message in (INTERRUPTED, UNANSWERABLE) else _BY_CODE.get(code, _AGAIN)
