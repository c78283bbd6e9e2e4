"""A change of a text at a place."""

from __future__ import annotations

from pydantic import Field

from dramaturg.kernel.values import Value


class Splice(Value):
    """A change of a text at a place, with both sides as they stand in the file."""

    start: int = Field(ge=0)
    old: str = ""
    new: str = ""

    def made(self, text: str) -> str:
        """The text with the change made. Raises ValueError if it is another text."""
        end = self.start + len(self.old)
        if text[self.start : end] != self.old:
            raise ValueError(f"The text does not hold the words of the change at {self.start}.")
        return text[: self.start] + self.new + text[end:]
