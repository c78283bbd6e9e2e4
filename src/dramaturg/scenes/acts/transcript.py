"""The transcript of an act: its scenes one after the other, and why each followed the one before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dramaturg.kernel.clock import moment
from dramaturg.kernel.runs.events import Entry, Event
from dramaturg.kernel.text.counts import counted
from dramaturg.scenes.acts.act import END
from dramaturg.scenes.acts.ending import IN_ORDER
from dramaturg.scenes.acts.state import ActState
from dramaturg.scenes.state import SceneState
from dramaturg.scenes.transcript import WALKED_THROUGH, end_line, goal_of, played_by, scene_body, statistics

if TYPE_CHECKING:
    from dramaturg.scenes.acts.wire import ActMetadata


def scene_text(state: SceneState) -> str:
    """A scene as it stands in the transcript of its act: who plays, what for, every line, and the end."""
    head = (
        f"CHARACTERS: {', '.join(member.display_name for member in state.cast)}",
        f"GOAL: {goal_of(state.scene.config)}",
        f"PLAYED BY: {played_by(state)}",
    )
    return "\n\n".join(("\n".join(head), *scene_body(state), end_line(state, None)))


def render_act(entries: Sequence[Entry[Event]], state: ActState, metadata: ActMetadata) -> str:
    """The same events give the same bytes."""
    parts = [_header(entries, state), "---"]
    for number, played in enumerate(state.played, start=1):
        parts += [f"SCENE {number}: {_title(played.metadata.name, played.name)}\n{played.text}"]
        if played.then != END:
            why = "" if played.because == IN_ORDER else f", because {played.because}"
            parts.append(f"[NEXT: {played.then}{why}]")
        parts.append("---")
    parts.append(_end(state, metadata))
    if any(played.ending.reason == "walked_through" for played in state.played):
        parts.append(WALKED_THROUGH)
    rows = [f"- Scene {one.number}, {one.name}: {_outcome(one.reason, one.beats)}" for one in metadata.scenes]
    parts += ["---", statistics(metadata.total_beats, metadata.duration, metadata.costs, *rows)]
    return "\n\n".join(parts) + "\n"


def _header(entries: Sequence[Entry[Event]], state: ActState) -> str:
    at = moment(entries[0].at).astimezone()
    rows = [f"ACT: {state.act.config.title}", f"GENERATED: {at:%Y-%m-%d %H:%M:%S}"]
    if state.forked is not None:
        rows.append(f"FORKED FROM: run {state.forked.parent}, before scene {state.forked.number}")
    return "\n".join(rows)


def _title(scene: str, name: str) -> str:
    """The scene's title, and its name in the act where that is another."""
    title = scene.replace("-", " ").replace("_", " ").strip().title()
    return title if name == scene else f"{title} ({name})"


def _end(state: ActState, metadata: ActMetadata) -> str:
    if state.ended is not None:
        count = len(state.played)
        return f"[ACT END - {count} scene{'' if count == 1 else 's'}]"
    stopped = f"[ACT STOPPED - {metadata.reason}]"
    if state.current is None:
        return stopped
    number = len(state.played) + 1
    return f"{stopped}\n[Scene {number}, {state.current.name}, is run {state.current.run}]"


def _outcome(reason: str | None, beats: int) -> str:
    return f"{reason.replace('_', ' ')}, {counted(beats, 'beat')}" if reason else "not ended"
