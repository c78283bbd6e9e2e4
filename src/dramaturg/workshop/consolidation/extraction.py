"""The question to a model about a piece of a text: which facts it states, each with the words that state it."""

from __future__ import annotations

from dramaturg.kernel.models.port import Message, ModelRequest
from dramaturg.workshop.consolidation.texts import StoryText, TextPiece
from dramaturg.workshop.foreman.prompt_files import PromptFiles
from dramaturg.workshop.graph.predicates import PREDICATES
from dramaturg.workshop.graph.values import StoryGraph
from dramaturg.workshop.rehearsal.extraction import ExtractionCue

TEMPERATURE = 0.1
MAX_TOKENS = 2500
MOST_NAMES = 60
NAMED = ("character", "location", "object")
_NOT_ASKED = frozenset(
    "takes_place_at shows after before fatal_flaw the_lie arc_start arc_midpoint arc_resolution states stands_for "
    "described_as causes".split()
)


def asked_predicates() -> tuple[str, ...]:
    """The predicates that prose is read for."""
    return tuple(one.name for one in PREDICATES.values() if not (one.craft or one.evident or one.name in _NOT_ASKED))


def extraction_key(text: StoryText, piece: TextPiece) -> str:
    """The same text gives the same key, so that no piece is asked about twice in a run."""
    return f"{text.path}/{text.digest[:16]}/{piece.start}-{piece.start + len(piece.text)}"


def extraction_request(
    text: StoryText, piece: TextPiece, graph: StoryGraph, prompts: PromptFiles, *, reads_cues: bool = False
) -> ModelRequest:
    """The request for a piece. The names that occur in it are told, with the most that fit."""
    system = prompts.extraction(
        predicates=", ".join(asked_predicates()),
        names="; ".join(_names(piece, graph)),
        scene_time=text.time_from,
        pov=text.pov,
        is_conversation="yes" if text.is_planned else "",
    )
    plain = piece.text.replace("</passage>", "").strip()
    cue = ExtractionCue(piece.text) if reads_cues else None
    return ModelRequest(
        key=extraction_key(text, piece),
        purpose="extraction",
        system=system,
        messages=(Message("user", f"<passage>\n{plain}\n</passage>"),),
        max_tokens=MAX_TOKENS,
        temperature=TEMPERATURE,
        cue=cue,
    )


def _names(piece: TextPiece, graph: StoryGraph) -> list[str]:
    """Whom the piece may mean, with their other names; those that it names first."""
    held = [one for one in graph.entities if one.kind in NAMED and graph.roots[one.id] == one.id and not one.withdrawn]
    named = sorted(held, key=lambda one: not any(name in piece.text for name in one.names))
    return [one.name + (f" (also {', '.join(one.aliases[:4])})" if one.aliases else "") for one in named[:MOST_NAMES]]
