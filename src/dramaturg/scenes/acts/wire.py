"""The JSON of an act that clients receive: its result, its metadata, and the document of all its scenes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from pydantic import Field

from dramaturg.kernel.runs.events import Entry, Event, RunStopped
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.acts.act import ActConfig
from dramaturg.scenes.acts.state import ActState, act_state
from dramaturg.scenes.acts.transcript import render_act
from dramaturg.scenes.wire import SceneCosts, SceneDocument

SCHEMA: Final = "dramaturg.act/1"


class ActSceneRecord(WireValue):
    """A scene of an act as it was played: its run, how it ended, and what followed. `reason` is null if it has not."""

    number: int
    name: str
    scene: str
    run: str
    goal_achieved: bool = False
    reason: str | None = None
    beats: int = 0
    then: str | None = None
    because: str = ""
    remarks: tuple[str, ...] = ()


class ActMetadata(WireValue):
    """The facts of an act. `duration` is the playing time of its scenes in milliseconds."""

    name: str
    duration: int
    total_beats: int
    scenes: tuple[ActSceneRecord, ...]
    reason: str
    costs: SceneCosts


class ActResult(WireValue):
    """The result of an act: one transcript, its metadata, and the folder it was written to."""

    success: bool
    transcript: str
    metadata: ActMetadata
    output_path: str
    run: str


class ActDocument(WireValue):
    """`act.json`: the whole act for programs to consume. A scene whose run was deleted is not in `documents`."""

    schema_name: Literal["dramaturg.act/1"] = Field(SCHEMA, alias="schema")
    run: str
    config: ActConfig
    documents: tuple[SceneDocument, ...]
    metadata: ActMetadata


def act_metadata(entries: Sequence[Entry[Event]], state: ActState) -> ActMetadata:
    """The metadata from the log, also of an act that was stopped: of the scenes that ended."""
    played = [event.metadata for event in state.played]
    prices = [data.costs.estimated_usd for data in played]
    known = [price for price in prices if price is not None]
    last = entries[-1].event if entries else None
    stopped = (last.code.lower() or last.reason) if isinstance(last, RunStopped) else "unfinished"
    return ActMetadata(
        name=state.act.config.name,
        duration=sum(data.duration for data in played),
        total_beats=sum(data.total_beats for data in played),
        scenes=tuple(_records(state)),
        reason="ended" if state.ended else stopped,
        costs=SceneCosts(
            total_tokens=sum(data.costs.total_tokens for data in played),
            estimated_usd=round(sum(known), 6) if len(known) == len(prices) else None,
        ),
    )


def _records(state: ActState) -> list[ActSceneRecord]:
    """One record for each scene that ended, and one for the scene that is being played."""
    ends = {event.run: event for event in state.played}
    shown = [one for one in state.begun if one.run in ends or one is state.current]
    records = []
    for number, begun in enumerate(shown, start=1):
        record = ActSceneRecord(number=number, name=begun.name, scene=begun.scene, run=begun.run, remarks=begun.remarks)
        if (end := ends.get(begun.run)) is not None:
            update = {
                "goal_achieved": end.ending.goal_achieved,
                "reason": end.ending.reason,
                "beats": end.ending.beats,
                "then": end.then,
                "because": end.because,
            }
            record = record.model_copy(update=update)
        records.append(record)
    return records


def act_result(run_id: str, entries: Sequence[Entry[Event]]) -> ActResult:
    """The result of an act's run, ended or stopped."""
    state = act_state(entries)
    metadata = act_metadata(entries, state)
    return ActResult(
        success=state.ended is not None,
        transcript=render_act(entries, state, metadata),
        metadata=metadata,
        output_path=f"data/{state.folder}/",
        run=run_id,
    )
