"""The director: goals, verdicts with quoted evidence, and what can be seen by rule alone. Values in, values out."""

from dramaturg.kernel.director.circling import CIRCULAR, Circling, Echo, circling
from dramaturg.kernel.director.goals import Goal, goal_text, situation, split_goal
from dramaturg.kernel.director.leaks import Fact, Leak, suspect_leaks
from dramaturg.kernel.director.verdict import Evidence, Judgement, Utterance, Verdict, check_judgement, unmet

__all__ = [
    "CIRCULAR",
    "Circling",
    "Echo",
    "Evidence",
    "Fact",
    "Goal",
    "Judgement",
    "Leak",
    "Utterance",
    "Verdict",
    "check_judgement",
    "circling",
    "goal_text",
    "situation",
    "split_goal",
    "suspect_leaks",
    "unmet",
]
