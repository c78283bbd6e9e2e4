"""Every reader of what we did not write."""

from __future__ import annotations

from tests.hostile.fuzz.target import Target
from tests.hostile.fuzz.targets import answers, authored_files, foreign_files, network, state

TARGETS: dict[str, Target] = {
    target.name: target
    for group in (answers, authored_files, foreign_files, network, state)
    for target in group.TARGETS
}
