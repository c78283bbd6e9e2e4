"""The texts that consolidation reads, cut into pieces for a model: scenes, and what the writer said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.models.profiles import Tier
from dramaturg.workshop.book.files import ProjectFiles, digest_of
from dramaturg.workshop.book.manuscript import MOST_BYTES
from dramaturg.workshop.book.pages import is_filled
from dramaturg.workshop.graph.front_matter import read_matter
from dramaturg.workshop.graph.scene_facts import paragraphs_in
from dramaturg.workshop.graph.values import StoryGraph

CONVERSATION = "conversation/"
"""Where the writer's messages stand among the texts: `conversation/turn-7`."""
PIECE: dict[Tier, int] = {"full": 8000, "medium": 5000, "minimal": 2500}
"""How many characters of a text a model is given at once."""
_BREAKS = (". ", "! ", "? ", "。", "\n", " ")


@dataclass(frozen=True, slots=True)
class StoryText:
    """A text to read: a file of the manuscript, or a message of the writer's.

    `offset` is where its prose starts; `pov` who tells it, if one does. What is said in conversation is planned.
    """

    path: str
    text: str
    offset: int = 0
    time_from: str = ""
    time_to: str = ""
    pov: str = ""
    scene: str = ""

    @property
    def digest(self) -> str:
        return digest_of(self.text)

    @property
    def is_planned(self) -> bool:
        return self.path.startswith(CONVERSATION)


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A part of a text, and where it starts there."""

    number: int
    start: int
    text: str


def scene_text(project: Path, path: str) -> StoryText | None:
    """A file of the manuscript; None if it has no prose or cannot be read, which the graph reports."""
    try:
        text = ProjectFiles(project).text(path, MOST_BYTES) or ""
    except InvalidConfig:
        return None
    matter = read_matter(path, text)
    if matter.problem or not is_filled(text[len(matter.head) :]):
        return None
    return StoryText(
        path,
        text,
        len(matter.head),
        matter.time_from,
        matter.time_to,
        matter.pov[0] if len(matter.pov) == 1 else "",
        path.removeprefix("manuscript/").removesuffix(".md"),
    )


def scene_texts(project: Path, graph: StoryGraph) -> list[StoryText]:
    """Every scene that has prose, in reading order."""
    held = sorted((one for one in graph.sources if one.position >= 0 and one.digest), key=lambda one: one.position)
    return [text for one in held if (text := scene_text(project, one.path)) is not None]


def message_text(turn: int, said: str) -> StoryText:
    return StoryText(f"{CONVERSATION}turn-{turn}", said)


def pieces_of(text: StoryText, longest: int) -> Iterator[TextPiece]:
    """The prose in pieces of whole paragraphs; a paragraph that is too long is cut at a sentence, or at a word."""
    body = text.text[text.offset :]
    begin = end = -1
    number = 0
    for first, last in _spans(body, longest):
        if begin >= 0 and last - begin > longest:
            number += 1
            yield TextPiece(number, text.offset + begin, body[begin:end])
            begin = -1
        begin, end = (first if begin < 0 else begin), last
    if begin >= 0:
        yield TextPiece(number + 1, text.offset + begin, body[begin:end])


def paragraph_at(text: StoryText, place: int) -> int:
    """The number of the paragraph at a place of a text, from 1."""
    body = text.text[text.offset :]
    at = place - text.offset
    return sum(1 for first, _ in paragraphs_in(body[: at + 1]) if first <= at)


def _spans(body: str, longest: int) -> Iterator[tuple[int, int]]:
    for first, last in paragraphs_in(body):
        while last - first > longest:
            cut = next(
                (at + 1 for mark in _BREAKS if (at := body.rfind(mark, first + longest // 2, first + longest)) > 0), 0
            )
            cut = cut or first + longest
            yield first, cut
            first = cut
        if body[first:last].strip():
            yield first, last
