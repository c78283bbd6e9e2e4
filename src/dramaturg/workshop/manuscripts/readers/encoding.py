"""The encoding of a text that does not say it."""

from __future__ import annotations

import codecs
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass

from dramaturg.kernel.errors import InvalidConfig, install_extra

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 200_000
_TYPOGRAPHIC = (0x85, 0x91, 0x92, 0x93, 0x94, 0x96, 0x97)


@dataclass(frozen=True, slots=True)
class DecodedText:
    """A text, and the encoding it was in."""

    text: str
    encoding: str


def decoded(name: str, data: bytes) -> DecodedText:
    """The text in these bytes. Raises InvalidConfig if they are no text, or in no encoding that can be told."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _strict(name, data, encoding)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _detected(name, data)
    if "\0" in text:
        raise InvalidConfig(f"{name} is not a text. Give a Markdown, text, DOCX or ODT file.", path=name)
    return DecodedText(text, "utf-8")


def _strict(name: str, data: bytes, encoding: str) -> DecodedText:
    try:
        return DecodedText(data.decode(encoding), encoding.removesuffix("-sig"))
    except UnicodeDecodeError as error:
        raise InvalidConfig(f"{name} says it is {encoding} and is not. Save it as UTF-8.", path=name) from error


def _is_windows(data: bytes) -> bool:
    """Whether most bytes beyond ASCII are the quotation marks, dashes and dots of Windows: other encodings have
    letters there."""
    high = Counter(byte for byte in data[:_SAMPLE] if byte >= 0x80)
    return sum(high[byte] for byte in _TYPOGRAPHIC) * 2 > high.total()


def _japanese(data: bytes) -> str:
    """The Japanese encoding in which much of a text is kana; empty if there is none."""
    for encoding in ("cp932", "euc_jp"):
        with suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            written = [char for char in text[:_SAMPLE] if char > "\x7f"]
            if sum("\u3041" <= char <= "\u30ff" for char in written) * 4 > len(written):
                return encoding
    return ""


def _detected(name: str, data: bytes) -> DecodedText:
    if _is_windows(data):
        return DecodedText(data.decode("cp1252", "replace"), "cp1252")
    if japanese := _japanese(data):
        return DecodedText(data.decode(japanese, "replace"), japanese)
    try:
        from charset_normalizer import from_bytes
    except ImportError as error:
        raise InvalidConfig(f"{name} is not UTF-8. Save it as UTF-8, or {install_extra('workshop')}.") from error
    best = from_bytes(data[:_SAMPLE]).best()
    if best is None:
        raise InvalidConfig(f"{name}: the encoding cannot be told. Save it as UTF-8.", path=name)
    return DecodedText(data.decode(best.encoding, "replace"), best.encoding)
