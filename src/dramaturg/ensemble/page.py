"""The log while it is being written, and the state it makes."""

from __future__ import annotations

from dramaturg.ensemble.events import EnsembleRun
from dramaturg.ensemble.state import ensemble_state
from dramaturg.kernel.runs.events import Event


class Page:
    """One request on its way into the log. Slots and speech write side by side; each event makes the state anew."""

    def __init__(self, run: EnsembleRun) -> None:
        self.run = run
        self.state = ensemble_state(run.entries)

    def put(self, *events: Event) -> None:
        """Write events in one piece. Nobody waits for them to be safe: they follow from answers that are."""
        self.run.put(*events)
        self.state = self.state.after(events)
