"""A line of assisted play before it is spoken: what the rehearsal plan decided, and what a model is asked for it.

Everything here is derived from the scene and the plan, so a line can be inspected and requested again later.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from dramaturg.kernel.models.port import Message, ModelAnswer, ModelRequest
from dramaturg.kernel.models.rehearsal.part import Part
from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.kernel.prompts import Template
from dramaturg.scenes.agent import PartContext, SceneUpdate, heard
from dramaturg.scenes.events import LinePlan
from dramaturg.scenes.flaws import flaw_in, in_sentences, words_in
from dramaturg.scenes.line import Line
from dramaturg.scenes.rehearsal.answers import GoalFinding, deliver, findings, response_text
from dramaturg.scenes.rehearsal.beats import BeatDelivery, hint_of, plan_beat, progress_of
from dramaturg.scenes.rehearsal.playbook import HeardLine

LONGEST_LINE = 80
FIRST_TEMPERATURE, SECOND_TEMPERATURE = 0.7, 1.0
MANNER_LINES, MANNER_WORDS = 2, 30
ANY_WORDS = "…"
LONGEST_WAY_IN = 7
REPLACED = "the rehearsal company's line was taken"
"""The last warning of a line for which the model found no words that would do."""
WALKED = "it was walked through"
"""The same for a line for which nobody has written any."""
AGAIN = "/again"
"""How the key of a second try ends."""
# Put into somebody's mouth, "I'm sorry" is easily followed by "but I don't see why".
_TAKEN_BACK = re.compile(r"\b(?:not|no|never|nothing|but|why|if)\b|n['’]t\b", re.IGNORECASE)
_WAY_IN = re.compile(r"[^.!?…,;:—]+[.!?…,;:—]+")
AskModel = Callable[[ModelRequest], Awaitable[ModelAnswer]]


@dataclass(frozen=True, slots=True)
class Assistance:
    """What assisted play needs besides the part: the templates, and who else plays by the plan."""

    direction: Template
    next_line: Template
    company: frozenset[str]


@dataclass(frozen=True, slots=True)
class PlannedLine:
    """One line, planned: `mine` is what the plan has me do, `lines` what comes before it, `is_cut` if it will be cut.

    `omitted` of the oldest lines are not in the script; `chat` for a model that does not continue texts; `hidden` are
    parts of the plan that the model is not told: intention, tone, target, opening.
    """

    role: PartContext
    given: Assistance
    update: SceneUpdate
    mine: BeatDelivery
    lines: tuple[HeardLine, ...]
    is_cut: bool
    hint: str
    chat: bool = False
    omitted: int = 0
    hidden: frozenset[str] = frozenset()

    @property
    def me(self) -> str:
        return self.role.display_name

    @property
    def fixed(self) -> str:
        """Why the words are the company's own, and no model's; empty where a model may find them.

        This is so if another line, or the end of the scene, depends on them.
        """
        mine = self.mine
        if mine.walked:
            return ""
        if not mine.text:
            return "there are no words in it"
        if self.is_cut:
            return "it will be cut, and who cuts it must know its words"
        if self.hint == "hurry":
            return "there is no time for other words"
        return "" if self.deeds or self._moves_on(ANY_WORDS) else "the next lines hang on its words"

    @property
    def deeds(self) -> tuple[GoalFinding, ...]:
        """The sub-goals that the planned line would meet."""
        return self._met(self.mine.text)

    @property
    def plan(self) -> LinePlan:
        """The plan as the log keeps it."""
        mine = self.mine
        return LinePlan(
            action=mine.action,
            tone=mine.tone,
            target=mine.target,
            intention=mine.intention,
            gesture=mine.gesture,
            text=mine.text,
            goals=tuple(found.goal for found in self.deeds) if mine.text else (),
            fixed=self.fixed,
            chat=self.chat,
            omitted=self.omitted,
        )

    @property
    def direction(self) -> str:
        """The end of the script: who speaks next, how and what for, up to the quotation mark."""
        mine, goals = self.mine, self.role.playbook.goals
        told = "intention" not in self.hidden
        deeds = self.deeds if told else ()
        return self.given.direction.render(
            name=self.me,
            manner=_manner(next(part for part in self.role.playbook.cast if part.name == self.me)),
            tone="" if "tone" in self.hidden else mine.tone,
            target="" if "target" in self.hidden else mine.target,
            move="" if "intention" in self.hidden else mine.intention,
            deed=goals[deeds[0].goal - 1] if deeds else goals[mine.goal - 1] if mine.walked and told else "",
        )

    @property
    def script(self) -> str:
        """The script up to the quotation mark."""
        lines = written(self.update.heard)[self.omitted :]
        return "\n".join((self.role.system.text, "", *lines, self.direction))

    def requests(self) -> tuple[ModelRequest, ModelRequest]:
        """The first try and the second, at which the deed itself is put into the model's mouth."""
        script = self.script
        first = FIRST_TEMPERATURE if self.role.temperature is None else self.role.temperature
        heats = (first, max(SECOND_TEMPERATURE, first))
        tries = zip(("", AGAIN), self._openings(), heats, strict=True)
        one, other = (self._request(suffix, script + opening, heat) for suffix, opening, heat in tries)
        return one, other

    async def words(self, ask: AskModel) -> tuple[str, tuple[str, ...]]:
        """The model's words for the planned line, else the company's; and what went wrong on the way."""
        deeds = () if "intention" in self.hidden else self.deeds
        script = self.script
        warnings: list[str] = []
        for opening, request in zip(self._openings(), self.requests(), strict=True):
            answer = await ask(request)
            rest = words_in(answer.text, self.me).removeprefix(opening).strip()
            words = in_sentences(f"{opening} {rest}", broken_off=answer.finish == "length")
            wrong = self._flaw(words, rest, script) or self._undone(words, deeds)
            if not wrong and warnings and deeds and _TAKEN_BACK.search(rest):
                wrong = "takes it back"
            if not wrong:
                return words, tuple(warnings)
            warnings.append(f"{wrong}: {words}" if wrong != "empty" else wrong)
        return self.mine.text, (*warnings, WALKED if self.mine.walked else REPLACED)

    def delivered(self, words: str | None = None) -> str:
        """The line in the scene's format; the tags are the plan's, the words the model's or the company's."""
        if not words:
            return response_text(self.mine)
        gesture = "" if self.mine.walked else self.mine.gesture
        spoken = "speak" if self.mine.action == "react" else self.mine.action
        return response_text(replace(self.mine, text=words, action=spoken, gesture=gesture))

    def within(self, context_window: int) -> PlannedLine:
        """The line with a script that fits; the oldest lines go out in blocks, so that the rest stays as it was."""
        room = context_window - self.role.system.receipt.tokens - 2 * LONGEST_LINE - estimate_tokens(self.direction)
        weights = [estimate_tokens(text) + 1 for text in written(self.update.heard)]
        first = 0
        while first < len(weights) and sum(weights[first:]) > room:
            first += max(1, self.role.window)
        return replace(self, omitted=first)

    def _openings(self) -> tuple[str, str]:
        """The words each try begins with."""
        deeds = () if "intention" in self.hidden else self.deeds
        opening = "" if "opening" in self.hidden else way_in(self.mine.text)
        return opening, deeds[0].quote if deeds else opening

    def _moves_on(self, words: str) -> bool:
        """Whether the plan gets as far with these words as with its own."""
        ahead = [
            len(progress_of(self.role.playbook, (*self.lines, _as_heard(one, 0))).ahead)
            for one in (replace(self.mine, text=words), self.mine)
        ]
        return ahead[0] <= ahead[1]

    def _met(self, words: str) -> tuple[GoalFinding, ...]:
        book = self.role.playbook
        before = {found.goal for found in findings(book, self.lines)}
        after = findings(book, (*self.lines, _as_heard(replace(self.mine, text=words), 0)))
        return tuple(found for found in after if found.goal not in before)

    def _flaw(self, words: str, own: str, script: str) -> str:
        if not any(letter.isalpha() for letter in own):
            return "empty"
        cast = [part.name for part in self.role.playbook.cast]
        said = [line.content for line in self.update.heard if line.content]
        known = " ".join((script, self.role.playbook.prompt, *cast))
        return flaw_in(words, self.me, cast, [*said, *self.role.system.text.split("\n")], known)

    def _undone(self, words: str, deeds: Sequence[GoalFinding]) -> str:
        done = {found.goal for found in self._met(words)}
        missing = [found.goal for found in deeds if found.goal not in done]
        return f"does not do it ({self.role.playbook.goals[missing[0] - 1]})" if missing else ""

    def _request(self, suffix: str, script: str, temperature: float) -> ModelRequest:
        key = f"beat-{self.update.beat}/{self.role.name}{suffix}"
        asked = ModelRequest(key, "acting", "", (), LONGEST_LINE, temperature)
        if not self.chat:
            return replace(asked, messages=(Message("assistant", script.rstrip()),), stop=('"', "\n"))
        system = self.given.next_line.render(name=self.me)
        return replace(asked, system=system, messages=(Message("user", script.rstrip()),))


def plan_line(role: PartContext, given: Assistance, update: SceneUpdate, *, chat: bool = False) -> PlannedLine:
    """What the rehearsal plan has a character do at this beat."""
    me, book = role.display_name, role.playbook.with_only(update.present, update.muted)
    note, lines = update.moderator_note or "", heard(update.staged or update.heard)
    mine = deliver(book, me, update.beat, lines, note)
    plan = plan_beat(book, lines, update.beat, hint_of(note))
    place = next((spot for spot, one in enumerate(plan) if one.speaker == me), len(plan))
    before, after = plan[:place], plan[place + 1 : place + 2]
    if mine.action == "interrupt" and before and before[-1].speaker not in given.company:
        # The other's words are not the plan's, so there is no phrase to cut in after.
        mine = replace(mine, action="speak", target=before[-1].speaker, cut_after="")
    said = tuple(_as_heard(one, update.beat) for one in before if one.text)
    cut = bool(after) and after[0].action == "interrupt" and after[0].speaker in given.company
    return PlannedLine(role, given, update, mine, (*lines, *said), cut, hint_of(note), chat)


def written(lines: Sequence[Line]) -> list[str]:
    """What has been played, as script."""
    return [text for line in lines if (text := _written(line))]


def way_in(text: str) -> str:
    """The first few words of the planned line, if they stand by themselves: they keep a model to the matter."""
    found = _WAY_IN.match(text)
    words = found[0].split() if found else []
    return " ".join(words) if 0 < len(words) <= LONGEST_WAY_IN else ""


def _as_heard(one: BeatDelivery, beat: int) -> HeardLine:
    return HeardLine(beat, "line", one.speaker, one.action, one.text, one.tone, one.target or None, one.gesture or None)


def _written(line: Line) -> str:
    """An entry of the transcript as the script has it; a word from the house is not part of it."""
    if line.kind == "system":
        return ""
    if line.kind == "event":
        return f"[{line.content}.]"
    if not line.content:
        return f"[{line.speaker} {line.nonverbal}.]" if line.nonverbal else ""
    to = f", to {line.target}" if line.target else ""
    return f'{line.speaker} ({line.tone or "quietly"}{to}): "{line.content}"'


def _manner(part: Part) -> str:
    """What the first section of the card says of the character, in a few words."""
    lines = next((lines for _, lines in part.sections if lines), ())
    return " ".join(". ".join(line.rstrip(".") for line in lines[:MANNER_LINES]).split()[:MANNER_WORDS])
