"""An act as its author writes it: scenes in order, and where the story goes after each of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import BeforeValidator, Field, StrictInt, field_validator, model_validator

from dramaturg.authored import SUFFIXES, AuthoredForm, known_files, named_file
from dramaturg.kernel.errors import AuthorError
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.director.goals import MOST_GOALS
from dramaturg.scenes.events import SceneEndReason
from dramaturg.scenes.scene import MOST, SceneBudget, can_name_folder, known_scenes

FOLDER = "acts"
END = "end"
"""Where a story goes after its last scene."""
MOST_SCENES = 50
LONGEST_SHOWN = 80
REASONS: tuple[str, ...] = get_args(SceneEndReason)
Outcome = Literal["achieved", "not achieved", "walked through"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


def _listed(value: object) -> object:
    return (value,) if isinstance(value, str | int) else value


def _condition(value: object) -> object:
    """A condition of one word, as a mapping."""
    if not isinstance(value, str):
        return value
    word = _spaced(value).removeprefix("goal ")
    if word not in OUTCOMES:
        raise ValueError(
            f"'{value[:LONGEST_SHOWN]}' is no way for a scene to end. "
            f"Write {', '.join(OUTCOMES[:-1])} or {OUTCOMES[-1]}, or one of the keys met, open, ended and left."
        )
    return {"goal": word}


def _reason(value: object) -> object:
    return _spaced(value).replace(" ", "_") if isinstance(value, str) else value


def _spaced(text: str) -> str:
    return " ".join(re.split(r"[\s_\-]+", text.strip().casefold()))


Name = Annotated[str, Field(min_length=1, max_length=80)]
Goals = Annotated[
    tuple[StrictInt | Annotated[str, Field(min_length=1, max_length=500)], ...],
    BeforeValidator(_listed),
    Field(max_length=MOST_GOALS),
]


class When(WireValue):
    """How the scene before must have ended. Everything that is written must hold."""

    goal: Outcome | None = Field(None, description="achieved, not achieved or walked through; alone, just the word")
    met: Goals = Field((), description="sub-goals that are met, by number or by their words")
    open: Goals = Field((), description="sub-goals that are not met")
    ended: Annotated[SceneEndReason | None, BeforeValidator(_reason)] = Field(None, description="why the scene ended")
    left: Annotated[tuple[Name, ...], BeforeValidator(_listed)] = Field(
        (), max_length=MOST, description="characters who were on stage and had left by the end"
    )

    @model_validator(mode="after")
    def _says_something(self) -> When:
        if not (self.goal or self.met or self.open or self.ended or self.left):
            raise ValueError("This condition is empty. Write achieved, not achieved, met, open, ended or left.")
        return self


class Branch(WireValue):
    """One way on: `when` and `play`, or `else` alone as the last of them."""

    when: Annotated[When | None, BeforeValidator(_condition)] = Field(None, description="how the scene ended")
    play: Name | None = Field(None, description="the scene that then follows, or 'end'")
    otherwise: Name | None = Field(None, alias="else", description="what follows if nothing above holds")

    @model_validator(mode="after")
    def _whole(self) -> Branch:
        if (self.when is None) != (self.play is None) or (self.when is None) == (self.otherwise is None):
            raise ValueError("A way on has either 'when:' and 'play:', or 'else:' alone.")
        return self

    @property
    def target(self) -> str:
        return self.play or self.otherwise or END


def _step(value: object) -> object:
    return {"scene": value} if isinstance(value, str) else value


def _ways_on(value: object) -> object:
    """The name of the next scene alone is the same as a single 'else'."""
    return ({"else": value},) if isinstance(value, str) else value


class ActScene(WireValue):
    """A scene of an act. Without `then`, the next one in the list follows that no `then` names."""

    scene: Name = Field(description="a file of scenes/, by its name")
    alias: Name | None = Field(None, alias="as", description="its name in this act, if the scene is in it twice")
    then: Annotated[tuple[Branch, ...], BeforeValidator(_ways_on)] = Field(
        (), max_length=MOST_SCENES, description="what follows: a name, 'end', or a list of when/play and else"
    )

    @property
    def name(self) -> str:
        return self.alias or self.scene

    @property
    def always_goes_on(self) -> bool:
        """Whether one of its ways on is always open."""
        return bool(self.then) and self.then[-1].otherwise is not None


class ActConfig(WireValue):
    """Scenes that are played one after the other. The first of the list begins."""

    name: str = Field(description="names the folder of the results")
    scenes: tuple[Annotated[ActScene, BeforeValidator(_step)], ...] = Field(
        max_length=MOST_SCENES, description="the scenes: names, or scene, as and then"
    )
    remembers: bool = Field(True, description="the cast of a scene remembers the scenes of this act before it")
    budget: SceneBudget | None = Field(None, description="tokens, usd: a hard stop for all its scenes together")
    seed: int | None = Field(None, description="the seed of every scene, instead of their own")

    @field_validator("name")
    @classmethod
    def _names_a_folder(cls, name: str) -> str:
        if not can_name_folder(name):
            raise ValueError(
                f"{name[:LONGEST_SHOWN]!r} cannot name a folder. "
                "Use letters, digits, spaces, '-' and '_', up to 80 of them."
            )
        return name

    @model_validator(mode="after")
    def _playable(self) -> ActConfig:
        if problem := _problem(self):
            raise ValueError(problem)
        return self

    @property
    def title(self) -> str:
        return re.sub(r"[-_]+", " ", self.name).strip().title()

    def step(self, name: str) -> ActScene:
        """A scene of this act, by its name in it."""
        return next(step for step in self.scenes if step.name == name)

    def follower(self, name: str) -> str:
        """What follows a scene in the order of the list: the next one that no `then` names, or the end."""
        names = [step.name for step in self.scenes]
        called = self.called
        return next((one for one in names[names.index(name) + 1 :] if one not in called), END)

    @property
    def called(self) -> frozenset[str]:
        """The scenes that some `then` names; only that leads to them."""
        return frozenset(branch.target for step in self.scenes for branch in step.then)

    def ways_on(self, name: str) -> tuple[str, ...]:
        """Everything that may follow a scene, each once."""
        step = self.step(name)
        order = () if step.always_goes_on else (self.follower(name),)
        return tuple(dict.fromkeys((*(branch.target for branch in step.then), *order)))

    def reached(self) -> Mapping[str, tuple[str, ...]]:
        """The scenes that can be played, each with the shortest way to it: the scenes before it."""
        first = self.scenes[0].name
        ways: dict[str, tuple[str, ...]] = {first: ()}
        waiting = [first]
        while waiting:
            here = waiting.pop(0)
            for after in self.ways_on(here):
                if after != END and after not in ways:
                    ways[after] = (*ways[here], here)
                    waiting.append(after)
        return ways


def _problem(act: ActConfig) -> str | None:
    """The first problem that keeps an act from being played, as a sentence that says how to fix it."""
    if not act.scenes:
        return "An act needs scenes. List at least one under 'scenes:'."
    names = [step.name for step in act.scenes]
    if END in names:
        return f"No scene of an act can be called '{END}', which ends the act. Give it another name with 'as:'."
    if twice := next((name for name in names if names.count(name) > 1), None):
        return f"'{twice}' is in this act twice. Give each another name with 'as:'."
    for step in act.scenes:
        if problem := _problem_of_ways(step, names):
            return problem
    if circle := _circle(act):
        return (
            f"The act would go in a circle: {' -> '.join(circle)}. To play a scene again, list it again with another "
            "name ('as:')."
        )
    return None


def _problem_of_ways(step: ActScene, names: list[str]) -> str | None:
    for place, branch in enumerate(step.then, start=1):
        if branch.otherwise is not None and place < len(step.then):
            return f"'else:' after '{step.name}' must be the last of its ways on."
        if branch.target not in (*names, END):
            near = get_close_matches(branch.target, names, n=1)
            meant = f" Did you mean '{near[0]}'?" if near else f" In it are {', '.join(names)}; 'end' ends it."
            return f"After '{step.name}' the act would go on with '{branch.target}', which is not in it.{meant}"
    return None


def _circle(act: ActConfig) -> tuple[str, ...] | None:
    """A way from a scene back to itself, whatever the conditions; None if there is none."""
    over: set[str] = set()

    def walk(way: tuple[str, ...]) -> tuple[str, ...] | None:
        for after in act.ways_on(way[-1]):
            if after in way:
                return (*way[way.index(after) :], after)
            if after != END and after not in over and (found := walk((*way, after))):
                return found
        over.add(way[-1])
        return None

    return next((found for step in act.scenes if step.name not in over and (found := walk((step.name,)))), None)


FORM = AuthoredForm(ActConfig, "act", such_as="scenes", required={"scenes": "An act needs scenes."})


def find_act(project: Path, name: str) -> ActConfig:
    """An act by its name in `acts/`, or by the path of its file."""
    direct = Path(name)
    if direct.suffix in SUFFIXES:
        return FORM.read(direct if direct.exists() else project / FOLDER / direct.name, project=project)
    return named_act(project, name)


class ActListing(WireValue):
    """An act file of a project. `problem` says why it cannot be played, if it cannot."""

    name: str
    title: str = ""
    scenes: tuple[str, ...] = ()
    problem: str | None = None


def act_listings(project: Path) -> tuple[ActListing, ...]:
    """Every file of `acts/`, sorted by name."""
    return tuple(_listing(project, name) for name in known_acts(project))


def _listing(project: Path, name: str) -> ActListing:
    try:
        act = named_act(project, name)
    except AuthorError as error:
        return ActListing(name=name, problem=error.message)
    known = {scene.casefold() for scene in known_scenes(project)}
    gone = ", ".join(f"'{step.scene}'" for step in act.scenes if step.scene.casefold() not in known)
    problem = f"It names scenes that are not there: {gone}." if gone else None
    return ActListing(name=name, title=act.title, scenes=tuple(step.name for step in act.scenes), problem=problem)


def known_acts(project: Path) -> tuple[str, ...]:
    """The names of the project's acts, sorted."""
    return tuple(known_files(project / FOLDER))


def named_act(project: Path, name: str) -> ActConfig:
    """An act by its name in `acts/`, and by nothing else. Raises NotFound with the nearest name."""

    def if_none() -> str:
        return f"There are no acts in {project.resolve().name}/{FOLDER}/ yet."

    return FORM.read(named_file(project / FOLDER, name, FORM.noun, if_none=if_none, act=name), project=project)
