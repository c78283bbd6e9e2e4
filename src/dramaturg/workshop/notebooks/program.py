"""The program of a notebook while it runs: where it is started, what it complains about, and how it ended."""

from __future__ import annotations

import os
import threading
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from dramaturg.kernel.redaction import redacted
from dramaturg.kernel.text.shortened import short_line

if TYPE_CHECKING:
    from mcp import StdioServerParameters

LONGEST_LINE = 200
KEPT = 4_000
"""How many bytes of a program's error output are kept, from its end."""
PATIENCE = 1.0
"""Seconds to wait for the rest of that output, which something that the program started may still hold open."""


class RunningProgram:
    """A program that speaks MCP, started in the project's folder: the one whose files its user's consent covers."""

    def __init__(self, command: Sequence[str], project: Path, env: Mapping[str, str]) -> None:
        self._command = tuple(command)
        self._project = project.resolve()
        self._env = dict(env)
        self._complaints = _Complaints()
        self._process: Any = None

    @asynccontextmanager
    async def connected(self) -> AsyncIterator[Any]:
        """Its streams, for a client. What it writes to its error output stays off the writer's terminal."""
        from mcp import stdio_client

        with self._complaints.sink() as sink:
            transport = stdio_client(self._parameters(), errlog=sink)
            async with transport as streams:
                # The transport does not tell how its process ended.
                frame = getattr(getattr(transport, "gen", None), "ag_frame", None)
                self._process = frame.f_locals.get("process") if frame is not None else None
                yield streams

    def _parameters(self) -> StdioServerParameters:
        from mcp import StdioServerParameters

        program, *arguments = self._command
        if Path(program).name != program:
            # Not every system looks for it in the folder in which it is started.
            program = str(self._project / program)
        # What Python compiles would be a new program in the project, and its user would be asked again.
        env = {"PYTHONDONTWRITEBYTECODE": "1", **self._env}
        return StdioServerParameters(command=program, args=arguments, env=env, cwd=self._project)

    def ending(self) -> str:
        """How it ended, as the reason why it gave no answer."""
        code = getattr(self._process, "returncode", None)
        how = f"ended with exit code {code}" if isinstance(code, int) and code >= 0 else "ended"
        said = _shown(redacted(self._complaints.last_line(), self._env.values()))
        shown = _shown(" ".join(self._command))
        return f"its program '{shown}' {how} before it answered" + (f" and said: {said}" if said else "")


class _Complaints:
    """The end of what a program writes to its error output."""

    def __init__(self) -> None:
        self._tail = b""
        self._reader: threading.Thread | None = None

    @contextmanager
    def sink(self) -> Iterator[TextIO]:
        """A file for the program to write to, drained until it closes it."""
        source, sink = os.pipe()
        self._reader = threading.Thread(target=self._drain, args=(source,), daemon=True)
        self._reader.start()
        with os.fdopen(sink, "w", encoding="utf-8") as file:
            yield file

    def last_line(self) -> str:
        """The last line that says something; empty if there is none."""
        if self._reader is not None:
            self._reader.join(PATIENCE)
        lines = reversed(self._tail.decode("utf-8", "replace").splitlines())
        return next((line for line in lines if _shown(line)), "")

    def _drain(self, source: int) -> None:
        with os.fdopen(source, "rb", buffering=0) as file:
            while data := file.read(65_536):
                self._tail = (self._tail + data)[-KEPT:]


def _shown(text: str) -> str:
    """A text on one line, with nothing in it that a terminal would obey."""
    return short_line("".join(char if char.isprintable() else " " for char in text), LONGEST_LINE)
