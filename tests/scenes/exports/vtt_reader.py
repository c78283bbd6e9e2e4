"""A strict reader of WebVTT, written from the W3C's grammar: it refuses what a validator would refuse."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape

_TIME = r"(\d{2,}):([0-5]\d):([0-5]\d)\.(\d{3})"
_TIMINGS = re.compile(rf"{_TIME} --> {_TIME}")
_TAG = re.compile(r"<(/?)([a-z]+)(?: ([^<>\n]+))?>")
_REFERENCE = re.compile(r"&(?!(?:amp|lt|gt);)")


@dataclass(frozen=True)
class Subtitle:
    id: str
    start: int
    end: int
    voice: str
    rows: tuple[str, ...]


@dataclass(frozen=True)
class Subtitles:
    cues: list[Subtitle]
    notes: list[str]


def read_vtt(text: str) -> Subtitles:
    assert "\r" not in text
    assert "\0" not in text
    head, *blocks = text.rstrip("\n").split("\n\n")
    assert head == "WEBVTT"
    cues: list[Subtitle] = []
    notes: list[str] = []
    for block in blocks:
        assert block, "an empty block"
        if block == "NOTE" or block.startswith(("NOTE\n", "NOTE ")):
            assert "-->" not in block
            notes.append(block[5:])
        else:
            cues.append(_cue(block))
    starts = [cue.start for cue in cues]
    assert starts == sorted(starts), "a cue starts before the one above it"
    assert len({cue.id for cue in cues}) == len(cues)
    return Subtitles(cues, notes)


def _cue(block: str) -> Subtitle:
    name, timings, *payload = block.split("\n")
    assert "-->" not in name
    found = _TIMINGS.fullmatch(timings)
    assert found, timings
    start, end = _milliseconds(found.groups()[:4]), _milliseconds(found.groups()[4:])
    assert start < end
    whole = "\n".join(payload)
    assert whole.strip()
    assert "-->" not in whole
    assert not _REFERENCE.search(whole), "a bare ampersand"
    voice = _balanced(whole)
    rows = tuple(unescape(_TAG.sub("", row)) for row in payload)
    return Subtitle(name, start, end, voice, rows)


def _balanced(payload: str) -> str:
    """The voice of the cue; every span that is opened is closed, and only spans that exist are used."""
    open_spans: list[str] = []
    voice = ""
    for closing, name, annotation in _TAG.findall(payload):
        assert name in ("v", "i")
        if closing:
            assert open_spans.pop() == name
        else:
            assert bool(annotation.strip()) == (name == "v")
            open_spans.append(name)
            voice = unescape(annotation) or voice
    assert not open_spans
    assert "<" not in _TAG.sub("", payload)
    return voice


def _milliseconds(parts: tuple[str, ...]) -> int:
    hours, minutes, seconds, rest = (int(part) for part in parts)
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + rest
