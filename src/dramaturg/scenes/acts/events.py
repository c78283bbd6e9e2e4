"""What happens in an act. Its scenes are runs of their own; the act's log names them and tells how each ended."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, TypeAdapter

from dramaturg.kernel.runs import Run
from dramaturg.kernel.runs.events import (
    Event,
    KernelEvent,
)
from dramaturg.scenes.acts.act import ActConfig
from dramaturg.scenes.acts.ending import SceneEnding
from dramaturg.scenes.wire import SceneMetadata


class ActOpened(Event):
    """The act opens. `model` and `seed` are for all its scenes, where they were given."""

    type: Literal["act.opened"] = "act.opened"
    config: ActConfig
    model: str | None = None
    seed: int | None = None
    folder: str


class ActForked(Event):
    """A fork: shares another act's log up to the beginning of its scene `number`, then is continued."""

    type: Literal["act.forked"] = "act.forked"
    parent: str
    number: int
    model: str | None = None
    seed: int | None = None
    folder: str


class ActSceneStarted(Event):
    """A scene of the act begins, as run `run`. `number` counts those that were begun; `remarks` are for the author."""

    type: Literal["act_scene.started"] = "act_scene.started"
    number: int
    name: str
    scene: str
    run: str
    remarks: tuple[str, ...] = ()

    @property
    def is_progress(self) -> bool:
        return True


class ActSceneResumed(Event):
    """A scene that was interrupted is played on. `answers` are those that its log had by then."""

    type: Literal["act_scene.resumed"] = "act_scene.resumed"
    run: str
    answers: int
    is_new: bool = Field(description="whether the scene got any answers since it was last begun or resumed")

    @property
    def is_progress(self) -> bool:
        return self.is_new


class ActSceneEnded(Event):
    """A scene of the act ended: how, what was heard, and what follows it and why. `then` is `end` after the last."""

    type: Literal["act_scene.ended"] = "act_scene.ended"
    number: int
    name: str
    run: str
    ending: SceneEnding
    text: str
    metadata: SceneMetadata
    then: str
    because: str

    @property
    def is_progress(self) -> bool:
        return True


class ActEnded(Event):
    """The act ends after so many scenes."""

    type: Literal["act.ended"] = "act.ended"
    scenes: int


ActEvent = Annotated[
    ActOpened | ActForked | ActSceneStarted | ActSceneResumed | ActSceneEnded | ActEnded | KernelEvent,
    Field(discriminator="type"),
]

ACT_EVENTS: TypeAdapter[ActEvent] = TypeAdapter(ActEvent)
ActRun: TypeAlias = Run[ActEvent]
