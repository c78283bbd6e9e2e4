"""The seam: a notebook answers a question with passages, each with its source."""

from __future__ import annotations

from typing import Protocol

from pydantic import Field

from dramaturg.kernel.values import Value


class NotebookListing(Value):
    """A notebook that can be queried."""

    id: str
    role: str
    title: str = ""


class NotebookPassage(Value):
    """Words of a source, verbatim, and their place in it."""

    file: str
    place: str = Field("", description="a page, a line or a heading")
    text: str

    @property
    def cited(self) -> str:
        return f"{self.file}, {self.place}" if self.place else self.file


class Notebook(Protocol):
    """The writer's research on one subject."""

    @property
    def listing(self) -> NotebookListing: ...

    async def query(self, question: str) -> tuple[NotebookPassage, ...]:
        """Passages that may answer the question, best first; empty if nothing fits. Raises NotebookUnavailable."""
        ...
