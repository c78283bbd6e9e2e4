"""Files that people write by hand, in YAML or JSON: read completely, or refused with the place and the remedy."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Generic, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from dramaturg.kernel.errors import AuthorError, InvalidConfig, NotFound
from dramaturg.kernel.files import create_file, is_inside, leads_out, read_file, real_path, shown_name
from dramaturg.kernel.problems import quotes_wanted, real_problems, shown_value, worded_problem
from dramaturg.kernel.store.failures import unwritable
from dramaturg.kernel.text.shortened import shortened
from dramaturg.kernel.text.yaml_json import MalformedTextError, parse_json, parse_yaml
from dramaturg.kernel.values import Value

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

SUFFIXES = (".yaml", ".yml", ".json")
MOST_PROBLEMS = 5
MOST_COMPARED = 100
MOST_LOCATED = 100
"""How many problems of a file have a sentence."""
LONGEST_KEY = 80
"""In characters: a key that is longer is quoted by its beginning, and was not meant to be another."""


@dataclass(frozen=True, slots=True)
class AuthoredForm(Generic[M]):
    """One kind of authored file: the value it holds, and the words for it in messages.

    `such_as` are keys that an empty file is told about, `required` are sentences for keys that must be there, and
    `limit` is the size in bytes. With `named_by_file` a file without a `name` takes its own. With `sentence_first` the
    sentences that the model's own rules raise come before the place, because clients know them by their beginning.
    With `may_be_empty`, no keys, or a key without a value, are as good as none: a list whose entries were all deleted.
    `flaw` finds what a value may have and a file may not: what was stored before there was such a rule stays readable.
    """

    model: type[M]
    noun: str
    such_as: str = ""
    required: Mapping[str, str] = field(default_factory=dict)
    limit: int = 1_000_000
    named_by_file: bool = True
    sentence_first: bool = False
    may_be_empty: bool = False
    flaw: Callable[[M], str] = field(default=lambda value: "")

    def read(self, path: Path, *, project: Path | None = None) -> M:
        """The value in a file. Raises NotFound, or InvalidConfig with the file, the line and the column.

        A file of the project must lie in it: a link that leads out is refused.
        """
        where = shown_path(path, project)
        if project is not None and leads_out(path, project):
            raise InvalidConfig(
                f"{where} lies outside the project or is a link out of it. Copy the file itself there.", file=where
            )
        text = self._text(path, where)
        return self.value(self.parse(text, where), where=where, default_name=path.stem if self.named_by_file else None)

    def parse(self, text: str, where: str) -> object:
        """The plain value of a text: JSON if `where` says so, otherwise YAML. Raises InvalidConfig."""
        is_json = where.endswith(".json")
        try:
            return parse_json(text) if is_json else parse_yaml(text)
        except MalformedTextError as error:
            raise InvalidConfig(
                f"{where}, {error.place}: {error.problem}. The file is not valid {'JSON' if is_json else 'YAML'}; "
                "correct it there.",
                file=where,
                place=error.place,
            ) from error

    def value(self, raw: object, *, where: str, default_name: str | None = None) -> M:
        """The value made of parsed YAML or JSON. Raises InvalidConfig with one sentence for each problem."""
        if self.may_be_empty and (raw is None or isinstance(raw, Mapping)):
            raw = {key: held for key, held in (raw or {}).items() if held is not None}
        if not isinstance(raw, Mapping):
            found = "a list" if isinstance(raw, list) else shown_value(raw)
            wanted = f"keys such as {self.such_as}" if self.such_as else f"the keys of {_with_article(self.noun)}"
            raise InvalidConfig(f"{where}: expected {wanted}; found {found}.", provided=raw, file=where)
        values = {str(key): value for key, value in raw.items()}
        if default_name and "name" not in values:
            values["name"] = default_name
        if twice := _in_both_spellings(self.model, values):
            both = " and ".join(f"'{key}'" for key in twice)
            raise InvalidConfig(f"{where}: {both} are the same key. Keep one of the two.", provided=values, file=where)
        try:
            value = self.model.model_validate(values)
        except ValidationError as error:
            raise InvalidConfig(explained(error, self, where, values), provided=values, file=where) from error
        if problem := self.flaw(value):
            raise InvalidConfig(f"{where}: {problem}", provided=values, file=where)
        return value

    def _text(self, path: Path, where: str) -> str:
        try:
            data = read_file(path, self.limit)
        except FileNotFoundError:
            raise NotFound(f"{self.noun.capitalize()} file {where} does not exist.", file=where) from None
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise InvalidConfig(
                f"{where} cannot be read: {reason}. Put {_with_article(self.noun)} there, or check its permissions.",
                file=where,
            ) from error
        if len(data) > self.limit:
            raise InvalidConfig(
                f"{where} is larger than {self.limit // 1000} kB; {_with_article(self.noun)} is a page or two.",
                file=where,
            )
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            place = f"line {line}, byte {error.start}"
            raise InvalidConfig(
                f"{where}, {place}: not UTF-8 text. Save it as UTF-8.", file=where, place=place
            ) from error


class UnreadableFile(Value):
    """A file that cannot be used, and why."""

    name: str
    problem: str


@dataclass(frozen=True, slots=True)
class AuthoredFolder(Generic[T]):
    """What a folder holds: the values of the files that can be read, and the others by name."""

    values: tuple[T, ...]
    unreadable: tuple[UnreadableFile, ...]


def check_name(name: str, file: str, where: str) -> None:
    """Raises InvalidConfig if the name in a file is not the file's own: it is looked for by that."""
    if name != file:
        raise InvalidConfig(f"{where}: its name is '{file}'; 'name: {name}' would be another.", file=where)


def read_folder(folder: Path, read: Callable[[Path], T]) -> AuthoredFolder[T]:
    """Every authored file of a folder, by name; one that cannot be read does not hide the others.

    Of a folder that is a link out of the project, nothing is read, not even names; that is told instead.
    """
    if leads_out(folder, folder.parent):
        return AuthoredFolder((), (UnreadableFile(name=folder.name, problem=_linked(folder).message),))
    values, unreadable = [], []
    for name, path in known_files(folder).items():
        try:
            values.append(read(path))
        except AuthorError as error:
            unreadable.append(UnreadableFile(name=name, problem=error.message))
    return AuthoredFolder(tuple(values), tuple(unreadable))


def known_files(folder: Path) -> Mapping[str, Path]:
    """The authored files of a folder by name, sorted. Of several with one name, YAML goes before JSON.

    There are none in a folder that is a link out of the project.
    """
    if leads_out(folder, folder.parent):
        return {}
    try:
        found = sorted((path for path in folder.iterdir() if path.suffix in SUFFIXES), key=_preference, reverse=True)
    except OSError:
        return {}
    return dict(sorted({Path(shown_name(path)).stem: path for path in found}.items()))


def named_file(folder: Path, name: str, noun: str, /, *, if_none: Callable[[], str] = str, **context: object) -> Path:
    """The file of that name; `if_none` is what an empty folder says.

    Raises NotFound with the nearest name, and InvalidConfig for a folder that is a link out of the project.
    """
    check_folder(folder)
    known = known_files(folder)
    if name in known:
        return known[name]
    near = get_close_matches(name, list(known), n=1)
    remedy = f"Did you mean '{near[0]}'?" if near else f"Known here: {', '.join(known)}."
    if not known:
        remedy = if_none() or f"There is none in {folder.name}/ yet."
    raise NotFound(f"{noun.capitalize()} '{name}' not found. {remedy}", known=tuple(known), **context)


def check_folder(folder: Path) -> None:
    """Raises InvalidConfig for a folder of a project that is a link out of it."""
    if leads_out(folder, folder.parent):
        raise _linked(folder)


def _linked(folder: Path) -> InvalidConfig:
    return InvalidConfig(f"{folder.name} is a link out of the project. Replace it with a folder.", file=folder.name)


def shown_path(path: Path, project: Path | None) -> str:
    """A path as messages show it: relative to the project if it is inside."""
    named = path.with_name(shown_name(path)) if path.name else path
    if project is not None and is_inside(path, project):
        return str(real_path(path.parent).joinpath(named.name).relative_to(real_path(project)))
    if project is not None and path.absolute().is_relative_to(project.absolute()):
        return str(named.absolute().relative_to(project.absolute()))
    return str(named)


def explained(error: ValidationError, form: AuthoredForm[M], where: str, given: object) -> str:
    """What pydantic found in what was given: a sentence for each problem on its own line, the likeliest cause first."""
    found = _likeliest_first(error, form, given)
    left = len(found) - MOST_PROBLEMS
    sentences = [_sentence(one, form, where) for one in found[:MOST_PROBLEMS]]
    return "\n".join([*sentences, *([f"{where}: and {left} more."] if left > 0 else [])])


class LocatedProblem(Value):
    """What is wrong with a file, and the keys that lead to it."""

    place: tuple[int | str, ...]
    sentence: str


def located(error: ValidationError, form: AuthoredForm[M], where: str, given: object) -> tuple[LocatedProblem, ...]:
    """The same, problem by problem; of very many, the first."""
    found = _likeliest_first(error, form, given)[:MOST_LOCATED]
    return tuple(LocatedProblem(place=one["loc"], sentence=_sentence(one, form, where)) for one in found)


def _likeliest_first(error: ValidationError, form: AuthoredForm[M], given: object) -> list[ErrorDetails]:
    problems = real_problems(error.errors(), given)
    # A mistyped key is likelier than the missing one that it should have been.
    mistyped = [one for one in problems if one["type"] == "extra_forbidden"]
    meant = {near for one in mistyped[:MOST_COMPARED] if (near := _nearest(form.model, one["loc"]))}
    others = [one for one in problems if one["type"] != "extra_forbidden" and not _is_meant(one, meant)]
    return [*mistyped, *others]


def _is_meant(problem: ErrorDetails, meant: Collection[str]) -> bool:
    return problem["type"] == "missing" and str(problem["loc"][-1]) in meant


def _sentence(problem: ErrorDetails, form: AuthoredForm[M], where: str) -> str:
    place = problem["loc"]
    key = ".".join(map(_quoted, place))
    if problem["type"] == "value_error":
        said = str(problem["ctx"]["error"])
        return f"{said} ({where})" if form.sentence_first and not key else f"{where}: {f'{key}: ' if key else ''}{said}"
    if problem["type"] == "extra_forbidden":
        near = _nearest(form.model, place)
        remedy = f"Did you mean '{near}'?" if near else f"Known keys: {', '.join(_aliases(form.model, place))}."
        under = f" under '{'.'.join(map(_quoted, place[:-1]))}'" if len(place) > 1 else ""
        return f"{where}: '{_quoted(place[-1])}' is not a key of {_with_article(form.noun)}{under}. {remedy}"
    if problem["type"] == "missing":
        if key in form.required:
            return f"{form.required[key]} Add '{key}{'' if _is_json(where) else ':'}' to {where}."
        return f"{where}: '{key}' is missing. Add it."
    wanted = worded_problem(problem, in_json=_is_json(where))
    is_text = problem["type"].startswith("string") and not _is_json(where)
    quotes = quotes_wanted(problem["input"]) if is_text else ""
    return f"{where}: '{key}': {wanted} (found {shown_value(problem['input'])}).{quotes}"


def _quoted(part: int | str) -> str:
    return shortened(str(part), LONGEST_KEY)


def _is_json(where: str) -> bool:
    return where.endswith("request") or ".json" in where


def _nearest(model: type[BaseModel], place: Sequence[int | str]) -> str:
    """The known key that the last of a place was probably meant to be; empty if none is near."""
    if len(str(place[-1])) > LONGEST_KEY:
        return ""
    here = _model_at(model, place[:-1])
    known = [*_aliases(model, place), *(here.model_fields if here is not None else ())]
    return next(iter(get_close_matches(str(place[-1]), known, n=1)), "")


def _aliases(model: type[BaseModel], place: Sequence[int | str]) -> list[str]:
    here = _model_at(model, place[:-1])
    return [info.alias or name for name, info in here.model_fields.items()] if here is not None else []


def _model_at(model: type[BaseModel], place: Sequence[int | str]) -> type[BaseModel] | None:
    """The model that is expected at a place inside another."""
    here: type[BaseModel] | None = model
    for part in place:
        fields = here.model_fields if here is not None else {}
        info = next((info for name, info in fields.items() if part in (name, info.alias)), None)
        here = _model_in(info.annotation) if info is not None else here
    return here


def _model_in(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for part in get_args(annotation) if (found := _model_in(part))), None)


def _in_both_spellings(model: type[BaseModel], raw: object) -> tuple[str, ...]:
    """A key that is given under its name and its alias too; the model would take one of them silently."""
    if isinstance(raw, list | tuple):
        return next((found for one in raw if (found := _in_both_spellings(model, one))), ())
    if not isinstance(raw, Mapping):
        return ()
    for name, info in model.model_fields.items():
        if info.alias and info.alias != name and name in raw and info.alias in raw:
            return info.alias, name
        inner = _model_in(info.annotation)
        given = raw.get(info.alias or name, raw.get(name))
        if inner is None or given is None:
            continue
        values = list(given.values()) if _is_table(info.annotation) and isinstance(given, Mapping) else given
        if found := _in_both_spellings(inner, values):
            return found
    return ()


def _is_table(annotation: object) -> bool:
    """Whether a key holds values by names of the author's choice."""
    return get_origin(annotation) in (dict, Mapping)


def _preference(path: Path) -> tuple[int, str]:
    return SUFFIXES.index(path.suffix), path.name


def _with_article(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def write_new_file(project: Path, file: str, text: str) -> str:
    """Write a file of the project that is not there yet, whole or not at all; its path.

    Raises InvalidConfig if it is there, or lies outside, and StoreUnavailable.
    """
    path = project / file
    if leads_out(path.parent, project):
        raise InvalidConfig(f"{path.parent} is a link out of the project. Nothing was written.", file=file)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        create_file(path, text.encode())
    except OSError as error:
        if isinstance(error, FileExistsError) and path.parent.is_dir():
            raise InvalidConfig(f"{file} exists already. Choose another name.", file=file) from None
        raise unwritable(error, Path(file)) from error
    return file
