"""A notebook that is a folder of the writer's files."""

from __future__ import annotations

import asyncio
from pathlib import Path

from dramaturg.kernel.errors import NotebookUnavailable, StoreUnavailable
from dramaturg.workshop.meaning import Meaning
from dramaturg.workshop.notebooks.index import FolderIndex, NotebookSurvey
from dramaturg.workshop.notebooks.port import NotebookListing, NotebookPassage

MOST = 6


class FolderNotebook:
    """The md, txt, pdf and docx files below one folder. Damaged files are reported; the others are searched."""

    def __init__(
        self, listing: NotebookListing, folder: Path, index: Path, boundary: Path, meaning: Meaning | None = None
    ) -> None:
        self.listing = listing
        self._index = FolderIndex(folder, index, boundary, meaning)
        self._turn = asyncio.Lock()

    async def query(self, question: str) -> tuple[NotebookPassage, ...]:
        async with self._turn:
            try:
                return await asyncio.to_thread(self._index.search, question, MOST)
            except (StoreUnavailable, OSError) as error:
                raise NotebookUnavailable(f"The notebook '{self.listing.id}' cannot be searched: {error}.") from error

    async def survey(self) -> NotebookSurvey:
        """Its current contents."""
        async with self._turn:
            try:
                return await asyncio.to_thread(self._index.survey)
            except (StoreUnavailable, OSError) as error:
                raise NotebookUnavailable(f"The notebook '{self.listing.id}' cannot be read: {error}.") from error
