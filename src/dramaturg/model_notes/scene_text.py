"""The scene in a model's answer: its prose, without thoughts, greetings, headings and notes."""

from __future__ import annotations

import re

from dramaturg.kernel.reasoning import without_reasoning
from dramaturg.model_notes.prose_notes import LONGEST_NOTE, YES, greets, is_afterword, plans

_HEADING = re.compile(r" {0,3}#{1,6}(?:[ \t]|$)")
_TITLE = re.compile(r"(?:\*\*|__)[^*_\n]{1,120}(?:\*\*|__):?")
_PART = re.compile(r"[\[(*_ ]{0,3}(?:section|part|scene|chapter|variant|draft)\b[^.!?“\"\n]{0,60}[\])*_: ]{0,3}", re.I)
_AGREED = re.compile(rf"{YES}[.!,]{{0,3}}", re.I)
_FENCE = re.compile(r"^[ \t]*+```[\w-]{0,20}[ \t]*$", re.M)
_RULE = re.compile(r"[-*_=~ ]{3,40}")
_BLANK = re.compile(r"\n[ \t]*\n[\s]*")


def scene_text(answer: str) -> str:
    """The prose of an answer in paragraphs with a blank line between them; empty if there is none. Never raises."""
    spoken = without_reasoning(answer.replace("\r\n", "\n").replace("\r", "\n").replace("\0", ""))
    spoken = _FENCE.sub("", spoken).strip("\ufeff \t\n")
    paragraphs = _paragraphs(spoken)
    begins = 0
    while begins < len(paragraphs) and _stands_before(paragraphs[begins : begins + 2]):
        begins += 1
    kept = _without_afterword(paragraphs[begins:])
    if len(kept) == 1:  # it may be lines without a blank one among them
        kept = _paragraphs(kept[0])
    return "\n\n".join(kept)


def _paragraphs(text: str) -> list[str]:
    return [part for part in map(_without_headings, _split(text)) if part]


def paragraphs_in(text: str) -> tuple[str, ...]:
    """The paragraphs of a scene, each as it stands."""
    return tuple(part for part in text.split("\n\n") if part.strip())


def _split(text: str) -> list[str]:
    """Paragraphs by blank lines; by lines where a text of several lines has no blank one."""
    parts = _BLANK.split(text)
    if len(parts) == 1 and text.count("\n") > 1:
        parts = text.split("\n")
    return ["\n".join(line.rstrip(" \t") for line in part.split("\n")).strip("\n") for part in parts]


def _without_headings(paragraph: str) -> str:
    if "#" not in paragraph:
        return paragraph.strip()
    return "\n".join(line for line in paragraph.split("\n") if not _HEADING.match(line)).strip()


def _is_preface(paragraph: str) -> bool:
    if len(paragraph) > LONGEST_NOTE or "\n" in paragraph:
        return False
    if any(one.fullmatch(paragraph) for one in (_TITLE, _PART, _RULE)):
        return True
    return greets(paragraph)


def _stands_before(paragraphs: list[str]) -> bool:
    """Whether the first of two paragraphs announces the scene, thinks about it, or only says yes before a greeting."""
    if _is_preface(paragraphs[0]) or len(paragraphs) < 2:
        return _is_preface(paragraphs[0])
    return plans(paragraphs[0]) or (bool(_AGREED.fullmatch(paragraphs[0])) and _is_preface(paragraphs[1]))


def _without_afterword(paragraphs: list[str]) -> list[str]:
    """Without notes at the end, and the rule that parts them from the prose."""
    end = len(paragraphs)
    while end and (is_afterword(paragraphs[end - 1]) or _RULE.fullmatch(paragraphs[end - 1])):
        end -= 1
    return paragraphs[:end]
