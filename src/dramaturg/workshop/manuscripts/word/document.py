"""A Word document as values: paragraphs of runs, with every tracked change, comment and bookmark at its place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from dramaturg.workshop.manuscripts.styled import Styled, joined

Where = Literal["body", "table", "box"]


@dataclass(frozen=True, slots=True)
class Change:
    """Who made a tracked change, and when."""

    author: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class WordRun:
    """Text of one emphasis and one state. What was both inserted and deleted is in neither version."""

    content: Styled
    inserted: Change | None = None
    deleted: Change | None = None


@dataclass(frozen=True, slots=True)
class CommentMark:
    """Where a comment begins or ends: behind so many characters of the paragraph, deleted and inserted ones too."""

    id: str
    offset: int
    is_end: bool = False


@dataclass(frozen=True, slots=True)
class WordParagraph:
    """A paragraph. `style` is the style's name, as a person sees it."""

    runs: tuple[WordRun, ...] = ()
    style: str = ""
    outline: int | None = None
    is_centred: bool = False
    starts_page: bool = False
    mark_inserted: Change | None = None
    mark_deleted: Change | None = None
    bookmarks: tuple[str, ...] = ()
    comments: tuple[CommentMark, ...] = ()
    where: Where = "body"

    @property
    def current(self) -> Styled:
        """The text with all changes accepted."""
        return joined(run.content for run in self.runs if run.deleted is None)


@dataclass(frozen=True, slots=True)
class WordComment:
    """A comment. `parent` is the id of the comment it replies to."""

    id: str
    author: str
    at: str
    text: str
    parent: str = ""
    is_done: bool = False


@dataclass(frozen=True, slots=True)
class WordDocument:
    """Everything of a DOCX that is read here. `carried` is the part that dramaturg puts into its own exports."""

    paragraphs: tuple[WordParagraph, ...]
    comments: tuple[WordComment, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    title: str = ""
    author: str = ""
    carried: bytes = b""
    problems: tuple[str, ...] = field(default=())

    @property
    def has_changes(self) -> bool:
        return any(
            paragraph.mark_inserted
            or paragraph.mark_deleted
            or any(run.inserted or run.deleted for run in paragraph.runs)
            for paragraph in self.paragraphs
        )
