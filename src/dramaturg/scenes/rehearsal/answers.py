"""The company's answers to the cues of a scene.

Players are asked alone and in parallel, and yet they play together: what happens in a beat is a pure function of the
playbook and the transcript, so every player works out the whole beat and delivers only its own part.
"""

from __future__ import annotations

import random
import re

import orjson

from dramaturg.scenes.rehearsal.asides import Asides
from dramaturg.scenes.rehearsal.beats import BeatDelivery, hint_of, plan_beat
from dramaturg.scenes.rehearsal.deeds import deeds_of
from dramaturg.scenes.rehearsal.playbook import HeardLine, Playbook
from dramaturg.scenes.rehearsal.progress import progress_of
from dramaturg.scenes.rehearsal.verdicts import findings


def deliver(book: Playbook, me: str, beat: int, lines: tuple[HeardLine, ...], note: str = "") -> BeatDelivery:
    """What `me` does in this beat."""
    failed = me in progress_of(book, lines).failing
    plan = plan_beat(book, lines, beat, hint_of(note), back=me if failed else "")
    own = next((delivery for delivery in plan if delivery.speaker == me), None)
    if own is not None:
        return own
    asides = Asides(book, lines, random.Random(f"{book.seed}/{beat}/{me}/idle"))
    if _is_personal(note) and (steps := asides.filler(me)):
        latest = max((delivery.latency for delivery in plan), default=1.0)
        return BeatDelivery(me, "speak", steps[0].text, steps[0].tone, gesture=steps[0].gesture, latency=latest + 1.0)
    return BeatDelivery(me, "silent", gesture=asides.silent_gesture(me))


def _is_personal(note: str) -> bool:
    """Whether a note is to one actor about their playing, such as "You're being too passive"."""
    return bool(re.match(r"(?:you['’]re|you are being|your character)\b", note.strip(), re.IGNORECASE)) and not hint_of(
        note
    )


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


def verdict_text(book: Playbook, lines: tuple[HeardLine, ...]) -> str:
    """The judge's JSON: one entry for every sub-goal, each quote verbatim."""
    met = {finding.goal: finding for finding in findings(book, lines)}
    goals = [
        {"id": deed.number, "met": True, "quote": met[deed.number].quote, "speaker": met[deed.number].speaker}
        if deed.number in met
        else {"id": deed.number, "met": False, "quote": "", "speaker": ""}
        for deed in deeds_of(book)
    ]
    complete = len(met) == len(goals)
    share = len(met) / len(goals) if goals else 1.0
    said = any(line.kind == "line" for line in lines)
    progress = progress_of(book, lines)
    natural_end = said and complete and all(step.speaker in progress.failing for step in progress.ahead)
    return orjson.dumps(
        {"goals": goals, "confidence": round(0.35 + 0.6 * share, 2), "natural_end": natural_end}
    ).decode()
