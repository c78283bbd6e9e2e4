"""Lorebooks, for the author: in cards and in `lorebooks/`, read, edited by their digest, and tried with a line."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated

from fastapi import Path
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from dramaturg.characters.books import (
    DraftedBook,
    LorebookEdit,
    OpenBook,
    begin_project_book,
    drafted_card_book,
    drafted_project_book,
    open_card_book,
    open_project_book,
    unchanged,
    write_card_book,
    write_project_book,
)
from dramaturg.characters.bookshelf import lore_budget
from dramaturg.characters.lorebook import BookForm
from dramaturg.characters.lorebook.activation import activate
from dramaturg.characters.lorebook.editing import EntryForm, LoreProblem
from dramaturg.characters.lorebook.fields import LoreFields
from dramaturg.characters.lorebook.files import known_books
from dramaturg.characters.lorebook.scan import LoreMessage, LoreSettings
from dramaturg.kernel.errors import AuthorError, NotFound
from dramaturg.kernel.values import WireValue
from dramaturg.server.http.body_limits import MOST_VALUES
from dramaturg.server.http.deps import OpenStudio
from dramaturg.server.http.errors import declared_errors
from dramaturg.server.http.redaction import redactor_of
from dramaturg.server.http.router import api_router
from dramaturg.server.routes.characters import KnownName

router = api_router(prefix="/v1", tags=["characters"], most_values=10 * MOST_VALUES)
WINDOW = 32_768
BookName = Annotated[
    str, Path(max_length=200, description="the name of a file in lorebooks/, without its ending", examples=["coast"])
]


class LoreEntryView(LoreFields):
    """An entry as its file has it. Where `form` is not `card`, only keys between slashes are patterns."""

    label: str = Field(description="what people call it")
    form: EntryForm


class LorebookView(WireValue):
    """A lorebook and its digest; a character without one has no entries and an empty digest."""

    name: str
    file: str = Field(description="where it is, or would be written", examples=["characters/mina.png"])
    form: BookForm
    digest: str = Field(description="send it back with an edit")
    entries: tuple[LoreEntryView, ...]

    @classmethod
    def of(cls, book: OpenBook) -> LorebookView:
        entries = (
            LoreEntryView(label=one.label, form=one.form, **one.fields.model_dump(by_alias=False))
            for one in book.entries
        )
        return cls(name=book.name, file=book.file, form=book.form, digest=book.digest, entries=tuple(entries))


class LorebookListing(WireValue):
    """A book of `lorebooks/`. `problem` says why it cannot be read, if it cannot."""

    name: str
    title: str = ""
    entries: int = 0
    problem: str | None = None


class LorebookList(WireValue):
    """The books of `lorebooks/`, sorted by name."""

    lorebooks: tuple[LorebookListing, ...]


class NewLorebook(WireValue):
    """What a new book of `lorebooks/` begins with. Its entries are an edit."""

    name: str = Field(min_length=1, max_length=200, description="the name of its file", examples=["low-haven"])
    title: str = Field("", max_length=200, description="what people call it; its name if empty", examples=["Low Haven"])


class LoreTrial(WireValue):
    """A line that is tried on a lorebook, as it is or as an edit would make it."""

    text: str = Field(min_length=1, max_length=10_000, examples=["Do you remember the lighthouse?"])
    draft: LorebookEdit | None = Field(None, description="an edit that is not written yet")


class LoreOutcome(WireValue):
    """An entry that a line brings up, or nearly does, and why. `entry` counts the entries of the book from 0."""

    entry: int
    label: str
    told: bool
    reason: str
    tokens: int = 0


class LoreTrialResult(WireValue):
    """What of a lorebook a line brings up, and what of a draft could not be written so."""

    outcomes: tuple[LoreOutcome, ...]
    problems: tuple[LoreProblem, ...] = ()


@router.get("/characters/{name}/lorebook", summary="Get the lorebook in a card", responses=declared_errors(404, 422))
async def get_lorebook(name: KnownName, studio: OpenStudio) -> LorebookView:
    """The book that a card has, with every field of its entries, and its digest."""
    return LorebookView.of(await run_in_threadpool(open_card_book, studio.settings.project, name))


@router.put(
    "/characters/{name}/lorebook",
    summary="Edit the lorebook in a card",
    responses=declared_errors(404, 409, 413, 422, 503),
)
async def edit_lorebook(name: KnownName, edit: LorebookEdit, studio: OpenStudio) -> LorebookView:
    """Write the book: entries in the order given, each as it was or with other fields; those left out are deleted.

    Refused with 409 if the book was changed since it was read, with 422 and `problems` in the context if an entry could
    not be used; then nothing is written. Whatever else the card's file has stays as it is. A card of ours gets its book
    in a file of its own in `characters/`. Runs that have begun keep the book they began with.
    """
    return LorebookView.of(await run_in_threadpool(write_card_book, studio.settings.project, name, edit))


@router.post(
    "/characters/{name}/lorebook/try", summary="Try a line on a lorebook", responses=declared_errors(404, 409, 413, 422)
)
async def try_lorebook(name: KnownName, trial: LoreTrial, studio: OpenStudio) -> LoreTrialResult:
    """Which entries a line would bring up, and why; nothing is written, and nothing is sent to a model."""
    draft = trial.draft or await _unchanged(open_card_book, studio, name)
    if not draft.digest and not draft.entries:
        raise NotFound(f"The card of '{name}' has no lorebook.", character=name)
    return await _tried(trial.text, partial(drafted_card_book, studio.settings.project, name, draft))


@router.get("/lorebooks", summary="List the lorebooks")
def list_lorebooks(studio: OpenStudio) -> LorebookList:
    """Every book in `lorebooks/`, including those that cannot be read, with the reason."""
    return LorebookList(lorebooks=tuple(_listing(studio, name) for name in known_books(studio.settings.project)))


@router.post("/lorebooks", status_code=201, summary="Begin a lorebook", responses=declared_errors(409, 413, 422, 503))
async def begin_lorebook(new: NewLorebook, studio: OpenStudio) -> LorebookView:
    """Writes a new file in `lorebooks/` without entries. A file that is there is never overwritten."""
    return LorebookView.of(await run_in_threadpool(begin_project_book, studio.settings.project, new.name, new.title))


@router.get("/lorebooks/{book}", summary="Get a lorebook", responses=declared_errors(404, 422))
async def get_project_lorebook(book: BookName, studio: OpenStudio) -> LorebookView:
    """A book of `lorebooks/`, with every field of its entries, and its digest."""
    return LorebookView.of(await run_in_threadpool(open_project_book, studio.settings.project, book))


@router.put("/lorebooks/{book}", summary="Edit a lorebook", responses=declared_errors(404, 409, 413, 422, 503))
async def edit_project_lorebook(book: BookName, edit: LorebookEdit, studio: OpenStudio) -> LorebookView:
    """Write a book of `lorebooks/`, in the form it has; as for the book in a card."""
    return LorebookView.of(await run_in_threadpool(write_project_book, studio.settings.project, book, edit))


@router.post("/lorebooks/{book}/try", summary="Try a line on a book", responses=declared_errors(404, 409, 413, 422))
async def try_project_lorebook(book: BookName, trial: LoreTrial, studio: OpenStudio) -> LoreTrialResult:
    """Which entries a line would bring up, and why; nothing is written, and nothing is sent to a model."""
    draft = trial.draft or await _unchanged(open_project_book, studio, book)
    return await _tried(trial.text, partial(drafted_project_book, studio.settings.project, book, draft))


async def _unchanged(opened: Callable[..., OpenBook], studio: OpenStudio, name: str) -> LorebookEdit:
    return unchanged(await run_in_threadpool(opened, studio.settings.project, name))


async def _tried(text: str, drafted: Callable[[], DraftedBook]) -> LoreTrialResult:
    draft = await run_in_threadpool(drafted)
    book = draft.book
    numbered = tuple(entry.model_copy(update={"uid": str(place)}) for place, entry in enumerate(book.entries))
    settings = LoreSettings(budget_tokens=lore_budget(None, WINDOW))
    books, said = [book.model_copy(update={"entries": numbered})], [LoreMessage(text=text)]
    scan = await run_in_threadpool(activate, books, said, settings=settings)
    told = [
        LoreOutcome(entry=_place(one.entry.uid), label=one.entry.label, told=True, reason=one.reason, tokens=one.tokens)
        for one in scan.told
    ]
    untold = [LoreOutcome(entry=_place(one.uid), label=one.label, told=False, reason=one.reason) for one in scan.untold]
    return LoreTrialResult(outcomes=(*told, *untold), problems=draft.problems)


def _place(uid: str) -> int:
    """A scan puts the name of the book before the id of an entry."""
    return int(uid.rpartition("/")[2])


def _listing(studio: OpenStudio, name: str) -> LorebookListing:
    try:
        book = open_project_book(studio.settings.project, name)
    except AuthorError as error:
        return LorebookListing(name=name, problem=redactor_of(studio).text(error.message))
    return LorebookListing(name=name, title=book.name, entries=len(book.entries))
