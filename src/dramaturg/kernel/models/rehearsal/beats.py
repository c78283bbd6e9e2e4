"""The plan of one beat: who moves and with which words. The same for every player, so nobody needs to ask."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from dramaturg.kernel.models.rehearsal.asides import Asides
from dramaturg.kernel.models.rehearsal.cues import Heard, Playbook
from dramaturg.kernel.models.rehearsal.manner import mood_of
from dramaturg.kernel.models.rehearsal.outline import Step, beats_of
from dramaturg.kernel.models.rehearsal.portrait import portraits_of
from dramaturg.kernel.models.rehearsal.progress import Progress, progress_of

Action = Literal["speak", "interrupt", "react", "silent"]
_SECONDS_A_WORD = 0.24
_BREATH = 0.7


@dataclass(frozen=True, slots=True)
class Delivery:
    """What one member of the cast does in a beat. `intention` says what the line is for."""

    speaker: str
    action: Action
    text: str = ""
    tone: str = ""
    target: str = ""
    gesture: str = ""
    cut_after: str = ""
    latency: float = _BREATH
    intention: str = ""


@lru_cache(maxsize=512)
def plan_beat(book: Playbook, lines: tuple[Heard, ...], beat: int, hint: str = "") -> tuple[Delivery, ...]:
    """Everybody who does something in this beat, in the order in which it will be heard.

    `hint` is what a moderator's note asks of everybody: "", "close", "hurry" or "respond".
    """
    progress = progress_of(book, lines)
    planner = _Planner(book, lines, beat, hint, progress)
    steps = planner.steps()
    return _timed(book, beat, planner.deliveries(steps))


def hint_of(note: str) -> str:
    """What a note asks of the whole cast, in one word; empty for one that does not concern the plan."""
    text = note.lower()
    if "should respond" in text or "move the scene" in text:
        return "respond"
    if "beats are left" in text or "to its end" in text:
        return "hurry"
    return "close" if any(word in text for word in ("wrap", "conclu", "close the scene", "last word")) else ""


class _Planner:
    def __init__(self, book: Playbook, lines: tuple[Heard, ...], beat: int, hint: str, progress: Progress) -> None:
        self._book, self._beat, self._hint = book, beat, hint
        self._progress = progress
        self._rng = random.Random(f"{book.seed}/{book.name}/beat/{beat}/{len(lines)}")
        self._asides = Asides(book, lines, self._rng)
        last_beat = max((line.beat for line in lines if line.kind == "line"), default=-1)
        self._silent = max(0, beat - 1 - last_beat) if lines else 0

    def steps(self) -> tuple[Step, ...]:
        """The lines of this beat."""
        ahead = self._reachable()
        opening = ahead[:1]
        if self._progress.event is not None:
            return self._after_event(opening)
        if not opening:
            return self._asides.filler() if self._hint == "respond" else ()
        first = opening[0]
        waited = first.speaker in self._progress.failing or self._silent > 0
        if waited and self._progress.last is not None:
            nudge = self._asides.nudge(first.speaker, self._progress.failing)
            return (*nudge, replace(first, quick=bool(nudge)))
        if self._insists(first):
            return self._asides.insist(first)
        return self._with_companions(ahead)

    def _reachable(self) -> tuple[Step, ...]:
        """What is ahead, without what there is no time or nobody for."""
        ahead = self._progress.ahead
        gone = self._asides.given_up(self._progress.failing)
        if gone:
            ahead = tuple(step for step in ahead if step.speaker not in gone and step.target not in gone)
        left = self._book.max_beats - self._beat
        if self._hint == "hurry" or beats_of(ahead) > left - 1:
            pressing = tuple(step for step in ahead if step.essential)
            return pressing or ahead
        if self._hint == "close":
            return tuple(step for step in ahead if not (step.move in ("third", "press", "account")))
        return ahead

    def _insists(self, step: Step) -> bool:
        """The one who must do the deed has said something else: the other asks again."""
        last = self._progress.last
        return (
            step.deed
            and self._progress.broke_off
            and last is not None
            and last.speaker == step.speaker
            and self._asides.may_insist()
        )

    def _after_event(self, opening: Sequence[Step]) -> tuple[Step, ...]:
        event = self._progress.event
        assert event is not None
        last = self._progress.last
        return self._asides.react(event, opening[0] if opening else None, last.speaker if last else "")

    def _with_companions(self, ahead: Sequence[Step]) -> tuple[Step, ...]:
        """The next line and those that fall into the same beat. A line of unknown words cannot be cut at one."""
        first = self._reworded(ahead[0])
        steps = [first]
        for step in ahead[1:]:
            if not (step.cuts or step.quick) or (step.passage != first.passage and step.move != "close"):
                break
            if step.cuts and (first.speaker in self._progress.foreign or not steps[-1].cut_after):
                break
            steps.append(step)
        if first.cuts:
            steps[0] = replace(first, cuts=False)
        return tuple(steps)

    def _reworded(self, step: Step) -> Step:
        """A deed that was said and did not count, because it was cut, is said again in other words."""
        return self._asides.again(step) if step.deed else step

    def deliveries(self, steps: Sequence[Step]) -> list[Delivery]:
        out: list[Delivery] = []
        for place, step in enumerate(steps):
            cut = step.cuts and place > 0
            out.append(
                Delivery(
                    speaker=step.speaker,
                    action="interrupt" if cut else "speak",
                    text=step.text,
                    tone=step.tone,
                    target="" if cut else step.target,
                    gesture=step.gesture,
                    cut_after=steps[place - 1].cut_after if cut else "",
                    intention=step.move,
                )
            )
        following = next((step.speaker for step in self._progress.ahead if step not in steps), "")
        reaction = self._asides.reaction(steps, mood_of(steps[-1].tone) if steps else "even", following)
        if reaction is not None:
            name, tone, gesture = reaction
            out.append(Delivery(name, "react", tone=tone, gesture=gesture, intention="react"))
        return out


def _timed(book: Playbook, beat: int, deliveries: Sequence[Delivery]) -> tuple[Delivery, ...]:
    """Simulated arrival: tempo and length decide, and who answers within the beat comes after."""
    out: list[Delivery] = []
    for delivery in deliveries:
        words = len(delivery.text.split())
        jitter = random.Random(f"{book.seed}/{beat}/{delivery.speaker}/latency").random() * 0.3
        alone = _BREATH + (words * _SECONDS_A_WORD + jitter) / portraits_of(book)[delivery.speaker].tempo
        before = out[-1].latency if out else 0.0
        after = 0.15 if delivery.action == "interrupt" else 0.5 + jitter
        latency = before + after if out else alone
        out.append(replace(delivery, latency=round(latency, 3)))
    return tuple(out)
