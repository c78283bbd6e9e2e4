"""The plan of one beat: who acts, and with which words. Every player works out the same plan on its own."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from dramaturg.kernel.text.words import content
from dramaturg.scenes.rehearsal.outline import Step, beats_of, lines_of, outline_of
from dramaturg.scenes.rehearsal.playbook import HeardLine, Playbook
from dramaturg.scenes.response import NO_TONE, ResponseAction

_SECONDS_A_WORD = 0.24
_BREATH = 0.7
_STARTLED = frozenset(("startl", "surpris", "interrupt", "nois"))


@dataclass(frozen=True, slots=True)
class BeatDelivery:
    """What one member of the cast does in a beat."""

    speaker: str
    action: ResponseAction
    text: str = ""
    tone: str = ""
    target: str = ""
    gesture: str = ""
    cut_after: str = ""
    latency: float = _BREATH


@dataclass(frozen=True, slots=True)
class PlanProgress:
    """How far the plan has come: the steps that are left, and who cannot answer at the moment."""

    ahead: tuple[Step, ...]
    failing: frozenset[str]


@lru_cache(maxsize=512)
def progress_of(book: Playbook, lines: tuple[HeardLine, ...]) -> PlanProgress:
    """The plan followed along the transcript. Other words by whoever's turn it was take the place of the plan's."""
    steps = outline_of(replace(book, absent=frozenset(), muted=frozenset()))
    own = {(part.name, line.text) for part in book.cast for line in lines_of(part)}
    done: set[int] = set()
    for line in lines:
        if line.kind == "line":
            place = _place(steps, done, line, known=(line.speaker, line.content) in own)
            if place is not None:
                done.add(place)
    cursor = max(done, default=-1)
    left = [step for place, step in enumerate(steps) if place not in done and (place > cursor or step.goal)]
    return PlanProgress(tuple(left), _failing(book, lines))


def _place(steps: Sequence[Step], done: set[int], line: HeardLine, *, known: bool) -> int | None:
    """The step that a line is, or stands for; a `known` line of a card stands for no other."""
    said = line.content.rstrip("—").rstrip() if line.cut or line.content.endswith("—") else line.content
    for place, step in enumerate(steps):
        own = step.speaker == line.speaker and place not in done
        if own and said and (step.text == said or (line.content.endswith("—") and step.text.startswith(said))):
            return place
        if own and not line.content and not step.text and step.gesture == (line.nonverbal or ""):
            return place
    following = next(
        (place for place in range(len(steps)) if place not in done and place > max(done, default=-1)), None
    )
    if (
        known
        or following is None
        or not line.content
        or steps[following].speaker != line.speaker
        or steps[following].deed
    ):
        return None
    return following


def _failing(book: Playbook, lines: Sequence[HeardLine]) -> frozenset[str]:
    failing: set[str] = set()
    for line in lines:
        if line.kind == "line":
            failing.discard(line.speaker)
        elif line.kind == "system" and "unable" in line.content:
            failing.update(name for name in book.names if line.content.startswith(name))
    return frozenset(failing)


@lru_cache(maxsize=512)
def plan_beat(
    book: Playbook, lines: tuple[HeardLine, ...], beat: int, hint: str = "", back: str = ""
) -> tuple[BeatDelivery, ...]:
    """Everybody who acts in this beat, in the order in which they are heard.

    `hint` is "hurry" where few beats are left. `back` had failed and is here again, which only they themselves know.
    """
    progress = progress_of(book, lines)
    if startled := _startled(book, lines):
        return _timed(book, beat, (startled,))
    asked = [step for step in progress.ahead if step.speaker not in book.muted]
    here = [step for step in asked if not {step.speaker, step.target} & book.absent]
    ahead = list(_until_one_fails(here, progress.failing - {back}))
    if hint == "hurry" or beats_of(ahead) > book.max_beats - beat:
        ahead = [step for step in ahead if step.deed or step.walked]
    if beat == 0:
        ahead = ahead if ahead and ahead[0].speaker == book.opener else []
    return _timed(book, beat, _together(ahead))


def hint_of(note: str) -> str:
    """What a note asks of the whole cast, in one word; empty if it does not concern the plan."""
    text = note.lower()
    return "hurry" if "beats are left" in text or "to its end" in text else ""


def _until_one_fails(steps: Iterable[Step], failing: frozenset[str]) -> Iterator[Step]:
    """The steps that can be played: a line of somebody who cannot answer is left out, and a deed is waited for."""
    for step in steps:
        if step.speaker not in failing:
            yield step
        elif step.goal:
            return


def _together(ahead: Sequence[Step]) -> list[Step]:
    """The next line, and those heard in the same beat."""
    steps: list[Step] = []
    for step in ahead:
        if steps and not (step.joins and step.moment == steps[0].moment):
            break
        if step.speaker in {other.speaker for other in steps}:
            break
        if not steps and step.action == "interrupt":
            step = replace(step, action="speak", cut_after="")
        steps.append(step)
    return steps


def _startled(book: Playbook, lines: Sequence[HeardLine]) -> Step | None:
    """A line of a card for what has just happened, if somebody has one left."""
    last = lines[-1] if lines else None
    if last is None or last.kind != "event":
        return None
    said = {line.content for line in lines}
    happened = set(content(last.content))
    following = next((step.speaker for step in progress_of(book, tuple(lines)).ahead), "")
    for part in sorted(book.cast, key=lambda part: part.name == following):
        for line in lines_of(part) if not part.guest and part.name not in book.absent | book.muted else ():
            key = set(content(line.key))
            if key and line.text not in said and (key & _STARTLED or key <= happened):
                return Step(part.name, "speak", line.text, line.tone or NO_TONE, gesture=line.gesture)
    return None


def _timed(book: Playbook, beat: int, steps: Sequence[Step]) -> tuple[BeatDelivery, ...]:
    """The simulated arrival: by tempo and length; a reply within the beat comes later."""
    tempos = {part.name: part.tempo for part in book.cast}
    out: list[BeatDelivery] = []
    for step in steps:
        spoken = len(step.text.split())
        jitter = random.Random(f"{book.seed}/{beat}/{step.speaker}/latency").random() * 0.3
        alone = _BREATH + (spoken * _SECONDS_A_WORD + jitter) / tempos[step.speaker]
        after = 0.15 if step.action == "interrupt" else 0.5 + jitter
        latency = round(out[-1].latency + after if out else alone, 3)
        out.append(
            BeatDelivery(
                speaker=step.speaker,
                action=step.action,
                text=step.text,
                tone=step.tone,
                target=step.target,
                gesture=step.gesture,
                cut_after=step.cut_after,
                latency=latency,
            )
        )
    return tuple(out)
