"""A refusal in a value, by the character: a model that must fill in a form declines to play inside of it."""

from __future__ import annotations

from collections.abc import Callable

from dramaturg.model_notes.refusal import begins_refusal, declines_to_play

LONGEST_HEAD = 240
"""The most that is held back of words that begin as refusals do."""


class RefusalFilter:
    """Takes a text by the character and passes it on, unless its beginning is the model's own refusal."""

    def __init__(self, pass_on: Callable[[str], None]) -> None:
        self._pass_on = pass_on
        self._held = ""
        self._decided = self.declined = False

    def hear(self, char: str) -> None:
        if self._decided:
            if not self.declined:
                self._pass_on(char)
            return
        self._held += char
        if len(self._held) > LONGEST_HEAD or not begins_refusal(self._held):
            self.end()

    def end(self) -> None:
        """Enough was heard, or the text is over: what was held back is a refusal or not."""
        held, self._held, self._decided = self._held, "", True
        self.declined = self.declined or declines_to_play(held, tagged=True)
        for char in "" if self.declined else held:
            self._pass_on(char)
