"""A book as one Markdown file or as plain text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from dramaturg.workshop.manuscripts.book_text import BookText, SceneText
from dramaturg.workshop.manuscripts.markdown_writer import to_markdown
from dramaturg.workshop.manuscripts.styled import LINE_BREAK

WIDTH = 72


def to_markdown_book(book: BookText, *, scene_titles: bool = False) -> str:
    """The book as Markdown: the title, a heading per chapter, `* * *` between scenes."""
    parts = [f"# {book.title}"]
    if book.author:
        parts.append(f"by {book.author}")
    for chapter in book.chapters:
        if chapter.part:
            parts.append(f"# {chapter.part}")
        if chapter.title:
            parts.append(f"## {chapter.title}")
        for number, scene in enumerate(chapter.scenes):
            if scene_titles and scene.title:
                parts.append(f"### {scene.title}")
            elif number:
                parts.append("* * *")
            parts += _markdown(scene)
    return "\n\n".join(parts) + "\n"


def _markdown(scene: SceneText) -> Iterator[str]:
    for block in scene.prose.blocks:
        text = to_markdown(block.shown)
        if block.kind == "break":
            yield "* * *"
        elif block.kind == "heading":
            yield f"#### {text}"
        else:
            yield f"> {text}" if block.kind == "quote" else text


def to_text_book(book: BookText, *, scene_titles: bool = False) -> str:
    """The book as plain text, wrapped."""
    parts = [book.title]
    if book.author:
        parts.append(f"by {book.author}")
    for chapter in book.chapters:
        if chapter.part:
            parts.append(f"\n\n{chapter.part}")
        if chapter.title:
            parts.append(f"\n\n{chapter.title}")
        for number, scene in enumerate(chapter.scenes):
            if scene_titles and scene.title:
                parts.append(scene.title)
            elif number:
                parts.append("* * *")
            parts += _plain(scene)
    return "\n\n".join(parts) + "\n"


def _plain(scene: SceneText) -> Iterator[str]:
    for block in scene.prose.blocks:
        if block.kind == "break":
            yield "* * *"
            continue
        indent = "    " if block.kind == "quote" else ""
        lines = block.shown.text.split(LINE_BREAK)
        yield "\n".join(
            textwrap.fill(line, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False)
            for line in lines
        )
