"""A line of assisted play: what a model is shown, and what is made of its answer.

The model is shown one script that is only ever added to. The engine sees to the form: one speaker, tags, length, one
question, no repetition. What is said, and what happens, is the model's affair; it is only offered the open sub-goal.
Everything here is derived from the scene, so a line can be inspected and requested again later.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from dramaturg.kernel.models.port import Message, ModelAnswer, ModelRequest
from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.kernel.prompts import Template
from dramaturg.kernel.text.escape import cleaned
from dramaturg.model_notes.likeness import likeness
from dramaturg.scenes.agent import PartContext, SceneUpdate
from dramaturg.scenes.answers.asides import read_aside
from dramaturg.scenes.director.evidence import fitting_speakers
from dramaturg.scenes.director.goals import Goal, walked_text
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.flaws import flaw_in, in_sentences
from dramaturg.scenes.line import Line
from dramaturg.scenes.question_keys import line_key
from dramaturg.scenes.response import NO_TONE, ParsedResponse, read_response
from dramaturg.scenes.turns import GoalOffer
from dramaturg.scenes.word_share import WALKED

LONGEST_LINE = 100
FIRST_TEMPERATURE, SECOND_TEMPERATURE = 0.7, 1.0
RECITED = 0.7
"""From which likeness on an answer only recites the script; a line may well have its words, being about it."""
MOST_WORDS_OF_A_GESTURE = 15
AGAIN = "/again"
"""How the key of a second try ends."""
_MANNER = re.compile(r"\s*\((?P<manner>[^()\n]{1,60})\)\s*[:：]?\s*(?P<words>.*)", re.DOTALL)
_BROKEN_MANNER = re.compile(r"\A\s*(?=[^()\n\"“”„:]{1,60}\)\s{0,3}:)")
_FORM = frozenset({"how it is said", "what is said", "tone", "manner"})
"""What the form says of itself; a model that copies it has said nothing about the tone."""
AskModel = Callable[[ModelRequest], Awaitable[ModelAnswer]]


@dataclass(frozen=True, slots=True)
class Assistance:
    """What assisted play needs besides the part: the templates, the head of the script, and what only this one knows.

    `helped` are those whose models are helped, by display name.
    """

    direction: Template
    next_line: Template
    head: str
    role: str
    about: str
    secrets: tuple[str, ...]
    helped: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AssistedLine:
    """One line before it is spoken. `offer` is the open sub-goal.

    `omitted` of the oldest lines are not in the script; `chat` for a model that does not continue texts.
    """

    role: PartContext
    given: Assistance
    update: SceneUpdate
    offer: GoalOffer | None
    chat: bool = False
    omitted: int = 0

    @property
    def me(self) -> str:
        return self.role.display_name

    @property
    def cast(self) -> tuple[str, ...]:
        return self.role.playbook.names

    @property
    def is_mine(self) -> bool:
        """Whether the open sub-goal is one that this character can reach."""
        return self.offer is not None and self.me in fitting_speakers(self.offer.goal, CastNames(self.cast))

    @property
    def is_due(self) -> bool:
        """Whether it is time for the sub-goal, and for this character to reach it."""
        return self.offer is not None and self.offer.due and self.is_mine

    @property
    def goal(self) -> Goal | None:
        """The sub-goal that this character is offered: first the others, then whoever must reach it."""
        return self.offer.goal if self.offer is not None and self.offer.due == self.is_mine else None

    @property
    def lore(self) -> tuple[str, ...]:
        """What the character knows about what it has heard, each on one line of the script."""
        return tuple(" ".join(cleaned(one.text).split()) for one in self.update.lore)

    @property
    def direction(self) -> str:
        """The end of the script: who speaks next, and what to know about them."""
        return self.given.direction.render(
            name=self.me,
            role=self.given.role,
            about=self.given.about,
            secrets=self.given.secrets,
            lore=self.lore,
            note=self.update.moderator_note or "",
            goal=self.goal.text if self.goal else "",
            due=self.is_due,
            chat=self.chat,
        ).rstrip()

    def requests(self) -> tuple[ModelRequest, ModelRequest]:
        """The first try and the second, which is warmer."""
        script = "\n".join((self.given.head, "", *written(self.update.heard)[self.omitted :], self.direction))
        first = FIRST_TEMPERATURE if self.role.temperature is None else self.role.temperature
        key = line_key(self.update.beat, self.role.name)
        asked = ModelRequest(key, "acting", "", (), LONGEST_LINE, first)
        if self.chat:
            asked = replace(asked, system=self.given.next_line.render(), messages=(Message("user", script.rstrip()),))
        else:
            asked = replace(asked, messages=(Message("assistant", script.rstrip()),), stop=("\n",))
        return asked, replace(asked, key=key + AGAIN, temperature=max(SECOND_TEMPERATURE, first))

    async def answered(self, ask: AskModel) -> tuple[ParsedResponse, tuple[str, ...], float | None]:
        """The model's line in form, else the moment walked through; what went wrong, and when the answer arrived."""
        warnings: list[str] = []
        arrived = None
        for request in self.requests():
            answer = await ask(request)
            arrived = answer.arrived_at
            parsed = self.shaped(answer.text, broken_off=answer.finish == "length")
            wrong = self.flaw(parsed)
            if not wrong:
                return parsed, tuple(warnings), arrived
            warnings.append(f"{wrong}: {parsed.content}" if parsed.content else wrong)
        return self.walked(), (*warnings, WALKED), arrived

    def shaped(self, raw: str, *, broken_off: bool = False) -> ParsedResponse:
        """An answer in form: a few sentences with one question, an addressee, nobody else's words."""
        raw = raw if self.chat else f"{self.me} ({raw.lstrip()}"
        parsed, _ = read_response(tagged(raw, self.me, self.cast), me=self.me, cast=self.cast)
        words = in_sentences(parsed.content, broken_off=broken_off)
        spoken = bool(words)
        named = CastNames(self.cast).resolve(parsed.target) if parsed.target else None
        addressee = (named if named != self.me else None) or (parsed.target if parsed.aside else None)
        return parsed.model_copy(
            update={
                "action": "speak" if spoken else "react" if parsed.nonverbal else "silent",
                "content": words,
                "nonverbal": None if spoken and self._recites(parsed.nonverbal or "") else parsed.nonverbal,
                "interrupt_after": None,
                "target": (addressee or self._listener()) if spoken else None,
                "aside": parsed.aside and spoken,
            }
        )

    def flaw(self, parsed: ParsedResponse) -> str:
        """What keeps an answer from being a line; empty if nothing does."""
        said = [line.content for line in self.update.heard if line.content]
        shown = parsed.content or parsed.nonverbal or ""
        if self._recites(shown):
            return "recites what it was told"
        if parsed.action == "speak":
            return flaw_in(parsed.content, self.me, self.cast, said)
        made = {line.nonverbal for line in self.update.heard}
        return "empty" if not shown or shown in made or len(shown.split()) > MOST_WORDS_OF_A_GESTURE else ""

    def walked(self) -> ParsedResponse:
        """The open sub-goal as a stage direction in its own words, by whoever can reach it; else silence."""
        if self.offer is None or not self.is_mine:
            return ParsedResponse(action="silent")
        act = walked_text(self.offer.goal, CastNames(self.cast))
        return ParsedResponse(action="react", tone=NO_TONE, nonverbal=act)

    def within(self, context_window: int) -> AssistedLine:
        """The line with a script that fits; the oldest lines go out in blocks, so that the rest stays as it was."""
        room = context_window - estimate_tokens(self.given.head) - 2 * LONGEST_LINE - estimate_tokens(self.direction)
        weights = [estimate_tokens(text) + 1 for text in written(self.update.heard)]
        first = 0
        while first < len(weights) and sum(weights[first:]) > room:
            first += max(1, self.role.window)
        return replace(self, omitted=first)

    def _recites(self, text: str) -> bool:
        return bool(text) and any(likeness(text, told) > RECITED for told in self._told())

    def _told(self) -> Iterator[str]:
        """What stands in the script besides the lines."""
        yield from (self.given.about, self.goal.text if self.goal else "", self.update.moderator_note or "")
        yield from self.lore
        yield from self.given.head.splitlines()

    def _listener(self) -> str | None:
        """Whom a line is for that says nothing of it: the last speaker, or the only other one there."""
        others = [name for name in self.update.present or self.cast if name != self.me]
        spoken = [line.speaker for line in self.update.heard if line.kind == "line" and line.speaker in others]
        return spoken[-1] if spoken else others[0] if len(others) == 1 else None


def tagged(raw: str, me: str, cast: tuple[str, ...]) -> str:
    """A line of a script, with what stands in front of its words as tags; any other text as it is."""
    names = "|".join(re.escape(form) for form in CastNames(cast).forms(me))
    label = re.search(rf"^[\W_]{{0,4}}(?:{names})[*_ ]{{0,3}}(?=[(:：])", raw, re.IGNORECASE | re.MULTILINE)
    text = raw[label.end() :].removeprefix(":") if label else _BROKEN_MANNER.sub("(", raw, count=1)
    found = _MANNER.fullmatch(text)
    if found is None:
        return text
    pieces = [piece.strip() for piece in found["manner"].split(",")]
    marks = [piece for piece in pieces if read_aside(piece) is not None]
    pieces = [piece for piece in pieces if piece not in marks]
    to = [piece[3:].strip() for piece in pieces if piece.casefold().startswith("to ")]
    manners = [piece for piece in pieces if not piece.casefold().startswith("to ") and piece.casefold() not in _FORM]
    tones = [piece for piece in manners if not CastNames(cast).resolve(piece)]
    tags = [*marks, *(f"TO: {name}" for name in to[:1]), *(f"TONE: {tone}" for tone in tones[:1])]
    return f"[{', '.join(tags)}] {found['words']}" if tags else found["words"]


def written(lines: Sequence[Line]) -> list[str]:
    """What has been played, as script."""
    return [text for line in lines if (text := _written(line))]


def _written(line: Line) -> str:
    """An entry of the transcript as the script has it; a word from the house is not part of it."""
    if line.kind == "system":
        return ""
    if line.kind in ("event", "direction"):
        return f"[{line.content}.]"
    if not line.content:
        return f"[{line.speaker} {line.nonverbal}.]" if line.nonverbal else ""
    manner = f" ({line.tone})" if line.tone and line.tone != NO_TONE else ""
    return f'{line.speaker}{manner}: "{line.content}"'
