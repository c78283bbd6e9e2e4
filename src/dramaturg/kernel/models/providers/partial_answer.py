"""An answer that is still arriving: pieces are collected and cut at stop sequences the provider does not support."""

from __future__ import annotations

from dataclasses import dataclass, field

from dramaturg.kernel.models.port import Finish, ModelAnswer, ModelRequest, Usage
from dramaturg.kernel.models.profiles import ModelProfile
from dramaturg.kernel.models.tokens import estimate_request, estimate_tokens

# Where thinking cannot be turned off, its tokens count against max_tokens; this much is added for them.
THINKING_ROOM = 4096
MOST_TOKENS = 1_000_000_000
"""More than any request can use."""


@dataclass(slots=True)
class PartialAnswer:
    """The text received so far. `cuts` are the stop sequences enforced on this side; `block` is what is received now.

    An answer is `done` when its end was told, and `closed` when nothing behind it counts, not even the usage.
    """

    request: ModelRequest
    name: str
    cuts: tuple[str, ...] = ()
    done: bool = False
    closed: bool = False
    block: str = ""
    finish: Finish = "stop"
    usage: Usage | None = None
    _choice: int | None = None
    _said: list[str] = field(default_factory=list)
    _held: str = ""
    _cut: bool = False

    def is_choice(self, index: object) -> bool:
        """Whether a choice is the one that this answer is made of: that whose number came first."""
        number = index if isinstance(index, int) else None
        if self._choice is None:
            self._choice = number
        return number is None or number == self._choice

    def add(self, piece: str) -> str:
        """Adds a piece and returns what may be shown now. Text that may begin a stop sequence is held back, and what a
        provider says in place of an answer is not shown.
        """
        if self._cut or not piece:
            return ""
        if not self.cuts:
            return self._release(piece)
        text = self._held + piece
        # As providers do it: the first sequence to be complete ends the text, at the point where it began.
        found = [(at + len(cut), at) for cut in self.cuts if (at := text.find(cut)) >= 0]
        if found:
            self.end("stop")
            self._cut, self._held = True, ""
            return self._release(text[: min(found)[1]])
        keep = max(_overlap(text, cut) for cut in self.cuts)
        self._held = text[len(text) - keep :]
        return self._release(text[: len(text) - keep])

    def end(self, finish: Finish) -> None:
        """Takes why the answer ended. A refusal and a stop sequence stand, whatever else is told after them."""
        if self.finish != "refusal" and not self._cut:
            self.finish = finish

    def flush(self) -> str:
        """Returns what was held back and turned out to be text."""
        held, self._held = self._held, ""
        return self._release(held)

    def to_answer(self, arrived_at: float) -> ModelAnswer:
        """The complete answer; usage is estimated if the provider did not report it, or reported the impossible, such
        as words without tokens.
        """
        text = "".join(self._said)
        usage = self.usage
        if usage is None or not _is_possible(usage) or (text and not usage.output_tokens):
            usage = Usage(
                input_tokens=estimate_request(self.request), output_tokens=estimate_tokens(text), reported=False
            )
        return ModelAnswer(text=text, model=self.name, usage=usage, finish=self.finish, arrived_at=arrived_at)

    def _release(self, text: str) -> str:
        if text:
            self._said.append(text)
        return "" if self.finish == "refusal" else text


def room_for(request: ModelRequest, profile: ModelProfile) -> int:
    """The `max_tokens` to send: the request's own, plus room for thinking where that cannot be turned off."""
    if profile.thinking != "always":
        return request.max_tokens
    return max(request.max_tokens, min(request.max_tokens + THINKING_ROOM, profile.max_output_tokens))


def _is_possible(usage: Usage) -> bool:
    cached = (usage.cache_read_tokens, usage.cache_write_tokens)
    counts = (usage.input_tokens, usage.output_tokens, *cached)
    return all(0 <= count <= MOST_TOKENS for count in counts) and sum(cached) <= usage.input_tokens


def _overlap(text: str, cut: str) -> int:
    """The number of characters at the end of `text` that begin `cut`."""
    for size in range(min(len(text), len(cut) - 1), 0, -1):
        if cut.startswith(text[len(text) - size :]):
            return size
    return 0
