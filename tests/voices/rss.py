"""A strict checker of podcast feeds, from RSS 2.0 (rssboard.org), Apple's requirements and the podcast namespace.

`faults(text)` lists what a validator would complain about; an accepted feed has none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from lxml import etree

ITUNES = "{http://www.itunes.com/dtds/podcast-1.0.dtd}"
ATOM = "{http://www.w3.org/2005/Atom}"
PODCAST = "{https://podcastindex.org/namespace/1.0}"
CHANNEL_ONCE = {
    "title", "link", "description", "language", "copyright", "managingEditor", "webMaster", "pubDate", "lastBuildDate",
    "generator", "docs", "cloud", "ttl", "image", f"{ITUNES}author", f"{ITUNES}type", f"{ITUNES}explicit",
    f"{ITUNES}owner", f"{ITUNES}image", f"{ITUNES}title", f"{ITUNES}new-feed-url",
}  # fmt: skip
CHANNEL_MANY = {"item", "category", f"{ATOM}link", f"{ITUNES}category"}
ITEM_ONCE = {
    "title", "link", "description", "author", "comments", "enclosure", "guid", "pubDate", "source", f"{ITUNES}duration",
    f"{ITUNES}explicit", f"{ITUNES}episodeType", f"{ITUNES}image", f"{ITUNES}title", f"{ITUNES}episode",
    f"{ITUNES}season", f"{ITUNES}block", f"{ITUNES}author", f"{PODCAST}chapters",
}  # fmt: skip
ITEM_MANY = {"category", f"{PODCAST}transcript"}
CATEGORIES = {
    "Arts", "Business", "Comedy", "Education", "Fiction", "Government", "History", "Health & Fitness", "Kids & Family",
    "Leisure", "Music", "News", "Religion & Spirituality", "Science", "Society & Culture", "Sports", "Technology",
    "True Crime", "TV & Film",
}  # fmt: skip
SOUND = {"audio/mpeg", "audio/mp4", "audio/x-m4a", "audio/ogg", "audio/flac", "audio/wav"}
TRANSCRIPTS = {"text/plain", "text/html", "text/vtt", "application/json", "application/x-subrip"}
_RFC822 = re.compile(
    r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} "
    r"\d{2}:\d{2}:\d{2} ([+-]\d{4}|GMT)"
)


def faults(text: str) -> list[str]:
    """What is wrong with a feed."""
    try:
        root = etree.fromstring(text.encode(), etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError as error:
        return [f"not well-formed: {error}"]
    if root.tag != "rss" or root.get("version") != "2.0" or [one.tag for one in root] != ["channel"]:
        return ["not an RSS 2.0 document with one channel"]
    return list(_channel(root[0]))


def _channel(channel: etree._Element) -> Iterator[str]:
    yield from _known(channel, CHANNEL_ONCE, CHANNEL_MANY)
    for name in ("title", "link", "description", "language", f"{ITUNES}explicit", f"{ITUNES}category"):
        if channel.find(name) is None:
            yield f"the channel has no {name}"
    for name in ("title", "link", "description"):
        if not (channel.findtext(name) or "").strip():
            yield f"the {name} of the channel is empty"
    yield from _address("link", channel.findtext("link") or "")
    yield from _itunes(channel)
    yield from _date("lastBuildDate", channel.findtext("lastBuildDate"))
    items = channel.findall("item")
    if not items:
        yield "the channel has no item"
    guids = [item.findtext("guid") for item in items]
    if len(set(guids)) < len(guids):
        yield "two items have the same guid"
    for item in items:
        yield from _item(item)


def _itunes(channel: etree._Element) -> Iterator[str]:
    if not re.fullmatch(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*", channel.findtext("language") or ""):
        yield "the language is no language code"
    for link in channel.findall(f"{ATOM}link"):
        yield from _address("atom:link", link.get("href", ""))
        if (link.get("rel"), link.get("type")) != ("self", "application/rss+xml"):
            yield "atom:link is not to the feed itself"
    for category in channel.findall(f"{ITUNES}category"):
        if category.get("text") not in CATEGORIES:
            yield f"{category.get('text')} is no category of Apple's"
    owner = channel.find(f"{ITUNES}owner")
    if owner is not None and "@" not in (owner.findtext(f"{ITUNES}email") or ""):
        yield "the owner has no address"
    picture = channel.find(f"{ITUNES}image")
    if picture is not None:
        yield from _address("itunes:image", picture.get("href", ""))
    yield from _choice(channel, f"{ITUNES}explicit", {"true", "false"})
    yield from _choice(channel, f"{ITUNES}type", {"episodic", "serial"})


def _item(item: etree._Element) -> Iterator[str]:
    yield from _known(item, ITEM_ONCE, ITEM_MANY)
    for name in ("title", "guid", "pubDate", "enclosure"):
        if item.find(name) is None:
            yield f"an item has no {name}"
    if not (item.findtext("title") or "").strip():
        yield "an item has an empty title"
    guid = item.find("guid")
    if guid is not None and guid.get("isPermaLink", "true") != "false" and not _is_address(guid.text or ""):
        yield "a guid says that it is a link, and is none"
    yield from _sound(item)
    yield from _date("pubDate", item.findtext("pubDate"))
    if not re.fullmatch(r"\d+|(\d+:)?\d{1,2}:\d{2}", item.findtext(f"{ITUNES}duration") or "0"):
        yield "an item has no proper duration"
    yield from _choice(item, f"{ITUNES}explicit", {"true", "false"})
    yield from _choice(item, f"{ITUNES}episodeType", {"full", "trailer", "bonus"})
    yield from _beside(item)


def _sound(item: etree._Element) -> Iterator[str]:
    sound = item.find("enclosure")
    if sound is not None:
        if set(sound.attrib) != {"url", "length", "type"}:
            yield "an enclosure needs url, length and type"
        yield from _address("enclosure", sound.get("url", ""))
        if not sound.get("length", "").isdecimal() or int(sound.get("length", "0")) < 1:
            yield "an enclosure has no length"
        if sound.get("type") not in SOUND:
            yield f"{sound.get('type')} is no type of sound"


def _beside(item: etree._Element) -> Iterator[str]:
    for one in item.findall(f"{PODCAST}transcript"):
        yield from _address("podcast:transcript", one.get("url", ""))
        if one.get("type") not in TRANSCRIPTS:
            yield f"{one.get('type')} is no type of transcript"
    chapters = item.find(f"{PODCAST}chapters")
    if chapters is not None:
        yield from _address("podcast:chapters", chapters.get("url", ""))
        if chapters.get("type") != "application/json+chapters":
            yield "the chapters have another type"


def _known(element: etree._Element, once: set[str], many: set[str]) -> Iterator[str]:
    names = [one.tag for one in element]
    for name in names:
        if name not in once | many:
            yield f"{name} is unknown in {element.tag}"
        if name in once and names.count(name) > 1:
            yield f"{name} occurs more than once"


def _choice(element: etree._Element, name: str, allowed: set[str]) -> Iterator[str]:
    text = element.findtext(name)
    if text is not None and text not in allowed:
        yield f"{name} is {text!r}"


def _date(name: str, text: str | None) -> Iterator[str]:
    if text is None:
        return
    if not _RFC822.fullmatch(text):
        yield f"{name} {text!r} is no date of RFC 822"
    elif parsedate_to_datetime(text).strftime("%a") != text[:3]:
        yield f"{name} {text!r} has the wrong day"


def _address(name: str, text: str) -> Iterator[str]:
    if not _is_address(text):
        yield f"{name} {text!r} is no address"


def _is_address(text: str) -> bool:
    parts = urlsplit(text)
    return parts.scheme in ("http", "https") and bool(parts.netloc) and text.isascii() and " " not in text
