"""The file of an episode, as its author edits it: read with its digest, and written only over what was read."""

from __future__ import annotations

import secrets
from hashlib import sha256
from pathlib import Path

from pydantic import Field

from dramaturg.episodes.template import FOLDER, FORM, KIND
from dramaturg.kernel.authored import named_file, shown_path
from dramaturg.kernel.errors import AlreadyUsed, InvalidConfig
from dramaturg.kernel.files import leads_out, read_file
from dramaturg.kernel.values import Value

LONGEST_SOURCE = 200_000


class EpisodeSource(Value):
    """The text of an episode's file. `problem` says why it cannot be played, if so."""

    name: str
    file: str = Field(description="its path in the project")
    text: str
    digest: str = Field(description="send it back with a change: it is refused if the file has changed since")
    problem: str = ""


def read_source(project: Path, name: str) -> EpisodeSource:
    """Raises NotFound, or InvalidConfig for a file that is no text or not in the project."""
    path = named_file(project / FOLDER, name, KIND, name=name)
    where = shown_path(path, project)
    if leads_out(path, project):
        raise InvalidConfig(f"{where} is a link out of the project. Copy the file itself there.", file=where)
    try:
        text = read_file(path, LONGEST_SOURCE).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidConfig(f"{where} cannot be read as text: {error}.", file=where) from error
    return EpisodeSource(name=name, file=where, text=text, digest=_digest(text), problem=_problem(text, where, name))


def write_source(project: Path, name: str, text: str, digest: str) -> EpisodeSource:
    """Raises NotFound, InvalidConfig for what cannot be played, AlreadyUsed if the file has changed since then."""
    before = read_source(project, name)
    if before.digest != digest:
        raise AlreadyUsed(f"{before.file} has changed since it was read. Read it again; your text is not lost.")
    if problem := _problem(text, before.file, name):
        raise InvalidConfig(problem, file=before.file)
    path = named_file(project / FOLDER, name, KIND, name=name)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    part.write_text(text, encoding="utf-8", newline="")
    part.replace(path)
    return read_source(project, name)


def _problem(text: str, where: str, name: str) -> str:
    if len(text) > LONGEST_SOURCE:
        return f"{where}: an episode has at most {LONGEST_SOURCE:,} characters."
    try:
        template = FORM.value(FORM.parse(text, where), where=where, default_name=name)
    except InvalidConfig as error:
        return str(error)
    return "" if template.name == name else f"{where}: its name is '{name}'; 'name: {template.name}' would be another."


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:32]
