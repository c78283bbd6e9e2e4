"""Small models act with help: the rehearsal plan decides who speaks, how and what for; the model finds the words.

It is shown one script that is only ever added to, breaking off inside the quotation marks of the next line.
What it cannot give in two tries, the rehearsal company says in its own words. So the form of every line is right,
and the scene arrives where it would have arrived in rehearsal.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dramaturg.kernel.models.port import Message, Model, ModelRequest
from dramaturg.kernel.models.profiles import ModelProfile
from dramaturg.kernel.models.rehearsal.beats import Delivery, hint_of, plan_beat
from dramaturg.kernel.models.rehearsal.company import deliver, response_text
from dramaturg.kernel.models.rehearsal.cues import Heard, LineCue, Part
from dramaturg.kernel.models.rehearsal.progress import progress_of
from dramaturg.kernel.models.rehearsal.verdicts import Finding, findings
from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.kernel.prompts import Template
from dramaturg.scenes.agent import Log, Role, SceneUpdate, Thread, heard
from dramaturg.scenes.events import CueGiven
from dramaturg.scenes.flaws import flaw_in, in_sentences, words_in
from dramaturg.scenes.line import Line
from dramaturg.scenes.response import CharacterResponse, parse_response

LONGEST_LINE = 80
FIRST_TEMPERATURE, SECOND_TEMPERATURE = 0.7, 1.0
MANNER_LINES, MANNER_WORDS = 2, 30
ANY_WORDS = "…"
LONGEST_WAY_IN = 7
# Put into somebody's mouth, "I'm sorry" is easily followed by "but I don't see why".
_TAKEN_BACK = re.compile(r"\b(?:not|no|never|nothing|but|why|if)\b|n['’]t\b", re.IGNORECASE)
_WAY_IN = re.compile(r"[^.!?…,;:—]+[.!?…,;:—]+")
# The plan counts these by their wording, and gives up after a few.
COUNTED = ("insist", "nudge")


def needs_help(profile: ModelProfile) -> bool:
    """Whether a model plays assisted, and must not judge."""
    return profile.instruction_following == "low"


@dataclass(frozen=True, slots=True)
class Help:
    """What assisted play needs beside the part: the templates, the time, and who else plays by the plan."""

    direction: Template
    next_line: Template
    now: Callable[[], float]
    company: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Moment:
    """This beat, planned: what is mine, what comes before it, and whether it will be cut."""

    mine: Delivery
    lines: tuple[Heard, ...]
    is_cut: bool
    hint: str


class AssistedCharacterAgent:
    """Plays a character with a model of little understanding. `role.system` is the head of the script."""

    def __init__(self, role: Role, model: Model, log: Log, thread: Thread, given: Help) -> None:
        self._role, self._model, self._log, self._help = role, model, log, given
        self._cue = thread.cue
        self._me = role.display_name
        self._cast = [part.name for part in role.playbook.cast]

    @property
    def name(self) -> str:
        return self._role.name

    async def respond_to(self, update: SceneUpdate) -> CharacterResponse:
        start = self._help.now()
        moment = self._plan(update)
        mine = moment.mine
        warnings: tuple[str, ...] = ()
        if self._is_free(moment):
            words, warnings = await self._words(update, moment)
            mine = replace(mine, text=words)
        raw = response_text(mine)
        parsed, read = parse_response(raw, me=self._me, cast=self._cast)
        return CharacterResponse(raw=raw, parsed=parsed, timestamp=start + mine.latency, warnings=(*warnings, *read))

    def _plan(self, update: SceneUpdate) -> _Moment:
        book = self._role.playbook.with_only(update.present)
        note, lines = update.moderator_note or "", heard(update.staged or update.heard)
        mine = deliver(LineCue(book, self._me, update.beat, lines, note))
        plan = plan_beat(book, lines, update.beat, hint_of(note))
        place = next((spot for spot, one in enumerate(plan) if one.speaker == self._me), len(plan))
        before, after = plan[:place], plan[place + 1 : place + 2]
        if mine.action == "interrupt" and before and before[-1].speaker not in self._help.company:
            # The other's words are not the plan's, so there is no phrase to cut in after.
            mine = replace(mine, action="speak", target=before[-1].speaker, cut_after="")
        said = tuple(_as_heard(one, update.beat) for one in before if one.text)
        cut = bool(after) and after[0].action == "interrupt" and after[0].speaker in self._help.company
        return _Moment(mine, (*lines, *said), cut, hint_of(note))

    def _is_free(self, moment: _Moment) -> bool:
        """Whether the words may be the model's: not where another line, or the end of the scene, hangs on them."""
        mine = moment.mine
        if not mine.text or moment.is_cut or moment.hint == "hurry" or mine.intention in COUNTED:
            return False
        return bool(self._deeds(moment)) or self._moves_on(moment, ANY_WORDS)

    def _moves_on(self, moment: _Moment, words: str) -> bool:
        """Whether the plan gets as far with these words as with its own."""
        ahead = [
            len(progress_of(self._role.playbook, (*moment.lines, _as_heard(one, 0))).ahead)
            for one in (replace(moment.mine, text=words), moment.mine)
        ]
        return ahead[0] <= ahead[1]

    def _deeds(self, moment: _Moment) -> tuple[Finding, ...]:
        """The sub-goals that the planned line would meet."""
        return self._met(moment, moment.mine.text)

    def _met(self, moment: _Moment, words: str) -> tuple[Finding, ...]:
        book = self._role.playbook
        before = {found.goal for found in findings(book, moment.lines)}
        after = findings(book, (*moment.lines, _as_heard(replace(moment.mine, text=words), 0)))
        return tuple(found for found in after if found.goal not in before)

    async def _words(self, update: SceneUpdate, moment: _Moment) -> tuple[str, tuple[str, ...]]:
        """The model's words for the planned line, else the company's; and what went wrong on the way."""
        deeds = self._deeds(moment)
        script = await self._script(update, moment, deeds)
        first = FIRST_TEMPERATURE if self._role.temperature is None else self._role.temperature
        warnings: list[str] = []
        opening = _way_in(moment.mine.text)
        for suffix, temperature in (("", first), ("/again", max(SECOND_TEMPERATURE, first))):
            key = f"beat-{update.beat}/{self._role.name}{suffix}"
            answer = await self._model.complete(self._request(key, script + opening, temperature))
            rest = words_in(answer.text, self._me).removeprefix(opening).strip()
            words = in_sentences(f"{opening} {rest}", broken_off=answer.finish == "length")
            wrong = self._flaw(words, rest, update, script) or self._undone(words, moment, deeds)
            if not wrong and suffix and deeds and _TAKEN_BACK.search(rest):
                wrong = "takes it back"
            if not wrong:
                return words, tuple(warnings)
            warnings.append(f"{wrong}: {words}" if wrong != "empty" else wrong)
            # The second time the deed itself is put into the model's mouth.
            opening = deeds[0].quote if deeds else opening
        return moment.mine.text, (*warnings, "the rehearsal company's line was taken")

    def _flaw(self, words: str, own: str, update: SceneUpdate, script: str) -> str:
        if not any(letter.isalpha() for letter in own):
            return "empty"
        said = [line.content for line in update.heard if line.content]
        known = " ".join((script, self._role.playbook.prompt, *self._cast))
        return flaw_in(words, self._me, self._cast, [*said, *self._role.system.text.split("\n")], known)

    def _undone(self, words: str, moment: _Moment, deeds: Sequence[Finding]) -> str:
        done = {found.goal for found in self._met(moment, words)}
        missing = [found.goal for found in deeds if found.goal not in done]
        return f"does not do it ({self._role.playbook.goals[missing[0] - 1]})" if missing else ""

    async def _script(self, update: SceneUpdate, moment: _Moment, deeds: Sequence[Finding]) -> str:
        """The script up to the quotation mark, logged before it is sent."""
        mine, goals = moment.mine, self._role.playbook.goals
        direction = self._help.direction.render(
            name=self._me,
            manner=_manner(next(part for part in self._role.playbook.cast if part.name == self._me)),
            tone=mine.tone,
            target=mine.target,
            move=mine.intention,
            deed=goals[deeds[0].goal - 1] if deeds else "",
        )
        if self._cue is None or self._cue.beat != update.beat:
            fresh = self._cue is None
            self._cue = CueGiven(
                beat=update.beat,
                character=self._role.name,
                message=direction,
                heard=len(update.heard),
                fresh=fresh,
                receipt=self._role.system.receipt if fresh else None,
            )
            self._log(self._cue)
        return "\n".join((self._role.system.text, "", *self._lines(update.heard, direction), direction))

    def _lines(self, lines: Sequence[Line], direction: str) -> list[str]:
        """What has been played, as script; the oldest are left out in blocks, so that the rest stays as it was."""
        written = [text for line in lines if (text := _written(line))]
        room = self._model.profile.context_window - self._role.system.receipt.tokens - 2 * LONGEST_LINE
        room -= estimate_tokens(direction)
        weights = [estimate_tokens(text) + 1 for text in written]
        first = 0
        while first < len(written) and sum(weights[first:]) > room:
            first += max(1, self._role.window)
        return written[first:]

    def _request(self, key: str, script: str, temperature: float) -> ModelRequest:
        asked = ModelRequest(key, "acting", "", (), LONGEST_LINE, temperature)
        if self._model.profile.continues:
            return replace(asked, messages=(Message("assistant", script.rstrip()),), stop=('"', "\n"))
        system = self._help.next_line.render(name=self._me)
        return replace(asked, system=system, messages=(Message("user", script.rstrip()),))


def _as_heard(one: Delivery, beat: int) -> Heard:
    return Heard(beat, "line", one.speaker, one.action, one.text, one.tone, one.target or None, one.gesture or None)


def _way_in(text: str) -> str:
    """The first few words of the planned line, if they stand by themselves: they keep a model to the matter."""
    found = _WAY_IN.match(text)
    words = found[0].split() if found else []
    return " ".join(words) if 0 < len(words) <= LONGEST_WAY_IN else ""


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
