"""Why a scene ended: the goals with the words that met them, and the rule that ended it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dramaturg.kernel.values import WireValue
from dramaturg.scenes.director.goals import is_lasting
from dramaturg.scenes.director.verdict import Evidence
from dramaturg.scenes.events import CirclingFound, SceneEnded
from dramaturg.scenes.moderator import MOST_CLOSING_BEATS
from dramaturg.scenes.state import SceneState


class Proof(WireValue):
    """A sub-goal and, where it was met, the words that met it, with their speaker and line."""

    goal: int
    text: str
    met: bool
    quote: str = ""
    speaker: str = ""
    line: int | None = None


def proofs_of(state: SceneState, *, achieved: bool) -> tuple[Proof, ...]:
    """Every sub-goal, met or not. What must not happen has no words: it is met if the scene reached its goal."""
    shown = {evidence.goal: evidence for evidence in state.verdict.met}
    return tuple(
        Proof(
            goal=goal.id,
            text=goal.text,
            met=goal.id in shown or (is_lasting(goal) and achieved),
            quote=shown[goal.id].quote if goal.id in shown else "",
            speaker=shown[goal.id].speaker if goal.id in shown else "",
            line=_line_of(state, shown[goal.id]) if goal.id in shown else None,
        )
        for goal in state.goals
    )


def ending_of(ended: SceneEnded, state: SceneState, circles: Sequence[CirclingFound]) -> tuple[str, ...]:
    """The rule that ended the scene, and what it saw."""
    return tuple(_because(ended, state, circles))


def _because(ended: SceneEnded, state: SceneState, circles: Sequence[CirclingFound]) -> Iterator[str]:
    if ended.reason == "goal_achieved":
        yield "every sub-goal is met"
        yield _why_now(ended, state)
    elif ended.reason == "walked_through":
        yield "the rehearsal company had no words for every sub-goal, and walked through the rest"
    elif ended.reason == "rewritten":
        changed = ", ".join(f"{one.line} ({one.how})" for one in state.revised.values())
        yield f"the scene had reached its goal; the author then changed lines, and it is not met any more: {changed}"
    elif ended.reason == "max_beats_exceeded":
        yield f"the safety limit of {state.scene.config.max_beats} beats was reached"
    elif ended.reason == "stalled":
        yield f"nobody spoke for {state.silent_streak} beats in a row; a note and an event had not helped"
    elif ended.reason == "ended_by_author":
        yield "the author ended it"
    elif ended.reason == "circular":
        yield f"the talk was found going in circles {len(circles)} times; a note and an event had not helped"
        yield from _circles(circles)
    else:
        yield "nobody could answer for two beats in a row"
        yield from (f"beat {one.beat}, {one.character}: {one.error}" for one in state.failures[-4:])
    refused = [f'"{claim.quote}" for sub-goal {claim.goal}: {claim.reason}' for claim in state.verdict.refused]
    if refused:
        yield f"the judge's last claims that did not count: {'; '.join(refused)}"


def _why_now(ended: SceneEnded, state: SceneState) -> str:
    if state.steering.ending:
        return "the author ended the scene"
    if state.verdict.natural_end:
        return f"the judge saw the talk come to rest at beat {state.judged}"
    if state.closing_beats >= MOST_CLOSING_BEATS:
        return f"everybody had had {state.closing_beats} beats for a last word"
    if state.silent_streak:
        return "nobody had anything to add"
    if ended.beats >= state.scene.config.max_beats:
        return f"it was the last of {state.scene.config.max_beats} beats"
    return "the talk had begun to go in circles"


def _circles(circles: Sequence[CirclingFound]) -> Iterator[str]:
    for found in circles:
        echo = found.circling.evidence[0] if found.circling.evidence else None
        shown = f': "{echo.again}" after "{echo.said}"' if echo else ""
        yield f"beat {found.beat}, {found.circling.score:.0%} of the talk{shown}"


def _line_of(state: SceneState, evidence: Evidence) -> int | None:
    """The line with the words; in logs of earlier versions, which do not name it, the one that has their letters."""
    if evidence.line is not None:
        return evidence.line
    wanted = _letters(evidence.quote)
    spoken = [line for line in state.lines if line.kind == "line" and wanted in _letters(line.content)]
    own = [line for line in spoken if line.speaker.casefold() == evidence.speaker.casefold()]
    return next((line.number for line in own or spoken), None)


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())
