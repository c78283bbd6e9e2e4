"""The downloads of this process: begun by a person, followed by whoever asks, stopped when they say so.

A download is not a run: nothing is decided in it, and what has arrived is with the server that gets it. It ends with
this process; begun again, it goes on from there.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Literal

from dramaturg.kernel.errors import DramaturgError, InvalidConfig, ModelError, NotFound
from dramaturg.local_models.ollama import PROVIDER, Ollama, PullReport, PullStep, whole_name

PullStatus = Literal["working", "done", "failed", "stopped"]
AT_ONCE = 1
MOST_KEPT = 20
"""Downloads that are over and still listed."""
MOST_WAITING = 20
MOST_FILES = 1000
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Pull:
    """One download: which step it is at, and how much of all files that are known by now has arrived."""

    model: str
    status: PullStatus = "working"
    step: PullStep | Literal["waiting"] = "waiting"
    error: DramaturgError | None = None
    task: asyncio.Task[None] | None = field(default=None, repr=False)
    _files: dict[str, PullReport] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """The name to play it by."""
        return f"{PROVIDER}/{self.model}"

    @property
    def completed(self) -> int:
        return sum(file.completed for file in self._files.values())

    @property
    def total(self) -> int:
        return sum(file.total for file in self._files.values())

    def add(self, report: PullReport) -> None:
        self.step = report.step
        if report.digest and (report.digest in self._files or len(self._files) < MOST_FILES):
            self._files[report.digest] = report


class Pulls:
    """The downloads of this process by model, the oldest first. One works at a time, the others wait for it."""

    def __init__(self, server: Ollama) -> None:
        self.server = server
        self._pulls: dict[str, Pull] = {}
        self._places = asyncio.Semaphore(AT_ONCE)

    def listed(self) -> list[Pull]:
        return list(self._pulls.values())

    def start(self, typed: str) -> Pull:
        """Begin a download. While there is one of the same model, that one is returned and nothing is begun.

        Raises InvalidConfig for what cannot be a name, and if too many wait already.
        """
        model = whole_name(typed)
        before = self._pulls.get(model)
        if before is not None and before.status == "working":
            return before
        if sum(pull.status == "working" for pull in self._pulls.values()) >= MOST_WAITING:
            raise InvalidConfig(f"{MOST_WAITING} models are being got already. Wait for one, or stop one.")
        self._pulls.pop(model, None)
        self._forget()
        pull = self._pulls[model] = Pull(model)
        pull.task = asyncio.create_task(self._get(pull), name=f"pull {model}")
        return pull

    async def remove(self, typed: str) -> None:
        """Stop a download, or take one that is over off the list. Raises NotFound if there is none."""
        pull = self._pulls.get(whole_name(typed))
        if pull is None:
            raise NotFound(f"No download of '{typed}' was begun here.", model=typed)
        if pull.status == "working":
            pull.status = "stopped"
            await self._stop([pull])
        else:
            del self._pulls[pull.model]

    async def join(self) -> None:
        """Wait until nothing is under way."""
        tasks = [pull.task for pull in self._pulls.values() if pull.task is not None]
        await asyncio.gather(*tasks, return_exceptions=True)

    async def close(self) -> None:
        """Stop what is under way, and leave the server."""
        await self._stop(list(self._pulls.values()))
        await self.server.aclose()

    async def _stop(self, pulls: list[Pull]) -> None:
        tasks = [pull.task for pull in pulls if pull.task is not None and not pull.task.done()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _get(self, pull: Pull) -> None:
        try:
            async with self._places, aclosing(self.server.pull(pull.model)) as reports:
                pull.step = "asking"
                async for report in reports:
                    pull.add(report)
            pull.status = "done"
        except DramaturgError as error:
            pull.status, pull.error = "failed", error
        except Exception:  # noqa: BLE001 # reason: a download that breaks is reported as failed, and the server goes on
            _log.exception("Getting %s failed", pull.model)
            pull.status, pull.error = "failed", ModelError("It could not be got; the server's log says why.")

    def _forget(self) -> None:
        over = [model for model, pull in self._pulls.items() if pull.status != "working"]
        for model in over[: max(0, len(over) - MOST_KEPT)]:
            del self._pulls[model]
