"""The company's answers to the cues of a scene.

Players are asked alone and in parallel, and yet they play together: what happens in a beat is a pure function of the
playbook and the transcript, so every player works out the whole beat and delivers only its own part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import orjson

from dramaturg.scenes.director.goals import Goal, is_lasting
from dramaturg.scenes.rehearsal.beats import BeatDelivery, hint_of, plan_beat, progress_of
from dramaturg.scenes.rehearsal.outline import outline_of
from dramaturg.scenes.rehearsal.playbook import HeardLine, Playbook
from dramaturg.scenes.turns import enough_lines

BEATS_FOR_GUESTS = 2
"""How long the company waits for others to speak once its own lines are said."""


class GoalFinding(NamedTuple):
    """A sub-goal that is met, with the line that met it."""

    goal: int
    quote: str
    speaker: str


def deliver(book: Playbook, me: str, beat: int, lines: tuple[HeardLine, ...], note: str = "") -> BeatDelivery:
    """What `me` does in this beat."""
    failed = me in progress_of(book, lines).failing
    plan = plan_beat(book, lines, beat, hint_of(note), back=me if failed else "")
    own = next((delivery for delivery in plan if delivery.speaker == me), None)
    return own or BeatDelivery(me, "silent")


def response_text(delivery: BeatDelivery) -> str:
    """A delivery in the scene's response format."""
    gesture = [f"*{delivery.gesture}*"] if delivery.gesture else []
    tone = f"TONE: {delivery.tone or 'neutral'}"
    if delivery.action == "silent":
        return f"[{', '.join(['SILENT', *gesture])}]"
    if delivery.action == "react":
        return f"[{', '.join(['REACT', tone, *gesture])}]"
    head = [f'INTERRUPT after "{delivery.cut_after}"'] if delivery.action == "interrupt" else []
    to = [f"TO: {delivery.target}"] if delivery.target else []
    return f'[{", ".join([*head, *to, tone, *gesture])}] "{delivery.text}"'


def findings(book: Playbook, lines: tuple[HeardLine, ...]) -> tuple[GoalFinding, ...]:
    """The sub-goals met so far: by the lines that the author wrote for them, said to the end. It knows no others."""
    return tuple(_findings(book, lines))


def _findings(book: Playbook, lines: tuple[HeardLine, ...]) -> Iterator[GoalFinding]:
    said = [line for line in lines if line.kind == "line" and not line.cut]
    for step in outline_of(book.with_only(())):
        own = (line for line in said if line.speaker == step.speaker) if step.deed else ()
        if any(line.content.startswith(step.text) for line in own):
            yield GoalFinding(step.goal, step.text, step.speaker)
        elif step.deed and (other := _another_way(book, step.goal, said)) is not None:
            yield other


def _another_way(book: Playbook, goal: int, said: Sequence[HeardLine]) -> GoalFinding | None:
    """The same deed in another way that the author wrote for it: a take of the line that was chosen later."""
    for moment in book.script:
        for take in moment.takes if moment.goal == goal else ():
            last, words = take[-1], take[-1].response.content
            if words and any(line.speaker == last.speaker and line.content.startswith(words) for line in said):
                return GoalFinding(goal, words, last.speaker)
    return None


def verdict_text(book: Playbook, lines: tuple[HeardLine, ...]) -> str:
    """The judge's JSON: one entry for every sub-goal, each quote verbatim."""
    met = {finding.goal: finding for finding in findings(book, lines)}
    goals: list[dict[str, object]] = []
    for number, text in enumerate(book.goals, start=1):
        found = met.get(number)
        kept = is_lasting(Goal(id=number, text=text))
        goals.append(
            {
                "id": number,
                "met": kept or found is not None,
                "quote": found.quote if found else "",
                "speaker": found.speaker if found else "",
            }
        )
    share = sum(bool(goal["met"]) for goal in goals) / len(goals) if goals else 1.0
    told = {"goals": goals, "confidence": round(0.35 + 0.6 * share, 2), "natural_end": _is_over(book, lines)}
    return orjson.dumps(told).decode()


def _is_over(book: Playbook, lines: tuple[HeardLine, ...]) -> bool:
    """Whether the company has said all it has to say, and nobody else is talking.

    Where others play every part, it cannot tell; they have time for each sub-goal.
    """
    spoken = [line for line in lines if line.kind == "line"]
    if all(part.guest for part in book.cast):
        return len(spoken) >= enough_lines(len(book.goals), len(book.cast))
    progress = progress_of(book.with_only(()), lines)
    if not spoken or not all(step.speaker in progress.failing for step in progress.ahead):
        return False
    guests = {part.name for part in book.cast if part.guest}
    own = max((line.beat for line in spoken if line.speaker not in guests), default=0)
    return not guests or spoken[-1].beat - own >= BEATS_FOR_GUESTS
