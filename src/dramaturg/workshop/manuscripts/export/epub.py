"""A book as EPUB 3: one XHTML file per chapter, a navigation document, and the metadata that the format asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from uuid import NAMESPACE_URL, uuid5

from dramaturg.archives import packed
from dramaturg.kernel.text.escape import escaped, escaped_attribute, one_line
from dramaturg.workshop.manuscripts.book_text import BookText, ChapterText, SceneText
from dramaturg.workshop.manuscripts.frame_words import frame_words
from dramaturg.workshop.manuscripts.styled import LINE_BREAK, Styled

MIMETYPE = "application/epub+zip"
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3}")
_STYLE = """\
body { margin: 5%; line-height: 1.4; }
h1 { text-align: center; margin: 3em 0 2em; font-weight: normal; }
h2 { text-align: center; font-size: 1em; }
p { margin: 0; text-indent: 1.5em; }
p.first, section > p:first-child { text-indent: 0; }
p.break { text-align: center; text-indent: 0; margin: 1em 0; }
p.part { text-align: center; text-indent: 0; margin: 3em 0 0; font-size: 1.2em; }
blockquote { margin: 1em 2em; }
"""
_CONTAINER = f"""{_HEAD}<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
  <rootfiles>
    <rootfile full-path="EPUB/package.opf" media-type="application/oebps-package+xml"/>
  </rootfiles>
</container>
"""


def to_epub(book: BookText, at: str, *, scene_titles: bool = False) -> bytes:
    """The book as an EPUB. The same book at the same time gives the same bytes."""
    chapters = [(f"chapter-{number:03}.xhtml", one) for number, one in enumerate(book.chapters, start=1)]
    members: list[tuple[str, bytes]] = [
        ("mimetype", MIMETYPE.encode()),
        ("META-INF/container.xml", _CONTAINER.encode()),
        ("EPUB/package.opf", _package(book, [name for name, _ in chapters], at).encode()),
        ("EPUB/nav.xhtml", _nav(book, chapters).encode()),
        ("EPUB/style.css", _STYLE.encode()),
        ("EPUB/title.xhtml", _title(book).encode()),
    ]
    members += (
        (f"EPUB/{name}", _chapter(book, chapter, number, scene_titles).encode())
        for number, (name, chapter) in enumerate(chapters, start=1)
    )
    return packed(members, stored=frozenset({"mimetype"}))


def _package(book: BookText, names: list[str], at: str) -> str:
    identity = uuid5(NAMESPACE_URL, f"{book.title}\n{book.author}\n" + "\n".join(one.digest for one in book.scenes))
    author = f"\n    <dc:creator>{escaped(one_line(book.author))}</dc:creator>" if book.author else ""
    items = "".join(
        f'\n    <item id="c{number:03}" href="{name}" media-type="application/xhtml+xml"/>'
        for number, name in enumerate(names, start=1)
    )
    spine = "".join(f'\n    <itemref idref="c{number:03}"/>' for number in range(1, len(names) + 1))
    return f"""{_HEAD}<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">
  <metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
    <dc:identifier id="id">urn:uuid:{identity}</dc:identifier>
    <dc:title>{escaped(_words(book.title))}</dc:title>
    <dc:language>{_language(book)}</dc:language>{author}
    <meta property="dcterms:modified">{at}</meta>
  </metadata>
  <manifest>
    <item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
    <item id="style" href="style.css" media-type="text/css"/>
    <item id="title" href="title.xhtml" media-type="application/xhtml+xml"/>{items}
  </manifest>
  <spine>
    <itemref idref="title"/>{spine}
  </spine>
</package>
"""


def _nav(book: BookText, chapters: list[tuple[str, ChapterText]]) -> str:
    frame = frame_words(book.language)
    rows = "".join(
        f'\n      <li><a href="{name}">{escaped(_words(one.title) or f"{frame.chapter} {number}")}</a></li>'
        for number, (name, one) in enumerate(chapters, start=1)
    )
    body = f"""<nav epub:type="toc" id="toc">
    <h1>{frame.contents}</h1>
    <ol>
      <li><a href="title.xhtml">{escaped(_words(book.title))}</a></li>{rows}
    </ol>
  </nav>"""
    return _page(book, book.title, body)


def _title(book: BookText) -> str:
    author = f'\n    <p class="break">{escaped(one_line(book.author))}</p>' if book.author else ""
    heading = f"<h1>{escaped(_words(book.title))}</h1>"
    return _page(book, book.title, f'<section epub:type="titlepage">\n    {heading}{author}\n  </section>')


def _chapter(book: BookText, chapter: ChapterText, number: int, scene_titles: bool) -> str:
    title = _words(chapter.title) or f"{frame_words(book.language).chapter} {number}"
    scenes = "\n".join(
        f'    <section id="s{number:03}-{place:03}">\n{_scene(scene, place, scene_titles)}\n    </section>'
        for place, scene in enumerate(chapter.scenes, start=1)
    )
    part = f'    <p class="part">{escaped(_words(chapter.part))}</p>\n' if chapter.part else ""
    body = f'<section epub:type="chapter">\n{part}    <h1>{escaped(title)}</h1>\n{scenes}\n  </section>'
    return _page(book, title, body)


def _scene(scene: SceneText, place: int, scene_titles: bool) -> str:
    rows = list(_blocks(scene))
    if scene_titles and _words(scene.title):
        rows.insert(0, f"<h2>{escaped(_words(scene.title))}</h2>")
    elif place > 1:
        rows.insert(0, '<p class="break">* * *</p>')
    return "\n".join(f"      {row}" for row in rows or ["<p></p>"])


def _blocks(scene: SceneText) -> Iterator[str]:
    for block in scene.prose.blocks:
        text = "".join(_run(run) for run in block.shown.runs())
        if block.kind == "break":
            yield '<p class="break">* * *</p>'
        elif block.kind == "heading":
            yield f"<h2>{text}</h2>"
        elif block.kind == "quote":
            yield f"<blockquote><p>{text}</p></blockquote>"
        else:
            yield f"<p>{text}</p>"


def _run(run: Styled) -> str:
    text = escaped(run.text).replace(LINE_BREAK, "<br/>")
    mark = run.marks[:1]
    if mark in ("1", "3"):
        text = f"<em>{text}</em>"
    return f"<strong>{text}</strong>" if mark in ("2", "3") else text


def _page(book: BookText, title: str, body: str) -> str:
    language = escaped_attribute(_language(book))
    return f"""{_HEAD}<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="{language}" xml:lang="{language}">
<head>
  <title>{escaped(_words(title)) or "Untitled"}</title>
  <link rel="stylesheet" type="text/css" href="style.css"/>
</head>
<body>
  {body}
</body>
</html>
"""  # noqa: E501  # reason: the names of two namespaces do not fit


def _words(text: str) -> str:
    return one_line(text)


def _language(book: BookText) -> str:
    return book.language if _LANGUAGE.fullmatch(book.language) else "en"
