"""What the logs of a house say when it is all over, beside what the provider counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tests.faults.provider_count import ProviderCount
from tests.faults.servers import House

Keys: TypeAlias = Mapping[str, Sequence[str]]
"""The keys of the messages that were answered, by session."""


@dataclass
class Audit:
    """Every log, read to its end."""

    gaps: int = 0
    answered: Counter[tuple[str, str]] = field(default_factory=Counter)
    said: Counter[tuple[str, str]] = field(default_factory=Counter)
    recorded: dict[str, float] = field(default_factory=dict)
    """Answers with the time they were written."""

    @property
    def answers(self) -> int:
        return self.answered.total()

    @property
    def twice(self) -> int:
        """Answers that are in a log again."""
        return sum(count - 1 for count in self.answered.values())

    def found(self, sessions: Keys) -> int:
        """How many of these messages are in their logs once."""
        return sum(self.said[run, key] == 1 for run, keys in sessions.items() for key in keys)

    def asked_again(self, count: ProviderCount) -> int:
        """Questions that came when their answer was recorded."""
        return count.asked_again(self.recorded)


async def audit(place: House) -> Audit:
    found, last = Audit(), Counter[str]()
    for run, seq, at, kind, body in await place.read(
        "SELECT run_id, seq, at, type, body FROM events ORDER BY run_id, seq"
    ):
        found.gaps += seq != last[run] + 1
        last[run] = seq
        if kind == "model.answered":
            told = json.loads(body)
            found.answered[run, told["key"]] += 1
            found.recorded[told["answer"]["text"]] = at
        elif kind == "player.spoke":
            found.said[run, json.loads(body)["client_id"]] += 1
    return found
