"""The lines of a scene while they are written."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from dramaturg.kernel.models.bounds import readable
from dramaturg.kernel.runs import Performance
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.events import SceneEvent
from dramaturg.scenes.preview import line_preview
from dramaturg.scenes.state import SceneState

ScenePerformance = Performance[SceneEvent, SceneState]


class LinePreview(WireValue):
    """The words of a line so far, as far as they are certain to be in it."""

    beat: int = Field(description="the beat of the line; what was previewed of it is void once it is played")
    character: str = Field(description="who is speaking: the name of the card")
    name: str = Field(description="the same, as the transcript spells it")
    text: str = Field(description="all words so far; they replace those of the preview before, and may be none")


class LivePreviews:
    """What is new in the lines that are being written for one performance."""

    def __init__(self, performance: ScenePerformance) -> None:
        self._performance = performance
        self._shown: dict[str, str] = {}

    def new(self) -> Iterator[LinePreview]:
        """A preview for each line that has other words than when it was last asked for."""
        names = {member.name: member.display_name for member in self._performance.state.cast}
        asked = {key: one for key, one in self._performance.run.answers.under_way.items() if one.purpose == "acting"}
        self._shown = {key: text for key, text in self._shown.items() if key in asked}
        for key, one in asked.items():
            beat, name = self._performance.kind.step_of(key), names.get(one.who)
            text = _words(one.text, name, tuple(names.values())) if one.text and name else ""
            if beat is not None and name is not None and text != self._shown.get(key, ""):
                self._shown[key] = text
                yield LinePreview(beat=beat, character=one.who, name=name, text=text)


def _words(raw: str, name: str, cast: tuple[str, ...]) -> str:
    return readable("a preview", lambda: line_preview(raw, me=name, cast=cast))
