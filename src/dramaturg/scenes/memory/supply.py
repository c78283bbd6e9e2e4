"""Memories in the words of the character's own model: one question after the scene, every quote checked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from pydantic import Field

from dramaturg.kernel.errors import BudgetExceeded, ModelError
from dramaturg.kernel.models.port import Message, Model, ModelRequest
from dramaturg.kernel.models.profiles import is_stand_in
from dramaturg.kernel.runs.resources import OpenModel
from dramaturg.kernel.text.quotes import is_quoted
from dramaturg.kernel.text.words import words
from dramaturg.kernel.values import Value
from dramaturg.model_notes.structured import ask
from dramaturg.scenes.events import CastMember, MemoriesSupplied, SceneRun
from dramaturg.scenes.hearing import heard_by
from dramaturg.scenes.line import Line
from dramaturg.scenes.memories import MemoryKind, RefusedMemory, SuppliedMemory
from dramaturg.scenes.state import SceneState, scene_state
from dramaturg.scenes.templates import scene_template

MAX_TOKENS = 900
MOST = 8
FEWEST_QUOTED = 2


class MemoryClaim(Value):
    """What a model says its character will remember."""

    text: str = Field(min_length=1, max_length=300, description="one sentence to the character, in the second person")
    quote: str = Field(description="the exact words of one line that show it")
    kind: MemoryKind
    importance: float = Field(0.5, ge=0, le=1, description="how much it matters, 0 to 1")


class MemoryClaims(Value):
    """The form a model fills in after a scene."""

    memories: tuple[MemoryClaim, ...] = Field(description="one to eight, the most important first")


async def supply_memories(run: SceneRun, open_model: OpenModel) -> None:
    """Ask the model of each character once, and log what was taken and what refused.

    The rehearsal company is not asked. If a model fails, only its words are missing; a run that was asked
    before is not asked again.
    """
    state = scene_state(run.entries)
    asked = {entry.event.character for entry in run.entries if isinstance(entry.event, MemoriesSupplied)}
    left = [member for member in state.cast if not is_stand_in(member.model) and member.name not in asked]
    supplied = await asyncio.gather(*(_ask(member, state, open_model(member.model, member.name)) for member in left))
    await run.append(*(one for one in supplied if one is not None))


async def _ask(member: CastMember, state: SceneState, model: Model) -> MemoriesSupplied | None:
    heard = [line for line in heard_by(member.display_name, state.lines) if line.kind != "system"]
    if not any(line.kind == "line" for line in heard):
        return None
    transcript = "\n".join(line.rendered() for line in heard)
    request = ModelRequest(
        key=f"memory/{member.name}",
        purpose="extraction",
        system=scene_template("memories").render(name=member.display_name, transcript=transcript),
        messages=(Message("user", scene_template("memories_question").render(name=member.display_name)),),
        max_tokens=MAX_TOKENS,
    )
    try:
        claims = (await ask(model, request, MemoryClaims)).value
    except (ModelError, BudgetExceeded) as error:
        return MemoriesSupplied(character=member.name, failure=error.message)
    return check_claims(member.name, claims, heard)


def check_claims(character: str, claims: MemoryClaims, heard: Sequence[Line]) -> MemoriesSupplied:
    """Take the claims whose quote is in a line that the character heard, one per line; refuse the rest."""
    taken: dict[int, SuppliedMemory] = {}
    refused: list[RefusedMemory] = []
    for claim in claims.memories:
        line = _quoted(claim.quote, heard)
        reason = _why_not(claim, line, taken)
        if line is None or reason:
            refused.append(RefusedMemory(quote=claim.quote, reason=reason))
            continue
        taken[line.number] = SuppliedMemory(
            line=line.number,
            text=" ".join(claim.text.split()),
            quote=claim.quote,
            kind=claim.kind,
            importance=claim.importance,
        )
    return MemoriesSupplied(character=character, taken=tuple(taken.values()), refused=tuple(refused))


def _quoted(quote: str, heard: Sequence[Line]) -> Line | None:
    found = (line for line in heard if line.kind == "line" and is_quoted(quote, line.content))
    return next(found, None) if len(words(quote)) >= FEWEST_QUOTED else None


def _why_not(claim: MemoryClaim, line: Line | None, taken: dict[int, SuppliedMemory]) -> str:
    if line is None:
        return "the quote is not in what the character heard"
    if not claim.text.strip():
        return "there is no text"
    if line.number in taken:
        return f"a second memory of line {line.number}"
    return f"more than {MOST} memories" if len(taken) >= MOST else ""
