"""What a model was told about a book, layer by layer, and what it was not told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pydantic import Field

from dramaturg.kernel.models.profiles import ModelProfile, Tier
from dramaturg.kernel.prompts.window import message_tokens
from dramaturg.kernel.values import Value
from dramaturg.workshop.book.book import Book
from dramaturg.workshop.book.knowledge import KnowledgeEntry, ToldFact, told_facts
from dramaturg.workshop.foreman.budgets import BUDGETS, ELSEWHERE, LARGER, SCENE_TEXT
from dramaturg.workshop.foreman.scene_passage import ScenePassage
from dramaturg.workshop.foreman.session_state import SessionStateXml, session_state
from dramaturg.workshop.foreman.shortened import CUT, ending

TAGS = 12
_OPEN, _CLOSE = "<message>", "</message>"


class Turn(Value):
    """What the writer said and what the Foreman answered."""

    writer: str
    foreman: str = ""

    def ending(self, room: int) -> Turn:
        """The end of what was said, within some tokens, in the protocol; its actions if they fit."""
        said, tag, actions = self.foreman.removeprefix(_OPEN).partition(_CLOSE)
        if not tag or message_tokens(actions) > room // 3:
            actions = ""
        left = room - message_tokens(actions) - TAGS
        writer = ending(self.writer.strip(), left - min(message_tokens(said), left * 2 // 3))
        rest = ending(said.strip(), left - message_tokens(writer))
        is_message = bool(tag) and self.foreman.startswith(_OPEN)
        return Turn(
            writer=writer or CUT, foreman=f"{_OPEN}\n{rest}\n{_CLOSE}{actions}" if is_message and rest else rest
        )


def turn_tokens(turn: Turn) -> int:
    return message_tokens(turn.writer) + message_tokens(turn.foreman)


class LayerNote(Value):
    """One layer of a prompt: its tokens, its budget, and why it is shortened or missing."""

    name: str
    tokens: int
    budget: int | None = None
    note: str = ""


class BlindSpot(Value):
    """Something about the book that this prompt leaves out."""

    what: str
    reason: str


class ForemanReceipt(Value):
    """What a model was told, and what was left out."""

    model: str
    tier: Tier
    tokens: int
    reserve: int
    layers: tuple[LayerNote, ...]
    blind_spots: tuple[BlindSpot, ...] = ()
    next_tier: tuple[str, ...] = Field((), description="what a model of the next tier would be told besides")
    facts: tuple[ToldFact, ...] = Field(
        (), description="the facts and decisions that it was told", exclude_if=lambda facts: not facts
    )


@dataclass(frozen=True, slots=True)
class PromptParts:
    """What a prompt is made of: its layers, the book's state and prose, and the turns that fit."""

    book: Book
    profile: ModelProfile
    tier: Tier
    layers: Mapping[str, str]
    state: SessionStateXml
    scene: ScenePassage | None
    passages: Sequence[ScenePassage]
    turns: Sequence[Turn]
    conversation: Sequence[Turn]
    message: str


def receipt_of(parts: PromptParts) -> ForemanReceipt:
    """The receipt of a prompt: the weight of every layer, and what was cut. `whole` adds what was left out."""
    tier, state, scene = parts.tier, parts.state, parts.scene
    budget = BUDGETS[tier]
    notes = [
        LayerNote(name=name, tokens=message_tokens(text), budget=getattr(budget, name, None))
        for name, text in parts.layers.items()
    ]
    notes.append(
        LayerNote(
            name="session_state",
            tokens=message_tokens(state.xml),
            budget=budget.session_state + state.apart,
            note=f"left out: {', '.join(state.left_out)}" if state.left_out else "",
        )
    )
    if scene:
        notes.append(
            LayerNote(
                name="manuscript",
                tokens=message_tokens(scene.xml()),
                budget=SCENE_TEXT[tier],
                note="" if scene.is_whole else f"{scene.file}, paragraphs {scene.span}",
            )
        )
    if parts.passages:
        notes.append(
            LayerNote(
                name="passages",
                tokens=sum(message_tokens(one.xml()) for one in parts.passages),
                budget=ELSEWHERE[tier],
                note="; ".join(f"{one.file}, paragraphs {one.span}" for one in parts.passages),
            )
        )
    told = sum(map(turn_tokens, parts.turns))
    note = _turns_left_out(parts.turns, parts.conversation)
    notes.append(LayerNote(name="conversation", tokens=told, budget=budget.conversation, note=note))
    notes.append(LayerNote(name="user_message", tokens=message_tokens(parts.message), budget=budget.user_message))
    spots = [_unseen(scene)] if scene and not scene.is_whole else []
    spots += _other_scenes(parts.book, len(parts.passages)) if scene else []
    spots += [
        BlindSpot(what=f"{one.key}: {one.value}", reason=f"only its beginning, in the {tier} tier") for one in state.cut
    ]
    return ForemanReceipt(
        model=parts.profile.id,
        tier=tier,
        tokens=sum(note.tokens for note in notes),
        reserve=budget.reserve,
        layers=tuple(notes),
        blind_spots=tuple(spots),
        next_tier=_added(parts.book, tier, state),
        facts=told_facts(state.told),
    )


def _turns_left_out(told: Sequence[Turn], conversation: Sequence[Turn]) -> str:
    dropped = len(conversation) - len(told)
    older = f"{dropped} older turns left out" if dropped else ""
    cut = "only the end of the last turn" if told and told[-1] != conversation[-1] else ""
    return "; ".join(filter(None, (older, cut)))


def _unseen(scene: ScenePassage) -> BlindSpot:
    return BlindSpot(
        what=f"{scene.file}: all but paragraphs {scene.span}", reason="the scene is longer than its budget"
    )


def _other_scenes(book: Book, told: int) -> list[BlindSpot]:
    others = book.scenes - 1
    what = f"manuscript: {others - told} of {others} other scenes"
    reason = "not among those that the message speaks of; the Foreman can read them"
    return [BlindSpot(what=what, reason=reason)] if others > told else []


def whole(receipt: ForemanReceipt, untold: Iterable[KnowledgeEntry]) -> ForemanReceipt:
    """A receipt with everything known that its prompt leaves out."""
    left_out = [_spot(one.key, one.value, one.category, one.source, one.distance, receipt.tier) for one in untold]
    return receipt.model_copy(update={"blind_spots": (*receipt.blind_spots, *left_out)})


def untold_of(known: Iterable[KnowledgeEntry], told: Iterable[KnowledgeEntry]) -> list[KnowledgeEntry]:
    """What is known and not told."""
    there = frozenset(told)
    keys = {one.key for one in there}
    return [one for one in known if one.key not in keys or one not in there]


@lru_cache(maxsize=8192)
def _spot(key: str, value: str, category: str, source: str, distance: float | None, tier: Tier) -> BlindSpot:
    named = f", {source}" if source else ""
    if distance is not None:
        return BlindSpot(what=value, reason=f"{distance:g} from the scene at hand, beyond the {tier} tier{named}")
    return BlindSpot(what=f"{key}: {value}", reason=f"{category}, beyond the {tier} tier{named}")


def _added(book: Book, tier: Tier, state: SessionStateXml) -> tuple[str, ...]:
    """What the next tier would include: decisions and whole sections."""
    larger = LARGER.get(tier)
    if larger is None:
        return ()
    more = session_state(book, larger, BUDGETS[larger].session_state)
    decisions = tuple(f"{one.key}: {one.value}" for one in more.told if one not in state.told)
    parts = {
        "medium": ("the process map in short", "the whole rules of the mode", "five turns of conversation"),
        "full": ("the whole process map", "excerpts of the voice bundle", "ten turns of conversation"),
    }[larger]
    return (*decisions, *parts)
