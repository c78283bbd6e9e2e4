"""The context sandwich: seven layers in, a request and its receipt out, for any model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import Field

from dramaturg.kernel.errors import PromptError
from dramaturg.kernel.models.port import Message
from dramaturg.kernel.models.profiles import ModelProfile, Tier
from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.kernel.prompts.window import Window, message_tokens
from dramaturg.kernel.values import Value
from dramaturg.workshop.book.book import Book
from dramaturg.workshop.foreman.prompt_files import PromptFiles
from dramaturg.workshop.foreman.session_state import SessionStateXml, session_state


class TierBudget(Value):
    """The token budget of each layer, and how many turns are included."""

    identity: int
    process_map: int
    mode_rules: int
    session_state: int
    protocols: int
    conversation: int
    user_message: int
    reserve: int
    turns: int

    @property
    def input(self) -> int:
        parts = (self.identity, self.process_map, self.mode_rules, self.session_state, self.protocols)
        return sum(parts) + self.conversation + self.user_message


BUDGETS: Mapping[Tier, TierBudget] = {
    "full": TierBudget(
        identity=500, process_map=1000, mode_rules=800, session_state=800, protocols=800,
        conversation=4000, user_message=500, reserve=4000, turns=10,
    ),
    "medium": TierBudget(
        identity=500, process_map=400, mode_rules=600, session_state=400, protocols=600,
        conversation=2000, user_message=500, reserve=2000, turns=5,
    ),
    "minimal": TierBudget(
        identity=200, process_map=0, mode_rules=300, session_state=150, protocols=200,
        conversation=500, user_message=500, reserve=1000, turns=2,
    ),
}  # fmt: skip
LOOKED_UP: Mapping[Tier, int] = {"full": 2000, "medium": 1000, "minimal": 400}
"""The token budget for what notebooks brought in a turn, on top of the other layers."""
LARGER: Mapping[Tier, Tier] = {"minimal": "medium", "medium": "full"}
UNSURE = ("low", "medium")
_PASSAGE = re.compile(r"\n\n(?=\[\d+\] )")


class Turn(Value):
    """What the writer said and what the Foreman answered."""

    writer: str
    foreman: str = ""


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


@dataclass(frozen=True, slots=True)
class AssembledPrompt:
    """The parts of a request, in the order in which they are sent."""

    system: str
    messages: tuple[Message, ...]
    receipt: ForemanReceipt
    max_tokens: int
    state: str = ""


def assemble_prompt(
    book: Book,
    profile: ModelProfile,
    prompts: PromptFiles,
    conversation: Sequence[Turn],
    message: str,
    looked_up: Sequence[Turn] = (),
) -> AssembledPrompt:
    """The seven layers for one model. The writer's message is never cut: raises PromptError if it does not fit.

    `looked_up` are the answers of this turn that queried a notebook, each with its result, as if sent by the writer.
    """
    tier = tier_of(profile)
    budget = BUDGETS[tier]
    state = session_state(book, tier, budget.session_state)
    layers = _static_layers(book, profile, prompts, tier)
    _check(layers, budget, prompts)
    taken = sum(estimate_tokens(text) for text in layers.values()) + estimate_tokens(state.xml)
    brought = _brought(looked_up, LOOKED_UP[tier])
    said = estimate_tokens(message) + sum(estimate_tokens(f"{one.foreman}\n{one.writer}") for one in brought)
    room = min(budget.conversation - max(0, said - budget.user_message), _window(profile, budget) - taken - said)
    if room < 0 and taken + said > _window(profile, budget):
        raise PromptError(
            f"The message is {said} tokens, and {profile.id} reads {profile.context_window} in all. "
            "Say it in parts, put the long text into a notebook, or ask a model that reads more.",
            tokens=said,
            budget=profile.context_window,
        )
    turns = _window_of(conversation, budget.turns, max(0, room))
    receipt = _receipt(book, profile, tier, layers, state, turns, conversation, message)
    prompt = _in_order(profile, layers, state, turns, message, receipt, budget.reserve)
    if not brought:
        return prompt
    more = [part for one in brought for part in (Message("assistant", one.foreman), Message("user", one.writer))]
    tokens = said - estimate_tokens(message)
    note = LayerNote(name="looked_up", tokens=tokens, budget=LOOKED_UP[tier])
    receipt = receipt.model_copy(update={"layers": (*receipt.layers, note), "tokens": receipt.tokens + tokens})
    return replace(prompt, messages=(*prompt.messages, *more), receipt=receipt)


def _brought(looked_up: Sequence[Turn], room: int) -> tuple[Turn, ...]:
    """The passages of notebooks that fit a budget, best first, with a note of how many were left out."""
    kept = []
    for one in looked_up:
        *passages, last = _PASSAGE.split(one.writer)
        head, _, rest = last.rpartition("\n\n")
        passages.append(head)
        fitting: list[str] = []
        for passage in passages:
            room -= estimate_tokens(passage)
            if room < 0 and fitting:
                break
            fitting.append(passage)
        left = len(passages) - len(fitting)
        said = [*fitting, f"({left} more passages did not fit.)"] if left else fitting
        kept.append(one.model_copy(update={"writer": "\n\n".join([*said, rest])}))
    return tuple(kept)


def tier_of(profile: ModelProfile) -> Tier:
    """The profile's tier, or a smaller one if the model's window cannot hold it."""
    tier = profile.tier
    while tier != "minimal" and BUDGETS[tier].input + BUDGETS[tier].reserve > profile.context_window:
        tier = "medium" if tier == "full" else "minimal"
    return tier


def _window(profile: ModelProfile, budget: TierBudget) -> int:
    return profile.context_window - min(budget.reserve, profile.max_output_tokens)


def _static_layers(book: Book, profile: ModelProfile, prompts: PromptFiles, tier: Tier) -> dict[str, str]:
    rules = prompts.mode_rules(book.mode, tier)
    guardrails = prompts.guardrails(book.mode, tier)
    layers = {
        "identity": prompts.identity(tier),
        "process_map": prompts.process_map(tier),
        "mode_rules": rules,
        "guardrails": guardrails,
        "protocols": prompts.protocols(tier),
    }
    if profile.xml_reliability in UNSURE:
        layers["reinforcement"] = prompts.reinforcement()
    if "gemini" in profile.id.lower():
        layers["gemini"] = prompts.gemini()
    return {name: text for name, text in layers.items() if text}


def _check(layers: Mapping[str, str], budget: TierBudget, prompts: PromptFiles) -> None:
    """Raises PromptError for a layer of the project's own that is too long; nothing is cut silently."""
    for name in ("identity", "process_map", "mode_rules", "protocols"):
        tokens, limit = estimate_tokens(layers.get(name, "")), getattr(budget, name)
        if tokens > limit:
            raise PromptError(
                f"The prompt layer '{name}' is {tokens} tokens; its budget is {limit}. Shorten it, or give it a "
                "section '## In short' for models that read less.",
                layer=name,
                tokens=tokens,
                budget=limit,
            )


def _window_of(conversation: Sequence[Turn], most: int, room: int) -> tuple[Turn, ...]:
    """The newest turns that fit, up to a limit; the oldest are dropped first."""
    return tuple(Window(most=most).newest(conversation, room, _turn_tokens))


def _turn_tokens(turn: Turn) -> int:
    return message_tokens(turn.writer) + message_tokens(turn.foreman)


def _in_order(
    profile: ModelProfile,
    layers: Mapping[str, str],
    state: SessionStateXml,
    turns: Sequence[Turn],
    message: str,
    receipt: ForemanReceipt,
    reserve: int,
) -> AssembledPrompt:
    """For a model that caches prefixes, the static layers come first and the state last; otherwise in layer order."""
    told = [part for turn in turns for part in _messages(turn)]
    if profile.prefix_caching != "none":
        system = "\n\n".join(layers.values())
        messages = (*told, Message("user", f"{state.xml}\n\n{message}"))
    else:
        before = [layers[name] for name in ("identity", "process_map", "mode_rules", "guardrails") if name in layers]
        after = [layers[name] for name in ("protocols", "reinforcement", "gemini") if name in layers]
        system = "\n\n".join([*before, state.xml, *after])
        messages = (*told, Message("user", message))
    most = min(reserve, profile.max_output_tokens)
    return AssembledPrompt(system, messages, receipt, most, state.xml)


def _messages(turn: Turn) -> tuple[Message, ...]:
    answered = (Message("assistant", turn.foreman),) if turn.foreman else ()
    return (Message("user", turn.writer), *answered)


def _receipt(
    book: Book,
    profile: ModelProfile,
    tier: Tier,
    layers: Mapping[str, str],
    state: SessionStateXml,
    turns: Sequence[Turn],
    conversation: Sequence[Turn],
    message: str,
) -> ForemanReceipt:
    budget = BUDGETS[tier]
    notes = [
        LayerNote(name=name, tokens=estimate_tokens(text), budget=getattr(budget, name, None))
        for name, text in layers.items()
    ]
    notes.append(
        LayerNote(
            name="session_state",
            tokens=estimate_tokens(state.xml),
            budget=budget.session_state + state.apart,
            note=f"left out: {', '.join(state.left_out)}" if state.left_out else "",
        )
    )
    told = sum(map(_turn_tokens, turns))
    dropped = len(conversation) - len(turns)
    notes.append(
        LayerNote(
            name="conversation",
            tokens=told,
            budget=budget.conversation,
            note=f"{dropped} older turns left out" if dropped else "",
        )
    )
    notes.append(LayerNote(name="user_message", tokens=estimate_tokens(message), budget=budget.user_message))
    spots = tuple(
        BlindSpot(what=f"{one.key}: {one.value}", reason=f"{one.category}, beyond the {tier} tier")
        for one in state.untold
    )
    return ForemanReceipt(
        model=profile.id,
        tier=tier,
        tokens=sum(note.tokens for note in notes),
        reserve=budget.reserve,
        layers=tuple(notes),
        blind_spots=spots,
        next_tier=_added(book, tier, state),
    )


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
