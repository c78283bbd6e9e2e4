"""An act before it is played: where each scene leads, whether its conditions can be met, and what is odd."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from dramaturg.characters import load_cast
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.kernel.models.tokens import estimate_tokens
from dramaturg.kernel.settings import Settings
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.acts.act import ActConfig, ActScene, When
from dramaturg.scenes.acts.ending import find_goal, told
from dramaturg.scenes.check import CheckedGoal, SceneCheck
from dramaturg.scenes.director.goals import Goal
from dramaturg.scenes.director.names import CastNames
from dramaturg.scenes.scene import SceneConfig


class CheckedWay(WireValue):
    """A way on from a scene. `when` is empty for what follows anyway."""

    then: str
    when: str = ""


class CheckedActScene(WireValue):
    """A scene of an act: who is in it, what must be reached, and where it leads."""

    name: str
    scene: str
    cast: tuple[str, ...]
    goals: tuple[CheckedGoal, ...]
    ways_on: tuple[CheckedWay, ...]


class ActCheck(WireValue):
    """An act before it is played. `remarks` say what is odd or will not work as written."""

    name: str
    scenes: tuple[CheckedActScene, ...]
    remarks: tuple[str, ...]


def check_act(act: ActConfig, configs: Mapping[str, SceneConfig], checks: Mapping[str, SceneCheck]) -> ActCheck:
    """The check of an act, given its scenes by the name of their file. Raises InvalidConfig for a bad condition."""
    for step in act.scenes:
        for branch in step.then:
            if branch.when is not None:
                _check_condition(branch.when, step, checks[step.scene])
    return ActCheck(
        name=act.name,
        scenes=tuple(_scene(act, step, checks[step.scene]) for step in act.scenes),
        remarks=(*_remarks(act, configs), *_remarks_of_scenes(act, checks)),
    )


def check_budget(act: ActConfig, config: SceneConfig, settings: Settings) -> None:
    """Raises InvalidConfig if the act's budget does not even cover the first request of its first scene."""
    tokens = act.budget.tokens if act.budget else None
    if tokens is None:
        return
    cards = load_cast(settings.project, config.characters)
    opener = next(
        card for name, card in zip(config.characters, cards, strict=True) if name.casefold() == config.opener.casefold()
    )
    least = estimate_tokens(opener.text) + estimate_tokens(config.prompt)
    if tokens < least:
        raise InvalidConfig(
            f"The budget of the act '{act.name}' is too small for its first scene: {tokens:,} tokens, and the first "
            f"request of '{config.name}' alone needs more than {least:,}. Raise 'budget:' in the act.",
            tokens=tokens,
        )


def _check_condition(when: When, step: ActScene, scene: SceneCheck) -> None:
    goals = [Goal(id=goal.id, text=goal.text) for goal in scene.goals]
    for wanted in (*when.met, *when.open):
        if find_goal(goals, wanted) is None:
            listed = "; ".join(f"{goal.id}. {goal.text}" for goal in goals)
            named = f"sub-goal {wanted}" if isinstance(wanted, int) else f"one sub-goal '{wanted}'"
            raise InvalidConfig(
                f"What follows '{step.name}' depends on {named}, and the scene '{step.scene}' does not have it. "
                f"It has: {listed}.",
                scene=step.scene,
            )
    names = CastNames(tuple(part.display_name for part in scene.cast))
    for who in when.left:
        if names.resolve(who) is None:
            raise InvalidConfig(
                f"What follows '{step.name}' depends on whether '{who}' left, who is not in its cast "
                f"({', '.join(names.names)}).",
                scene=step.scene,
            )


def _scene(act: ActConfig, step: ActScene, scene: SceneCheck) -> CheckedActScene:
    ways = [CheckedWay(then=one.target, when=told(one.when) if one.when else "") for one in step.then]
    if not step.always_goes_on:
        ways.append(CheckedWay(then=act.follower(step.name)))
    cast = tuple(part.display_name for part in scene.cast)
    return CheckedActScene(name=step.name, scene=step.scene, cast=cast, goals=scene.goals, ways_on=tuple(ways))


def _remarks(act: ActConfig, configs: Mapping[str, SceneConfig]) -> Iterator[str]:
    reached = act.reached()
    for step in act.scenes:
        if step.name not in reached:
            yield f"Nothing leads to '{step.name}', so it is never played."
    for step in act.scenes:
        for before in reached.get(step.name, ()):
            yield from _exits(before, configs[act.step(before).scene], step.name, configs[step.scene])
        yield from _exits_without_effect(step, configs[step.scene])


def _exits(before: str, left: SceneConfig, name: str, entered: SceneConfig) -> Iterator[str]:
    here = {one.casefold() for one in entered.characters if entered.sheet(one).enters == 0}
    for who, sheet in left.parts.items():
        if sheet.leaves is not None and who.casefold() in here:
            yield f"{who} leaves '{before}' at beat {sheet.leaves} and is on stage when '{name}' begins."


def _exits_without_effect(step: ActScene, config: SceneConfig) -> Iterator[str]:
    for branch in step.then:
        for who in branch.when.left if branch.when else ():
            if not any(sheet.leaves is not None for sheet in config.parts.values()):
                yield f"What follows '{step.name}' depends on whether {who} left, and nobody leaves in its 'parts:'."


def _remarks_of_scenes(act: ActConfig, checks: Mapping[str, SceneCheck]) -> Sequence[str]:
    used = dict.fromkeys(step.scene for step in act.scenes)
    return [f"{name}: {remark}" for name in used for remark in checks[name].remarks]
