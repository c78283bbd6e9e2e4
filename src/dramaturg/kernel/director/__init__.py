"""The director: goals, verdicts with quoted evidence, and what can be seen by rule alone. Values in, values out."""

from dramaturg.kernel.director.circling import CIRCULAR, Circling, Echo, circling
from dramaturg.kernel.director.drift import (
    DRIFTED,
    Departure,
    Drift,
    Manner,
    Trait,
    correction,
    drift_of,
    effect,
    read_manner,
)
from dramaturg.kernel.director.goals import Goal, goal_text, situation, split_goal
from dramaturg.kernel.director.leaks import Fact, Leak, suspect_leaks
from dramaturg.kernel.director.pacing import Happenings, happenings, may_happen, propose_event
from dramaturg.kernel.director.presence import (
    last_word_note,
    off_track,
    off_track_note,
    passive,
    passive_note,
    without_last_word,
)
from dramaturg.kernel.director.verdict import Evidence, Judgement, Utterance, Verdict, check_judgement, unmet
from dramaturg.kernel.text.tension import TonedLine, pace_note, target_curve, tension_curve, tension_of

__all__ = [
    "CIRCULAR",
    "DRIFTED",
    "Circling",
    "Departure",
    "Drift",
    "Echo",
    "Evidence",
    "Fact",
    "Goal",
    "Happenings",
    "Judgement",
    "Leak",
    "Manner",
    "TonedLine",
    "Trait",
    "Utterance",
    "Verdict",
    "check_judgement",
    "circling",
    "correction",
    "drift_of",
    "effect",
    "goal_text",
    "happenings",
    "last_word_note",
    "may_happen",
    "off_track",
    "off_track_note",
    "pace_note",
    "passive",
    "passive_note",
    "propose_event",
    "read_manner",
    "situation",
    "split_goal",
    "suspect_leaks",
    "target_curve",
    "tension_curve",
    "tension_of",
    "unmet",
    "without_last_word",
]
