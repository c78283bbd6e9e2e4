"""The kinds of long work that there are: the name of each, and the module that declares it as `WORK`.

A module is imported when its work is first used, so that a list of runs does not pay for it.
"""

from __future__ import annotations

from collections.abc import Mapping

WORKS: Mapping[str, str] = {
    "health": "dramaturg.workshop.health.work",
    "drill": "dramaturg.workshop.drill.work",
    "consolidation": "dramaturg.workshop.consolidation.work",
    "tournament": "dramaturg.workshop.calibration.tournament.work",
    "scaffold": "dramaturg.workshop.scaffold.work",
    "draft": "dramaturg.workshop.drafts.work",
    "analysis": "dramaturg.workshop.revision.analysis",
    "enhancement": "dramaturg.workshop.revision.enhancement",
    "retcon": "dramaturg.workshop.thread.retcon",
    "import": "dramaturg.workshop.manuscripts.intake.work",
}
