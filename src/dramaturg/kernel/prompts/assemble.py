"""Layers and a budget in, a prompt and its receipt out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import sha256

from dramaturg.kernel.errors import PromptError
from dramaturg.kernel.prompts.layers import Layer, LayerReceipt, Prompt, Receipt

Count = Callable[[str], int]

LEFT_OUT = -1


def assemble(layers: Sequence[Layer], budget_tokens: int, *, count: Count | None = None, joint: str = "\n\n") -> Prompt:
    """The layers in their order, within the budget.

    Required layers get their tokens first, those with entries as few as they allow; then, by priority, come the
    optional layers that fit and as many more of the newest entries as fit. At equal priority a whole layer goes before
    more entries. Raises PromptError if the required layers do not fit, or if nothing is left.
    """
    _check(layers, budget_tokens)
    count = count or _estimate()
    counter = _TokenCounter(count, joint)
    room = budget_tokens
    while True:
        kept, left = _allocate(layers, room, budget_tokens, counter)
        going = tuple(layer.newest(kept[layer.name]) for layer in layers if kept[layer.name] != LEFT_OUT)
        text = joint.join(str(layer) for layer in going)
        tokens = _tokens_of(text, count)
        if tokens <= budget_tokens or not going:
            break
        room -= left + 1  # the whole counts more tokens than its parts: allocate again, with less
    if not text.strip():
        raise PromptError(
            f"Nothing is left of the prompt: no layer ({_names(layers)}) fits {budget_tokens} tokens.",
            budget=budget_tokens,
        )
    lines = tuple(_receipt_of(layer, kept[layer.name], counter) for layer in layers)
    return Prompt(text=text, layers=going, receipt=Receipt(layers=lines, tokens=tokens, budget=budget_tokens))


class _TokenCounter:
    """Counts the tokens of layers piece by piece; each piece is counted only once."""

    def __init__(self, count: Count, joint: str) -> None:
        self.count = count
        self.joint = _tokens_of(joint, count)

    def tokens(self, layer: Layer, kept: int) -> int:
        """The tokens of a layer with its newest `kept` entries and of the joint before it."""
        entries = (layer.entries or ())[layer.whole - kept :]
        joints = len(entries) - (0 if layer.text else 1) if entries else 0
        return (
            self.joint
            + (_tokens_of(layer.text, self.count) if layer.text else 0)
            + sum(_tokens_of(entry, self.count) for entry in entries)
            + joints * _tokens_of(layer.joint, self.count)
        )

    def grow(self, layer: Layer, kept: int, room: int) -> int:
        """How many entries a layer keeps if it may take `room` more tokens."""
        entries = layer.entries or ()
        joint = _tokens_of(layer.joint, self.count)
        while kept < layer.whole:
            room -= _tokens_of(entries[-kept - 1], self.count) + joint
            if room < 0:
                break
            kept += 1
        return kept


@lru_cache(maxsize=8192)
def _tokens_of(text: str, count: Count) -> int:
    return count(text)


@lru_cache(maxsize=1)
def _estimate() -> Count:
    from dramaturg.kernel.models.tokens import estimate_tokens

    return estimate_tokens


def _allocate(layers: Sequence[Layer], room: int, budget: int, counter: _TokenCounter) -> tuple[dict[str, int], int]:
    """For each layer the number of entries it keeps (0 if it has none) or LEFT_OUT, and the tokens left over."""
    kept = {layer.name: LEFT_OUT for layer in layers}
    needed = [layer for layer in layers if layer.required and not layer.is_empty]
    room += counter.joint  # every layer is counted with the joint before it, and the first has none
    for layer in needed:
        _check_limit(layer, counter)
        kept[layer.name] = layer.least
        room -= counter.tokens(layer, layer.least)
    if needed and room < 0:
        raise _too_long(needed, budget, counter)
    places = {layer.name: (-layer.priority, layer.whole > 0, place) for place, layer in enumerate(layers)}
    for layer in sorted(layers, key=lambda one: places[one.name]):
        if not layer.is_empty:
            room = _extend(layer, kept, room, counter)
    return kept, room


def _extend(layer: Layer, kept: dict[str, int], room: int, counter: _TokenCounter) -> int:
    """Adds a layer, or more of its entries, as far as the room allows; returns the room that remains."""
    included = kept[layer.name] != LEFT_OUT
    least = kept[layer.name] if included else layer.least
    weight = counter.tokens(layer, least)
    free = room if included else room - weight
    own = free if layer.max_tokens is None else layer.max_tokens + counter.joint - weight
    if min(free, own) < 0:
        return room
    kept[layer.name] = counter.grow(layer, least, min(free, own))
    return free - (counter.tokens(layer, kept[layer.name]) - weight)


def _receipt_of(layer: Layer, kept: int, counter: _TokenCounter) -> LayerReceipt:
    wanted = 0 if layer.is_empty else counter.tokens(layer, layer.whole) - counter.joint
    if kept == LEFT_OUT:
        tokens, fate, dropped = 0, "left out", layer.whole
        limit = layer.max_tokens is not None and wanted > layer.max_tokens
        reason = "empty" if layer.is_empty else "over its own limit" if limit else "over the budget"
        text = str(layer)
    else:
        dropped = layer.whole - kept
        tokens = counter.tokens(layer, kept) - counter.joint
        fate, reason = ("trimmed", f"{dropped} oldest of {layer.whole} entries left out") if dropped else ("whole", "")
        text = str(layer.newest(kept))
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return LayerReceipt.model_validate(
        {"name": layer.name, "fate": fate, "sha256": digest, "tokens": tokens}
        | {"wanted": wanted, "dropped_entries": dropped, "reason": reason}
    )


def _check(layers: Sequence[Layer], budget: int) -> None:
    if budget < 1:
        raise PromptError(f"A prompt cannot be made in {budget} tokens.", budget=budget)
    twice = [name for name, times in Counter(layer.name for layer in layers).items() if times > 1]
    if twice:
        raise PromptError(f"Two layers are called '{twice[0]}'. Give each a name of its own.", layer=twice[0])
    for layer in layers:
        if layer.required and layer.is_empty and layer.entries is None:
            raise PromptError(f"The required layer '{layer.name}' is empty.", layer=layer.name)


def _check_limit(layer: Layer, counter: _TokenCounter) -> None:
    tokens = counter.tokens(layer, layer.least) - counter.joint
    if layer.max_tokens is not None and tokens > layer.max_tokens:
        raise PromptError(
            f"The layer '{layer.name}' needs {tokens} tokens; its limit is {layer.max_tokens}. Shorten it.",
            layer=layer.name,
            tokens=tokens,
            budget=layer.max_tokens,
        )


def _too_long(required: Sequence[Layer], budget: int, counter: _TokenCounter) -> PromptError:
    tokens = {layer.name: counter.tokens(layer, layer.least) - counter.joint for layer in required}
    longest = max(tokens, key=lambda name: tokens[name])
    listed = ", ".join(f"{name} {tokens}" for name, tokens in tokens.items())
    return PromptError(
        f"The prompt does not fit: the layer '{longest}' needs {tokens[longest]} tokens and the budget is "
        f"{budget} (required: {listed}). Shorten it, or play with a model that reads more.",
        layer=longest,
        tokens=tokens[longest],
        budget=budget,
    )


def _names(layers: Sequence[Layer]) -> str:
    return ", ".join(layer.name for layer in layers) or "there are none"
