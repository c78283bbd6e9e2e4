"""What people write for episodes, in YAML or JSON: read whole, or refused with the place and the way out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from types import UnionType
from typing import TypeVar, Union, get_args, get_origin

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from dramaturg.kernel.errors import InvalidConfig, NotFound

T = TypeVar("T", bound=BaseModel)

FILE_LIMIT = 1_000_000
SUFFIXES = (".yaml", ".yml", ".json")
LONGEST_SHOWN = 60


def read_file(path: Path, form: type[T], kind: str) -> T:
    """One authored file. `kind` is the word for it ("episode"). Raises InvalidConfig with file, line and column."""
    try:
        if path.stat().st_size > FILE_LIMIT:
            raise InvalidConfig(f"{path} is larger than {FILE_LIMIT // 1000} kB; it should be a page or two.")
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise NotFound(f"The {kind} file {path} does not exist.", file=str(path)) from None
    except UnicodeDecodeError as error:
        raise InvalidConfig(f"{path} is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from error
    except OSError as error:
        raise InvalidConfig(f"{path} cannot be read: {error.strerror}.", file=str(path)) from error
    return read_value(_load(text, path), form, kind, where=path.name, default_name=path.stem)


def read_value(raw: object, form: type[T], kind: str, *, where: str, default_name: str | None = None) -> T:
    """The same from parsed YAML or JSON. Unknown keys are refused with the nearest known one."""
    if not isinstance(raw, Mapping):
        found = "nothing" if raw is None else f"a {type(raw).__name__}"
        raise InvalidConfig(f"{where}: expected the keys of {_a(kind)}; found {found}.", file=where)
    values = {str(key): value for key, value in raw.items()}
    if default_name and "name" not in values:
        values["name"] = default_name
    try:
        return form.model_validate(values)
    except ValidationError as error:
        # A mistyped key is the likelier mistake than the one that seems to be missing for it.
        wrong = sorted(error.errors(), key=lambda one: one["type"] != "extra_forbidden")
        raise InvalidConfig(_explain(wrong[0], form, kind, where), file=where) from error


def known_files(folder: Path) -> Mapping[str, Path]:
    """The authored files of a folder by their names, sorted."""
    found = {path.stem: path for path in sorted(folder.glob("*")) if path.suffix in SUFFIXES}
    return dict(sorted(found.items()))


def named_file(folder: Path, name: str, kind: str) -> Path:
    """The file of that name, and nothing else. Raises NotFound with the nearest name."""
    known = known_files(folder)
    if name in known:
        return known[name]
    near = get_close_matches(name, list(known), n=1)
    if near:
        way_out = f"Did you mean '{near[0]}'?"
    elif known:
        way_out = f"Known here: {', '.join(known)}."
    else:
        way_out = f"There is none in {folder.name}/ yet."
    raise NotFound(f"{kind.capitalize()} '{name}' not found. {way_out}", name=name, known=tuple(known))


def _load(text: str, path: Path) -> object:
    try:
        loaded: object = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except json.JSONDecodeError as error:
        place, problem = f"line {error.lineno}, column {error.colno}", error.msg
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"line {mark.line + 1}, column {mark.column + 1}" if mark else "somewhere"
        problem = error.problem or "not YAML"
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        place, problem = "somewhere", str(error).splitlines()[0]
    else:
        return loaded
    language = "JSON" if path.suffix == ".json" else "YAML"
    raise InvalidConfig(f"{path.name}, {place}: {problem}. The file is not valid {language}; mend that place.")


def _explain(first: ErrorDetails, form: type[BaseModel], kind: str, where: str) -> str:
    key = ".".join(str(part) for part in first["loc"])
    if first["type"] == "value_error":
        return f"{where}: {f'{key}: ' if key else ''}{first['ctx']['error']}"
    if first["type"] == "extra_forbidden":
        known = _known_keys(form, first["loc"][:-1])
        near = get_close_matches(str(first["loc"][-1]), known, n=1)
        meant = f"Did you mean '{near[0]}'?" if near else f"Known keys: {', '.join(known)}."
        place = f" under '{'.'.join(map(str, first['loc'][:-1]))}'" if len(first["loc"]) > 1 else ""
        return f"{where}: '{first['loc'][-1]}' is not a key of {_a(kind)}{place}. {meant}"
    if first["type"] == "missing":
        return f"{where}: '{key}' is missing. Add it."
    return f"{where}: '{key}': {first['msg'].lower()} (found {_short(first['input'])})."


def _known_keys(form: type[BaseModel], place: tuple[int | str, ...]) -> list[str]:
    """The keys that are known at a place inside a form."""
    here: type[BaseModel] | None = form
    for part in place:
        if here is None or not isinstance(part, str):
            continue
        info = here.model_fields.get(part)
        here = _model_in(info.annotation) if info is not None else here
    return sorted(here.model_fields) if here is not None else []


def _model_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) in (Union, UnionType, tuple, list, dict) or get_args(annotation):
        return next((found for part in get_args(annotation) if (found := _model_in(part))), None)
    return None


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 3] + "..."
