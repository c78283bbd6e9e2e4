"""A scene in a list of runs: goal, end, beats and players, from the entries of its log that say it.

A list of runs must not import what plays them, so the events are read as JSON here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from dramaturg.kernel.runs.digest import DigestReader, LoggedEvent, RunFacts


def scene_facts(events: Sequence[LoggedEvent]) -> RunFacts:
    """What the log of a scene tells. A scene that was played on after its end has not ended."""
    facts = RunFacts()
    for type_, body in events:
        match type_:
            case "scene.opened":
                models = dict.fromkeys(str(member["model"]) for member in body["cast"])
                folder = _own_folder(body["folder"])
                facts = facts._replace(goal=_goal(body["goals"]), models=tuple(models), beats=0, folder=folder)
            case "scene.forked":
                models = dict.fromkeys(map(str, body["models"].values()))
                another = body.get("opened")
                facts = RunFacts(
                    goal=_goal(another["goals"]) if another else facts.goal,
                    models=tuple(models),
                    beats=facts.beats,
                    forked_at_beat=int(body["beat"]),
                    folder=_own_folder(body["folder"]),
                )
            case "beat.played":
                facts = facts._replace(beats=int(body["beat"]), goal_achieved=None, reason="")
            case "goal.changed":
                facts = facts._replace(goal=_goal(body["goals"]))
            case "scene.reopened":
                facts = facts._replace(goal_achieved=None, reason="")
            case "scene.ended":
                facts = facts._replace(
                    beats=int(body["beats"]), goal_achieved=bool(body["goal_achieved"]), reason=str(body["reason"])
                )
    return facts


def _goal(goals: Sequence[Mapping[str, object]]) -> str:
    return "; ".join(str(one["text"]) for one in goals)


def _own_folder(named: object) -> str:
    """The folder of one performance; empty for any other that the log of a stranger may name."""
    parts = PurePosixPath(str(named)).parts
    return str(named) if len(parts) == 2 and parts[0] == "scenes" and parts[1] != ".." else ""


SCENE_DIGEST = DigestReader(
    ("scene.opened", "scene.forked", "beat.played", "goal.changed", "scene.reopened", "scene.ended"), scene_facts
)
