"""A scene as its author writes it, in YAML or JSON: read whole, or refused with the place and the way out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal, cast

import yaml
from pydantic import BeforeValidator, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from dramaturg.kernel.errors import InvalidConfig, NotFound
from dramaturg.kernel.values import WireValue

FEWEST, MOST = 2, 5
MOST_BEATS = 1000
FILE_LIMIT = 1_000_000
SUFFIXES = (".yaml", ".yml", ".json")
_NAME = re.compile(r"[^\W_][\w '\-.]{0,79}", re.UNICODE)


def _one_line(value: object) -> object:
    return " ".join(value.split()) if isinstance(value, str) else value


class ScheduledEvent(WireValue):
    """Something that happens in the world at a given beat, whatever the characters do."""

    beat: int = Field(ge=1, le=MOST_BEATS)
    text: Annotated[str, BeforeValidator(_one_line), Field(min_length=1, max_length=500)]


class PartSheet(WireValue):
    """What one character alone is told, and when it is on stage."""

    note: str = Field("", max_length=4000, description="a direction only this character reads")
    secrets: tuple[str, ...] = Field((), description="what only this character knows")
    enters: int = Field(0, ge=0, le=MOST_BEATS, description="the beat from which it is on stage")
    leaves: int | None = Field(None, ge=1, le=MOST_BEATS, description="the beat from which it is off again")


class SceneBudget(WireValue):
    """A hard stop for one run of this scene, instead of the settings'."""

    tokens: int | None = Field(None, ge=1)
    usd: float | None = Field(None, gt=0)


class SceneConfig(WireValue):
    """What is played, by whom, to which end. Wire names are camelCase; both spellings are read."""

    name: str = Field(description="names the folder of the results")
    prompt: str = Field(description="the situation, and after 'Scene goal:' what must be reached")
    characters: tuple[str, ...] = Field(description="two to five cards of .claude/agents/")
    initial_speaker: str | None = Field(None, description="who opens; the first of the cast if not set")
    max_beats: int = Field(50, ge=1, le=MOST_BEATS, strict=True, description="the scene is ended there at the latest")
    setting: Annotated[str | None, BeforeValidator(_one_line)] = Field(None, description="where and when, in one line")
    goal: Annotated[str | None, BeforeValidator(_one_line)] = Field(
        None, description="instead of 'Scene goal:' in the prompt"
    )
    events: tuple[ScheduledEvent, ...] = Field((), description="things that happen at a given beat")
    parts: Mapping[str, PartSheet] = Field(
        default_factory=dict, description="for a character: note, secrets, enters (beat), leaves (beat)"
    )
    language: str | None = Field(None, description="what is spoken where a card names no language, such as 'French'")
    order: Literal["arrival", "tempo", "cast"] = Field(
        "arrival", description="how the answers of a beat stand: as they came; by the cards' tempo and a seed; as cast"
    )
    gloss: str | None = Field(None, description="the reader's language: lines in another are translated beside them")
    world_events: Literal["rules", "model"] = Field(
        "rules", description="who proposes what happens when a scene stalls: the house's rules, or the director's model"
    )
    stage_directions: bool = Field(False, description="print what silent characters do, as the moderator's own lines")
    lookahead: bool = Field(True, description="judge a beat while the next is already asked")
    remembers: bool = Field(False, description="the cast recalls earlier scenes, and remembers this one")
    budget: SceneBudget | None = Field(None, description="tokens, usd: a hard stop for this scene")
    seed: int | None = Field(None, description="makes the rehearsal company play the same scene again")

    @model_validator(mode="after")
    def _playable(self) -> SceneConfig:
        if problem := _problem(self):
            raise ValueError(problem)
        return self

    def sheet(self, name: str) -> PartSheet:
        """The sheet of a character, by its name in the cast."""
        return next((sheet for key, sheet in self.parts.items() if key.casefold() == name.casefold()), PartSheet())

    def public(self) -> SceneConfig:
        """The scene without what only single characters may know."""
        open_parts = {name: sheet.model_copy(update={"note": "", "secrets": ()}) for name, sheet in self.parts.items()}
        return self.model_copy(update={"parts": open_parts})

    @property
    def opener(self) -> str:
        return self.initial_speaker or self.characters[0]

    @property
    def title(self) -> str:
        return re.sub(r"[-_]+", " ", self.name).strip().title()


def _problem(config: SceneConfig) -> str | None:
    """The first thing that keeps a scene from being played, as a sentence with the way out."""
    cast, lowered = config.characters, [name.casefold() for name in config.characters]
    if not _NAME.fullmatch(config.name) or ".." in config.name or config.name.endswith((".", " ")):
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
    if config.sheet(config.opener).enters > 0:
        return f"'{config.opener}' opens the scene and so must be on stage at beat 0, not from a later one."
    return None


def read_scene(path: Path) -> SceneConfig:
    """The scene in a YAML or JSON file. Raises InvalidConfig with file, line and column."""
    try:
        if path.stat().st_size > FILE_LIMIT:
            raise InvalidConfig(
                f"{path} is larger than {FILE_LIMIT // 1000} kB; a scene file is a page or two.",
                file=str(path),
            )
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise NotFound(f"Scene file {path} does not exist.", file=str(path)) from None
    except UnicodeDecodeError as error:
        raise InvalidConfig(
            f"{path} is not UTF-8 text (byte {error.start}). Save it as UTF-8.", file=str(path)
        ) from error
    except OSError as error:
        raise InvalidConfig(f"{path} cannot be read: {error.strerror}.", file=str(path)) from error
    return scene_from(_load(text, path), where=str(path), default_name=path.stem)


def find_scene(project: Path, name: str) -> SceneConfig:
    """A scene by name in `scenes/`, or by the path of its file."""
    direct = Path(name)
    if direct.suffix in SUFFIXES:
        return read_scene(direct if direct.exists() else project / "scenes" / direct.name)
    return named_scene(project, name)


def known_scenes(project: Path) -> tuple[str, ...]:
    """The names of the scenes that are here, sorted."""
    return tuple(sorted({path.stem for path in (project / "scenes").glob("*") if path.suffix in SUFFIXES}))


def named_scene(project: Path, name: str) -> SceneConfig:
    """A scene by its name in `scenes/`, and by nothing else. Raises NotFound with the nearest name."""
    known = known_scenes(project)
    if name in known:
        return read_scene(next(p for s in SUFFIXES if (p := project / "scenes" / f"{name}{s}").exists()))
    near = get_close_matches(name, known, n=1)
    if near:
        way_out = f"Did you mean '{near[0]}'?"
    elif known:
        way_out = f"Known here: {', '.join(known)}."
    else:
        here = project.resolve().name
        way_out = f"There are no scenes in {here}/scenes/; 'dramaturg new DIR' makes a project with one."
    raise NotFound(f"Scene '{name}' not found. {way_out}", scene=name, known=known)


def scene_from(raw: object, *, where: str = "scene", default_name: str | None = None) -> SceneConfig:
    """A scene from parsed YAML or JSON. Unknown keys are refused with the nearest known one."""
    if not isinstance(raw, Mapping):
        found = "nothing" if raw is None else f"a {type(raw).__name__}"
        raise InvalidConfig(
            f"{where}: expected keys such as name, prompt and characters; found {found}.",
            provided=raw,
            file=where,
        )
    values = {str(key): value for key, value in raw.items()}
    if default_name and "name" not in values:
        values["name"] = default_name
    try:
        return SceneConfig.model_validate(values)
    except ValidationError as error:
        raise InvalidConfig(_explain(error.errors()[0], where), provided=values, file=where) from error


def _load(text: str, path: Path) -> object:
    try:
        if path.suffix == ".json":
            return cast("object", json.loads(text))
        return cast("object", yaml.safe_load(text))
    except json.JSONDecodeError as error:
        place, problem = f"line {error.lineno}, column {error.colno}", error.msg
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}" if mark else "somewhere"
        problem = error.problem or "not YAML"
    except yaml.YAMLError as error:
        place, problem = "somewhere", str(error).splitlines()[0]
    kind = "JSON" if path.suffix == ".json" else "YAML"
    raise InvalidConfig(
        f"{path}, {place}: {problem}. The file is not valid {kind}; mend that place.",
        file=str(path),
        place=place,
    )


def _explain(first: ErrorDetails, where: str) -> str:
    if first["type"] == "value_error":
        return f"{first['ctx']['error']}"
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        known = [info.alias or name for name, info in SceneConfig.model_fields.items()]
        near = get_close_matches(key, known + list(SceneConfig.model_fields), n=1)
        meant = f"Did you mean '{near[0]}'?" if near else f"Known keys: {', '.join(known)}."
        return f"{where}: '{key}' is not a key of a scene. {meant}"
    if first["type"] == "missing":
        what = {"prompt": "Scene prompt is required.", "characters": "A scene needs characters."}.get(key)
        return what + f" Add '{key}:' to {where}." if what else f"{where}: '{key}' is missing."
    return f"{where}: '{key}': {first['msg'].lower()} (found {_short(first['input'])})."


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
