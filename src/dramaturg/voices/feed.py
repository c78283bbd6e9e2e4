"""A podcast feed of the programmes in a folder: RSS 2.0 with the namespaces that podcast players read."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.utils import format_datetime
from pathlib import Path
from urllib.parse import quote, urlsplit
from xml.sax.saxutils import escape, quoteattr

import orjson

from dramaturg.kernel.clock import moment
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.store import Artifacts
from dramaturg.voices.publication import Publication, PublishedFile, publications

FEED = "feed.xml"
NAMESPACES = {
    "itunes": "http://www.itunes.com/dtds/podcast-1.0.dtd",
    "atom": "http://www.w3.org/2005/Atom",
    "podcast": "https://podcastindex.org/namespace/1.0",
}
PREFERRED = ("audio/mpeg", "audio/mp4", "audio/ogg", "audio/flac", "audio/wav")
"""An item has one enclosure: the format that most players take."""


@dataclass(frozen=True, slots=True)
class Show:
    """What a feed says about the show. `url` is the address of the folder, where everybody can fetch its files."""

    url: str
    title: str
    description: str = ""
    author: str = ""
    email: str = ""
    language: str = "en"
    category: str = "Fiction"
    image: str = ""
    explicit: bool = False


@dataclass(frozen=True, slots=True)
class Feed:
    """The feed that was written, and its items."""

    path: Path
    items: tuple[Publication, ...]


def write_feed(folder: Path, show: Show) -> Feed:
    """Write `feed.xml` and the chapters of every programme. Raises InvalidConfig for a folder without programmes."""
    _check(folder, show)
    found = publications(folder)
    if not found:
        raise InvalidConfig(
            f"{folder} has no programmes. Make one first: dramaturg programme make RUN --out {folder}",
            folder=str(folder),
        )
    out = Artifacts(folder)
    for name, one in found:
        _check_files(folder, name, one)
        out.write_text(f"{name}.chapters.json", _chapters(one))
    out.write_text(FEED, "\n".join(_feed(show, found)) + "\n")
    return Feed(folder / FEED, tuple(one for _, one in found))


def _check(folder: Path, show: Show) -> None:
    parts = urlsplit(show.url)
    odd = not parts.netloc or any(char.isspace() for char in parts.netloc) or parts.query or parts.fragment
    if parts.scheme not in ("http", "https") or odd:
        raise InvalidConfig(
            f"--url {show.url!r} is not the address of a folder on the web, such as https://example.org/show/."
        )
    if show.image and not (folder / show.image).is_file():
        raise InvalidConfig(f"There is no picture {show.image} in {folder}.", file=show.image)
    if show.image and Path(show.image).suffix.lower() not in (".jpg", ".jpeg", ".png"):
        raise InvalidConfig("The picture of a show is a JPEG or PNG of 1400 to 3000 pixels a side.", file=show.image)


def _check_files(folder: Path, name: str, one: Publication) -> None:
    for file in one.files:
        path = folder / file.file
        if not path.is_file() or path.stat().st_size != file.bytes:
            formats = ",".join(Path(each.file).suffix[1:] for each in one.files)
            again = shlex.join([one.run, "--out", str(folder), "--name", name, "--format", formats])
            raise InvalidConfig(
                f"{path} is gone or was changed after '{one.title}' was made. Make it again: "
                f"dramaturg programme make {again}",
                file=str(path),
            )


def _feed(show: Show, found: Sequence[tuple[str, Publication]]) -> Iterator[str]:
    spaces = " ".join(f"xmlns:{name}={quoteattr(url)}" for name, url in NAMESPACES.items())
    author = show.author or show.title
    newest = max(one.published_at for _, one in found)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f'<rss version="2.0" {spaces}>'
    yield "<channel>"
    yield _element("title", show.title)
    yield _element("link", _address(show, ""))
    yield f'<atom:link href={quoteattr(_address(show, FEED))} rel="self" type="application/rss+xml"/>'
    yield _element("description", show.description or show.title)
    yield _element("language", show.language)
    yield _element("lastBuildDate", _date(newest))
    yield _element("generator", "dramaturg")
    yield _element("itunes:author", author)
    yield _element("itunes:type", "episodic")
    yield _element("itunes:explicit", "true" if show.explicit else "false")
    yield f"<itunes:category text={quoteattr(show.category)}/>"
    if show.email:
        yield f"<itunes:owner>{_element('itunes:name', author)}{_element('itunes:email', show.email)}</itunes:owner>"
    if show.image:
        yield f"<itunes:image href={quoteattr(_address(show, show.image))}/>"
    for name, one in found:
        yield from _item(show, name, one)
    yield "</channel>"
    yield "</rss>"


def _item(show: Show, name: str, one: Publication) -> Iterator[str]:
    sound = enclosure(one)
    yield "<item>"
    yield _element("title", one.title)
    yield _element("description", f"{one.summary}. With {', '.join(one.speakers)}.")
    yield f'<guid isPermaLink="false">dramaturg:{escape(f"{one.run}:{name}")}</guid>'
    yield _element("pubDate", _date(one.published_at))
    yield f'<enclosure url={quoteattr(_address(show, sound.file))} length="{sound.bytes}" type="{sound.type}"/>'
    yield _element("itunes:duration", str(round(one.duration_ms / 1000)))
    yield _element("itunes:explicit", "true" if show.explicit else "false")
    yield _element("itunes:episodeType", "full")
    for file, kind in ((one.captions, "text/vtt"), (one.subtitles, "application/x-subrip")):
        yield f'<podcast:transcript url={quoteattr(_address(show, file))} type="{kind}"/>'
    chapters = quoteattr(_address(show, f"{name}.chapters.json"))
    yield f'<podcast:chapters url={chapters} type="application/json+chapters"/>'
    yield "</item>"


def enclosure(one: Publication) -> PublishedFile:
    """The file that most players take."""
    return min(one.files, key=lambda file: PREFERRED.index(file.type))


def _chapters(one: Publication) -> str:
    """The chapters as podcast players load them, in seconds."""
    rows = [{"startTime": chapter.start_ms / 1000, "title": chapter.title} for chapter in one.chapters]
    return orjson.dumps({"version": "1.2.0", "chapters": rows}, option=orjson.OPT_INDENT_2).decode() + "\n"


def _element(name: str, text: str) -> str:
    return f"<{name}>{escape(_printable(text))}</{name}>"


def _printable(text: str) -> str:
    """Without the control characters that XML cannot hold."""
    return "".join(char for char in " ".join(text.split()) if char.isprintable() or char == " ")


def _address(show: Show, file: str) -> str:
    """Where a file of the folder is found; whatever an address cannot hold as it is, is encoded."""
    parts = urlsplit(show.url)
    host = parts.netloc if parts.netloc.isascii() else parts.netloc.encode("idna").decode()
    return f"{parts.scheme}://{host}{quote(parts.path.rstrip('/'), safe='/%')}/{quote(file)}"


def _date(at: float) -> str:
    return format_datetime(moment(at))
