"""The director: goals, verdicts with quoted evidence. Values in, values out."""

from dramaturg.kernel.director.goals import Goal, goal_text, situation, split_goal
from dramaturg.kernel.director.verdict import Evidence, Judgement, Utterance, Verdict, check_judgement, unmet

__all__ = [
    "Evidence",
    "Goal",
    "Judgement",
    "Utterance",
    "Verdict",
    "check_judgement",
    "goal_text",
    "situation",
    "split_goal",
    "unmet",
]
