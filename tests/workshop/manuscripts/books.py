"""Manuscripts for the tests: one by hand, and any at all."""

from __future__ import annotations

from hypothesis import strategies as st

from dramaturg.workshop.manuscripts.book_text import BookText, ChapterText, SceneText, scene_text
from dramaturg.workshop.manuscripts.word.writer import WordOptions, write_docx

AT = "2026-01-01T00:00:00Z"
HARBOUR = """---
title: The Harbour
pov: Ruth
notes: nobody must see this
---

Ruth came down to the *harbour* before
the light did. The boats were in.

“You are early,” said Tomas.

* * *

She said nothing. She counted the lamps, and there were **four**.

> Dear Ruth, it began, and ended there.

<!-- check the tide -->

“Four,” she said. “There were five.”
"""
LETTER = "Nobody had opened the letter. Nobody had opened the door.\n\nThe kettle sang.\n"


def the_book(*sources: str) -> BookText:
    """A book of scenes with these sources, two per chapter."""
    scenes = [scene_text(f"manuscript/ch01-sc{n:02}.md", text, "", "1") for n, text in enumerate(sources, start=1)]
    chapters = (ChapterText("Chapter 1", tuple(scenes[:2])), ChapterText("Chapter 2", tuple(scenes[2:])))
    return BookText("The Harbour", "Ann Author", (), "en", tuple(one for one in chapters if one.scenes))


def exported(*scenes: SceneText) -> bytes:
    book = BookText("The Harbour", "Ann Author", (), "en", (ChapterText("Chapter 1", scenes),))
    return write_docx(book, WordOptions(at=AT)).data


def sources() -> st.SearchStrategy[str]:
    """Scenes as writers and their programs may leave them, sensible or not."""
    words = st.text(alphabet="ab é“”’—…*_\\#>-.!&<]|`~\t\u3000字。「」\u00ad\u2011\u00a0", max_size=30)
    junk = st.text(max_size=20)
    lines = st.lists(st.one_of(words, junk, st.sampled_from(("", "* * *", "# Head", "> said", "<!-- n -->", "***"))))
    endings = st.sampled_from(("\n", "\r\n", "\n\n", "  \n", "\\\n"))
    body = st.tuples(lines, endings).map(lambda drawn: drawn[1].join(drawn[0]))
    heads = st.sampled_from(("", "---\ntitle: A\n---\n", "---\r\npov: B\r\n---\r\n\r\n", "\ufeff"))
    return st.tuples(heads, body).map("".join).map(lambda text: text.encode("utf-8", "replace").decode())
