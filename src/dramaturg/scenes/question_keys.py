"""The keys of the questions in a beat, by which a scene that goes on finds the answers it has already paid for."""

from __future__ import annotations

from dramaturg.kernel.text.digits import whole_number

DIRECTOR = "director"
"""Who asks the director's own questions, as the log names it; a card may have that name too."""
JUDGE, EVENT = "judge", "event"
_OWN = (JUDGE, EVENT)
_CARD = "@"
"""Before the name of a card that is called as one of the director's own questions; no name begins with it."""


def line_key(beat: int, name: str) -> str:
    """The question for the line of a character, by the name of its card."""
    return f"beat-{beat}/{_CARD if name in _OWN else ''}{name}"


def judge_key(beat: int) -> str:
    return f"beat-{beat}/{JUDGE}"


def event_key(beat: int) -> str:
    return f"beat-{beat}/{EVENT}"


def line_of(key: str) -> tuple[int, str] | None:
    """The beat and the card that a question for a line, or for another take of it, was about; None for any other."""
    beat, _, name = key.partition("/")
    number = whole_number(beat.removeprefix("beat-"))
    if number is None or name.partition("#")[0] in _OWN:
        return None
    return number, name.partition("#")[0].partition("/")[0].removeprefix(_CARD)


def character_of(who: str, key: str) -> str:
    """The card that a question was asked as; empty for the director.

    What a character is asked has its name in the key: `beat-3/director`, `memory/director`.
    """
    asked_by_name = key.partition("/")[2].startswith(DIRECTOR)
    return "" if who == DIRECTOR and not asked_by_name else who
