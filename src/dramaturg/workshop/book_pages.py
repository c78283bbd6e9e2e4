"""The front of a book's texts: pages of the story bible and scenes of the manuscript, read and written as a whole.

A text is written only over the one that its writer has seen. It is in the log before it is replaced, and writing it is
an action of the writer's that can be undone.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Literal

from pydantic import Field

from dramaturg.kernel.errors import FileChanged, InvalidConfig, NotFound
from dramaturg.kernel.values import WireValue
from dramaturg.workshop.book.bible import FOLDER as BIBLE
from dramaturg.workshop.book.bible import TEMPLATES, StoryBible, bible_path, page_path, template_at
from dramaturg.workshop.book.file_cache import FileCache, markdown_in
from dramaturg.workshop.book.files import MARK, PlannedChange, ProjectFiles, digest_of, plain_lines, rewritten
from dramaturg.workshop.book.manuscript import MOST_BYTES, Manuscript
from dramaturg.workshop.book.pages import MOST_BYTES as MOST_PAGE_BYTES
from dramaturg.workshop.book.pages import Page, read_page
from dramaturg.workshop.own_changes import change_files
from dramaturg.workshop.revision.patch_review import PatchReview
from dramaturg.workshop.sources import BookSources
from dramaturg.workshop.turn_context import Alone
from dramaturg.workshop.voice.prose import count_words

MOST_PAGES = 2000
PageKind = Literal["page", "scene"]
_DIGEST = Field(description="of the file's bytes; empty if there is no file yet")


class PageRow(WireValue):
    """A page of the story bible as it is listed."""

    name: str = Field(description="to read and write it by", examples=["protagonist"])
    path: str = Field(description="below the project", examples=["story-bible/protagonist.md"])
    title: str
    digest: str = _DIGEST
    words: int
    status: str = Field("", description="of one of the four templates; empty for a page of the writer's own")
    problem: str | None = Field(None, description="why it cannot be read")


class PageList(WireValue):
    """The pages of the story bible: the four templates, whether or not they exist yet, then the writer's own."""

    pages: tuple[PageRow, ...]


class ManuscriptScene(WireValue):
    """A scene of the manuscript as it is listed."""

    name: str = Field(description="to read and write it by", examples=["ch04-sc02"])
    path: str = Field(description="below the project", examples=["manuscript/ch04-sc02.md"])
    title: str
    digest: str = _DIGEST
    words: int
    chapter: str = ""
    scene: str = ""
    beat: str = ""
    is_drafted: bool = False
    problem: str | None = Field(None, description="why it cannot be read")


class ManuscriptSceneList(WireValue):
    """The scenes of the manuscript, in the order of their files."""

    scenes: tuple[ManuscriptScene, ...]


class PageText(WireValue):
    """The whole text of a page or a scene, front matter included, with plain line breaks."""

    name: str
    path: str
    title: str
    text: str
    digest: str = _DIGEST
    words: int = Field(description="without the front matter")
    problem: str | None = Field(None, description="what of its front matter cannot be read")


class PageSaved(PageText):
    """A page or a scene as it is saved now. `act` undoes it; it is empty if the text was there already."""

    act: str = ""
    said: str


class BookPages:
    """The texts of one book. `alone` holds the book's log for a change."""

    def __init__(self, book: BookSources, patches: PatchReview, alone: Alone) -> None:
        self._project: Path = book.project
        self._cache: FileCache = book.cache
        self._files = ProjectFiles(book.project)
        self._manuscript = Manuscript(book.project)
        self._patches, self._alone = patches, alone

    # Looking.

    async def pages(self) -> PageList:
        """Every page of the story bible."""
        return await asyncio.to_thread(self._pages)

    async def scenes(self) -> ManuscriptSceneList:
        """Every scene of the manuscript."""
        return await asyncio.to_thread(self._scenes)

    async def read(self, kind: PageKind, name: str) -> PageText:
        """A page or a scene. Raises NotFound if there is none; a template that is not begun yet has an empty text."""
        return await asyncio.to_thread(self._read, self.path_of(kind, name))

    async def digest(self, kind: PageKind, name: str) -> str:
        """The digest of a page or a scene; empty if there is no file."""
        path = self.path_of(kind, name)
        return _digest(await asyncio.to_thread(self._files.exact, path, _most(path)))

    def path_of(self, kind: PageKind, name: str) -> str:
        """The path of a page or a scene. Raises InvalidConfig for one outside its folder."""
        return bible_path(name) if kind == "page" else self._manuscript.path_of(name)

    # Writing.

    async def write(self, kind: PageKind, name: str, text: str, digest: str = "") -> PageSaved:
        """Saves a whole text. Raises FileChanged, with the text as it is now, unless the file has this digest."""
        path = self.path_of(kind, name)
        _check(path, text)
        async with self._alone() as performance:
            await self._patches.finish(performance)
            before = await asyncio.to_thread(self._files.exact, path, _most(path))
            if _digest(before) != digest:
                raise _changed(path, before)
            new = await asyncio.to_thread(rewritten, before, text)
            planned = PlannedChange(path=path, before=before, text=new)
            if planned.text == before:
                return self._saved(path, "", f"{path} has this text already.")
            said = f"{'Changed' if before is not None else 'Wrote'} {path}."
            done = await change_files(performance, self._files, [planned], f"write_{kind}", said)
        return self._saved(path, done.act, said)

    def _saved(self, path: str, act: str, said: str) -> PageSaved:
        return PageSaved(**dict(self._read(path)), act=act, said=said)

    # Inside.

    def _read(self, path: str) -> PageText:
        exact = self._files.exact(path, _most(path))
        if exact is None and template_at(path) is None:
            raise NotFound(f"There is no {path}.", path=path)
        text = plain_lines(exact or "").removeprefix(MARK)
        page, problem = _parsed(path, text)
        return PageText(
            name=_name(path),
            path=path,
            title=_title(path, page),
            text=text,
            digest=_digest(exact),
            words=_words(text, page),
            problem=problem,
        )

    def _pages(self) -> PageList:
        statuses = {page_path(page.template): page.status for page in StoryBible(self._project).pages(self._cache)}
        found = [place.relative_to(self._project).as_posix() for place in markdown_in(self._project / BIBLE)]
        paths = [*statuses, *(path for path in found[:MOST_PAGES] if path not in statuses)]
        rows = tuple(self._row(path).model_copy(update={"status": statuses.get(path, "")}) for path in paths)
        return PageList(pages=rows)

    def _scenes(self) -> ManuscriptSceneList:
        files = self._manuscript.files(self._cache)
        rows = [(one, self._row(one.path)) for one in files]
        return ManuscriptSceneList(
            scenes=tuple(
                ManuscriptScene(
                    name=row.name,
                    path=row.path,
                    title=row.title,
                    digest=row.digest,
                    words=row.words,
                    chapter=one.chapter,
                    scene=one.scene,
                    beat=one.beat,
                    is_drafted=one.is_drafted,
                    problem=row.problem or one.problem,
                )
                for one, row in rows
            )
        )

    def _row(self, path: str) -> PageRow:
        """A text as it is listed; read again only if its file has changed."""
        return self._cache.read(("row", path), [self._project / path], partial(self._row_now, path))

    def _row_now(self, path: str) -> PageRow:
        try:
            text = self._read(path)
        except (InvalidConfig, NotFound) as error:  # not found: deleted meanwhile
            title = _title(path, None)
            return PageRow(name=_name(path), path=path, title=title, digest="", words=0, problem=error.message)
        return PageRow(
            name=text.name, path=path, title=text.title, digest=text.digest, words=text.words, problem=text.problem
        )


def _parsed(path: str, text: str) -> tuple[Page | None, str | None]:
    try:
        return read_page(path, text), None
    except InvalidConfig as error:
        return None, error.message


def _name(path: str) -> str:
    """What a page or a scene is called in addresses and commands."""
    template = template_at(path)
    return template or path.partition("/")[2].removesuffix(".md")


def _title(path: str, page: Page | None) -> str:
    template = template_at(path)
    if template is not None:
        return TEMPLATES[template].title
    matter = page.matter if page is not None else {}
    heading = next((one.heading for one in page.passages if one.heading), "") if page is not None else ""
    return str(matter.get("title") or matter.get("name") or heading or "")


def _words(text: str, page: Page | None) -> int:
    return count_words(text.removeprefix(page.head) if page is not None else text)


def _digest(exact: str | None) -> str:
    return "" if exact is None else digest_of(exact)


def _check(path: str, text: str) -> None:
    if "\0" in text:
        raise InvalidConfig(f"The text for {path} has a NUL character. Send plain text.", path=path)
    if len(text.encode()) > (most := _most(path)):
        raise InvalidConfig(f"The text for {path} is larger than {most // 1000} kB. Split it.", path=path)


def _most(path: str) -> int:
    return MOST_PAGE_BYTES if path.startswith(f"{BIBLE}/") else MOST_BYTES


def _changed(path: str, now: str | None) -> FileChanged:
    if now is None:
        message = f"There is no {path} any more. Leave out the digest to write it anew."
    else:
        message = f"{path} was changed meanwhile and stays as it is. Look at both texts, then save with its new digest."
    return FileChanged(message, path=path, digest=_digest(now), text=plain_lines(now or "").removeprefix(MARK))
