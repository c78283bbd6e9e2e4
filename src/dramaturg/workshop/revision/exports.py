"""The front of exports: the manuscript goes out, with what waits for the writer if that is wished."""

from __future__ import annotations

import asyncio

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.consolidation.book import BookConsolidation
from dramaturg.workshop.graph.network import has_network
from dramaturg.workshop.health.archive import last_report
from dramaturg.workshop.manuscripts.export.book import ExportedBook
from dramaturg.workshop.manuscripts.front import BookManuscripts, ExportWish
from dramaturg.workshop.revision.patch_review import PatchReview
from dramaturg.workshop.revision.word_remarks import WordRemarks, word_remarks
from dramaturg.workshop.sources import BookSources


class BookExports:
    """The exports of one book."""

    def __init__(
        self,
        book: BookSources,
        manuscripts: BookManuscripts,
        consolidation: BookConsolidation,
        patches: PatchReview,
    ) -> None:
        self._book = book
        self._manuscripts = manuscripts
        self._consolidation = consolidation
        self._patches = patches

    async def export(self, wish: ExportWish, *, remarks: bool = False) -> ExportedBook:
        """The manuscript in a format; with `remarks`, what waits for the writer goes into the DOCX.

        Conflicts and findings are comments on their words, patches are tracked changes.
        """
        if not remarks:
            return await self._manuscripts.export(wish)
        if wish.form != "docx":
            raise InvalidConfig(f"Remarks go into a DOCX only, not into {wish.form}.", form=wish.form)
        found = await self.remarks()
        return await self._manuscripts.export(wish, found.notes, found.patches)

    async def remarks(self) -> WordRemarks:
        """The conflicts that wait, the findings of the last health report, and the patches that wait."""
        conflicts = (await self._consolidation.conflicts()).conflicts if has_network() else ()
        kept = await last_report(self._book)
        findings = kept.report.findings if kept is not None else ()
        patches = (await self._patches.patches()).patches
        return await asyncio.to_thread(word_remarks, self._patches.files, conflicts, findings, patches)
