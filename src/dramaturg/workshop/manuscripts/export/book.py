"""One book in one format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.manuscripts.book_text import BookText
from dramaturg.workshop.manuscripts.export.epub import to_epub
from dramaturg.workshop.manuscripts.export.plain import to_markdown_book, to_text_book
from dramaturg.workshop.manuscripts.remarks import ManuscriptNote, ManuscriptPatch
from dramaturg.workshop.manuscripts.word.static_parts import Paper
from dramaturg.workshop.manuscripts.word.writer import WordOptions, write_docx

Form = Literal["docx", "epub", "md", "txt"]
FORMS: tuple[Form, ...] = get_args(Form)
MEDIA: dict[Form, str] = {
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "epub": "application/epub+zip",
    "md": "text/markdown; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """How a book is written. `track` turns on Word's recording of changes."""

    at: str
    paper: Paper = "letter"
    track: bool = False
    scene_titles: bool = False


@dataclass(frozen=True, slots=True)
class ExportedBook:
    """A book in one format, and what could not be placed in it: scenes, comments and changes."""

    form: Form
    data: bytes
    unplaced: tuple[str, ...] = ()


def read_form(text: str) -> Form:
    """The format that is meant. Raises InvalidConfig for another."""
    named = text.strip().lower().removeprefix(".")
    found = next(
        (form for form in FORMS if form == {"markdown": "md", "text": "txt", "word": "docx"}.get(named, named)), None
    )
    if found is None:
        raise InvalidConfig(f"There is no format '{text}' (there are: {', '.join(FORMS)}).", form=text)
    return found


def export_book(
    book: BookText,
    form: Form,
    options: ExportOptions,
    notes: Sequence[ManuscriptNote] = (),
    patches: Sequence[ManuscriptPatch] = (),
) -> ExportedBook:
    """The book in a format; notes and patches go into a DOCX only."""
    titles = options.scene_titles
    if form == "docx":
        word = WordOptions(options.at, options.paper, options.track, titles)
        out = write_docx(book, word, notes, patches)
        return ExportedBook(form, out.data, out.unplaced)
    if form == "epub":
        return ExportedBook(form, to_epub(book, options.at, scene_titles=titles))
    text = to_markdown_book if form == "md" else to_text_book
    return ExportedBook(form, text(book, scene_titles=titles).encode())
