"""A short scene with everything in it that an export must show, and a maker of other ones."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from dramaturg.scenes.director.goals import Goal
from dramaturg.scenes.director.verdict import Evidence
from dramaturg.scenes.events import CastMember
from dramaturg.scenes.exports.script import Playscript
from dramaturg.scenes.line import Line
from dramaturg.scenes.wire import GoalRecord

CAST = tuple(
    CastMember(name=name.lower(), display_name=name, role=role, model="rehearsal")
    for name, role in (("Nora", "Harbour Pilot"), ("Jonas", "Ferry Owner"), ("Mr. Grey", ""))
)

LINES = (
    Line(number=1, beat=0, speaker="Jonas", target="Nora", tone="curt", content="You left forty people on benches."),
    Line(
        number=2, beat=1, speaker="Nora", tone="defensive", nonverbal="folds the chart",
        content="I could not see the bow from the wheel, and—", cut_by="Jonas",
    ),
    Line(
        number=3, beat=1, speaker="Jonas", action="interrupt", interrupt_after="the wheel", tone="sharp",
        content="You had *radar*!",
    ),
    Line(number=4, beat=2, kind="event", content="A foghorn sounds, close by"),
    Line(number=5, beat=2, speaker="Mr. Grey", action="react", tone="startled", nonverbal="spills his tea"),
    Line(number=6, beat=3, speaker="Nora", tone="neutral", content="I was afraid."),
    Line(number=7, beat=3, speaker="Mr. Grey", tone="calm", content="So was I."),
    Line(
        number=8, beat=4, speaker="Nora", target="Mr. Grey", aside=True, tone="low", language="French",
        content="Merci.", gloss="Thank you.", unheard_by=("Jonas",),
    ),
    Line(number=9, beat=4, kind="system", content="Jonas unable to respond"),
)  # fmt: skip

SCRIPT = Playscript(
    title="The Pilot",
    setting="A harbour office, early morning",
    goal="Nora admits she was afraid, Jonas apologizes.",
    cast=CAST,
    played_by="the rehearsal company, seed 1 (scripted players, not a language model)",
    played_at=datetime(2026, 3, 1, 9, 30, tzinfo=UTC),
    lines=LINES,
    goals=(
        GoalRecord(
            goal=Goal(id=1, text="Nora admits she was afraid"),
            evidence=Evidence(goal=1, quote="I was afraid.", speaker="Nora"),
        ),
        GoalRecord(goal=Goal(id=2, text="Jonas apologizes")),
    ),
    end="SCENE END - Maximum length reached",
    beats=5,
    arrivals={6: 12.0, 7: 12.02},
)


def script_with(*lines: Line, **changes: object) -> Playscript:
    """The sample with other lines. Nothing is known of when they arrived."""
    return replace(SCRIPT, lines=lines, **{"arrivals": {}, **changes})
