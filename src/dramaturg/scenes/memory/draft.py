"""A line as one character remembers it: which kind of memory it is, how much it matters, and in which words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from dramaturg.kernel.text.words import words
from dramaturg.scenes.events import CastMember
from dramaturg.scenes.line import Line
from dramaturg.scenes.memories import MemoryKind
from dramaturg.scenes.memory.signs import Imprint, SpeechAct, acts_in, acts_named, feeling_of

LONGEST_QUOTE = 220
FEWEST_WORDS = 4
FELT = 0.08
"""The change of mood from which a line is remembered as felt."""
PLAIN, HAPPENED, CUT = 0.25, 0.2, 0.5
_COMING = re.compile(r"(?:enters|leaves|is called away|comes back)$")


@dataclass(frozen=True)
class WitnessedLine:
    """A line as `me` heard it, and its place in the log.

    `cuts` is whom it cut off, `met` the sub-goals that its words were found to meet.
    """

    line: Line
    at: float
    mark: str
    me: CastMember
    cast: Sequence[CastMember]
    unsaid: str = ""
    cuts: str = ""
    met: tuple[str, ...] = ()

    @cached_property
    def is_mine(self) -> bool:
        return self.line.speaker == self.me.display_name

    @cached_property
    def acts(self) -> tuple[SpeechAct, ...]:
        """The speech acts in the line, the most important first."""
        if self.is_foreign:
            return ()
        named = [act for goal in self.met for act in acts_named(goal, self.line.speaker)]
        found = {act.name: act for act in (*acts_in(self.line.content), *named)}
        return tuple(sorted(found.values(), key=lambda act: (-act.importance, act.name)))

    @property
    def is_foreign(self) -> bool:
        return self.me.display_name in self.line.foreign_to

    @cached_property
    def speaker(self) -> CastMember | None:
        return self._by_name(self.line.speaker)

    @cached_property
    def target(self) -> CastMember | None:
        """Whom the line is said to: the one it is addressed to, the only other one there, the one it names."""
        line = self.line
        if line.kind != "line":
            return None
        if line.target or self.cuts:
            return self._by_name(line.target or self.cuts)
        others = [m for m in self.cast if m.display_name not in (line.speaker, *line.unheard_by)]
        if len(others) == 1:
            return others[0]
        said = words(line.content)
        named = [m for m in others if set(words(m.display_name)) & set(said)]
        return named[0] if len(named) == 1 else None

    @cached_property
    def is_to_me(self) -> bool:
        return self.target == self.me and not self.is_mine

    @property
    def other(self) -> CastMember | None:
        """The other party, if the line is between me and somebody."""
        return self.target if self.is_mine else self.speaker if self.is_to_me else None

    @property
    def cut_by(self) -> CastMember | None:
        """Who cut me off."""
        return self._by_name(self.line.cut_by) if self.is_mine and self.line.cut_by else None

    def about(self) -> tuple[str, ...]:
        """The names on stage of the others it concerns."""
        said = set(words(self.line.content))
        concerned = [
            m
            for m in self.cast
            if m != self.me
            and (
                m in (self.speaker, self.target, self.cut_by)
                or (not self.is_foreign and set(words(m.display_name)) & said)
            )
        ]
        return tuple(member.display_name for member in concerned)

    def quote(self) -> str:
        """The words, shortened to what one remembers."""
        text = " ".join(self.line.content.split())
        return f"“{text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE].rsplit(' ', 1)[0] + ' …'}”"

    def cause(self) -> str:
        """What the line did, in a few words."""
        if self.cut_by is not None:
            return f"{self.cut_by.display_name} cut you off"
        speaker = "you" if self.is_mine else self.line.speaker
        if self.acts:
            return self._filled(self.acts[0].cause, speaker=speaker)
        tone = f", {self.line.tone}" if self.line.tone else ""
        return f"{speaker} spoke to {self.to()}{tone}"

    def told(self, act: SpeechAct) -> str:
        return self._filled(act.mine if self.is_mine else act.theirs, speaker=self.line.speaker)

    def to(self) -> str:
        target = self.target
        return "you" if self.is_to_me else target.display_name if target else "everybody"

    def _filled(self, pattern: str, speaker: str) -> str:
        parts = {"speaker": speaker, "target": self.to(), "quote": self.quote()}
        return re.sub(r"\{(\w+)\}", lambda found: parts[found[1]], pattern)

    def _by_name(self, name: str | None) -> CastMember | None:
        wanted = (name or "").casefold()
        found = (m for m in self.cast if wanted and wanted in (m.display_name.casefold(), m.name.casefold()))
        return next(found, None)


@dataclass(frozen=True, slots=True)
class MemoryDraft:
    """A memory without its place."""

    text: str
    kind: MemoryKind
    importance: float
    quote: str = ""


def draft_memory(heard: WitnessedLine, imprint: Imprint) -> MemoryDraft | None:
    """How a line is remembered; None if it is not."""
    line = heard.line
    if line.kind == "event":
        return (
            None if _COMING.search(line.content) else MemoryDraft(f"{line.content.rstrip('.')}.", "learned", HAPPENED)
        )
    if heard.is_foreign or not line.content:
        return None
    if heard.is_mine:
        return _own(heard)
    importance = max([PLAIN, *(act.importance for act in heard.acts)]) + _weight(heard)
    text, kind = _others(heard, imprint)
    if kind == "heard" and len(words(line.content)) < FEWEST_WORDS:
        return None
    return MemoryDraft(text, kind, round(min(1.0, importance), 3), line.content)


def _own(heard: WitnessedLine) -> MemoryDraft | None:
    """Of its own lines a character keeps those that did something, and those it could not finish."""
    line, acts = heard.line, heard.acts
    if acts:
        kind: MemoryKind = "promised" if acts[0].kind == "promised" else "felt"
        return MemoryDraft(heard.told(acts[0]), kind, acts[0].importance, line.content)
    if heard.cut_by is not None:
        rest = f" You never got to say: “{' '.join(heard.unsaid.split())}”" if heard.unsaid else ""
        return MemoryDraft(
            f"{heard.cut_by.display_name} cut you off at {heard.quote()}.{rest}", "felt", CUT, line.content
        )
    if line.aside:
        return MemoryDraft(f"You told {heard.to()} alone: {heard.quote()}", "felt", CUT, line.content)
    if heard.met:
        return MemoryDraft(f"You said to {heard.to()}: {heard.quote()}", "felt", CUT, line.content)
    return None


def _others(heard: WitnessedLine, imprint: Imprint) -> tuple[str, MemoryKind]:
    speaker, acts = heard.line.speaker, heard.acts
    if heard.line.aside:
        kind: MemoryKind = acts[0].kind if acts and acts[0].kind == "promised" else "learned"
        return f"{speaker} told you alone: {heard.quote()}", kind
    if acts:
        kind = acts[0].kind if heard.is_to_me or acts[0].kind in ("learned", "promised") else "heard"
        return heard.told(acts[0]), kind
    if heard.met:
        return f"{speaker} said to {heard.to()}: {heard.quote()}", "learned"
    if imprint.valence <= -FELT:
        return f"It stung when {speaker} said to you: {heard.quote()}", "felt"
    if imprint.valence >= FELT:
        return f"It did you good when {speaker} said to you: {heard.quote()}", "felt"
    return f"{speaker} said to {heard.to()}: {heard.quote()}", "heard"


def _weight(heard: WitnessedLine) -> float:
    """What makes a line matter more: said to me, to me alone, with feeling, or what the scene was about."""
    feeling = feeling_of(heard.line.tone)
    weight = 0.1 * heard.is_to_me + 0.2 * heard.line.aside + 0.2 * bool(heard.met)
    return weight + 0.1 * max(abs(feeling.valence), abs(feeling.regard))
