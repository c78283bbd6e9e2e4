"""The file of an episode, as its author edits it: read with its digest, and written only over what was read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import yaml
from pydantic import Field, ValidationError

from dramaturg.authored import LocatedProblem, check_name, known_files, located, named_file, shown_path, write_new_file
from dramaturg.characters import load_card, load_cast
from dramaturg.characters.load import RESERVED, is_reserved, same_name
from dramaturg.characters.source_file import read_source_file, write_source_file
from dramaturg.episodes.packs import pack_for
from dramaturg.episodes.template import FOLDER, FORM, KIND, NAME, EpisodeTemplate
from dramaturg.kernel.errors import AlreadyUsed, AuthorError, InvalidConfig
from dramaturg.kernel.values import Value


class EpisodeSource(Value):
    """The text of an episode's file. `problem` says why it cannot be played, if so."""

    name: str
    file: str = Field(description="its path in the project")
    text: str
    digest: str = Field(description="send it back with a change: it is refused if the file has changed since")
    problem: str = ""


class SourceProblem(Value):
    """Why a text cannot be played: a sentence, and the keys that lead to the place if there is one."""

    path: tuple[int | str, ...] = Field((), examples=[["beats", 1, "deadline"]])
    message: str


class CheckedSource(Value):
    """A text as an episode, or what is wrong with it."""

    template: EpisodeTemplate | None = None
    problems: tuple[SourceProblem, ...] = ()


def read_source(project: Path, name: str) -> EpisodeSource:
    """Raises NotFound, or InvalidConfig for a file that is no text or not in the project."""
    source = read_source_file(named_file(project / FOLDER, name, KIND, name=name), project)
    problem = _problem(project, source.text, source.where, name)
    return EpisodeSource(name=name, file=source.where, text=source.text, digest=source.digest, problem=problem)


def episode_faults(project: Path, opened: Iterable[str] = ()) -> tuple[str, ...]:
    """Why episodes of a project cannot be begun, a sentence for each; of those `opened` to players, also the missing.

    `*` opens all there are.
    """
    names = dict.fromkeys((*known_files(project / FOLDER), *opened))
    return tuple(fault for name in names if name != "*" and (fault := _fault(project, name)))


def _fault(project: Path, name: str) -> str:
    try:
        return read_source(project, name).problem
    except AuthorError as error:
        return error.message


def begin_source(project: Path, name: str, title: str, character: str) -> EpisodeSource:
    """A new file with a title and a character, to be written on; it can be played as it is.

    Raises InvalidConfig for a name that cannot be one, AlreadyUsed if it is taken, CharacterLoadError for the card.
    """
    if not re.fullmatch(NAME, name):
        raise InvalidConfig(
            f"'{name}' cannot name an episode. Use letters, digits, '-', '_' and '.', and begin with a letter.",
            name=name,
        )
    if is_reserved(name):
        raise InvalidConfig(f"'{name}' cannot name an episode: {RESERVED}. Choose another name.", name=name)
    card = load_card(project, character)
    values = {"title": title.strip() or name, "character": card.name}
    text: str = yaml.safe_dump(values, allow_unicode=True, sort_keys=False, width=110)
    if taken := next((one for one in known_files(project / FOLDER) if same_name(one, name)), ""):
        raise AlreadyUsed(f"There is an episode '{taken}' already. Choose another name.", name=name)
    if problem := _problem(project, text, f"{FOLDER}/{name}.yaml", name):
        raise InvalidConfig(problem)
    write_new_file(project, f"{FOLDER}/{name}.yaml", text)
    return read_source(project, name)


def write_source(project: Path, name: str, text: str, digest: str) -> EpisodeSource:
    """Raises NotFound, InvalidConfig for what cannot be played, AlreadyUsed if the file has changed since then."""
    path = named_file(project / FOLDER, name, KIND, name=name)
    where = shown_path(path, project)
    write_source_file(path, project, text, digest, lambda given: _playable(project, given, where, name))
    return read_source(project, name)


def check_source(project: Path, name: str, text: str) -> CheckedSource:
    """What a text would be if it were saved. Nothing is written. Raises NotFound."""
    where = shown_path(named_file(project / FOLDER, name, KIND, name=name), project)
    try:
        template = _template(text, where, name)
    except InvalidConfig as error:
        if isinstance(error.__cause__, ValidationError):
            given = error.context["provided"]
            return CheckedSource(problems=tuple(map(_located, located(error.__cause__, FORM, where, given))))
        return CheckedSource(problems=(SourceProblem(message=str(error)),))
    missing = _missing(project, template, where)
    return CheckedSource(problems=(missing,)) if missing else CheckedSource(template=template)


def _problem(project: Path, text: str, where: str, name: str) -> str:
    try:
        _playable(project, text, where, name)
    except InvalidConfig as error:
        return str(error)
    return ""


def _playable(project: Path, text: str, where: str, name: str) -> None:
    """Raises InvalidConfig for a text that is no episode, or names what the project does not have."""
    if missing := _missing(project, _template(text, where, name), where):
        raise InvalidConfig(missing.message)


def _missing(project: Path, template: EpisodeTemplate, where: str) -> SourceProblem | None:
    """A card or an evaluation pack that an episode names and that cannot be read."""
    key = "characters" if template.characters else "character"
    try:
        load_cast(project, template.characters or (template.character,))
        key = "evaluation"
        pack_for(project, template.evaluation)
    except AuthorError as error:
        return SourceProblem(path=(key,), message=f"{where}: {error}")
    return None


def _template(text: str, where: str, name: str) -> EpisodeTemplate:
    """Raises InvalidConfig."""
    template = FORM.value(FORM.parse(text, where), where=where, default_name=name)
    check_name(template.name, name, where)
    return template


def _located(problem: LocatedProblem) -> SourceProblem:
    """A rule about the whole episode has no place; its sentence begins with the key that it is about."""
    _, _, said = problem.sentence.partition(": ")
    key = said.partition(":")[0]
    about = (key,) if key in EpisodeTemplate.model_fields else ()
    return SourceProblem(path=problem.place or about, message=problem.sentence)
