"""The plan of one beat: who acts, and with which words. Every player works out the same plan on its own."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from dramaturg.scenes.rehearsal.asides import Asides
from dramaturg.scenes.rehearsal.deeds import deeds_of
from dramaturg.scenes.rehearsal.playbook import HeardLine, Playbook
from dramaturg.scenes.rehearsal.portraits import portraits_of
from dramaturg.scenes.rehearsal.progress import PlanProgress, progress_of
from dramaturg.scenes.rehearsal.roles import AMBIENT
from dramaturg.scenes.rehearsal.steps import Step, beats_of
from dramaturg.scenes.rehearsal.verdicts import answers
from dramaturg.scenes.response import ResponseAction

_SECONDS_A_WORD = 0.24
_BREATH = 0.7


@dataclass(frozen=True, slots=True)
class BeatDelivery:
    """What one member of the cast does in a beat. `intention` says what the line is for."""

    speaker: str
    action: ResponseAction
    text: str = ""
    tone: str = ""
    target: str = ""
    gesture: str = ""
    cut_after: str = ""
    latency: float = _BREATH
    intention: str = ""


@lru_cache(maxsize=512)
def plan_beat(
    book: Playbook, lines: tuple[HeardLine, ...], beat: int, hint: str = "", back: str = ""
) -> tuple[BeatDelivery, ...]:
    """Everybody who acts in this beat, in the order in which they are heard.

    `hint` is what a moderator's note asks of everybody: "", "close", "hurry" or "respond". `back` had failed and
    is here again, which only they themselves can know.
    """
    progress = progress_of(book, lines)
    progress = replace(progress, failing=progress.failing - {back})
    planner = _Planner(book, lines, beat, hint, progress)
    steps = planner.steps()
    return _timed(book, beat, planner.deliveries(steps))


def hint_of(note: str) -> str:
    """What a note asks of the whole cast, in one word; empty if it does not concern the plan."""
    text = note.lower()
    if "should respond" in text or "move the scene" in text:
        return "respond"
    if "beats are left" in text or "to its end" in text:
        return "hurry"
    return "close" if any(word in text for word in ("wrap", "conclu", "close the scene", "last word")) else ""


class _Planner:
    def __init__(
        self, book: Playbook, lines: tuple[HeardLine, ...], beat: int, hint: str, progress: PlanProgress
    ) -> None:
        self._book, self._beat, self._hint, self._progress = book, beat, hint, progress
        self._asides = Asides(book, lines, random.Random(f"{book.seed}/{book.name}/beat/{beat}/{len(lines)}"))
        guests = (part.name for part in book.cast if part.guest)
        self._unknown = progress.foreign | progress.failing | frozenset(guests)
        last_beat = max((line.beat for line in lines if line.kind == "line"), default=-1)
        self._silent = max(0, beat - 1 - last_beat) if lines else 0

    def steps(self) -> tuple[Step, ...]:
        """The lines of this beat."""
        ahead = self._reachable()
        first = ahead[0] if ahead else None
        if self._progress.event is not None:
            return self._asides.react(self._progress.event, first)
        if first is None:
            return self._unfinished()
        if self._waits_for(first):
            nudge = self._asides.nudge(first.speaker, self._progress.failing)
            return (*nudge, *self._companions(ahead))
        if self._was_refused(first) and (insisting := self._asides.insist(first)):
            return insisting
        return self._companions(ahead)

    def _unfinished(self) -> tuple[Step, ...]:
        """After the end of the plan: whoever still owes a deed does it, else somebody speaks if asked to."""
        gone = self._asides.given_up(self._progress.failing)
        deeds = deeds_of(self._book)
        for place, deed in enumerate(deeds):
            before = answers(deed, deeds[:place])
            open_to_all = before is None or before.number in self._progress.met
            if deed.number in self._progress.met or not open_to_all:
                continue
            if attempt := self._asides.attempt(deed, gone):
                return attempt
        if gone and not self._progress.over:
            return self._asides.absent(min(gone))
        return self._asides.filler() if self._hint == "respond" else ()

    def _reachable(self) -> tuple[Step, ...]:
        """The steps ahead, without those for which there is no time or no speaker."""
        ahead = self._progress.ahead
        gone = self._asides.given_up(self._progress.failing)
        if gone:
            ahead = self._without(gone)
        elif self._silent > 1 and ahead and not any(step.deed for step in _passage(ahead)):
            ahead = ahead[len(_passage(ahead)) :]
        if self._hint == "hurry" or beats_of(ahead) > self._book.max_beats - self._beat - 1:
            return tuple(step for step in ahead if step.essential) or ahead
        waiting = any(deed.kind in AMBIENT and deed.number not in self._progress.met for deed in deeds_of(self._book))
        if self._hint == "close" and not waiting:
            return tuple(step for step in ahead if step.move not in ("third", "press", "account"))
        return ahead

    def _without(self, gone: frozenset[str]) -> tuple[Step, ...]:
        """Only passages that the remaining cast can play, and no reply to a deed that was never done."""
        ahead = self._progress.ahead
        lost = {step.passage for step in ahead if {step.speaker, step.target} & gone or step.move == "close"}
        undone = {step.goal for step in ahead if step.deed and step.passage in lost}
        deeds = deeds_of(self._book)
        blocked = undone | {
            deed.number
            for place, deed in enumerate(deeds)
            if (before := answers(deed, deeds[:place])) is not None and before.number in undone
        }
        return tuple(step for step in ahead if step.passage not in lost and step.goal not in blocked)

    def _waits_for(self, step: Step) -> bool:
        """Nobody has spoken since the last beat, or the next speaker cannot."""
        stuck = step.speaker in self._progress.failing or self._silent > 0
        return stuck and self._progress.last is not None

    def _was_refused(self, step: Step) -> bool:
        """Whoever must do the deed has just said something else."""
        last = self._progress.last
        return step.deed and self._progress.broke_off and last is not None and last.speaker == step.speaker

    def _companions(self, ahead: Sequence[Step]) -> tuple[Step, ...]:
        """The next line and those in the same beat. A line whose words are not known yet cannot be cut."""
        first = self._asides.again(ahead[0])
        if first is None:
            return ()
        steps = [replace(first, cuts=False)]
        for step in ahead[1:]:
            if not (step.cuts or step.quick) or (step.passage != first.passage and step.move != "close"):
                break
            if step.cuts and (first.speaker in self._unknown or not steps[-1].cut_after):
                break
            steps.append(step)
        return tuple(steps)

    def deliveries(self, steps: Sequence[Step]) -> list[BeatDelivery]:
        out: list[BeatDelivery] = []
        for place, step in enumerate(steps):
            cut = step.cuts and place > 0
            out.append(
                BeatDelivery(
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
        known = not steps or steps[-1].speaker not in self._unknown
        reaction = self._asides.reaction(steps, following) if known else None
        if reaction is not None:
            name, tone, gesture = reaction
            out.append(BeatDelivery(name, "react", tone=tone, gesture=gesture, intention="react"))
        return out


def _passage(ahead: Sequence[Step]) -> Sequence[Step]:
    """The rest of the next passage."""
    return [step for step in ahead if step.passage == ahead[0].passage]


def _timed(book: Playbook, beat: int, deliveries: Sequence[BeatDelivery]) -> tuple[BeatDelivery, ...]:
    """The simulated arrival: by tempo and length; a reply within the beat comes later."""
    out: list[BeatDelivery] = []
    for delivery in deliveries:
        words = len(delivery.text.split())
        jitter = random.Random(f"{book.seed}/{beat}/{delivery.speaker}/latency").random() * 0.3
        alone = _BREATH + (words * _SECONDS_A_WORD + jitter) / portraits_of(book)[delivery.speaker].tempo
        before = out[-1].latency if out else 0.0
        after = 0.15 if delivery.action == "interrupt" else 0.5 + jitter
        latency = before + after if out else alone
        out.append(replace(delivery, latency=round(latency, 3)))
    return tuple(out)
