"""The context sandwich: seven layers in, a request and its receipt out, for any model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dramaturg.kernel.errors import PromptError
from dramaturg.kernel.models.port import Message
from dramaturg.kernel.models.profiles import ModelProfile, Tier
from dramaturg.kernel.prompts.window import Window, message_tokens
from dramaturg.kernel.text.words import content
from dramaturg.workshop.book.book import Book
from dramaturg.workshop.book.knowledge import KnowledgeEntry
from dramaturg.workshop.foreman.actions import actions_offered
from dramaturg.workshop.foreman.budgets import BUDGETS, ELSEWHERE, LOOKED_UP, SCENE_TEXT, TierBudget
from dramaturg.workshop.foreman.prompt_files import PromptFiles
from dramaturg.workshop.foreman.receipt import ForemanReceipt, LayerNote, PromptParts, Turn, receipt_of, turn_tokens
from dramaturg.workshop.foreman.scene_passage import ScenePassage, scene_passage
from dramaturg.workshop.foreman.session_state import SessionStateXml, session_state

ELEMENT = 40
FEWEST_TOLD = 40
"""The room that is needed to tell the end of an exchange."""
UNSURE = ("low", "medium")
_PASSAGE = re.compile(r"\n\n(?=\[\d+\] )")


@dataclass(frozen=True, slots=True)
class AssembledPrompt:
    """The parts of a request, in the order in which they are sent."""

    system: str
    messages: tuple[Message, ...]
    receipt: ForemanReceipt
    max_tokens: int
    state: str = ""
    told: tuple[KnowledgeEntry, ...] = ()


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
    taken = sum(message_tokens(text) for text in layers.values()) + message_tokens(state.xml)
    brought = _brought(looked_up, LOOKED_UP[tier])
    said = message_tokens(message) + sum(message_tokens(f"{one.foreman}\n{one.writer}") for one in brought)
    scene = _scene_text(book, message, conversation, min(SCENE_TEXT[tier], _window(profile, budget) - taken - said))
    taken += message_tokens(scene.xml()) if scene else 0
    passages = _passages(book, message, min(ELSEWHERE[tier], _window(profile, budget) - taken - said))
    taken += sum(message_tokens(one.xml()) for one in passages)
    room = min(budget.conversation - max(0, said - budget.user_message), _window(profile, budget) - taken - said)
    if room < 0 and taken + said > _window(profile, budget):
        raise PromptError(
            f"The message is {said} tokens, and {profile.id} reads {profile.context_window} in all. "
            "Say it in parts, put the long text into a notebook, or ask a model that reads more.",
            tokens=said,
            budget=profile.context_window,
        )
    turns = _window_of(conversation, budget.turns, max(0, room))
    receipt = receipt_of(PromptParts(book, profile, tier, layers, state, scene, passages, turns, conversation, message))
    prompt = _in_order(profile, layers, _dynamic(state, scene, passages), turns, message, receipt, budget.reserve)
    prompt = replace(prompt, told=state.told)
    if not brought:
        return prompt
    more = [part for one in brought for part in (Message("assistant", one.foreman), Message("user", one.writer))]
    tokens = said - message_tokens(message)
    note = LayerNote(name="looked_up", tokens=tokens, budget=LOOKED_UP[tier])
    receipt = receipt.model_copy(update={"layers": (*receipt.layers, note), "tokens": receipt.tokens + tokens})
    return replace(prompt, messages=(*prompt.messages, *more), receipt=receipt)


def _scene_text(book: Book, message: str, conversation: Sequence[Turn], room: int) -> ScenePassage | None:
    """The prose that is worked on, around what was said. A little room is left for the element around it."""
    if not book.prose:
        return None
    last = conversation[-1].writer if conversation else ""
    found = scene_passage(book.active.file, book.prose, message, room - ELEMENT)
    return found if not last or content(message) else scene_passage(book.active.file, book.prose, last, room - ELEMENT)


def _passages(book: Book, message: str, room: int) -> tuple[ScenePassage, ...]:
    """What the message speaks of in other scenes, each with an equal share of the room."""
    share = room // max(1, len(book.spoken_of)) - ELEMENT
    found = (scene_passage(one.file, one.text, message, share) for one in book.spoken_of)
    return tuple(one for one in found if one is not None)


def _dynamic(state: SessionStateXml, scene: ScenePassage | None, passages: Sequence[ScenePassage]) -> str:
    return "\n\n".join([state.xml, *(one.xml() for one in (scene, *passages) if one is not None)])


def _brought(looked_up: Sequence[Turn], room: int) -> tuple[Turn, ...]:
    """The passages of notebooks that fit a budget, best first, with a note of how many were left out."""
    kept = []
    for one in looked_up:
        *passages, last = _PASSAGE.split(one.writer)
        head, _, rest = last.rpartition("\n\n")
        passages.append(head)
        fitting: list[str] = []
        for passage in passages:
            room -= message_tokens(passage)
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
    rules = prompts.mode_rules(book, tier, actions_offered(book))
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
        tokens, limit = message_tokens(layers.get(name, "")), getattr(budget, name)
        if tokens > limit:
            raise PromptError(
                f"The prompt layer '{name}' is {tokens} tokens; its budget is {limit}. Shorten it, or give it a "
                "section '## In short' for models that read less.",
                layer=name,
                tokens=tokens,
                budget=limit,
            )


def _window_of(conversation: Sequence[Turn], most: int, room: int) -> tuple[Turn, ...]:
    """The newest turns that fit, up to a limit; the oldest are dropped first. Of the last, at least its end is told."""
    fitting = tuple(Window(most=most).newest(conversation, room, turn_tokens))
    if fitting or not conversation or room < FEWEST_TOLD:
        return fitting
    return (conversation[-1].ending(room),)


def _in_order(
    profile: ModelProfile,
    layers: Mapping[str, str],
    state: str,
    turns: Sequence[Turn],
    message: str,
    receipt: ForemanReceipt,
    reserve: int,
) -> AssembledPrompt:
    """For a model that caches prefixes, the static layers come first and the state last; otherwise in layer order."""
    told = [part for turn in turns for part in _messages(turn)]
    if profile.prefix_caching != "none":
        system = "\n\n".join(layers.values())
        messages = (*told, Message("user", f"{state}\n\n{message}"))
    else:
        before = [layers[name] for name in ("identity", "process_map", "mode_rules", "guardrails") if name in layers]
        after = [layers[name] for name in ("protocols", "reinforcement", "gemini") if name in layers]
        system = "\n\n".join([*before, state, *after])
        messages = (*told, Message("user", message))
    most = min(reserve, profile.max_output_tokens)
    return AssembledPrompt(system, messages, receipt, most, state)


def _messages(turn: Turn) -> tuple[Message, ...]:
    answered = (Message("assistant", turn.foreman),) if turn.foreman else ()
    return (Message("user", turn.writer), *answered)
