"""The front of a book's manuscripts: import with a preview, review of a Word document, speakers, export."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dramaturg.characters import known_cards, load_card
from dramaturg.kernel.clock import Clock
from dramaturg.kernel.errors import CharacterLoadError, InvalidConfig
from dramaturg.kernel.runs import Entry
from dramaturg.kernel.settings import Settings
from dramaturg.workshop.book.files import FileChange, PlannedChange
from dramaturg.workshop.manuscripts.acceptance import accepted
from dramaturg.workshop.manuscripts.book_text import BookText, SceneText, Selection, every_scene, read_book
from dramaturg.workshop.manuscripts.export.book import ExportedBook, ExportOptions, Form, export_book
from dramaturg.workshop.manuscripts.intake.applied import ImportFiles
from dramaturg.workshop.manuscripts.intake.plan import ImportPlan, plan_import
from dramaturg.workshop.manuscripts.intake.preview import ImportPreview, preview_of
from dramaturg.workshop.manuscripts.intake.work import NAME as IMPORT
from dramaturg.workshop.manuscripts.intake.work import ImportBegan
from dramaturg.workshop.manuscripts.readers.folder import file_bytes, read_one, read_sources
from dramaturg.workshop.manuscripts.readers.source_text import SourceText
from dramaturg.workshop.manuscripts.remarks import ManuscriptNote, ManuscriptPatch, WordReview
from dramaturg.workshop.manuscripts.speech.attribution import Speech, attributed
from dramaturg.workshop.manuscripts.word.reader import read_docx
from dramaturg.workshop.manuscripts.word.review import is_ours, read_review
from dramaturg.workshop.manuscripts.word.static_parts import Paper
from dramaturg.workshop.works.front import BookWorks

AfterImport = Callable[[ImportPlan], Awaitable[Sequence[str]]]
"""Done when an import is written: what reads the book anew, such as its graph; it returns what to tell the writer."""


@dataclass(frozen=True, slots=True)
class ExportWish:
    """What the writer wants exported. Empty title and author are those of the settings."""

    form: Form
    title: str = ""
    author: str = ""
    contact: tuple[str, ...] = ()
    language: str = "en"
    selection: Selection = field(default_factory=Selection)
    paper: str = "letter"
    track: bool = False


@dataclass(frozen=True, slots=True)
class SceneSpeech:
    """The quoted lines of one scene."""

    scene: SceneText
    speech: Speech


class BookManuscripts:
    """The manuscript of one book on its way in and out. Reading and planning change nothing."""

    def __init__(self, settings: Settings, clock: Clock, works: BookWorks, after_import: AfterImport) -> None:
        self._settings = settings
        self._project = settings.project
        self._clock = clock
        self._works = works
        self._after = after_import
        self._files = ImportFiles(settings.project, settings.data)

    # In.

    async def read(self, path: Path) -> tuple[SourceText, ...]:
        """The texts of a manuscript on disk."""
        return await asyncio.to_thread(read_sources, path)

    async def read_upload(self, name: str, data: bytes) -> tuple[SourceText, ...]:
        """The text of a manuscript that was sent."""
        return (await asyncio.to_thread(read_one, name, data),)

    async def preview(self, sources: Sequence[SourceText]) -> ImportPreview:
        """What importing would do, for the writer to correct."""
        return await asyncio.to_thread(preview_of, sources, self._known())

    async def plan(self, sources: Sequence[SourceText], preview: ImportPreview | None = None) -> ImportPlan:
        """Which files an import would write, change, move or leave alone."""
        await self.finish()
        chosen = preview or await self.preview(sources)
        return await asyncio.to_thread(plan_import, self._project, sources, chosen, self._files.memory())

    async def apply(self, plan: ImportPlan) -> Sequence[str]:
        """Writes what was planned in a run of its own, and has the book read anew; what there is to tell."""
        name = await asyncio.to_thread(self._files.stage, plan)
        run = await self._works.start(IMPORT, self._works.read(IMPORT, {"plan": name}))
        await self._works.wait(run.id)
        detail = await self._works.detail(run.id)
        self._files.discard(name)
        left = detail.result.get("left") if detail.result else ()
        told = [f"{path} was changed meanwhile and stays." for path in left] if isinstance(left, list) else []
        return (*told, *await self._after(plan))

    async def finish(self) -> None:
        """Carries out the imports whose process died. Raises what they fail with."""
        await asyncio.to_thread(self._files.finish)
        await self._works.finish(IMPORT)

    def forget(self, changes: Sequence[FileChange], log: Iterable[Entry[Any]]) -> None:
        """An import was undone: what its log says was remembered before holds again, and the next one brings it."""
        for began in (entry.event for entry in log if isinstance(entry.event, ImportBegan)):
            self._files.forget(began.was, began.after, [one.path for one in changes])

    # The Word round trip.

    def reviewed(self, path: Path) -> bytes | None:
        """The bytes of a file if it is a DOCX that was exported from a manuscript.

        In a book without scenes, there is nothing that it could come back to: it is imported like any other.
        """
        if path.suffix.lower() != ".docx" or not path.is_file() or not every_scene(self._project):
            return None
        data = file_bytes(path)
        return data if is_ours(read_docx(path.name, data)) else None

    async def review(self, name: str, data: bytes) -> WordReview:
        """What an edited DOCX brings back."""
        return await asyncio.to_thread(lambda: read_review(name, data, every_scene(self._project)))

    async def accepted(self, name: str, data: bytes, numbers: Iterable[int] | None) -> tuple[PlannedChange, ...]:
        """The numbered changes of an edited DOCX, file by file; all that can be made if none are numbered."""
        wanted = None if numbers is None else tuple(numbers)
        return await asyncio.to_thread(self._accepted, name, data, wanted)

    def _accepted(self, name: str, data: bytes, numbers: tuple[int, ...] | None) -> tuple[PlannedChange, ...]:
        scenes = every_scene(self._project)
        review = read_review(name, data, scenes)
        chosen = numbers if numbers is not None else [one.number for one in review.patches if one.state == "ready"]
        before = {scene.path: scene.source for scene in scenes}
        return tuple(
            PlannedChange(path=path, before=before[path], text=text)
            for path, text in accepted(review, scenes, chosen).items()
        )

    # Looking.

    async def speakers(self, scene: str = "") -> tuple[SceneSpeech, ...]:
        """Who says what in a scene, or in every scene."""
        return await asyncio.to_thread(self._speakers, scene)

    def _speakers(self, wanted: str) -> tuple[SceneSpeech, ...]:
        scenes = every_scene(self._project)
        named = [one for one in scenes if not wanted or wanted in (one.name, one.path, one.title)]
        if not named and wanted:
            known = ", ".join(one.name for one in scenes[:8]) or "none yet"
            raise InvalidConfig(f"There is no scene '{wanted}' (there are: {known}).")
        known_names = self._known()
        return tuple(SceneSpeech(one, attributed(one.prose.shown.text.split("\n"), known_names)) for one in named)

    def _known(self) -> Mapping[str, str]:
        """The characters that have cards, by their names."""
        found: dict[str, str] = {}
        for name in known_cards(self._project):
            with suppress(CharacterLoadError):
                card = load_card(self._project, name)
                found |= dict.fromkeys((card.display_name, card.name), card.display_name)
        return found

    # Out.

    async def export(
        self, wish: ExportWish, notes: Sequence[ManuscriptNote] = (), patches: Sequence[ManuscriptPatch] = ()
    ) -> ExportedBook:
        """The chosen part of the manuscript in a format."""
        return await asyncio.to_thread(self._export, wish, notes, patches)

    def _export(
        self, wish: ExportWish, notes: Sequence[ManuscriptNote], patches: Sequence[ManuscriptPatch]
    ) -> ExportedBook:
        title = wish.title or self._settings.workshop.title or self._project.resolve().name
        empty = BookText(title, wish.author, wish.contact, wish.language)
        book = read_book(self._project, empty, wish.selection)
        at = datetime.fromtimestamp(self._clock.now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        paper: Paper = "a4" if wish.paper == "a4" else "letter"
        options = ExportOptions(at, paper, wish.track or bool(notes or patches), wish.selection.scene_titles)
        out = export_book(book, wish.form, options, notes, patches)
        return replace(out, unplaced=(*book.remarks, *out.unplaced))
