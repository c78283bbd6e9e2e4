"""A scene as its author writes it, in YAML or JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import BeforeValidator, Field, model_validator

from dramaturg.authored import SUFFIXES, AuthoredForm, known_files, named_file
from dramaturg.kernel.values import WireValue
from dramaturg.scenes.director.goals import MOST_GOALS, as_list, goal_source, has_goal, listed, split_goal

FEWEST, MOST = 2, 5
MOST_BEATS = 1000
FOLDER = "scenes"
_NAME = re.compile(r"[^\W_][\w '\-.]{0,79}", re.UNICODE)


def can_name_folder(name: str) -> bool:
    """Whether the results of something with this name can be put into a folder of that name."""
    return bool(_NAME.fullmatch(name)) and ".." not in name and not name.endswith((".", " "))


def _one_line(value: object) -> object:
    return " ".join(value.split()) if isinstance(value, str) else value


def _goal_lines(value: object) -> object:
    """A goal in prose as one line; a list of sub-goals, or a text that is one, as one line per item."""
    if isinstance(value, list | tuple):
        return as_list(_sub_goal(number, item) for number, item in enumerate(value, start=1)) if value else None
    return "\n".join(" ".join(row.split()) for row in value.splitlines()) if isinstance(value, str) else value


def _sub_goal(number: int, item: object) -> str:
    if item is None or (isinstance(item, str) and not item.strip()):
        raise ValueError(f"entry {number} is empty. Write a sub-goal there, or leave it out.")
    if isinstance(item, Mapping):
        raise ValueError(f"entry {number} is read as a key, because of its colon. Put the whole entry in quotes.")
    if isinstance(item, bool) or not isinstance(item, str | int | float):
        raise ValueError(f"entry {number} is no text. Put it in quotes, or write one sub-goal per entry.")
    return str(item)


def _ways(value: object) -> object:
    """The ways to play a moment: the paragraphs of a text, or a list."""
    return tuple(way for way in re.split(r"\n\s*\n", value) if way.strip()) if isinstance(value, str) else value


class ScheduledEvent(WireValue):
    """Something that happens in the world at a given beat, whatever the characters do."""

    beat: int = Field(ge=1, le=MOST_BEATS)
    text: Annotated[str, BeforeValidator(_one_line), Field(min_length=1, max_length=500)]


class PartSheet(WireValue):
    """What one character alone is told, when it is on stage, and whether a person plays it."""

    note: str = Field(default="", max_length=4000, description="a direction only this character reads")
    secrets: tuple[str, ...] = Field(default=(), description="what only this character knows")
    enters: int = Field(default=0, ge=0, le=MOST_BEATS, description="the beat from which it is on stage")
    leaves: int | None = Field(default=None, ge=1, le=MOST_BEATS, description="the beat from which it is off again")
    lorebooks: tuple[str, ...] = Field(
        default=(), description="books of lorebooks/ that only this character knows", exclude_if=lambda books: not books
    )

    played_by: Literal["model", "person"] = Field(
        default="model", description="who plays it: a model, or a person", exclude_if=lambda who: who == "model"
    )
    otherwise: Literal["silence", "model"] = Field(
        default="silence",
        alias="else",
        description="what becomes of a person's part while nobody plays it",
        exclude_if=lambda what: what == "silence",
    )
    wait: bool = Field(
        default=False, description="wait for the person as long as it takes", exclude_if=lambda waits: not waits
    )

    @property
    def by_person(self) -> bool:
        return self.played_by == "person"

    def public(self) -> PartSheet:
        """The sheet without what only this character may know."""
        return self.model_copy(update={"note": "", "secrets": (), "lorebooks": ()})


NO_SHEET = PartSheet()
"""Of a character that the scene says nothing special about."""


class PersonsPart(NamedTuple):
    """A part that a person plays besides those that the scene names; with `wait`, people are waited for."""

    name: str | None = None
    wait: bool = False


class SceneLines(WireValue):
    """Lines that the rehearsal company performs: one or more ways to play a moment, as the transcript prints them."""

    at: str = Field(
        default="", max_length=80, description="names the moment; entries of one name are ways to play the same one"
    )
    goal: int | None = Field(
        default=None, ge=1, le=MOST_GOALS, description="the sub-goal that the last of these lines reaches"
    )
    say: Annotated[tuple[str, ...], BeforeValidator(_ways), Field(min_length=1)] = Field(
        description="the lines; a blank line separates one way to play the moment from the next"
    )


class SceneBudget(WireValue):
    """A hard stop for one run of this scene, instead of the settings'."""

    tokens: int | None = Field(default=None, ge=1)
    usd: float | None = Field(default=None, gt=0)


class SceneConfig(WireValue):
    """What is played, by whom, to which end. Wire names are camelCase; both spellings are read."""

    name: str = Field(description="names the folder of the results")
    prompt: str = Field(description="the situation, and after 'Scene goal:' what must be reached")
    characters: tuple[str, ...] = Field(description="two to five cards of .claude/agents/")
    initial_speaker: str | None = Field(default=None, description="who opens; the first of the cast if not set")
    max_beats: int = Field(
        default=50, ge=1, le=MOST_BEATS, strict=True, description="the scene is ended there at the latest"
    )
    setting: Annotated[str | None, BeforeValidator(_one_line)] = Field(
        default=None, description="where and when, in one line"
    )
    goal: Annotated[str | None, BeforeValidator(_goal_lines)] = Field(
        default=None, description="instead of 'Scene goal:' in the prompt; a sentence, or a list of sub-goals"
    )
    events: tuple[ScheduledEvent, ...] = Field(default=(), description="things that happen at a given beat")
    parts: Mapping[str, PartSheet] = Field(
        default_factory=dict,
        description="for a character: note, secrets, enters (beat), leaves (beat), lorebooks, played_by, else, wait",
    )
    lorebooks: tuple[str, ...] | None = Field(
        default=None,
        description="books of lorebooks/ that everybody knows; if not set, all of them but those that a part names",
        exclude_if=lambda books: books is None,
    )
    language: str | None = Field(
        default=None, description="what is spoken where a card names no language, such as 'French'"
    )
    order: Literal["arrival", "tempo", "cast"] = Field(
        default="arrival",
        description="how the answers of a beat stand: as they came; by the cards' tempo and a seed; as cast",
    )
    gloss: str | None = Field(
        default=None, description="the reader's language: lines in another are translated beside them"
    )
    world_events: Literal["rules", "model"] = Field(
        default="rules",
        description="who proposes what happens when a scene stalls: the house's rules, or the director's model",
    )
    stage_directions: bool = Field(
        default=False, description="print what silent characters do, as the moderator's own lines"
    )
    lookahead: bool = Field(default=True, description="judge a beat while the next is already asked")
    remembers: bool = Field(default=False, description="the cast recalls earlier scenes, and remembers this one")
    budget: SceneBudget | None = Field(default=None, description="tokens, usd: a hard stop for this scene")
    lines: tuple[SceneLines, ...] = Field(
        default=(), description="what the rehearsal company says: at, goal, say", exclude_if=lambda lines: not lines
    )
    seed: int | None = Field(default=None, description="makes the rehearsal company play the same scene again")

    @model_validator(mode="after")
    def _playable(self) -> SceneConfig:
        if problem := _problem(self):
            raise ValueError(problem)
        return self

    def sheet(self, name: str) -> PartSheet:
        """The sheet of a character, by its name in the cast."""
        return next((sheet for key, sheet in self.parts.items() if key.casefold() == name.casefold()), NO_SHEET)

    def public(self) -> SceneConfig:
        """The scene without what only single characters may know."""
        open_parts = {name: sheet.public() for name, sheet in self.parts.items()}
        return self.model_copy(update={"parts": open_parts, "lines": ()})

    def with_person(self, name: str, *, wait: bool = False) -> SceneConfig:
        """The scene with a person in a part, by its name in the cast."""
        sheet = self.sheet(name)
        seated = sheet.model_copy(update={"played_by": "person", "wait": sheet.wait or wait})
        others = {key: one for key, one in self.parts.items() if key.casefold() != name.casefold()}
        return self.model_copy(update={"parts": {**others, name: seated}})

    @property
    def opener(self) -> str:
        return self.initial_speaker or self.characters[0]

    @property
    def title(self) -> str:
        return re.sub(r"[-_]+", " ", self.name).strip().title()


def _problem(config: SceneConfig) -> str | None:
    """The first problem that keeps a scene from being played, as a sentence that says how to fix it."""
    cast, lowered = config.characters, [name.casefold() for name in config.characters]
    if not can_name_folder(config.name):
        return (
            f"Scene name {config.name!r} cannot name a folder. "
            "Use letters, digits, spaces, '-' and '_', up to 80 of them."
        )
    if not config.prompt.strip():
        return "Scene prompt is required. Say in a few sentences what happens and what must be reached."
    if len(cast) < FEWEST:
        have = f"only '{cast[0]}' is in it" if cast else "it is empty"
        return f"A scene needs a cast of {FEWEST} to {MOST} characters; {have}. Add names from .claude/agents/."
    if len(cast) > MOST:
        extra = ", ".join(cast[MOST:])
        return f"A scene takes at most {MOST} characters, not {len(cast)}. Leave out {extra}."
    if twice := sorted({name for name in cast if lowered.count(name.casefold()) > 1}):
        return f"Character '{twice[0]}' is named twice. Name each member of the cast once."
    if config.initial_speaker is not None and config.initial_speaker.casefold() not in lowered:
        near = get_close_matches(config.initial_speaker, cast, n=1)
        meant = f" Did you mean '{near[0]}'?" if near else ""
        return f"Initial speaker '{config.initial_speaker}' is not in the cast ({', '.join(cast)}).{meant}"
    return _problem_of_parts(config, lowered)


def _problem_of_parts(config: SceneConfig, cast: list[str]) -> str | None:
    for name, sheet in config.parts.items():
        if name.casefold() not in cast:
            return f"'parts' has a sheet for '{name}', who is not in the cast ({', '.join(config.characters)})."
        if sheet.leaves is not None and sheet.leaves <= sheet.enters:
            return f"'{name}' would leave at beat {sheet.leaves} and enter at beat {sheet.enters}; leave later."
        if not sheet.by_person and (sheet.wait or sheet.otherwise != "silence"):
            return f"'{name}' has 'wait' or 'else', which are for a person's part. Add 'played_by: person'."
    if config.sheet(config.opener).enters > 0:
        return f"'{config.opener}' opens the scene and so must be on stage at beat 0, not from a later one."
    return None


def _flaw_of_goals(config: SceneConfig) -> str:
    if config.goal is None and not has_goal(config.prompt):
        return ""
    if config.goal is not None and has_goal(config.prompt):
        return "the goal stands under 'goal:' and in the prompt too, after 'Scene goal:'. Keep one of the two."
    source = goal_source(config.prompt, config.goal)
    if not split_goal(source, ()):
        return "the goal is empty. Write after 'Scene goal:', or under 'goal:', what the scene is to reach."
    if (many := len(listed(source))) > MOST_GOALS:
        return (
            f"the goal is a list of {many}, and a scene has at most {MOST_GOALS} sub-goals. "
            "Leave some out, or make an act of several scenes."
        )
    return ""


FORM = AuthoredForm(
    SceneConfig,
    "scene",
    such_as="name, prompt and characters",
    required={"prompt": "Scene prompt is required.", "characters": "A scene needs characters."},
    sentence_first=True,
    flaw=_flaw_of_goals,
)


def read_scene(path: Path, *, project: Path | None = None) -> SceneConfig:
    """The scene in a YAML or JSON file. Raises InvalidConfig with file, line and column."""
    return FORM.read(path, project=project)


def find_scene(project: Path, name: str) -> SceneConfig:
    """A scene by its name in `scenes/`, or by the path of its file."""
    direct = Path(name)
    if direct.suffix in SUFFIXES:
        return read_scene(direct if direct.exists() else project / FOLDER / direct.name, project=project)
    return named_scene(project, name)


def known_scenes(project: Path) -> tuple[str, ...]:
    """The names of the project's scenes, sorted."""
    return tuple(known_files(project / FOLDER))


def named_scene(project: Path, name: str) -> SceneConfig:
    """A scene by its name in `scenes/`, and by nothing else. Raises NotFound with the nearest name."""
    return read_scene(scene_path(project, name), project=project)


def scene_path(project: Path, name: str) -> Path:
    """The file of a scene, by its name. Raises NotFound with the nearest name."""
    return named_file(project / FOLDER, name, FORM.noun, if_none=partial(_where_scenes_are, project), scene=name)


def _where_scenes_are(project: Path) -> str:
    """What to do for somebody whose project has no scenes."""
    here = project.resolve()
    remedy = "'dramaturg new DIR' makes a project with one"
    if known_files(here.parent / FOLDER):
        remedy = f"the project is the folder above, {here.parent.name}/: go there, or add --project .."
    return f"There are no scenes in {here.name}/{FOLDER}/; {remedy}."


def scene_from(raw: object, *, where: str = "scene", default_name: str | None = None) -> SceneConfig:
    """A scene from parsed YAML or JSON. Raises InvalidConfig; for an unknown key it suggests the nearest known one."""
    return FORM.value(raw, where=where, default_name=default_name)
