"""The console that every command prints on."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from dramaturg.kernel.text.control import visible


class VisibleConsole(Console):
    """A console for other people's words: their control characters are shown. Our own styles are added after this."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text))
